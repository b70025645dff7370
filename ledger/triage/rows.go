package triage

import (
	"math"
	"slices"

	"drainboard/keys"
	"drainboard/trace"
)

// row is a ledger row and what it meets.
type row struct {
	LedgerRow
	n      uint32 // number, for findings
	id     keys.ID
	queued bool
	gone   bool
	hung   bool
	view   *RowView
}

// stored is the row's response as payloads are compared.
func (r *row) stored() (out [17]byte) {
	if r.HasResponse {
		copy(out[:], r.Response[:])
		out[16] = 1
	}
	return out
}

// nanos turns the ledger's seconds into nanoseconds, to the microsecond that a float64 of today's seconds can hold.
func nanos(seconds float64) int64 {
	if math.IsNaN(seconds) || math.Abs(seconds) > 9e9 {
		return trace.NoTime
	}
	return int64(math.Round(seconds*1e6)) * 1000
}

// recordedID is the index form of a recorded key.
func (b *Book) recordedID(name uint32) keys.ID { return keys.IDOf(b.names.text(name)) }

// Ledger takes in rows that are new or changed; all says that they are the whole ledger, so that what is not among them is gone.
func (b *Book) Ledger(rows []LedgerRow, gone []string, all bool) {
	kept := map[keys.ID]bool{}
	for _, in := range rows {
		id := keys.IDOf(in.Key)
		kept[id] = true
		r, ok := b.rows[id]
		if !ok {
			b.rowCount++
			r = &row{id: id, n: b.rowCount}
			b.rows[id] = r
			b.markMeeting(r, in.Key)
		} else if r.LedgerRow == in {
			continue
		} else {
			b.index.states[r.State]--
		}
		r.LedgerRow = in
		b.index.states[in.State]++
		b.markMeeting(r, in.Key)
	}
	for _, key := range gone {
		b.removeRow(keys.IDOf(key))
	}
	if all {
		for id := range b.rows {
			if !kept[id] {
				b.removeRow(id)
			}
		}
	}
}

func (b *Book) removeRow(id keys.ID) {
	r, ok := b.rows[id]
	if !ok {
		return
	}
	delete(b.rows, id)
	b.index.states[r.State]--
	if b.index.states[r.State] == 0 {
		delete(b.index.states, r.State)
	}
	b.setForeign(r, nil)
	b.hold(entity{entRow, r.n}, nil)
	b.markMeeting(r, r.Key)
	r.gone = true
}

// markMeeting marks a row and the keys that it meets.
func (b *Book) markMeeting(r *row, key string) {
	b.markRow(r.id)
	if intent, ok := b.intents[r.id]; ok {
		b.groupsOf(intent, func(_ uint16, g uint32) { b.mark(entGroup, g) })
	}
	b.groupsOf(r.id, func(_ uint16, g uint32) { b.mark(entGroup, g) })
	if name := b.names.find(key); name != 0 {
		if at := b.namedAs(name).recorded; at != 0 {
			b.mark(entRecorded, at)
			for i := b.recorded.at(at).head; i != 0; i = inRecorded(b, b.calls.at(i)) {
				if g := b.tie(b.calls.at(i)).group; g != 0 {
					b.mark(entGroup, g)
				}
			}
		}
	}
}

// meeting lists the counted calls that meet a row, by recomputed or recorded key, in order.
func (b *Book) meeting(r *row) []uint32 {
	var out []uint32
	gather := func(_ uint16, g uint32) { out = append(out, b.members(b.groups.at(g).head, inGroup)...) }
	b.groupsOf(r.id, gather)
	if intent, ok := b.intents[r.id]; ok { // a human key made it: it is the intent's too
		b.groupsOf(intent, gather)
	}
	if name := b.names.find(r.Key); name != 0 {
		if at := b.namedAs(name).recorded; at != 0 {
			out = append(out, b.members(b.recorded.at(at).head, inRecorded)...)
		}
	}
	slices.SortFunc(out, func(i, j uint32) int {
		if i == j {
			return 0
		}
		return order(b.callBefore(i, j))
	})
	return slices.Compact(out)
}

