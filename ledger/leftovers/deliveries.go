package leftovers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"drainboard/keys/pyjson"
	"drainboard/trace"
)

// headers name a delivery or the intent behind it, the strongest first. Names of headers are compared without regard to case.
var headers = []string{
	"idempotency-key", "x-idempotency-key", "webhook-id", "svix-id", "x-github-delivery", "x-gitlab-event-uuid", "x-shopify-webhook-id", "x-webhook-id",
	"x-delivery-id", "x-event-id", "x-request-uuid", "linear-delivery", "paddle-event-id", "ce-id", "x-amz-sns-message-id", "x-request-id",
}

// properties of a record, or of what it delivers, that name a delivery where no header does.
var properties = []string{"idempotency_key", "idempotencyKey", "guid", "delivery_id", "deliveryId", "webhook_id", "event_id", "eventId", "message_id", "messageId"}

// delivery is one delivery of a webhook.
type delivery struct {
	line   int // 1-based, of the file
	header string
	value  string
	target string // where it was delivered to; "" when nobody says
	name   string // its own id
	at     int64
	status int // of the answer; 0: unknown
}

// MaxRecord bounds one record of an export, in bytes.
const MaxRecord = 64 << 20

// Deliveries hunts in an export of webhook deliveries for those with one idempotency or delivery header at one target: JSON objects, one after another
// (JSONL), in an array, or in an array that an object holds.
func Deliveries(in io.Reader, path string) (Found, error) {
	var f Found
	var all []delivery
	err := records(in, func(line int, v pyjson.Value) {
		f.Looked++
		if d, ok := deliveryOf(v); ok {
			d.line = line
			all = append(all, d)
		} else {
			f.Unread++
		}
	})
	if err != nil {
		return Found{}, fmt.Errorf("read the deliveries of %s: %w", path, err)
	}
	for _, list := range together(all, func(d *delivery) string { return d.header + "\x00" + d.value + "\x00" + d.target }) {
		slices.SortStableFunc(list, func(a, b *delivery) int { return cmp.Compare(a.at, b.at) })
		if g, ok := deliveryGroup(path, list); ok {
			f.Groups = append(f.Groups, g)
		}
	}
	sortGroups(f.Groups)
	return f, nil
}

// deliveryGroup is one header's deliveries. One that was turned away for certain had no effect: what is left must be two at the least.
func deliveryGroup(path string, list []*delivery) (Group, bool) {
	first := list[0]
	g := Group{Where: "deliveries", Basis: ByHeader, Kind: "delivery", Fields: []Field{{first.header, show(first.value)}}, Hash: digest(first.header, first.value, first.target)}
	if first.target != "" {
		g.Fields = append(g.Fields, Field{"target", show(first.target)})
	}
	took, kept := 0, -1
	for i, d := range list {
		o := Object{Name: d.name, File: path, Line: d.line, Time: stamp(d.at), Sure: d.took(), Calls: 1, Command: []string{}, at: d.at}
		if d.status != 0 {
			o.Tool = "status " + strconv.Itoa(d.status)
		}
		if o.Sure && kept < 0 {
			kept = i
		}
		if !d.refused() {
			took++
		}
		g.Guess = g.Guess || !d.refused() && !o.Sure
		g.Objects = append(g.Objects, o)
	}
	if took < 2 {
		return g, false
	}
	kept = max(kept, 0)
	for i, d := range list {
		o := &g.Objects[i]
		switch {
		case i == kept:
			o.Action, o.Why = Keep, "the first that was taken"
		case d.refused():
			o.Action, o.Why = Keep, "turned away: it had no effect"
		case o.Sure:
			o.Action, o.Why = ByHand, "taken again: cancel or delete it, or undo what it did"
		default:
			o.Action, o.Why = Look, "nobody knows whether it was taken"
		}
	}
	return g, true
}

// took says whether the delivery was taken; refused, whether it was turned away for certain. A server error may have had its effect.
func (d *delivery) took() bool    { return d.status >= 200 && d.status < 300 }
func (d *delivery) refused() bool { return d.status >= 300 && d.status < 500 && d.status != 408 }

