package board

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"drainboard/ui/board/filter"
)

// Settings are how a user wants every board to be: the file board.yaml of the configuration folder. The zero value is the board as it
// is without one. They are checked when they are read.
type Settings struct {
	Theme   string              `yaml:"theme"`   // auto, light, dark or mono; "": auto
	Times   string              `yaml:"times"`   // ages or absolute; "": ages
	Notify  string              `yaml:"notify"`  // off, bell or osc9: what a new critical finding does; "": off
	Mouse   bool                `yaml:"mouse"`   // on from the start
	Keys    map[string]keyNames `yaml:"keys"`    // by the name that an action has in the palette
	Columns map[string][]string `yaml:"columns"` // by screen: the columns that its list shows
	Views   []View              `yaml:"views"`
}

// keyNames are the keys of an action: one, or several.
type keyNames []string

// UnmarshalYAML reads one name or a list of them.
func (k *keyNames) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*k = keyNames{n.Value}
		return nil
	}
	return n.Decode((*[]string)(k))
}

// ParseSettings reads settings. Its errors say what was expected, and where in the file.
func ParseSettings(src []byte, file string) (Settings, error) {
	var s Settings
	d := yaml.NewDecoder(bytes.NewReader(src))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if err := s.check(); err != nil {
		return Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func (s *Settings) check() error {
	for _, c := range []struct {
		name, value string
		words       []string
	}{
		{"theme", s.Theme, []string{"auto", "light", "dark", "mono"}},
		{"times", s.Times, []string{"ages", "absolute"}},
		{"notify", s.Notify, []string{"off", "bell", "osc9"}},
	} {
		if c.value != "" && !slices.Contains(c.words, c.value) {
			return fmt.Errorf("%s: expected one of %s, found %q", c.name, strings.Join(c.words, ", "), c.value)
		}
	}
	if _, err := s.bindings(); err != nil {
		return err
	}
	for name, columns := range s.Columns {
		if err := CheckColumns(name, columns); err != nil {
			return err
		}
	}
	for i := range s.Views {
		if err := s.Views[i].check(); err != nil {
			return fmt.Errorf("views: %w", err)
		}
	}
	return nil
}

// bindings are the board's with the keys of the settings. One key means one thing on one screen.
func (s *Settings) bindings() ([]binding, error) {
	all := bindings()
	for i := range s.Views {
		if v := &s.Views[i]; v.Name != "" {
			all = append(all, v.binding())
		}
	}
	for name, ks := range s.Keys {
		found := false
		for i := range all {
			if all[i].name == name {
				all[i].press, all[i].show, found = on(ks...), "", true
			}
		}
		if !found {
			return nil, fmt.Errorf("keys: no action is called %q: the board lists their names among its actions", name)
		}
		if len(ks) == 0 {
			return nil, fmt.Errorf("keys: %s: expected a key", name)
		}
		for _, k := range ks {
			if !isKey(k) {
				return nil, fmt.Errorf("keys: %s: %q is no key: expected a character, or a name such as ctrl+a, alt+x, f5, space, enter", name, k)
			}
		}
	}
	for in := scope(1); in < 1<<scopes; in <<= 1 {
		seen := map[string]string{}
		for i := range all {
			if all[i].where&in == 0 {
				continue
			}
			for _, k := range all[i].press.Keys() {
				if was, twice := seen[k]; twice {
					return nil, fmt.Errorf("keys: %q means both %q and %q in one place: give one of them another", k, was, all[i].name)
				}
				seen[k] = all[i].name
			}
		}
	}
	return all, nil
}

// isKey says whether a key can be typed by this name.
func isKey(name string) bool {
	if name == "space" {
		return true
	}
	rest := strings.TrimPrefix(name, "alt+")
	if utf8.RuneCountInString(rest) == 1 {
		r, _ := utf8.DecodeRuneInString(rest)
		return r >= ' ' && r != utf8.RuneError && r != 0x7f
	}
	_, ok := keyType(rest)
	return ok
}

// columnName is how a column is named in settings.
func columnName(c *column) string {
	if c.name != "" {
		return c.name
	}
	word, _, _ := strings.Cut(strings.ToLower(c.title), " ")
	return word
}

// listColumns are the columns of a screen's list, nil where they cannot be chosen.
func listColumns(s screen) []column {
	switch s {
	case onFindings:
		return findingsSpec().columns
	case onFlight:
		return flightSpec().columns
	case onRuns:
		return runsSpec().columns
	case onTools:
		return toolsSpec(nil).columns
	case onLog:
		return journalSpec(nil).columns
	}
	return nil
}

// CheckColumns says what is wrong with the columns chosen for a screen.
func CheckColumns(name string, columns []string) error {
	at, ok := screenNamed(name)
	if !ok || listColumns(at) == nil {
		return fmt.Errorf("columns: expected findings, in flight, runs, tools or log, found %q", name)
	}
	var known []string
	for _, c := range listColumns(at) {
		known = append(known, columnName(&c))
	}
	if len(columns) == 0 {
		return fmt.Errorf("columns: %s: expected some of %s", name, strings.Join(known, ", "))
	}
	for _, c := range columns {
		if !slices.Contains(known, c) {
			return fmt.Errorf("columns: %s: expected some of %s, found %q", name, strings.Join(known, ", "), c)
		}
	}
	return nil
}

// choose leaves out the columns that were not chosen; nil chooses all. What was chosen is shown at any width at which it fits.
func choose(columns []column, names []string) []column {
	if names == nil {
		return columns
	}
	out := slices.Clone(columns)
	for i := range out {
		out[i].from = 1 << 20
		if slices.Contains(names, columnName(&out[i])) {
			out[i].from = 0
		}
	}
	return out
}

// screenNamed finds a screen by its name, in either case.
func screenNamed(name string) (screen, bool) {
	for i, n := range screenNames {
		if strings.EqualFold(n, name) {
			return screen(i), true
		}
	}
	return 0, false
}

// subjectOf is what filters on a screen are about.
func subjectOf(s screen) filter.Subject {
	switch s {
	case onFlight:
		return filter.Rows
	case onRuns:
		return filter.Runs
	case onTools:
		return filter.Tools
	case onLog:
		return filter.Calls
	}
	return filter.Findings
}
