package trace

import (
	"bytes"
	"math"

	"drainboard/keys/pyjson"
)

// telemetryFormat is FORMATS.md §7.5: what OpenTelemetry's SDKs print themselves: Gemini CLI's telemetry file, the console
// exporters of JavaScript and Python. Attributes are plain objects there, and the records are printed over many lines.
func telemetryFormat() *Format {
	f := otlpFormat()
	f.Name, f.Title = "otel-sdk", "OpenTelemetry records as the SDKs print them (Gemini CLI's telemetry file, console exporters)"
	f.Sign = "flat `attributes`, with `hrTime` or a span context"
	f.Sniff = func(p *Probe) bool {
		v := p.Value
		return v.Get("attributes").Kind() == pyjson.Object &&
			(has(v, "hrTime") || has(v, "_spanContext") || has(v.Get("context"), "trace_id") || has(v, "traceId") && has(v, "kind"))
	}
	f.New = func([]byte, string) Decoder { return &telemetry{newOTel()} }
	return f
}

type telemetry struct{ *otel }

// Decode reads one record: a span, or a log event. Metrics are neither.
func (d *telemetry) Decode(v pyjson.Value, w *Scratch) {
	d.resource.read(d.index, v.Get("resource").Get("attributes"), w)
	run := string(d.resource.run(w))
	d.span.read(d.index, v.Get("attributes"), w)
	context := firstOf(v, []string{"context", "_spanContext", "spanContext"})
	trace := firstOf(context, []string{"trace_id", "traceId"})
	if !present(trace) {
		trace = v.Get("traceId")
	}
	if has(v, "hrTime") || present(v.Get("attributes").Get("event.name")) || !present(trace) {
		d.event(w.Text(v.Get("body")), hrTime(v.Get("hrTime")), run, w)
	} else {
		d.sdkSpan(v, context, trace, run, w)
	}
	d.release(w)
}

func (d *telemetry) sdkSpan(v, context, trace pyjson.Value, run string, w *Scratch) {
	id := firstOf(context, []string{"span_id", "spanId"})
	if !present(id) {
		id = firstOf(v, []string{"id", "spanId"})
	}
	parent := firstOf(v, []string{"parent_id", "parentId", "parentSpanId"})
	if !present(parent) {
		parent = v.Get("parentSpanContext").Get("spanId")
	}
	code := firstOf(v.Get("status"), []string{"status_code", "code"})
	s := otelSpan{
		trace: w.Text(trace), id: w.Text(id), parent: w.Text(parent), name: w.Text(v.Get("name")), kind: sdkKind(v.Get("kind"), w),
		failed:  textIn(code, "ERROR", "StatusCode.ERROR") || string(code.Raw()) == "2",
		message: firstOf(v.Get("status"), []string{"description", "message"}), events: v.Get("events"),
	}
	s.start, s.end = sdkTimes(v, w)
	d.tell(&s, run, w)
}

// sdkKind gives the letter of a kind as spanKind does. The JavaScript SDK counts from 0, internal; Python names them.
func sdkKind(v pyjson.Value, w *Scratch) byte {
	switch string(v.Raw()) {
	case "1":
		return 'S'
	case "2":
		return 'C'
	}
	if name := bytes.TrimPrefix(w.Text(v), []byte("SpanKind.")); len(name) > 0 {
		return name[0]
	}
	return 'I'
}

// sdkTimes reads when a span began and ended: ISO texts, pairs of seconds and nanoseconds, or microseconds and a duration.
func sdkTimes(v pyjson.Value, w *Scratch) (start, end int64) {
	from, to := firstOf(v, []string{"start_time", "startTime"}), firstOf(v, []string{"end_time", "endTime"})
	if from.Kind() == pyjson.Array {
		return hrTime(from), hrTime(to)
	}
	if present(from) {
		return w.Instant(from), w.Instant(to)
	}
	micros, ok1 := v.Get("timestamp").Int64()
	lasted, ok2 := v.Get("duration").Float64()
	if !ok1 || micros <= 0 || micros > math.MaxInt64/1000 {
		return NoTime, NoTime
	}
	if !ok2 || !(lasted >= 0 && lasted < 1e15) || micros*1000 > math.MaxInt64-int64(lasted*1000) {
		return micros * 1000, NoTime
	}
	return micros * 1000, micros*1000 + int64(lasted*1000)
}

// hrTime reads [seconds, nanoseconds].
func hrTime(v pyjson.Value) int64 {
	sec, ok1 := v.At(0).Int64()
	ns, ok2 := v.At(1).Int64()
	if !ok1 || !ok2 || sec <= 0 || ns < 0 || ns > 1e9 {
		return NoTime
	}
	return nanos(sec, ns, false)
}
