package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// blocks reads the content of a message of Anthropic's Messages API (FORMATS.md §6.4): calls, and results.
func (t *turn) blocks(content pyjson.Value, w *Scratch) {
	for block := range content.Elements() {
		t.block(block, w)
	}
}

func (t *turn) block(block pyjson.Value, w *Scratch) {
	switch kind := block.Get("type"); {
	case textIn(kind, "tool_use", "server_tool_use", "mcp_tool_use"):
		t.call(w, block.Get("id"), w.Text(block.Get("name")), block.Get("input").Raw())
	case kind.IsText("tool_result"):
		t.answer(block, block.Get("tool_use_id"), w)
	case kind.Kind() == pyjson.String && bytes.HasSuffix(w.Text(kind), []byte("_tool_result")):
		t.answer(block, block.Get("tool_use_id"), w)
	}
}

// answer reads a block that holds a result.
func (t *turn) answer(block, id pyjson.Value, w *Scratch) {
	content := block.Get("content")
	status := OK
	if block.Get("is_error").Kind() == pyjson.True || present(content.Get("error_code")) {
		status = claudeFault(w, content)
	}
	t.result(w, id, nil, status, onlyText(content).Raw())
}

// hasBlock says whether a message's content has a block of one of the types.
func hasBlock(content pyjson.Value, types ...string) bool {
	for block := range content.Elements() {
		if textIn(block.Get("type"), types...) {
			return true
		}
	}
	return false
}
