// Package demo tells a drain: what two runtimes write into their traces and into the replay ledger while the paid one is
// switched off and another takes over, with every kind of finding in it.
//
// Contract. Story is a pure function of its seed, its start and its pace: the same three give the same beats, in the order of
// their time. A beat is something that is appended to a file, or that changes in the ledger: mostly a row as the runtimes' helper
// leaves it, which knows of no claims; sometimes what an operator did. Play makes them happen, in a folder that Prepare has filled with the decision table and the compensations.
package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"drainboard/keys"
	"drainboard/ledger"
)

// The two sides of the drain, which are the names of their folders too.
const (
	Paid = "paid" // the runtime that is switched off
	Dest = "dest" // the one that takes over
)

// Length is how long the drain goes on after its start, at pace 1.
const Length = 60 * time.Second

// Beat is one thing that happens: in a trace, or, in one transaction, in the ledger.
type Beat struct {
	At   time.Time
	File string // below the folder; "" when it happens in the ledger
	Text string // what is appended: whole lines, but for one that is torn on purpose

	Row          *ledger.Row          // what the row of its key is from now on
	Entry        *ledger.Entry        // of the triage log
	Late         *ledger.Late         // a reply that came too late
	Compensation *ledger.Compensation // one that was started
}

// teller collects the beats of a story.
type teller struct {
	rng   *rand.Rand
	start time.Time
	pace  float64
	beats []Beat
	rows  map[string]ledger.Row // as they are, in the order in which the story is told
	ids   int
	args  keys.Args
}

// Story tells the drain that starts at start. pace 2 is twice as fast; what lies before the start is not hurried.
func Story(seed uint64, start time.Time, pace float64) []Beat {
	t := &teller{rng: rand.New(rand.NewPCG(seed, 0x64726169)), start: start, pace: pace, rows: map[string]ledger.Row{}}
	t.history()
	t.honest()
	t.repeats()
	t.keysGoneWrong()
	t.loops()
	t.ledgerDisagrees()
	t.operators()
	t.cutover()
	t.damage()
	slices.SortStableFunc(t.beats, func(a, b Beat) int { return a.At.Compare(b.At) })
	return t.beats
}

// at is the moment s seconds after the drain began.
func (t *teller) at(s float64) time.Time {
	d := time.Duration(s * float64(time.Second))
	if d > 0 {
		d = time.Duration(float64(d) / t.pace)
	}
	return t.start.Add(d).Truncate(time.Millisecond).UTC()
}

// pair is a name and its value, which is raw JSON.
type pair struct{ name, value string }

// text is a pair whose value is a string of plain ASCII.
func text(name, value string) pair { return pair{name, fmt.Sprintf("%q", value)} }