// deliveryOf reads one record; ok is false when nothing names it.
func deliveryOf(v pyjson.Value) (d delivery, ok bool) {
	d.at = trace.NoTime
	request := v.Get("request")
	for _, h := range []pyjson.Value{v.Get("headers"), request.Get("headers"), v.Get("request_headers"), v.Get("requestHeaders"), v.Get("httpHeaders"), v.Get("http").Get("headers")} {
		if best := bestHeader(h); best >= 0 && (d.header == "" || best < slices.Index(headers, d.header)) {
			d.header, d.value = headers[best], headerValue(h, headers[best])
		}
	}
	parts := []pyjson.Value{v, request, v.Get("event"), v.Get("payload"), request.Get("payload"), v.Get("body")}
	for _, in := range parts {
		for _, n := range properties {
			if text := scalar(in.Get(n)); d.header == "" && text != "" {
				d.header, d.value = n, text
			}
		}
	}
	for _, in := range parts {
		if text := scalar(in.Get("id")); d.header == "" && strings.HasPrefix(text, "evt_") {
			d.header, d.value = "id", text // as Stripe names its events
		}
	}
	for _, n := range []string{"url", "target_url", "endpoint", "target", "webhook_endpoint", "hook_id", "destination"} {
		if text := cmp.Or(scalar(v.Get(n)), scalar(request.Get(n))); d.target == "" {
			d.target = text
		}
	}
	for _, n := range []string{"id", "delivery_id", "deliveryId", "attempt_id"} {
		if text := scalar(v.Get(n)); d.name == "" {
			d.name = text
		}
	}
	for _, n := range []string{"delivered_at", "deliveredAt", "timestamp", "created_at", "createdAt", "created", "time", "ts", "at"} {
		if at := moment(v.Get(n)); d.at == trace.NoTime {
			d.at = at
		}
	}
	response := v.Get("response")
	for _, s := range []pyjson.Value{v.Get("status_code"), v.Get("statusCode"), v.Get("response_status"), v.Get("responseStatusCode"), v.Get("http_status"), response.Get("status"), response.Get("status_code"), response.Get("statusCode"), v.Get("status")} {
		if n, ok := s.Int64(); ok && n >= 100 && n < 600 && d.status == 0 {
			d.status = int(n)
		}
	}
	return d, d.value != ""
}

func scalar(v pyjson.Value) string {
	if v.Kind() == pyjson.String || v.Kind() == pyjson.Int {
		return textOf(v)
	}
	return ""
}

// moment reads a time as traces hold them: RFC 3339, or seconds or milliseconds since 1970.
func moment(v pyjson.Value) int64 {
	switch v.Kind() {
	case pyjson.String:
		return trace.ParseTime([]byte(v.Text()))
	case pyjson.Int, pyjson.Float:
		return trace.EpochTime(v.Raw())
	}
	return trace.NoTime
}

// bestHeader is the index of the strongest header that stands there with a value, -1 for none.
func bestHeader(h pyjson.Value) int {
	return slices.IndexFunc(headers, func(name string) bool { return headerValue(h, name) != "" })
}

// headerValue finds a header in an object of texts or lists of texts, in a list of {name, value} or of pairs, or in a text of lines.
func headerValue(h pyjson.Value, name string) string {
	switch h.Kind() {
	case pyjson.Object:
		for n, v := range h.Members() {
			if strings.EqualFold(n.Text(), name) {
				if v.Kind() == pyjson.Array {
					v = v.At(0)
				}
				return strings.TrimSpace(scalar(v))
			}
		}
	case pyjson.Array:
		for e := range h.Elements() {
			n, v := cmp.Or(scalar(e.Get("name")), scalar(e.Get("key"))), e.Get("value")
			if e.Kind() == pyjson.Array {
				n, v = scalar(e.At(0)), e.At(1)
			}
			if strings.EqualFold(n, name) {
				return strings.TrimSpace(scalar(v))
			}
		}
	case pyjson.String:
		for line := range strings.Lines(h.Text()) {
			if n, v, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(n), name) {
				return strings.TrimSpace(v)
			}
		}
	}
	return ""
}

// records calls yield with each object of an export: the values of a text, one after another.
func records(in io.Reader, yield func(line int, v pyjson.Value)) error {
	var doc pyjson.Doc
	var buf []byte
	line, ended := 1, false
	for want := 64 << 10; ; {
		if len(buf) > MaxRecord {
			return fmt.Errorf("line %d: expected a record of at most %d bytes, found a longer one", line, MaxRecord)
		}
		for !ended && len(buf) < want {
			buf = slices.Grow(buf, want-len(buf))
			n, err := in.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if ended = err == io.EOF; err != nil && !ended {
				return err
			}
		}
		for {
			blank := len(buf) - len(bytes.TrimLeft(buf, " \t\r\n"))
			line += bytes.Count(buf[:blank], []byte("\n"))
			if buf = buf[blank:]; len(buf) == 0 {
				break
			}
			end, err := doc.Parse(buf, 0)
			var syntax *pyjson.SyntaxError
			if !ended && errors.As(err, &syntax) && syntax.Unfinished {
				break // it goes on
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			at := 0
			spread(doc.Root(), func(v pyjson.Value) {
				line += bytes.Count(buf[at:v.Offset()], []byte("\n"))
				at = v.Offset()
				yield(line, v)
			})
			line += bytes.Count(buf[at:end], []byte("\n"))
			buf = buf[end:]
		}
		if ended && len(buf) == 0 {
			return nil
		}
		want = max(64<<10, 2*len(buf))
	}
}

// spread calls yield with the records in a value: itself, its elements, or those of the list that it holds.
func spread(v pyjson.Value, yield func(v pyjson.Value)) {
	switch v.Kind() {
	case pyjson.Array:
		for e := range v.Elements() {
			yield(e)
		}
		return
	case pyjson.Object:
		for _, n := range []string{"deliveries", "data", "items", "results", "events", "attempts"} {
			if list := v.Get(n); list.Kind() == pyjson.Array {
				spread(list, yield)
				return
			}
		}
	}
	yield(v)
}
