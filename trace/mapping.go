package trace

import (
	"strings"

	"drainboard/keys/pyjson"
)

// Mapping is what a user says of a format that no decoder knows (FORMATS.md §15): where in a line things stand.
type Mapping struct {
	Name         string
	Call, Result *Fields // nil: no line is one
}

// Fields are JSON pointers (RFC 6901) into a line; an empty one says that the format has no such thing. A Call has at
// least Tool, a Result at least CallID or Tool.
type Fields struct {
	When []Test // all must fit; without any, a line fits when it has what its kind needs

	Tool, Args, CallID, Run, Time, Recorded string
	Result, Status, Error                   string // of a Result
}

// Test fits a line whose text at the pointer At matches; a number or a bool stands for how it is spelled.
type Test struct {
	At    string
	Match func(text []byte) bool
}

// Mapped makes the format that a mapping describes. Formats of users' own are asked before all others. A line that both
// sides fit is a call and its result.
func Mapped(m Mapping) *Format {
	d := mapped{call: m.Call, result: m.Result}
	f := &Format{
		Name:      m.Name,
		Title:     "mapped by the table's formats: " + m.Name,
		Reach:     ReachRun,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			var w Scratch
			return d.call.fits(p.Value, &w) || d.result.fits(p.Value, &w)
		},
		New: func([]byte, string) Decoder { return d },
	}
	if m.Result == nil {
		f.Results = RecordsNever
		f.Lacks = append(f.Lacks, "results", "errors")
	}
	if m.Call == nil || m.Call.Time == "" {
		f.Lacks = append(f.Lacks, "times")
	}
	if m.Call == nil || m.Call.CallID == "" {
		f.Lacks = append(f.Lacks, "call ids")
	}
	return f
}

type mapped struct{ call, result *Fields }

// fits says whether a line is of this side's kind.
func (f *Fields) fits(v pyjson.Value, w *Scratch) bool {
	if f == nil || v.Kind() != pyjson.Object {
		return false
	}
	for _, test := range f.When {
		at := pointed(v, test.At)
		text := at.Raw()
		if at.Kind() == pyjson.String {
			text = w.Text(at)
		}
		if at.Kind() == pyjson.Missing || !test.Match(text) {
			return false
		}
	}
	return len(f.When) > 0 || f.has(v)
}

// has says whether a line has what this side's kind needs.
func (f *Fields) has(v pyjson.Value) bool {
	if f.isResult() {
		return present(pointed(v, f.CallID)) || present(pointed(v, f.Tool)) && present(pointed(v, f.Result))
	}
	return pointed(v, f.Tool).Kind() == pyjson.String
}

func (f *Fields) isResult() bool { return f.Result != "" || f.Status != "" || f.Error != "" }

// Decode reads one line.
func (d mapped) Decode(v pyjson.Value, w *Scratch) {
	if d.call.fits(v, w) {
		f := d.call
		e := f.event(Call, v, w)
		args := pointed(v, f.Args)
		e.Args, e.NoArgs = args.Raw(), args.Kind() == pyjson.Missing
		e.Recorded, _, _ = w.ident(pointed(v, f.Recorded))
		if len(e.Tool) == 0 {
			w.Bad(`a call names its tool: expected a text at "` + f.Tool + `", found none`)
			return
		}
		w.Emit(e)
	}
	if !d.result.fits(v, w) {
		return
	}
	f := d.result
	e := f.event(Result, v, w)
	payload, fault, status := pointed(v, f.Result), pointed(v, f.Error), pointed(v, f.Status)
	e.Status = OK
	switch {
	case status.Kind() == pyjson.String:
		e.Status = StatusOf(w.Text(status))
	case present(status):
		e.Status = StatusOf(status.Raw())
	case truthy(fault):
		e.Status = Error
	}
	if e.Status >= Refused && truthy(fault) {
		payload = faultText(fault)
	}
	if e.Status == Error && (w.ambiguous(payload) || ambiguousField("status", status)) {
		e.Status = Ambiguous
	}
	e.Payload = payload.Raw()
	w.Emit(e)
}

func (f *Fields) event(k Kind, v pyjson.Value, w *Scratch) *Event {
	e := w.Event(k)
	e.Tool, e.Time = w.Text(pointed(v, f.Tool)), w.Instant(pointed(v, f.Time))
	e.CallID, _, _ = w.ident(pointed(v, f.CallID))
	e.Run, e.RunRaw, _ = w.ident(pointed(v, f.Run))
	return e
}

// pointed gives the value that a JSON pointer names; Missing for the empty pointer, which stands for nothing here.
func pointed(v pyjson.Value, pointer string) pyjson.Value {
	if pointer == "" {
		return pyjson.Value{}
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if v.Kind() == pyjson.Array {
			v = v.At(index(part))
			continue
		}
		if strings.IndexByte(part, '~') >= 0 {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		}
		v = v.Get(part)
	}
	return v
}

// index reads an array's index as RFC 6901 spells it; -1 for anything else.
func index(s string) int {
	if len(s) == 0 || len(s) > 9 || len(s) > 1 && s[0] == '0' {
		return -1
	}
	n := 0
	for _, c := range []byte(s) {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}