// line appends a JSON object to the file of a run.
func (t *teller) line(at float64, side, run string, pairs ...pair) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"ts": %q, "run_id": %q`, t.at(at).Format("2006-01-02T15:04:05.000Z07:00"), run)
	for _, p := range pairs {
		fmt.Fprintf(&b, ", %q: %s", p.name, p.value)
	}
	b.WriteString("}\n")
	t.append(at, side+"/"+run+".jsonl", b.String())
}

func (t *teller) append(at float64, file, text string) {
	t.beats = append(t.beats, Beat{At: t.at(at), File: file, Text: text})
}

// id is a call id that nobody has yet.
func (t *teller) id() string {
	t.ids++
	return fmt.Sprintf("call_%04x%02d", t.rng.IntN(1<<16), t.ids%100)
}

// intent is one thing that an agent wants done.
type intent struct{ side, run, tool, args string }

// call says that the agent asked for it under a call id ("" for none). more are further pairs of the line.
func (t *teller) call(at float64, i intent, id string, more ...pair) {
	pairs := []pair{text("type", "tool_call")}
	if id != "" {
		pairs = append(pairs, text("call_id", id))
	}
	pairs = append(pairs, text("tool", i.tool))
	if i.args != "" {
		pairs = append(pairs, pair{"args", i.args})
	}
	t.line(at, i.side, i.run, append(pairs, more...)...)
}

// result says what came back: status as plain lines have it, and the payload as raw JSON (an error's text when it is one).
func (t *teller) result(at float64, i intent, id, status, payload string, more ...pair) {
	pairs := []pair{text("type", "tool_result")}
	if id != "" {
		pairs = append(pairs, text("call_id", id))
	} else {
		pairs = append(pairs, text("tool", i.tool))
	}
	pairs = append(pairs, text("status", status))
	name := "result"
	if status == "error" || status == "refused" {
		name = "error"
	}
	t.line(at, i.side, i.run, append(append(pairs, pair{name, payload}), more...)...)
}

// key is the intent's key under the recipe of the table.
func (t *teller) key(i intent) string {
	t.parse(i)
	d, err := keys.Intent.Derive(keys.RunID{Text: []byte(i.run)}, []byte(i.tool), &t.args)
	if err != nil {
		panic(err)
	}
	return keys.Intent.Text(d)
}

// parse reads the arguments, which are the story's own: a mistake in them is one in this package.
func (t *teller) parse(i intent) {
	if err := t.args.Parse([]byte(i.args)); err != nil {
		panic(fmt.Errorf("arguments of %s: %w", i.tool, err))
	}
}

// claim takes the row of an intent, as the envelope does before it sends.
func (t *teller) claim(at float64, i intent) { t.claimKey(at, i, t.key(i)) }

// claimKey does so under a key that the handler made up.
func (t *teller) claimKey(at float64, i intent, key string) {
	t.parse(i)
	request, err := t.args.AppendDefault(nil)
	if err != nil {
		panic(err)
	}
	now := seconds(t.at(at))
	t.write(at, ledger.Row{Key: key, Tool: i.tool, Request: string(request), State: ledger.InFlight, Created: now, Updated: now})
}

// commit settles the row with its response.
func (t *teller) commit(at float64, i intent, payload string) { t.commitKey(at, t.key(i), payload) }

func (t *teller) commitKey(at float64, key, payload string) {
	r := t.rows[key]
	r.State, r.Response, r.HasResponse, r.Updated = ledger.Committed, payload, true, seconds(t.at(at))
	t.write(at, r)
}

// fail settles the row as failed.
func (t *teller) fail(at float64, i intent) {
	r := t.rows[t.key(i)]
	r.State, r.Updated = ledger.Failed, seconds(t.at(at))
	t.write(at, r)
}

func (t *teller) write(at float64, r ledger.Row) {
	t.rows[r.Key] = r
	t.beats = append(t.beats, Beat{At: t.at(at), Row: &r})
}

// done is an intent that goes as it should: claimed, sent, answered after took seconds, committed. It returns the call's id.
func (t *teller) done(at, took float64, i intent, payload string) string {
	id := t.id()
	if !pure(i.tool) {
		t.claim(at, i)
	}
	t.call(at, i, id)
	t.result(at+took, i, id, "ok", payload)
	if !pure(i.tool) {
		t.commit(at+took, i, payload)
	}
	return id
}

// read is a pure call that goes as it should; it opens runs that go wrong later.
func (t *teller) read(at float64, side, run, what string) {
	t.done(at, 0.2, intent{side, run, "search_repo", fmt.Sprintf(`{"query": %q}`, what)}, fmt.Sprintf(`{"hits": %d}`, 1+t.rng.IntN(9)))
}

func pure(tool string) bool {
	return tool == "get_file" || tool == "search_repo" || tool == "job_status"
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

// operator changes the row of an intent as a person does from the board: with an entry in the log, in one transaction.
func (t *teller) operator(at float64, i intent, act ledger.Act, reason string, change func(r *ledger.Row)) {
	r := t.rows[t.key(i)]
	was := r.Image()
	change(&r)
	r.Updated = seconds(t.at(at))
	is := r.Image()
	t.write(at, r)
	t.beats[len(t.beats)-1].Entry = &ledger.Entry{
		At: r.Updated, Actor: "ada@ops-1", Action: act, Key: r.Key, Tool: r.Tool, Reason: reason, From: &was, To: &is,
	}
}

// rowOfAnother is a row that no call meets and no recipe reproduces.
func rowOfAnother(at float64) ledger.Row {
	return ledger.Row{
		Key: "invoice-2026-03-17", Tool: "send_invoice", Request: `{"month": "2026-02"}`, Response: `{"sent": true}`, HasResponse: true,
		State: ledger.Committed, Created: at, Updated: at + 2,
	}
}
