package leftovers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestDeliveries reads exports in the shapes that platforms give them.
func TestDeliveries(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		looked     int
	}{
		{"GitHub's list: a redelivery has the guid of the first", `[
  {"id": 1, "guid": "0b989ba4", "delivered_at": "2026-09-06T10:00:00Z", "redelivery": false, "status_code": 200, "event": "issues"},
  {"id": 2, "guid": "0b989ba4", "delivered_at": "2026-09-06T10:00:09Z", "redelivery": true, "status_code": 200, "event": "issues"},
  {"id": 3, "guid": "77aa", "delivered_at": "2026-09-06T10:01:00Z", "status_code": 200, "event": "issues"}
]`, []string{"header keep:1 by hand:2"}, 3},
		{"names of headers in any case, values in lists", `
{"id":"a","headers":{"idempotency-key":"k1"},"status_code":200}
{"id":"b","headers":{"Idempotency-Key":["k1"]},"status_code":201}
{"id":"c","headers":{"IDEMPOTENCY-KEY":"k2"},"status_code":200}`, []string{"header keep:a by hand:b"}, 3},
		{"headers as pairs, as names and values, as text", `
{"id":"a","request":{"headers":[["Content-Type","x"],["Webhook-Id","m1"]]},"response":{"status":200}}
{"id":"b","request":{"headers":[{"name":"webhook-id","value":"m1"}]},"response":{"status":200}}
{"id":"c","request_headers":"Host: x\r\nWebhook-ID:  m1 \r\n","response":{"status":200}}`, []string{"header keep:a by hand:b by hand:c"}, 3},
		{"one turned away for certain is a retry, not a second effect", `
{"id":"a","headers":{"x-github-delivery":"g"},"status_code":404}
{"id":"b","headers":{"x-github-delivery":"g"},"status_code":200}`, nil, 2},
		{"a server's error may have had its effect", `
{"id":"a","headers":{"x-github-delivery":"g"},"status_code":502}
{"id":"b","headers":{"x-github-delivery":"g"},"status_code":200}`, []string{"header? look:a keep:b"}, 2},
		{"no status at all", `
{"id":"a","headers":{"svix-id":"g"}}
{"id":"b","headers":{"svix-id":"g"}}`, []string{"header? keep:a look:b"}, 2},
		{"two targets are two deliveries", `
{"id":"a","url":"https://one.invalid","headers":{"webhook-id":"g"},"status_code":200}
{"id":"b","url":"https://two.invalid","headers":{"webhook-id":"g"},"status_code":200}`, nil, 2},
		{"Stripe's events", `{"data":[
  {"id":"evt_1","created":1757152800,"request":{"id":"req_1","idempotency_key":"order-7"},"status":200},
  {"id":"evt_2","created":1757152801,"request":{"id":"req_2","idempotency_key":"order-7"},"status":200}]}`, []string{"header keep:evt_1 by hand:evt_2"}, 2},
		{"the intent counts more than the delivery", `
{"id":"a","headers":{"X-Request-Id":"1","Idempotency-Key":"k"},"status_code":200}
{"id":"b","headers":{"X-Request-Id":"2","Idempotency-Key":"k"},"status_code":200}
{"id":"c","headers":{"X-Request-Id":"1"},"status_code":200}`, []string{"header keep:a by hand:b"}, 3},
		{"nothing names it", `{"id":"a","headers":{}}` + "\n" + `17`, nil, 2},
		{"nothing", "", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Deliveries(iotest.OneByteReader(strings.NewReader(c.text)), "d.json")
			if err != nil {
				t.Fatal(err)
			}
			if got := plans(f.Groups, nil); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 || f.Looked != c.looked {
				t.Errorf("looked at %d, %q, want %d, %q", f.Looked, got, c.looked, c.want)
			}
		})
	}
}

// TestDeliveriesLines says on which line a record stands, and where an export is damaged.
func TestDeliveriesLines(t *testing.T) {
	f, err := Deliveries(strings.NewReader("\n{\"id\":1,\n\"guid\":\"g\",\"status_code\":200}\n\n[\n{\"id\":2,\"guid\":\"g\",\"status_code\":200}]"), "d")
	if err != nil || len(f.Groups) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if a, b := f.Groups[0].Objects[0].Line, f.Groups[0].Objects[1].Line; a != 2 || b != 6 {
		t.Errorf("lines %d and %d, want 2 and 6", a, b)
	}
	for _, text := range []string{"{\"id\":1}\n{\"id\":", "{\"id\":1}\nid: 2"} {
		if _, err := Deliveries(strings.NewReader(text), "d"); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDeliveriesLarge reads an export that is larger than any buffer, in one array and line by line.
func TestDeliveriesLarge(t *testing.T) {
	const n = 20_000
	for _, sep := range []string{"\n", ",\n"} {
		var b strings.Builder
		if sep != "\n" {
			b.WriteString("[")
		}
		for i := range n {
			if i > 0 {
				b.WriteString(sep)
			}
			fmt.Fprintf(&b, `{"id":%d,"guid":"g%d","status_code":200}`, i, i%(n-5))
		}
		if sep != "\n" {
			b.WriteString("]")
		}
		f, err := Deliveries(strings.NewReader(b.String()), "d")
		if err != nil || f.Looked != n || len(f.Groups) != 5 {
			t.Fatalf("looked at %d, %d groups, %v", f.Looked, len(f.Groups), err)
		}
		if o := f.Groups[4].Objects[1]; o.Line != n {
			t.Errorf("the last stands on line %d, want %d", o.Line, n)
		}
	}
}

func FuzzDeliveries(f *testing.F) {
	f.Add([]byte(`{"id":1,"headers":{"webhook-id":["x"]}}` + "\n" + `[{"id":2}]`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = Deliveries(strings.NewReader(string(data)), "d")
	})
}
