package trace

import (
	"hash/fnv"
	"path/filepath"
	"strconv"

	"drainboard/keys/pyjson"
)

// Logs of requests to a model repeat the whole conversation in every request (FORMATS.md §6.1). A call stands there as
// often as it was sent along; by its id, or by its place in the conversation, all of these are one.

// sweAgentLogFormat is SWE-agent's llm_interactions log: requests and responses, a line each.
func sweAgentLogFormat() *Format {
	return requestFormat("sweagent-llm-log", "SWE-agent's log of model requests", "`request_params`, or a response with `choices`", []string{"errors", "in flight"}, func(v pyjson.Value) bool {
		return v.Get("request_params").Kind() == pyjson.Object ||
			textIn(v.Get("type"), "request", "response") && has(v.Get("response"), "choices")
	})
}

// batchFormat is the input or output of a batch interface, OpenAI's or Anthropic's.
func batchFormat() *Format {
	return requestFormat("batch", "batch requests and responses of OpenAI and Anthropic", "`custom_id` with `body`, `response` or `result`", []string{"times", "errors", "in flight"}, func(v pyjson.Value) bool {
		return has(v, "custom_id") && (has(v, "response") || has(v, "result") || has(v, "body") || has(v, "params"))
	})
}

// messagesFormat is any line with a list of messages: fine-tuning data, LiteLLM's and OpenHands' dumps, proxies' logs.
func messagesFormat() *Format {
	return requestFormat("messages", "OpenAI and Anthropic message lists, one conversation or request a line", "a `messages` array", []string{"times", "errors", "in flight"},
		func(v pyjson.Value) bool {
			list, _ := requestIn(v)
			for m := range list.Elements() {
				return m.Get("role").Kind() == pyjson.String
			}
			return false
		})
}

func requestFormat(name, title, sign string, lacks []string, sniff func(v pyjson.Value) bool) *Format {
	return &Format{
		Name:     name,
		Title:    title,
		Sign:     sign,
		Reach:    ReachRun,
		Restates: true,
		Results:  RecordsWhenSeen,
		Lacks:    lacks,
		Sniff:    func(p *Probe) bool { return sniff(p.Value) },
		New: func(_ []byte, path string) Decoder {
			return &requestDecoder{base: defaultRun(path), chains: map[uint64]string{}}
		},
	}
}

// requestIn gives the list of messages of a line, and whether it stands in a request rather than on the line itself.
func requestIn(v pyjson.Value) (messages pyjson.Value, wrapped bool) {
	if list := v.Get("messages"); list.Kind() == pyjson.Array {
		return list, has(v, "response")
	}
	for _, name := range [...]string{"request_params", "request", "body", "params", "kwargs"} {
		if list := v.Get(name).Get("messages"); list.Kind() == pyjson.Array {
			return list, true
		}
	}
	return pyjson.Value{}, false
}

// requestDecoder knows the conversation of the last request, to which a response on a line of its own belongs.
type requestDecoder struct {
	base   string
	values int
	run    string
	next   int               // place of the message that answers it
	chains map[uint64]string // run by the digest of all messages of a line
}

// Decode reads a request, a response, or both.
func (d *requestDecoder) Decode(v pyjson.Value, w *Scratch) {
	d.values++
	list, wrapped := requestIn(v)
	if list.Kind() == pyjson.Array {
		d.run = d.conversation(v, list, wrapped, w)
		d.next = list.Len()
	} else if name := namedRun(v, w); name != "" {
		d.run, d.next = name, 0
	}
	t := turn{run: []byte(d.run), time: w.Instant(firstOf(v, genericTime[:]))}
	t.chats(list, w)
	t.mark = strconv.Itoa(d.next)
	response := v.Get("response")
	if body := response.Get("body"); present(body) {
		response = body
	}
	t.response(response, w)
	t.blocks(v.Get("result").Get("message").Get("content"), w)
}

// response reads what a model answered: OpenAI's choices, Anthropic's content, or the items of a Responses object.
func (t *turn) response(v pyjson.Value, w *Scratch) {
	for c := range v.Get("choices").Elements() {
		t.chat(c.Get("message"), w)
	}
	t.blocks(v.Get("content"), w)
	t.items(v.Get("output"), w)
}

// namedRun gives the run that a line names: a batch's own id, or a session's.
func namedRun(v pyjson.Value, w *Scratch) string {
	id := v.Get("custom_id")
	for _, from := range [...]pyjson.Value{v, v.Get("metadata"), v.Get("request").Get("metadata"), v.Get("request_params").Get("metadata")} {
		if !present(id) {
			id = firstOf(from, genericRun[:])
		}
	}
	text, _, _ := w.ident(id)
	return string(text)
}

// conversation names the run of a list of messages: by what the line says, by how it begins when it stands in a request, by the line that
// it goes on from, or by its own place.
func (d *requestDecoder) conversation(v, list pyjson.Value, wrapped bool, w *Scratch) string {
	run := namedRun(v, w)
	h := fnv.New64a()
	opening, opened := uint64(0), false
	for m := range list.Elements() {
		role := w.Text(m.Get("role"))
		h.Write(role)
		for _, text := range [...]pyjson.Value{m.Get("content"), m.Get("tool_calls"), m.Get("tool_call_id")} {
			h.Write([]byte{0})
			h.Write(messageText(text, w))
		}
		if !opened && string(role) == "user" {
			opening, opened = h.Sum64(), true
		}
		if before := d.chains[h.Sum64()]; run == "" && before != "" && !wrapped {
			run = before
		}
	}
	switch {
	case run != "":
	case wrapped && opened:
		run = "conversation-" + strconv.FormatUint(opening, 36)
	default:
		run = d.base + ":" + strconv.Itoa(d.values)
	}
	if len(d.chains) >= maxIDs {
		clear(d.chains)
	}
	if !wrapped {
		d.chains[h.Sum64()] = run
	}
	return run
}

// messageText gives a text, or a list's texts, without the marks that clients add to their blocks (cache_control).
func messageText(content pyjson.Value, w *Scratch) []byte {
	if content.Kind() != pyjson.Array {
		if content.Kind() == pyjson.String {
			return w.Text(content)
		}
		return content.Raw()
	}
	var parts [][]byte
	for block := range content.Elements() {
		if text := block.Get("text"); text.Kind() == pyjson.String {
			parts = append(parts, w.Text(text))
		} else {
			parts = append(parts, w.without(block, "cache_control"))
		}
	}
	return w.join(parts...)
}

// chatFormat is a conversation with one message a line, or one array of them: OpenAI's and Anthropic's, Mistral Vibe's.
func chatFormat() *Format {
	return &Format{
		Name:      "chat",
		Sign:      "`role` on the line itself",
		Title:     "bare chat messages, one a line",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsWhenSeen,
		Stateless: true,
		Lacks:     []string{"times", "errors"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return textIn(v.Get("role"), "system", "developer", "user", "assistant", "tool", "function") &&
				(has(v, "content") || has(v, "tool_calls") || has(v, "function_call"))
		},
		New: func(_ []byte, path string) Decoder {
			d := chatDecoder{}
			switch filepath.Base(path) {
			case "messages.jsonl", "messages.json", "context.jsonl":
				d.run = folderOf(path)
			}
			return d
		},
	}
}

// chatDecoder knows the run by its folder where the file's own name says nothing.
type chatDecoder struct{ run []byte }

// Decode reads one message.
func (d chatDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{run: d.run, time: w.Instant(firstOf(v, genericTime[:]))}
	if id := firstOf(v, genericRun[:]); present(id) {
		t.run, t.raw, _ = w.ident(id)
	}
	t.chat(v, w)
}