// settleRow joins a row with the calls that meet it.
func (b *Book) settleRow(r *row) {
	r.queued = false
	if r.gone {
		return
	}
	calls := b.meeting(r)
	var now []*Finding
	if _, second := b.intents[r.id]; !second { // of two rows nobody can say which result is whose
		now = b.rowFindings(r, calls)
	}
	now = append(now, b.conflict(r.Key, calls, r)...)
	v := &RowView{
		Key: r.Key, Tool: r.Tool, State: r.State, Owner: r.Owner, Created: r.Created, Updated: r.Updated, Timeout: r.Timeout,
		Hung: r.hung, Met: len(calls), HasResponse: r.HasResponse, Foreign: len(calls) == 0 && !r.Reproduced, Drains: b.drains(r, calls),
	}
	if len(calls) > 0 {
		v.Run = b.names.text(b.calls.at(calls[0]).run)
	}
	if r.State == "inflight" {
		f := b.inFlight(r, calls)
		v.FindingID = f.ID
		now = append(now, f)
	}
	b.setForeign(r, v)
	b.hold(entity{entRow, r.n}, now)
}

func (b *Book) setForeign(r *row, now *RowView) {
	if r.view != nil && r.view.Foreign {
		b.index.foreign--
	}
	if now != nil && now.Foreign {
		b.index.foreign++
	}
	setView(b.index.rows, &r.view, now)
}

// rowFindings are what the trace says of a row that the row does not.
func (b *Book) rowFindings(r *row, calls []uint32) []*Finding {
	if len(calls) == 0 {
		return nil
	}
	oks, equal, answered, records := 0, false, false, true
	for _, i := range calls {
		c := b.calls.at(i)
		records = records && b.records(b.stem(c).file)
		for x := b.tie(c).result; x != 0; x = b.results.at(x).next {
			answered = true
			if b.results.at(x).status == trace.OK {
				oks++
				equal = equal || b.payloadOf(x) == r.stored()
			}
		}
	}
	kind, sev := OrphanResult, Medium
	switch {
	case r.State == "inflight" && oks > 0:
		kind = SettledInTrace
	case r.State == "failed" && oks > 0:
		kind, sev = FailedButDone, High
	case r.State == "committed" && oks > 0 && !equal:
		kind, sev = OtherResponse, High
	case r.State == "committed" && records && !answered:
		kind = LostResult
	default:
		return nil
	}
	f := b.begin(kind, sev, calls)
	f.ID, f.Key, f.Tool = kind.String()+" "+r.Key, r.Key, r.Tool
	return []*Finding{f}
}

// inFlight is the finding of a row in flight; one that is older than its tool's timeout hangs.
func (b *Book) inFlight(r *row, calls []uint32) *Finding {
	f := &Finding{Kind: InFlight, Severity: Medium, Started: nanos(r.Updated), Last: trace.NoTime, when: nanos(r.Updated)}
	if len(calls) > 0 {
		f = b.begin(InFlight, Medium, calls)
		f.Started = nanos(r.Updated)
	} else {
		f.Rule = b.cfg.Table.Lookup(r.Tool, nil)
		f.Class = f.Rule.Class
	}
	if r.hung {
		f.Kind, f.Severity = Hung, High
	}
	f.ID, f.Key, f.Tool = "in-flight "+r.Key, r.Key, r.Tool
	d := f.detail()
	d.Timeout, d.Owner = r.Timeout, r.Owner
	f.drains = r.hung || b.drains(r, calls)
	return f
}

// drains says whether a row in flight blocks the drain by whom called it: the draining side, or no side at all.
func (b *Book) drains(r *row, calls []uint32) bool {
	if len(b.sides) < 2 {
		return true
	}
	if len(calls) == 0 {
		return !b.youngRow(r)
	}
	for _, i := range calls {
		if side := b.files[b.stem(b.calls.at(i)).file].side; side == b.draining() || side == 0 {
			return true
		}
	}
	return false
}

// Ages marks the rows in flight that begin or cease to hang at this time (nanoseconds), and says whether there were any.
func (b *Book) Ages(now int64) bool {
	moved := b.expire(now)
	for _, kind := range [...]Kind{InFlight, Hung} {
		b.index.kinds[kind].Scan(func(f *Finding) bool {
			r := b.rows[keys.IDOf(f.Key)]
			if hung := float64(now-f.Started)/1e9 > r.Timeout; hung != r.hung {
				r.hung, moved = hung, true
				b.markRow(r.id)
			}
			return true
		})
	}
	return moved
}
