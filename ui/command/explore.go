package command

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/ledger/triage"
)

// exploration is what `keys explain A --json` prints: the key of one call under every recipe, and the calls that are most like it.
type exploration struct {
	Call       side        `json:"call"`
	Recipe     string      `json:"recipe"` // in force
	Keys       []recipeKey `json:"keys"`
	Neighbours []neighbour `json:"neighbours"`
	Compared   int         `json:"compared"` // other keys of the tool that were looked at
	Unread     int         `json:"unread"`
}

// recipeKey is the key of a call under one recipe.
type recipeKey struct {
	Recipe    string   `json:"recipe"`
	Key       string   `json:"key"`
	Reason    string   `json:"reason"` // why there is none
	Hashed    string   `json:"hashed"`
	Recorded  bool     `json:"recorded"`  // it is the key that the handler recorded
	Ambiguous bool     `json:"ambiguous"` // another run and tool give the same bytes
	Doubts    []string `json:"doubts"`
}

// neighbour is another intent of the tool.
type neighbour struct {
	Key      string   `json:"key"`
	Run      string   `json:"run"`
	At       string   `json:"at"`
	Pointers []string `json:"pointers"` // that differ
	Looks    []string `json:"looks_like"`
	away     int64    // in time
}

const (
	nearest   = 8      // neighbours that are listed
	mostLooks = 20_000 // other keys that are looked at
)

// explore says what the key of a call is under every recipe, and which calls are nearest to it.
func (s *session) explore(ctx context.Context, v *triage.CallView) (*exploration, error) {
	b, err := s.basis(ctx, v)
	if err != nil {
		return nil, err
	}
	e := &exploration{Call: sideOf(v), Recipe: s.Recipe().Name(), Neighbours: []neighbour{}}
	for _, r := range s.Table().KeyRecipes() {
		k := recipeKey{Recipe: r.Name(), Ambiguous: r.Ambiguous(b.run, []byte(v.Tool)), Doubts: append([]string{}, r.Doubts()...)}
		if d, err := r.Derive(b.run, []byte(v.Tool), &b.args); err != nil {
			k.Reason = err.Error()
		} else {
			k.Key, k.Hashed = r.Spell(d, b.run, []byte(v.Tool)), string(b.hashed(r))
			k.Recorded = k.Key == v.Recorded
		}
		if k.Recipe == e.Recipe {
			e.Call.Hashed = k.Hashed
		}
		e.Keys = append(e.Keys, k)
	}
	return e, s.neighbours(ctx, b, e)
}

// neighbours finds the calls of the tool with another key that differ in the fewest pointers, nearer in time first among equals. One
// pass over the tool's calls, a bounded number of keys.
func (s *session) neighbours(ctx context.Context, b *basis, e *exploration) (err error) {
	seen := map[string]bool{b.call.Key: true}
	e.Unread, err = s.Arguments(ctx, b.call.Tool, func(v *triage.CallView, args *keys.Args) bool {
		if v.Key == "" || seen[v.Key] {
			return true
		}
		seen[v.Key] = true
		e.Compared++
		n := neighbour{Key: v.Key, Run: v.Run, At: where(v.Pos), Pointers: []string{}, Looks: []string{}, away: max(v.Time-b.call.Time, b.call.Time-v.Time)}
		for _, d := range keys.Differences(&b.args, args, b.call.Time, v.Time) {
			n.Pointers = append(n.Pointers, d.Pointer)
			n.Looks = append(n.Looks, cmp.Or(d.LooksA, d.LooksB))
		}
		at, _ := slices.BinarySearchFunc(e.Neighbours, n, nearer)
		if at < nearest {
			e.Neighbours = slices.Insert(e.Neighbours, at, n)
			e.Neighbours = e.Neighbours[:min(len(e.Neighbours), nearest)]
		}
		return e.Compared < mostLooks
	})
	return err
}

// mask takes secrets out of the bytes that were hashed, when they are to be masked.
func (e *exploration) mask(a *app) {
	e.Call.Hashed = a.mask(e.Call.Hashed)
	for i := range e.Keys {
		e.Keys[i].Hashed = a.mask(e.Keys[i].Hashed)
	}
}

func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(len(a.Pointers), len(b.Pointers)), cmp.Compare(a.away, b.away), strings.Compare(a.At, b.At))
}

// exploration prints the key of one call under every recipe, and its neighbours.
func (p *page) exploration(e *exploration) {
	p.side("", &e.Call)
	p.line()
	rows := make([][]cell, 0, len(e.Keys))
	for i := range e.Keys {
		k := &e.Keys[i]
		note := ""
		switch {
		case k.Recipe == e.Recipe && k.Recorded:
			note = "in force, and what the handler recorded"
		case k.Recorded:
			note = "what the handler recorded"
		case k.Recipe == e.Recipe:
			note = "in force"
		}
		key := field(cyan, k.Key)
		if k.Key == "" {
			key = field(dim, "no key: "+k.Reason)
		}
		rows = append(rows, []cell{field(bold, k.Recipe), key, field(yellow, note)})
	}
	p.table([]column{{title: "RECIPE", most: 24}, {title: "KEY", most: 80}, {title: ""}}, rows)
	for i := range e.Keys {
		k := &e.Keys[i]
		p.line().word(bold, "%s", k.Recipe).word(dim, " hashes ").word(plain, "%s", shortened(k.Hashed)).line()
		if k.Ambiguous {
			p.word(red, "  ambiguous here: its separator stands in this run or tool").line()
		}
		for _, d := range k.Doubts {
			p.word(yellow, "  %s", d).line()
		}
	}
	p.line().word(plain, "Nearest of %s of this tool:", plural(e.Compared, "other key", "other keys")).line()
	if e.Unread > 0 {
		p.word(yellow, "  %s could not be read again", plural(e.Unread, "call", "calls")).line()
	}
	for _, n := range e.Neighbours {
		p.word(dim, "  %s  ", n.At).word(cyan, "%s", prefix(n.Key))
		if n.Run != e.Call.Run {
			p.word(plain, "  run %s", n.Run)
		}
		if len(n.Pointers) == 0 {
			p.word(plain, "  the same arguments").line()
			continue
		}
		const most = 4
		for i, at := range n.Pointers[:min(len(n.Pointers), most)] {
			p.word(plain, "  %s", cmp.Or(at, "(the whole)"))
			if n.Looks[i] != "" {
				p.word(yellow, " (%s)", n.Looks[i])
			}
		}
		if more := len(n.Pointers) - most; more > 0 {
			p.word(dim, "  and %d more", more)
		}
		p.line()
	}
}

// shortened is the beginning and the end of a text that is too long for a line.
func shortened(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return s[:most/2] + " … " + s[len(s)-most/2:]
}
