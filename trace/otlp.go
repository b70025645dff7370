package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// otlpFormat is FORMATS.md §7: OpenTelemetry's protocol as JSON lines (the Collector's file exporter, many spans a line),
// in the dialects of §7.3, and the log events of §7.4. A span is the record of a call that has ended. A call counts once: its client's, its
// server's and its execution's spans are merged by their call id, or when one is inside the other and names the same tool.
// What only a model's span asks for is not known to have run and does not count; it lends its arguments by the call's id.
func otlpFormat() *Format {
	return &Format{
		Name:    "otlp",
		Sign:    "`resourceSpans`, `resourceLogs`, `resourceMetrics` or `scopeSpans`",
		Title:   "OpenTelemetry spans and log events as JSON (Collector's file exporter)",
		Reach:   ReachRun,
		Results: RecordsAlways,
		Lacks:   []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			for _, name := range [...]string{
				"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics",
				"scopeSpans", "scope_spans", "scopeLogs", "scope_logs",
			} {
				if has(v, name) {
					return true
				}
			}
			return false
		},
		New: func([]byte, string) Decoder { return newOTel() },
	}
}

// otel puts spans and log events together, from whatever writer.
type otel struct {
	spanTree
	index    attrIndex
	span     attributes // of the span at hand
	resource attributes
	traced   idLog // call ids that spans told
	logged   idSet // ... and log events: a program may write both
}

func newOTel() *otel { return &otel{spanTree: newSpanTree(), index: newAttrIndex()} }

// Decode reads one export request, or the spans or logs of one resource.
func (d *otel) Decode(v pyjson.Value, w *Scratch) {
	if !d.request(v, w) {
		d.ofResource(v, w)
	}
	d.release(w)
}

// either gives the member under its JSON name, or under the name of the protocol's schema.
func either(v pyjson.Value, camel, snake string) pyjson.Value {
	if m := v.Get(camel); m.Kind() != pyjson.Missing {
		return m
	}
	return v.Get(snake)
}

func (d *otel) request(v pyjson.Value, w *Scratch) bool {
	spans, logs := either(v, "resourceSpans", "resource_spans"), either(v, "resourceLogs", "resource_logs")
	for r := range spans.Elements() {
		d.ofResource(r, w)
	}
	for r := range logs.Elements() {
		d.ofResource(r, w)
	}
	return present(spans) || present(logs)
}

// ofResource reads what one resource sent: spans first, all of them, then what they say.
func (d *otel) ofResource(r pyjson.Value, w *Scratch) {
	d.resource.read(d.index, r.Get("resource").Get("attributes"), w)
	run := d.intern(d.resource.run(w))
	for _, names := range [...][2]string{{"scopeSpans", "scope_spans"}, {"instrumentationLibrarySpans", "instrumentation_library_spans"}} {
		for scope := range either(r, names[0], names[1]).Elements() {
			for s := range scope.Get("spans").Elements() {
				d.otlpSpan(s, run, w)
			}
		}
	}
	for scope := range either(r, "scopeLogs", "scope_logs").Elements() {
		for l := range either(scope, "logRecords", "log_records").Elements() {
			d.otlpLog(l, run, w)
		}
	}
}

func (d *otel) otlpSpan(v pyjson.Value, run string, w *Scratch) {
	var m spanMembers
	m.read(v)
	code := m[spStatus].Get("code")
	s := otelSpan{
		trace: w.Text(m.either(spTrace)), id: w.Text(m.either(spID)), parent: w.Text(m.either(spParent)),
		name: w.Text(m[spName]), kind: spanKind(m[spKind], w), start: nanosOf(m.either(spStart), w), end: nanosOf(m.either(spEnd), w),
		failed:  string(code.Raw()) == "2" || code.IsText("STATUS_CODE_ERROR"),
		message: m[spStatus].Get("message"), events: m[spEvents],
	}
	d.span.read(d.index, m[spAttributes], w)
	d.tell(&s, run, w)
}

// spanMembers are a span's members that say something, each by its number. Some have two names: the second, that of the protocol's schema, has
// the next number.
type spanMembers [spanNames]pyjson.Value

const (
	spTrace      = 0
	spID         = 2
	spParent     = 4
	spStart      = 6
	spEnd        = 8
	spName       = 10
	spKind       = 11
	spStatus     = 12
	spAttributes = 13
	spEvents     = 14
	spanNames    = 15
)

func (m *spanMembers) read(v pyjson.Value) {
	for name, value := range v.Members() {
		i := spanNames
		if name.Escaped() {
			i = spanName([]byte(name.Text()))
		} else {
			raw := name.Raw()
			i = spanName(raw[1 : len(raw)-1])
		}
		if i < spanNames {
			m[i] = value
		}
	}
}

// either gives the member under its JSON name, else under the name of the protocol's schema.
func (m *spanMembers) either(i int) pyjson.Value {
	if m[i].Kind() != pyjson.Missing {
		return m[i]
	}
	return m[i+1]
}

