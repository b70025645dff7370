package trace

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"strings"

	"drainboard/keys/pyjson"
)

// mcpFormat is FORMATS.md §11: JSON-RPC messages between an MCP client and a server, as taps and proxies log them, bare or
// inside an object with a time.
func mcpFormat() *Format {
	return &Format{
		Name:    "mcp",
		Sign:    "`jsonrpc` is \"2.0\"",
		Title:   "MCP JSON-RPC messages, one a line",
		Reach:   ReachConn,
		Apart:   true,
		Results: RecordsAlways,
		Lacks:   []string{"times"},
		Sniff: func(p *Probe) bool {
			m, wrapped := rpcMessage(p.Value, nil)
			return m.Get("jsonrpc").IsText("2.0") && !(wrapped && isPlain(p.Value))
		},
		New: newMCP,
	}
}

// mcpLogFormat is the log of Claude Desktop: each message behind a time and the names of its server and level.
func mcpLogFormat() *Format {
	f := mcpFormat()
	f.Name, f.Title, f.Lacks = "mcp-log", "Claude Desktop's MCP logs (mcp*.log)", nil
	f.Sign = "a time, two brackets, and \"Message from client\" or \"server\""
	f.Sniff = func(p *Probe) bool {
		l, ok := readDesktopLine(p.Line)
		return ok && l.json > 0
	}
	f.New = func(head []byte, path string) Decoder { return &mcpLog{newMCP(head, path).(*mcpDecoder)} }
	return f
}

// rpcMessage gives the message on a line: the line itself, or a member of it, which may be a text that holds JSON.
func rpcMessage(v pyjson.Value, w *Scratch) (m pyjson.Value, wrapped bool) {
	if has(v, "jsonrpc") {
		return v, false
	}
	for _, member := range v.Members() {
		if has(member, "jsonrpc") {
			return member, true
		}
		if member.Kind() != pyjson.String || !bytes.Contains(member.Raw(), []byte("jsonrpc")) {
			continue
		}
		if w == nil { // sniffing
			w = new(Scratch)
		}
		if inner, ok := w.Parse(w.Text(member)); ok && has(inner, "jsonrpc") {
			return inner, true
		}
	}
	return v, false
}

// mcpDecoder knows each server's connection, and what was asked on it and not answered.
type mcpDecoder struct {
	path  string // connections of different files are different ones
	conns map[string]*mcpConn
}

// mcpConn is one connection: an initialize request begins a new one, with ids from the start again.
type mcpConn struct {
	starts int
	asked  map[string]mcpAsk
}

// mcpAsk says what an id was used for.
type mcpAsk uint8

const (
	askedOther mcpAsk = 1 + iota
	askedCall
	askedBoth // by the client for a tool, and by the server for something else
	cancelledCall
)

func newMCP(_ []byte, path string) Decoder {
	return &mcpDecoder{path: path, conns: map[string]*mcpConn{}}
}

// Decode reads one message.
func (d *mcpDecoder) Decode(v pyjson.Value, w *Scratch) {
	m, wrapped := rpcMessage(v, w)
	t := turn{time: NoTime}
	server, scope := "", d.path
	if wrapped {
		t.time = w.Instant(firstOf(v, genericTime[:]))
		session := firstOf(v, []string{"mcp_session_id", "mcpSessionId", "Mcp-Session-Id", "session_id", "sessionId"})
		if present(session) {
			t.run, t.raw, _ = w.ident(session)
			server, scope = string(t.run), ""
		}
		server += "/" + firstOf(v, []string{"server", "serverName", "server_name"}).Text()
	}
	d.message(m, server, scope, &t, w)
}

// message reads a request, a response or a notification. Its direction shows in its shape: only a client calls tools.
func (d *mcpDecoder) message(m pyjson.Value, server, scope string, t *turn, w *Scratch) {
	c := d.conns[server]
	if c == nil {
		if len(d.conns) >= maxPartials {
			clear(d.conns)
		}
		c = &mcpConn{asked: map[string]mcpAsk{}}
		d.conns[server] = c
	}
	id := m.Get("id")
	key := string(id.Raw())
	switch method := m.Get("method"); {
	case method.IsText("initialize"):
		c.starts++
		clear(c.asked)
		c.ask(key, askedOther)
	case method.IsText("tools/call"):
		params := m.Get("params")
		c.ask(key, askedCall)
		e := t.event(Call, w)
		e.Tool, e.Args = w.Text(params.Get("name")), params.Get("arguments").Raw()
		if len(e.Tool) == 0 {
			w.Bad(reasonNoTool)
			return
		}
		e.CallID, _, _ = w.ident(id)
		e.Conn = c.name(scope, server)
		w.Emit(e)
	case method.IsText("notifications/cancelled"):
		d.cancelled(c, m.Get("params"), c.name(scope, server), t, w)
	case method.Kind() == pyjson.String:
		switch {
		case !present(id):
		case c.asked[key] == 0:
			c.ask(key, askedOther)
		case c.asked[key] == askedCall:
			c.ask(key, askedBoth)
		}
	default:
		c.answer(m, c.name(scope, server), t, w)
	}
}

