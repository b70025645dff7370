package table

// SetEffect gives a keyed tool's row an effect, as SetClass sets a class. A row that names none has Create.
func SetEffect(src []byte, tool string, effect Effect) ([]byte, error) {
	return change(src, tool, "effect", func(row members) bool {
		if have, ok := row["effect"]; ok && have == text(effect.String()) || !ok && effect == Create {
			return false
		}
		row["effect"] = text(effect.String())
		return true
	})
}
