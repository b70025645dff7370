package table

import (
	"cmp"
	"slices"
	"strings"

	"drainboard/keys"

	"go.yaml.in/yaml/v3"
)

// Parse reads a tools.yaml. path only names it in errors, in Table.Path, and is not opened. Nothing is
// taken for granted: unknown names, wrong types, bad pointers, durations and globs, and names that stand
// twice are mistakes, and err is an Errors with all of them. An empty file is an empty table. Aliases and
// merge keys (`<<`) mean what they mean in YAML.
func Parse(src []byte, path string) (*Table, error) {
	t, _, err := parse(src, path)
	return t, err
}

// parse is Parse; it gives the document's root too, nil when the file is empty.
func parse(src []byte, path string) (*Table, *yaml.Node, error) {
	r := &reader{file: path}
	root := r.document(src)
	t := Default()
	t.Path = path
	t.none.own.Timeout = 0 // the table's, which may come
	if root != nil {
		r.table(t, root)
	}
	for _, rule := range t.rules {
		rule.Timeout = cmp.Or(rule.Timeout, t.Defaults.Timeout)
		if rule.Compensate != nil {
			rule.Compensate.Timeout = cmp.Or(rule.Compensate.Timeout, t.Defaults.Timeout)
		}
	}
	if err := r.errs.sorted(); err != nil {
		return nil, nil, err
	}
	return t, root, nil
}

var (
	tableNames = []string{"recipe", "budget", "runaway", "defaults", "tools", "formats", "recipes"}
	ruleNames  = []string{"class", "effect", "polling", "natural_key", "timeout", "in_doubt_exit", "compensate"}
	rowNames   = append([]string{"ignore", "ignore_result", "scope", "cases"}, ruleNames...)
	caseNames  = append([]string{"at", "glob"}, ruleNames...)
)

func (r *reader) table(t *Table, root *yaml.Node) {
	var recipe *yaml.Node
	for key, v := range r.mapping(root, "the table", tableNames) {
		switch key.Value {
		case "recipe":
			recipe, t.Recipe = v, r.text(v, "the name of a recipe", false)
		case "budget":
			r.budget(v, &t.Budget)
		case "runaway":
			for key, v := range r.mapping(v, "runaway", []string{"identical", "errors"}) {
				into := &t.Runaway.Identical
				if key.Value == "errors" {
					into = &t.Runaway.Errors
				}
				*into = r.integer(v, key.Value, 1, maxCount)
			}
		case "defaults":
			for key, v := range r.mapping(v, "defaults", []string{"timeout", "retry_window"}) {
				into := &t.Defaults.Timeout
				if key.Value == "retry_window" {
					into = &t.Defaults.RetryWindow
				}
				*into = r.duration(v)
			}
		case "formats":
			t.Formats = r.formats(v)
		case "recipes":
			t.Recipes = r.recipes(v)
		case "tools":
			r.tools(t, v)
		}
	}
	if recipe != nil && t.Recipe != "" {
		r.known(t, recipe)
	}
	slices.SortStableFunc(t.globs, func(a, b *Row) int { return weight(b.own.Name) - weight(a.own.Name) })
}

// known checks that the recipe in force is there.
func (r *reader) known(t *Table, n *yaml.Node) {
	if _, ok := keys.Lookup(t.Recipe); ok {
		return
	}
	names := []string{"intent", "dedup16", "jcs"}
	for _, own := range t.Recipes {
		if own.Name == t.Recipe {
			return
		}
		names = append(names, own.Name)
	}
	r.unknown(n, "recipe", names)
}

func (r *reader) budget(n *yaml.Node, b *Budget) {
	for key, v := range r.mapping(n, "budget", []string{"calls_per_run", "runs"}) {
		if key.Value == "calls_per_run" {
			b.CallsPerRun = r.integer(v, key.Value, 0, maxCount)
			continue
		}
		for run, calls := range r.mapping(v, "runs", nil) {
			if strings.Trim(run.Value, "*") == "" {
				r.fail(run, "expected a run or a glob over some runs, found %q: for all runs set calls_per_run", run.Value)
			}
			b.Runs = append(b.Runs, RunCeiling{Glob: run.Value, Calls: r.integer(calls, "calls of a run", 0, maxCount)})
		}
	}
}