func (c *mcpConn) ask(id string, what mcpAsk) {
	if len(id) > maxID {
		return
	}
	if len(c.asked) >= maxIDs {
		clear(c.asked)
	}
	c.asked[id] = what
}

func (c *mcpConn) name(scope, server string) []byte {
	return []byte(scope + "#" + server + "#" + strconv.Itoa(c.starts))
}

// cancelled ends a call whose effect nobody knows; what the server may answer all the same is left out.
func (d *mcpDecoder) cancelled(c *mcpConn, params pyjson.Value, conn []byte, t *turn, w *Scratch) {
	id := params.Get("requestId")
	if c.asked[string(id.Raw())] != askedCall {
		return
	}
	c.ask(string(id.Raw()), cancelledCall)
	e := t.event(Result, w)
	e.CallID, _, _ = w.ident(id)
	e.Conn, e.Status, e.Payload = conn, Ambiguous, params.Get("reason").Raw()
	w.Emit(e)
}

// answer reads a response. One to an id that was never seen is a tool's when it is made like one.
func (c *mcpConn) answer(m pyjson.Value, conn []byte, t *turn, w *Scratch) {
	id, result, fault := m.Get("id"), m.Get("result"), m.Get("error")
	asked := c.asked[string(id.Raw())]
	like := result.Get("content").Kind() == pyjson.Array || has(result, "isError") || has(result, "structuredContent")
	switch {
	case asked == 0 && like:
		asked = askedCall
	case asked == askedBoth && like:
		asked = askedCall
		c.ask(string(id.Raw()), askedOther)
	case asked == askedBoth:
		c.ask(string(id.Raw()), askedCall)
	default:
		delete(c.asked, string(id.Raw()))
	}
	if asked != askedCall || !present(result) && !present(fault) {
		return
	}
	e := t.event(Result, w)
	e.CallID, _, _ = w.ident(id)
	e.Conn, e.Status, e.Payload = conn, OK, w.without(result, "_meta")
	if present(fault) {
		text := faultText(fault)
		e.Payload = text.Raw()
		e.Status = w.fault(text)
		switch string(fault.Get("code").Raw()) {
		case "-32700", "-32600", "-32601", "-32602": // the request was not understood: nothing ran
			e.Status = Refused
		case "-32001": // the client's time-out
			e.Status = Ambiguous
		}
	} else if result.Get("isError").Kind() == pyjson.True {
		content := onlyText(result.Get("content"))
		e.Payload = content.Raw()
		e.Status = w.fault(content)
	}
	w.Emit(e)
}

// mcpLog reads Claude Desktop's logs: a server's own, and the one that all share, in which the same messages stand again.
type mcpLog struct{ *mcpDecoder }

// desktopLine is the prefix of a line: "TIME [SERVER] [LEVEL] Message from client: ", the brackets the other way round in
// the shared log.
type desktopLine struct {
	time   int64
	server string
	json   int // where the message begins; 0: the line holds none
}

func readDesktopLine(line []byte) (l desktopLine, ok bool) {
	at, rest, found := bytes.Cut(line, []byte(" ["))
	if !found {
		return l, false
	}
	if l.time = ParseTime(at); l.time == NoTime {
		return l, false
	}
	first, rest, found1 := bytes.Cut(rest, []byte("] ["))
	second, rest, found2 := bytes.Cut(rest, []byte("] "))
	if !found1 || !found2 {
		return l, false
	}
	if l.server = string(first); isLevel(l.server) {
		l.server = string(second)
	}
	for _, intro := range [...]string{"Message from client: ", "Message from server: "} {
		if hasPrefix(rest, intro) && (len(rest) == len(intro) || rest[len(intro)] == '{') {
			l.json = len(line) - len(rest) + len(intro)
		}
	}
	return l, true
}

func isLevel(s string) bool {
	switch strings.ToLower(s) {
	case "info", "warn", "error", "debug":
		return true
	}
	return false
}

// Start finds the message on a line; what the server printed itself is noise, and so is what follows a message.
func (*mcpLog) Start(line []byte) (off int, only bool) {
	if l, _ := readDesktopLine(line); l.json > 0 && l.json < len(line) {
		return l.json, true
	}
	return -1, true
}

// sameInstant is how far apart the two logs may put one message, in nanoseconds: five milliseconds, and some.
const sameInstant = 100_000_000

// Decode reads one message. Both logs give it the same span, made of its server, its time and itself.
func (d *mcpLog) Decode(v pyjson.Value, w *Scratch) {
	l, _ := readDesktopLine(w.Prefix)
	t := turn{time: l.time}
	h := fnv.New64a()
	h.Write(v.Raw())
	t.line = []byte(l.server + "#" + strconv.FormatInt(l.time/sameInstant, 36) + "#" + strconv.FormatUint(h.Sum64(), 36))
	d.message(v, l.server, "desktop", &t, w)
}
