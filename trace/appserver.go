package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// appServerFormat is FORMATS.md §5.7: logs of what Codex's app-server and its client say to each other.
func appServerFormat() *Format {
	return &Format{
		Name:     "codex-app-server",
		Sign:     "`params`, and `method` begins with `item/`, `turn/` or `thread/`",
		Title:    "messages of Codex's app-server",
		Reach:    ReachEverywhere,
		Restates: true,
		Results:  RecordsAlways,
		Lacks:    []string{"times"},
		Sniff: func(p *Probe) bool {
			method := []byte(p.Value.Get("method").Text())
			return has(p.Value, "params") && (bytes.HasPrefix(method, []byte("item/")) || bytes.HasPrefix(method, []byte("turn/")) ||
				bytes.HasPrefix(method, []byte("thread/")))
		},
		New: func([]byte, string) Decoder { return &appServer{} },
	}
}

// appServer knows which items it saw begin.
type appServer struct{ begun idSet }

// Decode reads one message.
func (d *appServer) Decode(v pyjson.Value, w *Scratch) {
	done := v.Get("method").IsText("item/completed")
	if !done && !v.Get("method").IsText("item/started") {
		return
	}
	params := v.Get("params")
	i := codexItem{item: params.Get("item")}
	if !i.read(w) {
		return
	}
	id := i.item.Get("id")
	t := turnOf(w, params.Get("threadId"), firstOf(v, genericTime[:]))
	if d.begun.add(w.Text(id)) {
		t.call(w, id, i.tool, i.args)
	} else {
		w.Pass()
	}
	if done {
		status := i.status(w)
		t.result(w, id, i.tool, status, i.payload.Raw())
	}
}
