package table

import (
	"testing"

	"drainboard/keys"
)

func TestSetEffect(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"tools:\n  put_file: {class: keyed} # a file\n", "tools:\n  put_file: {class: keyed, effect: write} # a file\n"},
		{"tools:\n  put_file: {class: keyed, effect: create}\n", "tools:\n  put_file: {class: keyed, effect: write}\n"},
		{"tools:\n  put_file: {class: keyed, effect: write}\n", "tools:\n  put_file: {class: keyed, effect: write}\n"},
	} {
		got, err := SetEffect([]byte(c.src), "put_file", Write)
		if err != nil || string(got) != c.want {
			t.Errorf("%q became %q, want %q (%v)", c.src, got, c.want, err)
		}
	}
	src := "tools:\n  put_file: {class: keyed}\n"
	if got, err := SetEffect([]byte(src), "put_file", Create); err != nil || string(got) != src {
		t.Errorf("a row without an effect has Create already: %q, %v", got, err)
	}
}

func TestSetNaturalKey(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"tools:\n  open_pr: {class: keyed} # a pull request\n", "tools:\n  open_pr: {class: keyed, natural_key: [/repo, /head]} # a pull request\n"},
		{"tools:\n  open_pr:\n    class: keyed # so\n    timeout: 3s\n", "tools:\n  open_pr:\n    class: keyed # so\n    natural_key: [/repo, /head]\n    timeout: 3s\n"},
		{"tools:\n  open_pr: {class: keyed, natural_key: [/number]}\n", "tools:\n  open_pr: {class: keyed, natural_key: [/number]}\n"}, // it is somebody's decision
	} {
		got, err := SetNaturalKey([]byte(c.src), "open_pr", []keys.Pointer{pointer(t, "/repo"), pointer(t, "/head")})
		if err != nil || string(got) != c.want {
			t.Errorf("%q became %q, want %q (%v)", c.src, got, c.want, err)
		}
	}
}
