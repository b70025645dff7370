package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// claudeFormat is FORMATS.md §2: Claude Code's session transcripts, and iFlow's, which share the envelope.
func claudeFormat() *Format {
	return &Format{
		Name:      "claude-code",
		Sign:      "`sessionId` and `uuid`, or one of its bookkeeping kinds",
		Title:     "Claude Code session transcripts (~/.claude/projects), iFlow's too",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff:     sniffClaude,
		New:       func([]byte, string) Decoder { return claudeDecoder{} },
	}
}

func sniffClaude(p *Probe) bool {
	v := p.Value
	if v.Get("sessionId").Kind() == pyjson.String && v.Get("uuid").Kind() == pyjson.String {
		return v.Get("type").Kind() == pyjson.String && v.Get("message").Get("parts").Kind() == pyjson.Missing &&
			!v.Get("type").IsText("tool_result")
	}
	return claudeBookkeeping(v)
}

// claudeBookkeeping says whether the value is one of the lines without uuid that Claude Code writes beside messages.
func claudeBookkeeping(v pyjson.Value) bool {
	has := func(name string) bool { return v.Get(name).Kind() != pyjson.Missing }
	t := v.Get("type")
	switch {
	case t.IsText("summary"):
		return has("leafUuid")
	case t.IsText("file-history-snapshot"):
		return has("snapshot")
	case t.IsText("cost-state"):
		return true
	}
	for _, name := range [...]string{
		"queue-operation", "custom-title", "ai-title", "permission-mode", "last-prompt", "mode", "pr-link", "agent-name",
		"attachment", "progress", "system",
	} {
		if t.IsText(name) {
			return has("sessionId")
		}
	}
	return false
}

type claudeDecoder struct{}

// Decode reads one line: an assistant's or user's message, or a sub-agent's inside a progress line.
func (claudeDecoder) Decode(v pyjson.Value, w *Scratch) {
	var l claudeLine
	var message, data, forked pyjson.Value
	for name, value := range v.Members() {
		switch string(w.Text(name)) {
		case "sessionId":
			l.run = value
		case "uuid":
			l.uuid = value
		case "timestamp":
			l.time = value
		case "toolUseResult":
			l.result = value
		case "message":
			message = value
		case "data":
			data = value
		case "forkedFrom":
			forked = value
		}
	}
	if data.Get("type").IsText("agent_progress") {
		inner := data.Get("message")
		message = inner.Get("message")
		l.uuid, l.result = inner.Get("uuid"), pyjson.Value{}
		if t := inner.Get("timestamp"); present(t) {
			l.time = t
		}
	}
	if from := forked.Get("sessionId"); from.Kind() == pyjson.String {
		l.link(from, w)
	}
	for block := range message.Get("content").Elements() {
		l.block(block, w)
	}
}

// block reads a block of a message's content.
func (l *claudeLine) block(v pyjson.Value, w *Scratch) {
	var b claudeBlock
	b.read(v, w)
	switch kind := w.Text(b.kind); {
	case string(kind) == "tool_use", string(kind) == "server_tool_use":
		l.call(&b, w)
	case string(kind) == "tool_result":
		l.answer(&b, w)
	case bytes.HasSuffix(kind, []byte("_tool_result")):
		l.serverAnswer(&b, w)
	}
}

// claudeBlock is what counts of a block of a message's content.
type claudeBlock struct {
	kind, id, name, input, of, content, fault pyjson.Value
}

func (b *claudeBlock) read(v pyjson.Value, w *Scratch) {
	for name, value := range v.Members() {
		switch string(w.Text(name)) {
		case "type":
			b.kind = value
		case "id":
			b.id = value
		case "name":
			b.name = value
		case "input":
			b.input = value
		case "tool_use_id":
			b.of = value
		case "content":
			b.content = value
		case "is_error":
			b.fault = value
		}
	}
}

// claudeLine is what the events of one line share.
type claudeLine struct {
	run, uuid, time, result pyjson.Value
}

func (l *claudeLine) event(k Kind, w *Scratch) *Event {
	e := w.Event(k)
	e.Run, e.Time = w.Text(l.run), w.Instant(l.time)
	e.Span = w.span(w.Text(l.uuid))
	return e
}

// span makes the identity of the next call or result of a line out of the line's: a line may hold several.
func (w *Scratch) span(id []byte) []byte {
	if len(id) == 0 || w.n == 0 {
		return id
	}
	n := len(w.arena)
	w.arena = append(append(w.arena, id...), '#')
	for k := w.n + 1; ; k /= 10 {
		w.arena = append(w.arena, byte('0'+k%10)) // digits back to front are as good
		if k < 10 {
			return w.arena[n:len(w.arena):len(w.arena)]
		}
	}
}

