package board

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"drainboard/ledger/triage"
)

// rebound gives every action another key, and says which by its name.
func rebound(t testing.TB) (Settings, map[string]string) {
	t.Helper()
	s, keys := Settings{Keys: map[string]keyNames{}}, map[string]string{}
	next := 'ā' // letters that no default is
	for _, b := range bindings() {
		if keys[b.name] == "" && len(b.press.Keys()) > 0 {
			keys[b.name] = string(next)
			s.Keys[b.name] = keyNames{string(next)}
			next++
		}
	}
	if _, err := s.bindings(); err != nil {
		t.Fatal(err)
	}
	return s, keys
}

// TestHintsFollowKeys: whatever names a key names the one that works by now. Every screen is drawn with every action on another key; no
// hint is one of the defaults, but for those of prompts and questions, which cannot be changed.
func TestHintsFollowKeys(t *testing.T) {
	settings, keys := rebound(t)
	var all []string
	for _, k := range keys {
		all = append(all, k)
	}
	hint := regexp.MustCompile(`‹hint ([^›]*)›`)
	sentence := regexp.MustCompile(`(^|[^\pL/])([A-Za-z!?:<>*/@]|tab|esc|space|enter|⏎|␣) (shows?|takes?|again|classif|opens?|goes|lists?|leaves|first)\b`)
	worlds := map[string]func(*Options, *fake){
		"all":       func(*Options, *fake) {},
		"no ledger": func(o *Options, _ *fake) { o.Ledger = "" },
		"empty": func(_ *Options, f *fake) {
			s := *f.snap
			s.Findings = triage.NewList(findingOrder)
			s.Rows = triage.NewList(func(a, b *triage.RowView) bool { return a.Key < b.Key })
			s.Kinds, s.Levels = [len(s.Kinds)]int{}, [len(s.Levels)]int{}
			f.snap = &s
		},
	}
	more := append(slices.Clone(views), []struct {
		name string
		keys []string
	}{
		{"committed", []string{"2", "tab"}},
		{"all rows", []string{"2", "tab", "tab", "tab"}},
		{"kept filter", []string{"/", `"zzz`, "enter"}},
		{"compare none", []string{"d"}},
		{"next hit", []string{"enter", "n"}},
		{"save", []string{"W", `"x`, "enter"}},
		{"from the drain", []string{"5", "j", "j", "j", "j", "enter"}},
	}...)
	for name, change := range worlds {
		for theme, w := range map[string]int{"marks": 80, "none": 160} {
			for _, v := range more {
				f, opt := newFake(), options()
				opt.Theme, opt.Settings = theme, settings
				change(&opt, f)
				b := newBoard(t, f, opt, w, 40)
				for _, k := range v.keys {
					d := bound(bindings(), typed(k), b.in())
					if b.front == nil && !strings.HasPrefix(k, `"`) && d != nil {
						k = keys[d.name]
					}
					b.keys(k)
				}
				rows := 2
				if v.name == "findings" || v.name == "flight" {
					rows = 40
				}
				looks(t, b, rows, func(frame string) {
					for _, m := range hint.FindAllStringSubmatch(frame, -1) {
						if h := strings.TrimSpace(m[1]); h != "" && b.front == nil && !slices.Contains(all, h) {
							t.Errorf("%s %s: hint %q in\n%s", name, v.name, h, frame)
						}
					}
					if m := sentence.FindString(frame); m != "" && theme == "none" && b.front == nil && v.name != "help" {
						t.Errorf("%s %s: %q in\n%s", name, v.name, m, frame)
					}
				})
			}
		}
	}
}

// looks draws rows of the list as the one under the cursor.
func looks(t *testing.T, b *board, rows int, at func(frame string)) {
	t.Helper()
	for range rows {
		b.dirty = true
		at(b.View())
		if g := b.grid(); b.front != nil || t.Failed() || !g.move(1) {
			return
		}
		b.send(nil)
	}
}

// TestAdviceNamesActions: each hint in an advice names an action that there is.
func TestAdviceNamesActions(t *testing.T) {
	names := map[string]bool{}
	for _, b := range bindings() {
		names[b.name] = true
	}
	for _, f := range newFake().snap.Findings.All {
		for _, s := range prosaic(f, noon.UnixNano()).advice {
			if strings.HasPrefix(toneName(s), "hint") && !names[string(s.text)] {
				t.Errorf("%s: no action is called %q", f.Kind, s.text)
			}
		}
	}
}

func toneName(s span) string { return s.tone.String() }
