package triage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

const orderTable = `
budget: {calls_per_run: 6}
runaway: {identical: 2, errors: 2}
defaults: {timeout: 60s, retry_window: 20s}
tools:
  read: {class: pure}
  poll: {class: pure, polling: true}
  open: {class: keyed}
  put: {class: keyed, effect: write, scope: forever}
  charge: {class: compensate}
`

// world is a random set of files and a ledger, made so that ids, times, payloads and keys often meet.
type world struct {
	infos   []FileInfo
	batches [][]*Batch // by file, in its order
	rows    []LedgerRow
}

func randomWorld(r *rand.Rand, tab *table.Table) *world {
	w := &world{}
	formats := []FileInfo{
		{Format: "plain", Results: trace.RecordsWhenSeen},
		{Format: "claude-code", Restates: true, Results: trace.RecordsAlways},
		{Format: "openai-chat", Restates: true, Results: trace.RecordsAlways},
		{Format: "otlp", Results: trace.RecordsAlways},
	}
	sides := []string{"", "paid", "dest"}
	tools := []string{"read", "poll", "open", "put", "charge", "new"}
	for f := range 2 + r.IntN(4) {
		info := formats[r.IntN(len(formats))]
		info.Path, info.Side = fmt.Sprintf("f%d.jsonl", f), sides[r.IntN(len(sides))]
		w.infos = append(w.infos, info)
		var list []*Batch
		offset := int64(0)
		for range 1 + r.IntN(4) {
			b := &Batch{}
			str := func(s string) Str { return b.Add([]byte(s)) }
			for range 1 + r.IntN(8) {
				offset += 10
				rec := Rec{Offset: offset, N: 1, Line: uint32(b.Lines), Time: trace.NoTime, Reach: trace.ReachRun}
				if r.IntN(6) > 0 {
					rec.Time = int64(r.IntN(30)) * 1e9
				}
				if info.Format == "claude-code" {
					rec.Reach = trace.ReachEverywhere
				}
				run := fmt.Sprintf("run-%d", r.IntN(4))
				rec.Run = str(run)
				if r.IntN(6) > 0 {
					rec.CallID = str(fmt.Sprintf("c%d", r.IntN(6)))
				}
				b.Lines++
				tool := tools[r.IntN(len(tools))]
				switch r.IntN(9) {
				case 0:
					rec.Kind, rec.Parent, rec.CallID = trace.RunStart, str(fmt.Sprintf("run-%d", r.IntN(4))), 0
					b.Others++
				case 1:
					if rec.Kind = trace.RunEnd; r.IntN(3) > 0 {
						rec.Kind = trace.Link
					}
					rec.CallID = 0
					b.Others++
				case 2, 3, 4:
					rec.Kind, rec.Status = trace.Result, trace.Status(1+r.IntN(5))
					rec.HasPayload, rec.Payload = r.IntN(5) > 0, [16]byte{byte(r.IntN(3))}
					if rec.HasPayload {
						rec.Payloads.From = uint32(len(b.Payloads))
						for _, rule := range tab.Rules() {
							if len(rule.IgnoreResult) > 0 {
								b.Payloads = append(b.Payloads, RulePayload{uint16(rule.ID), [16]byte{100 + rec.Payload[0]/2}})
							}
						}
						rec.Payloads.To = uint32(len(b.Payloads))
					}
					rec.Cut = r.IntN(20) == 0
					if r.IntN(2) == 0 {
						rec.Tool = str(tool)
					}
				default:
					rec.Kind, rec.Tool = trace.Call, str(tool)
					args := byte(r.IntN(4))
					rule := tab.Lookup(tool, nil)
					rec.Rule = uint16(rule.ID)
					if len(rule.Ignore) > 0 {
						rec.Ignored, args = args > 0, 0
					}
					rec.Args = [16]byte{args + 1}
					if rule.Forever {
						run = ""
					}
					copy(rec.Key[:], fmt.Sprintf("%-32s", run+tool+string('a'+args)))
					if rule.Class != table.Pure {
						rec.Shape = [16]byte{1} // of args 0: nothing is blanked
						looks := "number spelling"
						if args == 1 || args == 2 {
							rec.Shape, looks = [16]byte{9}, "timestamp"
						}
						if args > 0 {
							b.Leaves = append(b.Leaves, Leaf{str("/at"), str(looks), uint64(args)})
							rec.Leaves = Span{uint32(len(b.Leaves) - 1), uint32(len(b.Leaves))}
						}
					}
					if r.IntN(4) == 0 {
						rec.Recorded = str(fmt.Sprintf("k%d", r.IntN(3)))
					}
					if r.IntN(12) == 0 {
						rec.NoKey, rec.Key, rec.Args, rec.Shape, rec.Leaves, rec.Reason = true, keys.Digest{}, [16]byte{}, [16]byte{}, Span{}, str("not recorded")
						rec.Ignored = false
					}
					if info.Format == "otlp" {
						rec.Span = str(fmt.Sprintf("s%d", r.IntN(6)))
					}
				}
				b.Recs = append(b.Recs, rec)
			}
			b.Bytes = int64(len(b.Recs))
			list = append(list, b)
		}
		w.batches = append(w.batches, list)
	}
	for _, state := range []string{"inflight", "committed", "failed"} {
		for range r.IntN(3) {
			run, tool, args := fmt.Sprintf("run-%d", r.IntN(4)), tools[2+r.IntN(3)], byte(r.IntN(3))
			if tool == "put" {
				run = ""
			}
			var d keys.Digest
			copy(d[:], fmt.Sprintf("%-32s", run+tool+string('a'+args)))
			key := keys.Intent.Text(d)
			if r.IntN(4) == 0 {
				key = fmt.Sprintf("k%d", r.IntN(3))
			}
			row := LedgerRow{
				Key: key, Tool: tool, State: state, Updated: float64(r.IntN(30)), Request: [16]byte{args + 1}, Timeout: 60,
				HasResponse: state == "committed", Response: [16]byte{byte(r.IntN(3))},
			}
			rule := tab.Lookup(tool, nil)
			if row.Timeout = rule.Timeout.Seconds(); len(rule.Ignore) > 0 {
				row.Request = [16]byte{1}
			}
			if len(rule.IgnoreResult) > 0 {
				row.Response[0] = 100 + row.Response[0]/2
			}
			w.rows = append(w.rows, row)
		}
	}
	seen := map[string]bool{}
	rows := w.rows[:0]
	for _, row := range w.rows {
		if !seen[row.Key] {
			seen[row.Key] = true
			rows = append(rows, row)
		}
	}
	w.rows = rows
	return w
}