func (r *reader) tools(t *Table, n *yaml.Node) {
	for name, v := range r.mapping(n, "tools", nil) {
		own := &Rule{Name: name.Value, Glob: isGlob(name.Value), Line: name.Line}
		if own.Glob && prefix(own.Name) == "" {
			r.fail(name, "expected a tool, or a glob that begins with a literal prefix, found %q", own.Name)
		}
		row := r.row(t, own, v)
		if own.Glob {
			t.globs = append(t.globs, row)
		} else {
			t.exact[own.Name] = row
		}
	}
}

// row reads one row; its cases are read last, because they inherit what the row says.
func (r *reader) row(t *Table, own *Rule, n *yaml.Node) *Row {
	own.ID = len(t.rules)
	t.rules = append(t.rules, own)
	row := &Row{own: own}
	var cases []*yaml.Node
	for key, v := range r.mapping(n, "a tool's row", rowNames) {
		switch key.Value {
		case "ignore":
			own.Ignore = r.pointers(v, key.Value)
		case "ignore_result":
			own.IgnoreResult = r.pointers(v, key.Value)
		case "scope":
			own.Forever = r.word(v, "scope", "run", "forever") == "forever"
		case "cases":
			cases = r.list(v, "cases")
		default:
			r.setting(own, key, v)
		}
	}
	for i, c := range cases {
		rule := *own
		rule.ID, rule.Case, rule.Line = len(t.rules), i+1, c.Line
		t.rules = append(t.rules, &rule)
		b := branch{rule: &rule}
		var at, glob bool
		for key, v := range r.mapping(c, "a case", caseNames) {
			switch key.Value {
			case "at":
				b.at, _ = r.pointer(v)
				at = true
			case "glob":
				b.glob, glob = r.text(v, "a glob", true), true
			default:
				r.setting(&rule, key, v)
			}
		}
		if !at || !glob {
			r.fail(c, "expected at: and glob: in a case, found %s", given(at, glob))
		}
		row.cases = append(row.cases, b)
	}
	return row
}

func given(at, glob bool) string {
	switch {
	case at:
		return "only at:"
	case glob:
		return "only glob:"
	default:
		return "neither"
	}
}

// setting reads what a row and a case may both say.
func (r *reader) setting(rule *Rule, key, v *yaml.Node) {
	switch key.Value {
	case "class":
		rule.Class, _ = ParseClass(r.word(v, "class", "pure", "keyed", "compensate"))
	case "effect":
		rule.Effect = Create
		if r.word(v, "effect", "create", "write") == "write" {
			rule.Effect = Write
		}
	case "polling":
		rule.Polling = r.boolean(v)
	case "natural_key":
		rule.NaturalKey = r.pointers(v, key.Value)
	case "timeout":
		rule.Timeout = r.duration(v)
	case "in_doubt_exit":
		rule.InDoubtExit = nil
		for _, code := range r.list(v, key.Value) {
			rule.InDoubtExit = append(rule.InDoubtExit, r.integer(code, "an exit code", 1, 255))
		}
	case "compensate":
		rule.Compensate = r.undo(v)
	}
}

func (r *reader) undo(n *yaml.Node) *Undo {
	u := &Undo{}
	var run *yaml.Node
	for key, v := range r.mapping(n, "compensate", []string{"run", "timeout", "env"}) {
		switch key.Value {
		case "run":
			run = v
			for i, arg := range r.list(v, key.Value) {
				u.Run = append(u.Run, r.text(arg, "an argument", i > 0))
			}
		case "timeout":
			u.Timeout = r.duration(v)
		case "env":
			for _, name := range r.list(v, key.Value) {
				u.Env = append(u.Env, r.variable(name))
			}
		}
	}
	if run == nil || run.Kind == yaml.SequenceNode && len(u.Run) == 0 {
		r.fail(n, "expected run: with the command and its arguments as a list, found none")
	}
	return u
}
