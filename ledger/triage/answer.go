package triage

import (
	"slices"
	"sort"
	"strings"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// Stamp prints a time as RFC 3339 in UTC; a missing time is "".
func Stamp(ns int64) string {
	if ns == trace.NoTime {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

// Report answers everything at once, as `check --json` prints it. now is in nanoseconds since 1970 UTC. Its cost grows with what it lists.
func (b *Book) Report(now int64) *Report {
	s := b.Snapshot(now, true)
	t := s.Totals
	r := &Report{
		Verdict: s.Verdict.Word(), TracesOnly: s.Verdict.TracesOnly, Recipe: s.Recipe, RecipeNote: s.RecipeNote,
		Bytes: t.Bytes, Lines: t.Lines, BadLines: t.Bad, PartialTails: t.Tails, Calls: t.Calls, Copies: t.Copies, Results: t.Results,
		Others: t.Others, Runs: t.Runs, Tools: t.Tools, Table: b.cfg.Table.Path,
		Sources: []ReportSource{}, Blockers: []ReportBlock{}, Unreadable: []ReportBad{}, Unclassified: []ReportTool{},
		Budget: ReportBudget{Ceiling: s.Ceiling, Suggested: s.Suggest, Runs: []ReportRun{}},
	}
	r.Ledger = ReportLedger{States: s.States, Recipe: s.Recipe, Foreign: s.Foreign}
	for _, v := range s.Verdict.Blockers {
		r.Blockers = append(r.Blockers, ReportBlock{v.Kind, v.Count})
	}
	for _, f := range s.Sources {
		r.Sources = append(r.Sources, ReportSource{f.File, f.Side, f.Format, f.Lines, f.Calls, f.Bad, Stamp(f.Last)})
	}
	for _, bad := range slices.Concat(b.unread, b.bad) {
		r.Unreadable = append(r.Unreadable, ReportBad(bad))
	}
	sort.SliceStable(r.Unreadable, func(i, j int) bool {
		p, q := r.Unreadable[i], r.Unreadable[j]
		return p.File < q.File || p.File == q.File && p.Line < q.Line
	})
	b.reportRepeats(r)
	b.reportLedger(r, now)
	b.reportCalls(r)
	b.reportRuns(r)
	return r
}

// each makes a list of the findings of some kinds, in the order of the board; it is never nil. Several goroutines make it where it is long and the book is
// lean: then no answer about a finding changes the book.
func each[T any](b *Book, make_ func(*Finding) T, from ...Kind) []T {
	n := 0
	for _, k := range from {
		n += b.index.kinds[k].Len()
	}
	list := make([]*Finding, 0, n)
	for _, k := range from {
		b.index.kinds[k].Scan(func(f *Finding) bool {
			list = append(list, f)
			return true
		})
	}
	out := make([]T, n)
	work := func(_ *memory, _, from, to int) {
		for i := from; i < to; i++ {
			out[i] = make_(list[i])
		}
	}
	if n < crowd || !b.lean() {
		work(nil, 0, 0, n)
	} else {
		inPortions(n, work, func(int) {})
	}
	return out
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (b *Book) reportRepeats(r *Report) {
	r.Duplicates = each(b, func(f *Finding) ReportDuplicate {
		d := ReportDuplicate{
			Key: f.Key, Run: f.Run, Tool: f.Tool, Class: f.Class.String(), Calls: f.Calls, Results: f.Results, Cause: string(f.Cause),
			Outcome: string(f.Outcome), Severity: f.Severity.String(), Overlap: f.Overlap,
		}
		if b.cfg.Match != MatchNone {
			d.Side = f.Side
		}
		calls := b.callsOf(f)
		d.At = make([]ReportPlace, 0, len(calls))
		for _, i := range calls {
			c := b.calls.at(i)
			p := b.callPos(i)
			d.At = append(d.At, ReportPlace{p.File, p.Line, b.ids.text(b.tie(c).id), Stamp(c.time)})
		}
		return d
	}, Duplicate)
	r.Drift = each(b, func(f *Finding) ReportDrift {
		return ReportDrift{f.Run, f.Tool, f.Calls, list(f.Details().Pointers), list(f.Details().Looks), list(f.Details().Keys)}
	}, Drift)
	r.TemporalKeys = each(b, func(f *Finding) ReportTemporal {
		return ReportTemporal{f.Run, f.Tool, f.Key, list(f.Details().Recorded)}
	}, TemporalKey)
	r.KeyConflicts = each(b, func(f *Finding) ReportConflict {
		return ReportConflict{f.Key, list(f.Details().Keys), list(f.Details().Tools)}
	}, KeyConflict)
	r.CrossRun = each(b, func(f *Finding) ReportCross { return ReportCross{f.Tool, list(f.Details().Runs), f.Calls} }, CrossRun)
	r.Runaway = each(b, func(f *Finding) ReportRunaway { return ReportRunaway{f.Run, f.Tool, f.Why, f.Calls} }, Runaway)
}

func (b *Book) reportLedger(r *Report, now int64) {
	keyed := func(f *Finding) ReportKey { return ReportKey{f.Key, f.Tool, f.Run} }
	r.InFlight = each(b, func(f *Finding) ReportInFlight {
		return ReportInFlight{f.Key, f.Tool, float64(now-f.Started) / 1e9, f.Details().Timeout, f.Kind == Hung, f.Details().Owner}
	}, Hung, InFlight)
	r.Settled = each(b, keyed, SettledInTrace)
	r.FailedDone = each(b, keyed, FailedButDone)
	r.OtherResponse = each(b, keyed, OtherResponse)
	r.LostResults = each(b, keyed, LostResult)
	r.Overwritten = each(b, keyed, Overwritten)
	r.LateReplies = each(b, func(f *Finding) ReportLate { return ReportLate{f.Key, f.Tool, f.Severity.String()} }, LateReply)
	r.Compensations = each(b, func(f *Finding) ReportComp { return ReportComp{f.Key, f.Tool, f.Why} }, Compensation)
	r.Unmatched = each(b, func(f *Finding) ReportUnmatched { return ReportUnmatched{f.Side, f.Key, f.Tool, f.Run, f.Why} }, Unmatched)
	r.NewWhileDrain = each(b, func(f *Finding) ReportNew { return ReportNew{f.Run, f.Side} }, NewWhileDraining)
}

func (b *Book) reportCalls(r *Report) {
	r.AfterEnd = each(b, func(f *Finding) ReportAt { return ReportAt{f.Run, f.Tool, f.First.File, f.First.Line} }, AfterEnd)
	r.OpenCalls = each(b, func(f *Finding) ReportCall {
		return ReportCall{f.Run, f.Tool, f.CallID, f.First.File, f.First.Line}
	}, OpenCall)
	r.OrphanResults = each(b, func(f *Finding) ReportOrphan {
		return ReportOrphan{f.Run, f.CallID, f.First.File, f.First.Line}
	}, OrphanResult)
	r.Unkeyed = []ReportUnkeyed{}
	for _, i := range b.unkeyed() {
		c := b.calls.at(i)
		p := b.callPos(i)
		r.Unkeyed = append(r.Unkeyed, ReportUnkeyed{b.names.text(c.run), b.names.text(b.stem(c).tool), b.ids.text(b.tie(c).id), p.File, p.Line, b.names.text(b.aside(c).reason)})
	}
	b.index.kinds[UnclassifiedTool].Scan(func(f *Finding) bool {
		suggested := ""
		if s := table.Suggest(f.Tool, table.Hint{}); s.Class != table.Unclassified {
			suggested = s.Class.String()
		}
		r.Unclassified = append(r.Unclassified, ReportTool{f.Tool, f.Calls, suggested})
		return true
	})
}

// unkeyed lists the counted calls that have no key, in order.
func (b *Book) unkeyed() []uint32 {
	out := make([]uint32, 0, len(b.index.unkeyed))
	for i := range b.index.unkeyed {
		out = append(out, i)
	}
	slices.SortFunc(out, func(i, j uint32) int { return order(b.callBefore(i, j)) })
	return out
}

func (b *Book) reportRuns(r *Report) {
	var views []*RunView
	b.index.runs.Scan(func(v *RunView) bool {
		views = append(views, v)
		return true
	})
	sort.SliceStable(views, func(i, j int) bool {
		if views[i].Over != views[j].Over {
			return views[i].Over
		}
		return views[i].place.before(views[j].place)
	})
	for _, v := range views {
		r.Budget.Runs = append(r.Budget.Runs, ReportRun{v.Run, v.Calls, v.Tree, v.Over})
	}
}

// callsOf lists the counted calls that a finding is about, in order.
func (b *Book) callsOf(f *Finding) []uint32 {
	switch f.Kind {
	case Duplicate, TemporalKey, Unmatched:
		if out := b.keyCalls(f.Key); len(out) > 0 {
			if b.cfg.Match != MatchNone && f.Kind == Duplicate {
				out = slices.DeleteFunc(out, func(i uint32) bool { return b.files[b.stem(b.calls.at(i)).file].Side != f.Side })
			}
			return out
		}
	case InFlight, Hung, SettledInTrace, FailedButDone, OtherResponse, LostResult, KeyConflict, Overwritten, LateReply, Compensation:
		return b.keyCalls(f.Key)
	case Drift:
		var out []uint32
		for _, key := range f.Details().Keys {
			out = append(out, b.keyCalls(key)...)
		}
		return b.inOrder(out)
	case CrossRun:
		if i := b.find(f.First); i != 0 {
			return b.sameIntent(i)
		}
	case Runaway:
		if calls := b.runCalls(f.Run); len(calls) > 0 {
			if at := slices.Index(calls, b.find(f.First)); at >= 0 {
				return b.streakFrom(calls[at:], f.Calls)
			}
		}
	case OverBudget, NewWhileDraining:
		return b.runCalls(f.Run)
	case UnclassifiedTool:
		return b.toolCalls(f.Tool)
	}
	if i := b.find(f.First); i != 0 {
		return []uint32{i}
	}
	return nil
}

// streakFrom takes n calls from the start, leaving polling ones out as streaks do.
func (b *Book) streakFrom(calls []uint32, n int) []uint32 {
	var out []uint32
	for _, i := range calls {
		if len(out) == n {
			break
		}
		if !b.rule(b.calls.at(i)).Polling {
			out = append(out, i)
		}
	}
	return out
}

func (b *Book) inOrder(calls []uint32) []uint32 {
	slices.SortFunc(calls, func(i, j uint32) int {
		if i == j {
			return 0
		}
		return order(b.callBefore(i, j))
	})
	return slices.Compact(calls)
}

// keyCalls lists the calls of a key, recomputed or recorded.
func (b *Book) keyCalls(key string) []uint32 {
	if key == "" {
		return nil
	}
	return b.meeting(&row{LedgerRow: LedgerRow{Key: key}, id: keys.IDOf(key)})
}

func (b *Book) runCalls(name string) []uint32 {
	if r := b.namedAs(b.names.find(name)).run; r != 0 {
		return b.members(b.runs.at(r).tail, inRun)
	}
	return nil
}

func (b *Book) toolCalls(name string) []uint32 {
	n := b.names.find(name)
	if n == 0 {
		return nil
	}
	var out []uint32
	for i := uint32(1); i <= b.calls.last(); i++ {
		if c := b.calls.at(i); b.stem(c).tool == n && c.flags&callCounted != 0 {
			out = append(out, i)
		}
	}
	return b.inOrder(out)
}

// find returns the call at a position, or 0.
func (b *Book) find(p Pos) uint32 {
	is := func(i uint32) bool {
		c := b.calls.at(i)
		return c.offset == uint32(p.Offset) && b.stem(c).is(p, c.offset)
	}
	if p.ref != 0 && p.ref <= b.calls.last() && is(p.ref) {
		return p.ref
	}
	for i := uint32(1); i <= b.calls.last(); i++ {
		if is(i) {
			return i
		}
	}
	return 0
}

// Record is what the book keeps of one call or result to know its bytes by.
type Record struct {
	Result bool
	Tool   string
	Digest [16]byte // of the arguments, or of the payload
}

// Record finds the call or result at a position.
func (b *Book) Record(p Pos) (Record, bool) {
	// A result first: what is no call at its number is looked for among all calls.
	if p.ref != 0 && p.ref <= b.results.last() {
		if r := b.results.at(p.ref); b.stemOf(r).is(p, r.offset) {
			return Record{Result: true, Tool: b.names.text(b.stemOf(r).tool), Digest: r.payload}, true
		}
	}
	if i := b.find(p); i != 0 {
		c := b.calls.at(i)
		return Record{Tool: b.names.text(b.stem(c).tool), Digest: c.args}, true
	}
	return Record{}, false
}

// View returns one page of the calls that a question is about, and how many there are in all. Settle must have run.
func (b *Book) View(q Question) (page []CallView, total int) {
	var calls []uint32
	switch {
	case q.Finding != nil:
		calls = b.callsOf(q.Finding)
	case q.Key != "":
		calls = b.keyCalls(q.Key)
	case q.Run != "":
		calls = b.runCalls(q.Run)
	case q.Tool != "":
		calls = b.toolCalls(q.Tool)
	default:
		calls = make([]uint32, 0, b.totals.Calls)
		for i := uint32(1); i <= b.calls.last(); i++ {
			if b.calls.at(i).flags&callCounted != 0 {
				calls = append(calls, i)
			}
		}
		calls = b.inOrder(calls)
	}
	if q.Copies {
		calls = b.withCopies(calls)
	}
	total = len(calls)
	from := min(max(q.From, 0), total)
	to := total
	if q.Limit > 0 {
		to = min(total, from+q.Limit)
	}
	same := map[[17]byte]int{}
	for _, i := range calls[from:to] {
		page = append(page, b.callView(i, same))
	}
	b.numberRepeats(page, calls[from:to])
	return page, total
}

// Question names calls: those of a finding, a key, a run or a tool; all of them where it names none.
type Question struct {
	Finding     *Finding
	Key         string
	Run         string
	Tool        string
	Copies      bool // the lines that only restate them, too
	From, Limit int  // Limit 0: all
}

func (b *Book) withCopies(calls []uint32) []uint32 {
	want := map[uint32]bool{}
	for _, i := range calls {
		want[i] = true
	}
	out := slices.Clone(calls)
	for i := uint32(1); i <= b.calls.last(); i++ {
		if c := b.calls.at(i); c.flags&callCounted == 0 && want[b.aside(c).copyOf] {
			out = append(out, i)
		}
	}
	return b.inOrder(out)
}

func (b *Book) callView(i uint32, same map[[17]byte]int) CallView {
	c := b.calls.at(i)
	v := CallView{
		Pos: b.callPos(i), Time: c.time, Run: b.names.text(c.run), Tool: b.names.text(b.stem(c).tool), CallID: b.ids.text(b.tie(c).id),
		NoKey: b.names.text(b.aside(c).reason), Opaque: c.flags&callOpaque != 0, Ignored: c.flags&callIgnored != 0, Assumed: c.flags&callAssumed != 0, Recorded: b.names.text(b.aside(c).recorded),
		Class: b.rule(c).Class, Rule: b.rule(c), Side: b.files[b.stem(c).file].Side, Copy: b.aside(c).copyOf != 0,
	}
	if c.flags&callNoKey == 0 {
		v.Key = b.keyText(c)
	}
	for x := b.tie(c).result; x != 0; x = b.results.at(x).next {
		r := b.results.at(x)
		rv := ResultView{Pos: b.resultPos(x), Time: r.time, Status: statusWord(r.status), Double: x != b.tie(c).result, Payload: r.payload}
		if p := b.payloadOf(x); p[16] != 0 {
			if same[p] == 0 {
				same[p] = len(same) + 1
			}
			rv.Same = same[p]
		}
		v.Results = append(v.Results, rv)
	}
	return v
}

func statusWord(s trace.Status) string {
	return [...]string{"pending", "ok", "replayed", "refused", "error", "ambiguous"}[s]
}

// numberRepeats sets the number of each call among the counted calls of its key.
func (b *Book) numberRepeats(page []CallView, calls []uint32) {
	number := map[uint32]int{}
	done := map[uint32]bool{}
	for n, i := range calls {
		c := b.calls.at(i)
		if b.tie(c).group == 0 {
			page[n].Repeat = 1
			continue
		}
		if !done[b.tie(c).group] {
			done[b.tie(c).group] = true
			for k, m := range b.members(b.groups.at(b.tie(c).group).head, inGroup) {
				number[m] = k + 1
			}
		}
		page[n].Repeat = number[i]
	}
}

// Keys lists the keys, recomputed or recorded or of the ledger, that begin with a prefix: at most limit.
func (b *Book) Keys(prefix string, limit int) []string {
	found := map[string]bool{}
	for i := uint32(1); i <= b.calls.last() && len(found) < limit; i++ {
		if c := b.calls.at(i); c.flags&callCounted != 0 && c.flags&callNoKey == 0 {
			if text := b.keyText(c); strings.HasPrefix(text, prefix) {
				found[text] = true
			}
		}
	}
	for _, r := range b.rows {
		if len(found) < limit && strings.HasPrefix(r.Key, prefix) {
			found[r.Key] = true
		}
	}
	for r := uint32(1); r <= b.recorded.last() && len(found) < limit; r++ {
		if text := b.names.text(b.aside(b.calls.at(b.recorded.at(r).head)).recorded); strings.HasPrefix(text, prefix) {
			found[text] = true
		}
	}
	return sortedKeys(found)
}

// RunsOf calls yield with every run that has the same tool and arguments digest, for finding out which run a ledger row belongs to.
func (b *Book) RunsOf(toolName string, args [16]byte, yield func(run string) bool) {
	n := b.names.find(toolName)
	k, i := b.lookUp(&b.works, workHash(n, args), b.sameWork(n, args))
	if k != 0 {
		i = b.works.buckets.at(k).head
	}
	seen := map[uint32]bool{}
	for ; i != 0; i = inWork(b, b.calls.at(i)) {
		if c := b.calls.at(i); !seen[c.run] {
			seen[c.run] = true
			if !yield(b.names.text(c.run)) {
				return
			}
		}
	}
}

// AllRuns lists the runs that were seen, at most limit.
func (b *Book) AllRuns(limit int) []string {
	var out []string
	for r := uint32(1); r <= b.runs.last() && len(out) < limit; r++ {
		if at := b.runs.at(r); at.n > 0 {
			out = append(out, b.names.text(at.name))
		}
	}
	return out
}

// Table is the decision table that the book judges by.
func (b *Book) Table() *table.Table { return b.cfg.Table }
