package keys

import "drainboard/keys/pyjson"

// decodeRune is pyjson.DecodeRune for strings.
func decodeRune(s string) (rune, int) { return pyjson.DecodeRune([]byte(s)) }
