package intake

import (
	"bytes"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// keyer turns the events of blocks into batches: it canonicalises arguments, derives keys, classifies calls and digests payloads.
// One keyer is for one worker.
type keyer struct {
	*law
	run string // --run: the run of lines that name none; "" is the file's

	batches batches
	trace   trace.Scratch
	args    keys.Args
	scratch keys.Scratch
	rows    map[string]*table.Row // by tool, remembered
	texts   texts                 // of the batch in work: those that come again, runs and tools and the like
	batch   *triage.Batch
	usual   int // records of a block, by the last one: room for as many is made at once
	pos     keyerPos
	ignores []*table.Rule                  // rules that leave something out of results
	last    struct{ run, tool triage.Str } // the text put last, by kind of text: neighbours often say the same
	recent  [32]struct {                   // rows of the batch's tools, each where the number of its tool says
		tool triage.Str
		row  *table.Row
	}
}

// batches are batches that the book has folded, whose memory is used again.
type batches chan *triage.Batch

// take gives one of them, or nil.
func (s batches) take() *triage.Batch {
	select {
	case b := <-s:
		return b
	default:
		return nil
	}
}

// give takes one back unless there are enough.
func (s batches) give(b *triage.Batch) {
	b.Reset()
	select {
	case s <- b:
	default:
	}
}

// mostUsual bounds the room that is made for the records of a block before there are any.
const mostUsual = 1 << 14

type keyerPos struct {
	off   int64
	reach trace.Reach
	name  string     // the file's default run
	run   triage.Str // that, once it is in the batch
}

func newKeyer(c *Config, l *law, batches batches) *keyer {
	k := &keyer{batches: batches, law: l, run: c.Run, rows: map[string]*table.Row{}, texts: newTexts()}
	for _, r := range l.table.Rules() {
		if len(r.IgnoreResult) > 0 {
			k.ignores = append(k.ignores, r)
		}
	}
	return k
}

// key decodes a block. The batch belongs to whoever gets it; its File is set by the owner of the book.
func (k *keyer) key(b *trace.Block) *triage.Batch {
	k.start(b.File.Format(), b.File.DefaultRun(), b.Off)
	return k.finish(trace.DecodeBlock(b, &k.trace, k.event))
}

// start begins a batch for bytes at off of a file.
func (k *keyer) start(f *trace.Format, run string, off int64) {
	if k.batch = k.batches.take(); k.batch == nil {
		k.batch = &triage.Batch{Recs: make([]triage.Rec, 0, k.usual)}
	}
	k.texts.clear()
	k.last.run, k.last.tool = 0, 0
	clear(k.recent[:])
	k.pos = keyerPos{off: off, name: run}
	if f != nil {
		k.pos.reach = f.Reach
	}
}

func (k *keyer) finish(st trace.Stats) *triage.Batch {
	k.usual = min(len(k.batch.Recs)+len(k.batch.Recs)/16, mostUsual)
	k.batch.Lines, k.batch.Bytes, k.batch.Others, k.batch.Tail = st.Lines, st.Bytes, st.Others, st.Tail
	return k.batch
}

// text puts a text that may come again into the batch once.
func (k *keyer) text(s []byte) triage.Str {
	if len(s) == 0 {
		return 0
	}
	return k.texts.put(k.batch, s)
}

func (k *keyer) str(s string) triage.Str { return k.text([]byte(s)) }

// near is text for a kind of text whose neighbours are often equal.
func (k *keyer) near(last *triage.Str, s []byte) triage.Str {
	if *last == 0 || !bytes.Equal(k.batch.Text(*last), s) {
		*last = k.text(s)
	}
	return *last
}

func (k *keyer) event(e *trace.Event) {
	if e.Kind == trace.Bad {
		k.batch.Bad = append(k.batch.Bad, triage.BadLine{Line: uint32(e.Line), Reason: e.Reason})
		return
	}
	k.batch.Recs = append(k.batch.Recs, triage.Rec{})
	r := &k.batch.Recs[len(k.batch.Recs)-1]
	r.Kind, r.Status, r.N, r.Line = e.Kind, e.Status, uint16(min(e.N, 1<<16-1)), uint32(e.Line)
	r.Offset, r.Time, r.Reach = k.pos.off+int64(e.Offset), e.Time, k.pos.reach
	r.Run = k.runOf(e, r)
	r.Parent = k.text(e.Parent)
	r.CallID = k.batch.Add(e.CallID) // most come once or twice: the book finds equal ones
	r.Scope = k.text(e.Conn)
	switch e.Kind {
	case trace.Call:
		r.Tool = k.near(&k.last.tool, e.Tool)
		k.call(e, r)
	case trace.Result:
		r.Tool = k.text(e.Tool)
		k.result(e, r)
	}
}

// runOf is the run of an event: its own, else --run, else one named after its file.
func (k *keyer) runOf(e *trace.Event, r *triage.Rec) triage.Str {
	if len(e.Run) > 0 {
		return k.near(&k.last.run, e.Run)
	}
	r.Assumed = true
	if k.pos.run == 0 {
		name := k.run
		if name == "" {
			name = k.pos.name
		}
		k.pos.run = k.str(name)
	}
	return k.pos.run
}

// row is the table's row of a tool.
func (k *keyer) row(tool triage.Str) *table.Row {
	recent := &k.recent[int(tool)%len(k.recent)]
	if recent.tool == tool && tool != 0 {
		return recent.row
	}
	name := k.batch.Text(tool)
	row, ok := k.rows[string(name)]
	if !ok {
		if len(k.rows) > 1<<14 {
			clear(k.rows)
		}
		row = k.table.Row(string(name))
		k.rows[string(name)] = row
	}
	recent.tool, recent.row = tool, row
	return row
}

func (k *keyer) call(e *trace.Event, r *triage.Rec) {
	r.Recorded = k.batch.Add(e.Recorded)
	if k.pos.reach != trace.ReachEverywhere || len(e.CallID) == 0 {
		r.Span = k.batch.Add(e.Span)
	}
	run := keys.RunID{Text: e.Run, Raw: e.RunRaw}
	if r.Assumed {
		run.Text = k.batch.Text(r.Run)
	}
	made := keyed{law: k.law}
	made.key(k.row(r.Tool), run, e, &k.args)
	r.Rule, r.Key, r.Args = uint16(made.rule.ID), made.digest, made.arguments
	r.NoKey, r.Opaque, r.Ignored = made.noKey, made.opaque, made.ignored
	if made.noKey {
		r.Reason = k.str(made.reason)
		return
	}
	if made.rule.Class == table.Pure {
		return
	}
	if shape, leaves, ok := k.args.Shape(e.Time, e.Time != trace.NoTime); ok {
		r.Shape = shape
		r.Leaves.From = uint32(len(k.batch.Leaves))
		for _, l := range leaves {
			k.batch.Leaves = append(k.batch.Leaves, triage.Leaf{Pointer: k.str(l.Pointer), Looks: k.str(l.Looks), Value: l.Value})
		}
		r.Leaves.To = uint32(len(k.batch.Leaves))
	}
}

// result digests a payload. Where the table leaves something out of results and it is not known yet whose result this is, there is one more digest for
// each such rule.
func (k *keyer) result(e *trace.Event, r *triage.Rec) {
	r.Cut = e.Cut
	if e.Payload == nil {
		return
	}
	r.HasPayload = true
	r.Payload = k.payload(e, nil)
	r.Payloads.From = uint32(len(k.batch.Payloads))
	for _, rule := range k.ignores {
		k.batch.Payloads = append(k.batch.Payloads, triage.RulePayload{Rule: uint16(rule.ID), Payload: k.payload(e, rule.IgnoreResult)})
	}
	r.Payloads.To = uint32(len(k.batch.Payloads))
}

// payload is the digest of a result's payload without what is ignored of it.
func (k *keyer) payload(e *trace.Event, ignore []keys.Pointer) [16]byte {
	if e.Value.Kind() != pyjson.Missing {
		return keys.DigestOf(&k.scratch, e.Value, ignore)
	}
	return keys.ValueDigest(&k.scratch, e.Payload, ignore)
}

// keyed is what a law makes of the arguments of a call.
type keyed struct {
	*law
	rule                   *table.Rule
	digest                 keys.Digest
	arguments              [16]byte
	noKey, opaque, ignored bool
	reason                 string // why there is no key
}

// key keys a call of a row's tool. args then holds its arguments.
func (k *keyed) key(row *table.Row, run keys.RunID, e *trace.Event, args *keys.Args) {
	if k.read(row, e, args) {
		k.derive(run, e, args)
	}
}

// read finds the rule of a call and the digest of its arguments, and says whether it has any.
func (k *keyed) read(row *table.Row, e *trace.Event, args *keys.Args) bool {
	k.rule, k.noKey = row.Own(), true
	if e.NoArgs {
		k.reason = "arguments are not recorded"
		return false
	}
	if e.Value.Kind() != pyjson.Missing {
		args.From(e.Value)
	} else if err := args.Parse(e.Args); err != nil {
		k.reason = err.Error()
		return false
	}
	k.judge(row, args)
	return true
}

// judge is read for arguments that were parsed.
func (k *keyed) judge(row *table.Row, args *keys.Args) {
	args.Restore()
	k.rule, k.noKey = row.Rule(args), true
	k.ignored = len(k.rule.Ignore) > 0 && args.Ignore(k.rule.Ignore) > 0
	k.opaque, k.arguments = args.Opaque(), args.Digest()
}

// derive makes the key of a call that was read.
func (k *keyed) derive(run keys.RunID, e *trace.Event, args *keys.Args) {
	if k.rule.Forever {
		run = keys.RunID{}
	}
	d, err := k.recipe.Derive(run, e.Tool, args)
	if err != nil {
		k.reason = err.Error()
		return
	}
	k.digest, k.noKey = d, false
}