// read folds the world in a random order (files among each other) with random looks in between.
func (w *world) read(r *rand.Rand, c Config) string { return w.readInto(r, c, nil, nil) }

// readInto is read; at some moment it changes to another table, by which the same world is then.
func (w *world) readInto(r *rand.Rand, c Config, then *world, by *table.Table) string {
	b := NewBook(c)
	for _, side := range []string{"paid", "dest"} {
		b.AddSide(side)
	}
	ids := map[int]FileID{}
	next := make([]int, len(w.infos))
	total, ledgerAt := 0, 0
	for _, l := range w.batches {
		total += len(l)
	}
	ledgerAt = r.IntN(total + 1)
	changeAt := -1
	if then != nil {
		changeAt = r.IntN(total + 1)
	}
	for n := 0; ; n++ {
		if n == changeAt {
			if b = then.change(b, by); b == nil {
				return ""
			}
			if w = then; n > ledgerAt && c.Ledger {
				b.Ledger(w.rows, nil, true)
			}
		}
		if n == ledgerAt && c.Ledger {
			for i := range w.rows { // an earlier state of some rows first
				if r.IntN(3) == 0 {
					was := w.rows[i]
					was.State, was.HasResponse = "inflight", false
					b.Ledger([]LedgerRow{was}, nil, false)
				}
			}
			b.Snapshot(int64(r.IntN(100))*1e9, false)
			b.Ledger(w.rows, nil, true)
		}
		if n == total {
			break
		}
		f := r.IntN(len(w.infos))
		for next[f] == len(w.batches[f]) {
			f = (f + 1) % len(w.infos)
		}
		id, ok := ids[f]
		if !ok {
			id = b.AddFile(w.infos[f])
			ids[f] = id
		}
		batch := *w.batches[f][next[f]]
		batch.File = id
		next[f]++
		b.Fold(&batch)
		if r.IntN(2) == 0 {
			b.Snapshot(int64(r.IntN(100))*1e9, r.IntN(2) == 0)
		}
	}
	report := b.Report(50e9)
	s := b.Snapshot(50e9, true)
	var runs []RunView
	for _, v := range s.Runs.All {
		runs = append(runs, *v)
		runs[len(runs)-1].First.FileID = 0 // by arrival
	}
	var tools []ToolView
	for _, v := range s.Tools.All {
		tools = append(tools, *v)
		tools[len(tools)-1].First.FileID = 0
	}
	out, err := json.MarshalIndent(struct {
		*Report
		Sides   []SideView
		Runs    []RunView
		Tools   []ToolView
		Suggest int
	}{report, s.Sides, runs, tools, s.Suggest}, "", " ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestSameAnswerInAnyOrder folds random worlds in several orders: the report must not depend on it, nor on looks in between.
func TestSameAnswerInAnyOrder(t *testing.T) {
	tab, err := table.Parse([]byte(orderTable), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	worlds := 300
	if testing.Short() {
		worlds = 60
	}
	found := map[string]bool{}
	for seed := range uint64(worlds) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := randomWorld(r, tab)
		c := Config{Table: tab, Recipe: keys.Intent, Ledger: seed%3 != 0, Since: trace.NoTime, Match: Match(seed / 7 % 3)}
		first := w.read(rand.New(rand.NewPCG(seed, 2)), c)
		for order := range uint64(4) {
			again := w.read(rand.New(rand.NewPCG(seed, 3+order)), c)
			if again != first {
				t.Fatalf("world %d, order %d: the answer depends on the order of arrival\n%s", seed, order, difference(first, again))
			}
		}
		var rep map[string]any
		if err := json.Unmarshal([]byte(first), &rep); err != nil {
			t.Fatal(err)
		}
		for name, v := range rep {
			if list, ok := v.([]any); ok && len(list) > 0 {
				found[name] = true
			}
		}
		values := 0
		for _, l := range w.batches {
			for _, b := range l {
				values += len(b.Recs)
			}
		}
		if sum := rep["calls"].(float64) + rep["copies"].(float64) + rep["results"].(float64) + rep["others"].(float64); int(sum) != values {
			t.Fatalf("world %d: %d values, accounted for %v", seed, values, sum)
		}
	}
	for _, name := range strings.Fields("duplicates drift temporal_keys key_conflicts cross_run runaway after_end inflight settled_in_trace " +
		"failed_but_done other_response new_while_draining lost_results open_calls orphan_results unkeyed unclassified unmatched") {
		if !found[name] {
			t.Errorf("no world had %s: the test does not see them", name)
		}
	}
}

func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			from := max(0, i-12)
			return strings.Join(x[from:min(len(x), i+8)], "\n") + "\n---- against ----\n" + strings.Join(y[min(from, len(y)):min(len(y), i+8)], "\n")
		}
	}
	return "one is longer"
}

