package table

import "drainboard/keys"

// Case is a case to be added to a row.
type Case struct {
	At      keys.Pointer
	Glob    string
	Class   Class
	Effect  Effect
	Polling bool
}

// SetClass gives a tool's row a class.
func SetClass(src []byte, tool string, class Class) ([]byte, error) { return nil, ErrEdit }

// AddIgnore adds a pointer to the ignore: list of a tool's row.
func AddIgnore(src []byte, tool string, p keys.Pointer) ([]byte, error) { return nil, ErrEdit }

// AddCase adds a case at the end of a tool's row.
func AddCase(src []byte, tool string, c Case) ([]byte, error) { return nil, ErrEdit }