func (l *claudeLine) link(parent pyjson.Value, w *Scratch) {
	e := w.Event(Link)
	e.Run, e.Parent = w.Text(l.run), w.Text(parent)
	if len(e.Run) > 0 && !bytes.Equal(e.Run, e.Parent) {
		w.Emit(e)
	}
}

func (l *claudeLine) call(b *claudeBlock, w *Scratch) {
	e := l.event(Call, w)
	e.CallID, _, _ = w.ident(b.id)
	e.Tool = w.Text(b.name)
	e.Value = b.input
	e.Args = e.Value.Raw()
	if len(e.Tool) == 0 {
		w.Bad("a tool_use block names its tool: expected a text as name, found none")
		return
	}
	w.Emit(e)
}

func (l *claudeLine) answer(b *claudeBlock, w *Scratch) {
	e := l.event(Result, w)
	e.CallID, _, _ = w.ident(b.of)
	content := b.content
	payload := onlyText(content)
	e.Payload, e.Value, e.Status = payload.Raw(), payload, OK
	if b.fault.Kind() == pyjson.True {
		e.Status = claudeFault(w, content)
	}
	e.Cut = hasPrefix(e.Payload, `"<persisted-output>`)
	if content.Kind() == pyjson.Object {
		l.iflow(content, e, w)
	}
	w.Emit(e)
}

// serverAnswer reads the result of a tool that the API ran itself: web_search_tool_result and its like.
func (l *claudeLine) serverAnswer(b *claudeBlock, w *Scratch) {
	e := l.event(Result, w)
	e.CallID, _, _ = w.ident(b.of)
	content := b.content
	e.Payload, e.Value, e.Status = content.Raw(), content, OK
	if b.fault.Kind() == pyjson.True || present(content.Get("error_code")) {
		e.Status = w.fault(content)
	}
	w.Emit(e)
}

// iflow reads iFlow's content, an object, and the status beside it (FORMATS.md §13.7).
func (l *claudeLine) iflow(content pyjson.Value, e *Event, w *Scratch) {
	response := content.Get("responseParts").Get("functionResponse").Get("response")
	if response.Kind() != pyjson.Object {
		return
	}
	payload := response.Get("output")
	if !present(payload) {
		payload = response.Get("error")
	}
	if present(payload) {
		e.Payload, e.Value = payload.Raw(), payload
	}
	switch status := l.result.Get("status"); {
	case status.IsText("cancelled"):
		e.Status = Ambiguous
	case status.IsText("error"), e.Status == OK && present(response.Get("error")):
		e.Status = w.fault(payload)
	}
}

// fault gives the status of an error with that payload.
func (w *Scratch) fault(payload pyjson.Value) Status {
	if w.ambiguous(payload) {
		return Ambiguous
	}
	return Error
}

// onlyText gives the text of a content list that holds one text block and nothing else, and else the content itself.
func onlyText(content pyjson.Value) pyjson.Value {
	only := content
	n := 0
	for block := range content.Elements() {
		if n++; n > 1 || !block.Get("type").IsText("text") || block.Get("text").Kind() != pyjson.String {
			return content
		}
		only = block.Get("text")
	}
	return only
}

// claudeFault reads what became of a call by its error text (FORMATS.md §2.6).
func claudeFault(w *Scratch, content pyjson.Value) Status {
	first := content
	for block := range content.Elements() {
		if text := block.Get("text"); text.Kind() == pyjson.String {
			first = text
			break
		}
	}
	text := trimSpace(w.Text(first))
	for _, refusal := range [...]string{
		"<tool_use_error>",
		"The user doesn't want to proceed with this tool use",
		"The user doesn't want to take this action",
		"Claude requested permissions to ",
	} {
		if hasPrefix(text, refusal) {
			return Refused
		}
	}
	line := text
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	switch {
	case hasPrefix(line, "Permission to use ") && bytes.Contains(line, []byte(" has been denied")),
		bytes.Contains(line, []byte("PreToolUse")),
		hasPrefix(line, "ENOENT:") && bytes.Contains(line, []byte("posix_spawn")):
		return Refused
	case bytes.Contains(text, []byte("[Request interrupted by user")):
		return Ambiguous
	}
	return w.fault(content)
}

func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}