// change has a book judge by another table, by which this is its world; nil when payloads would have to be read again.
func (w *world) change(b *Book, by *table.Table) *Book {
	c, ok := b.Change(by)
	if !ok {
		return nil
	}
	for k := range c.Unread() {
		at := c.Pos(k)
		for f, info := range w.infos {
			if info.Path != at.File {
				continue
			}
			for _, batch := range w.batches[f] {
				for i := range batch.Recs {
					r := &batch.Recs[i]
					if r.Offset != at.Offset || int(r.N) != at.N {
						continue
					}
					to := Rekeyed{Rule: r.Rule, Key: r.Key, Args: r.Args, Shape: r.Shape, NoKey: r.NoKey, Ignored: r.Ignored, Reason: string(batch.Text(r.Reason))}
					for _, l := range batch.Leaves[r.Leaves.From:r.Leaves.To] {
						to.Leaves = append(to.Leaves, keys.Leaf{Pointer: string(batch.Text(l.Pointer)), Looks: string(batch.Text(l.Looks)), Value: l.Value})
					}
					c.Set(k, &to)
				}
			}
		}
	}
	return c.Book()
}

// otherTables are what orderTable may be changed to.
var otherTables = []string{
	orderTable,
	strings.Replace(orderTable, "open: {class: keyed}", "open: {class: keyed, ignore: [/at]}", 1),
	strings.Replace(orderTable, "open: {class: keyed}", "new: {class: compensate}", 1),
	strings.Replace(orderTable, "scope: forever", "ignore_result: [/id]", 1),
	strings.Replace(orderTable, "read: {class: pure}", "read: {class: keyed}", 1),
	"tools: {}",
	strings.Replace(strings.Replace(orderTable, "calls_per_run: 6", "calls_per_run: 2", 1), "retry_window: 20s", "retry_window: 2s", 1),
	strings.Replace(orderTable, "put: {class: keyed", "put: {ignore_result: [/id], ignore: [/at], class: pure", 1),
	strings.Replace(orderTable, "charge: {class: compensate}", "charge: {class: compensate, ignore: [/at], scope: forever, timeout: 5s}\n  new: {ignore_result: [/id]}", 1),
}

// TestChangeIsAFreshReading: a book that changes its table in the middle of anything answers what a book of that table from the start
// answers.
func TestChangeIsAFreshReading(t *testing.T) {
	var tables []*table.Table
	for _, src := range otherTables {
		tab, err := table.Parse([]byte(src), "tools.yaml")
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tab)
	}
	worlds := 240
	if testing.Short() {
		worlds = 60
	}
	changed := 0
	for seed := range uint64(worlds) {
		from, to := tables[seed%uint64(len(tables))], tables[seed/3%uint64(len(tables))]
		w, then := randomWorld(rand.New(rand.NewPCG(seed, 1)), from), randomWorld(rand.New(rand.NewPCG(seed, 1)), to)
		c := Config{Table: from, Recipe: keys.Intent, Ledger: seed%3 != 0, Since: trace.NoTime, Match: Match(seed / 7 % 3)}
		if seed%5 == 0 {
			c.Since = 10e9
		}
		fresh := c
		fresh.Table = to
		want := then.read(rand.New(rand.NewPCG(seed, 2)), fresh)
		for order := range uint64(4) {
			got := w.readInto(rand.New(rand.NewPCG(seed, 3+order)), c, then, to)
			if got == "" {
				continue
			}
			changed++
			if got != want {
				t.Fatalf("world %d, order %d: a change is no fresh reading\n%s", seed, order, difference(want, got))
			}
		}
	}
	if changed < 2*worlds {
		t.Errorf("only %d changes were made without reading payloads again", changed)
	}
}