func spanName(name []byte) int {
	switch string(name) {
	case "traceId":
		return spTrace
	case "trace_id":
		return spTrace + 1
	case "spanId":
		return spID
	case "span_id":
		return spID + 1
	case "parentSpanId":
		return spParent
	case "parent_span_id":
		return spParent + 1
	case "startTimeUnixNano":
		return spStart
	case "start_time_unix_nano":
		return spStart + 1
	case "endTimeUnixNano":
		return spEnd
	case "end_time_unix_nano":
		return spEnd + 1
	case "name":
		return spName
	case "kind":
		return spKind
	case "status":
		return spStatus
	case "attributes":
		return spAttributes
	case "events":
		return spEvents
	}
	return spanNames
}

// spanKind gives the letter of a kind, as spanRole has it.
func spanKind(v pyjson.Value, w *Scratch) byte {
	switch string(v.Raw()) {
	case "2":
		return 'S'
	case "3":
		return 'C'
	case "1", "0", "":
		return 'I'
	}
	if name := bytes.TrimPrefix(w.Text(v), []byte("SPAN_KIND_")); len(name) > 0 {
		return name[0]
	}
	return 'I'
}

// nanosOf reads nanoseconds since 1970, a text or a number; 0 is none.
func nanosOf(v pyjson.Value, w *Scratch) int64 {
	digits := v.Raw()
	if v.Kind() == pyjson.String {
		digits = w.Text(v)
	}
	n := int64(0)
	for _, c := range digits {
		if !isDigit(c) || n > (NoTime+1)/-10-1 {
			return NoTime
		}
		n = n*10 + int64(c-'0')
	}
	if n == 0 {
		return NoTime
	}
	return n
}

// tell notes a span, whose attributes were read, and holds the events that it tells.
func (d *otel) tell(s *otelSpan, resourceRun string, w *Scratch) {
	tr := d.trace(s.trace, w)
	tr.last = max(tr.last, s.end)
	d.age(s.end, w)
	d.lend(tr, w)
	tool, ok := d.span.readTool(s, w)
	n := d.note(tr, s, ok, tool.id)
	n.run, n.otherwise = d.intern(d.span.run(w)), resourceRun
	if n.otherwise == "" {
		n.otherwise = d.intern(d.span.text(w, d.span.v[atMCPSession]))
	}
	if n.otherwise == "" {
		n.otherwise = tr.id
	}
	known := tr.span(n.id)
	if known != nil && n.id != "" { // written again
		if ok && (known.toolNote == nil || !known.dropped) {
			n.name = ""
			d.hold(n, s, &tool, w)
			d.climb(n, n.parent, w)
		}
		return
	}
	if ok {
		if len(tool.tool) == 0 {
			*n = spanNote{}
			w.Bad(reasonNoTool)
			return
		}
		n.tool, n.weak, n.role = d.intern(tool.tool), tool.weak, tool.role
		if n.name != "" && !n.weak && d.logged.has(tool.id) {
			n.dropped = true
		} else {
			d.traced.add(n.name)
			d.hold(n, s, &tool, w)
		}
	}
	d.add(n, w)
}

// lend keeps the arguments of the calls that a model's span asks for.
func (d *otel) lend(tr *spanTrace, w *Scratch) {
	keep := func(id, args []byte) {
		if len(id) == 0 || args == nil || d.asked+len(args) > maxAsked {
			return
		}
		d.asked += len(args)
		of := d.more(tr)
		of.asked += len(args)
		if of.args == nil {
			of.args = map[string][]byte{}
		}
		of.args[string(id)] = append([]byte{}, args...)
	}
	for _, c := range d.span.asked {
		keep(d.span.text(w, c.id), d.span.raw(w, c.args))
	}
	if !present(d.span.v[atOutputMessages]) {
		return
	}
	messages, _ := w.Parse(d.span.raw(w, d.span.v[atOutputMessages]))
	if messages.Kind() == pyjson.String {
		messages, _ = w.Parse(w.Text(messages))
	}
	for m := range messages.Elements() {
		for part := range m.Get("parts").Elements() {
			if part.Get("type").IsText("tool_call") {
				keep(w.Text(part.Get("id")), part.Get("arguments").Raw())
			}
		}
	}
}

// hold keeps the events of a tool's span until its run is known.
func (d *otel) hold(n *spanNote, s *otelSpan, tool *toolSpan, w *Scratch) {
	args := tool.args
	if of := n.of.kin; args == nil && of != nil && len(tool.id) > 0 {
		args = of.args[string(tool.id)]
	}
	e := w.Event(Call)
	e.Time, e.CallID, e.Tool, e.Args, e.NoArgs = tool.start, tool.id, tool.tool, args, args == nil
	if len(s.id) > 0 {
		e.Span = w.join(s.trace, []byte(":"), s.id)
	}
	n.call = w.Hold(e)
	d.held += n.call.size()
	if tool.end == NoTime {
		return
	}
	e = w.Event(Result)
	e.Time, e.CallID, e.Tool, e.Status, e.Payload = tool.end, tool.id, tool.tool, tool.status, tool.payload
	if len(s.id) > 0 {
		e.Span = w.join(s.trace, []byte(":"), s.id, []byte("#end"))
	}
	n.answer = w.Hold(e)
	d.held += n.answer.size()
}
