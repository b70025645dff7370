package keys

// VolatileName says whether a member name names what changes from try to try, as nonce or requested_at (PRODUCT.md "Volatile leaves").
func VolatileName(name string) bool { return volatileName([]byte(name)) != "" }
