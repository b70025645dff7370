package table

import "drainboard/keys"

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

// SetNaturalKey names what of the arguments names the object, in a row that says nothing about it, as SetClass sets a class.
func SetNaturalKey(src []byte, tool string, key []keys.Pointer) ([]byte, error) {
	return change(src, tool, "natural_key", func(row members) bool {
		if _, has := row["natural_key"]; has || len(key) == 0 {
			return false
		}
		list := make([]any, len(key))
		for i, p := range key {
			list[i] = text(p.String())
		}
		row["natural_key"] = list
		return true
	})
}
