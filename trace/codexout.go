package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// codexOutput reads the status and the payload out of a tool's output: a text, a list of content items, or an object
// (FORMATS.md §5.4; the format has no flag for success).
func (w *Scratch) codexOutput(e *Event, output pyjson.Value) {
	e.Status, e.Payload = OK, output.Raw()
	switch output.Kind() {
	case pyjson.String:
		w.codexText(e, w.Text(output))
	case pyjson.Object:
		if content := output.Get("content"); present(content) {
			e.Payload = content.Raw()
		}
		if output.Get("success").Kind() == pyjson.False {
			e.Status = w.fault(output)
		}
	case pyjson.Array:
		n, only := 0, pyjson.Value{}
		for item := range output.Elements() {
			if text := item.Get("text"); text.Kind() == pyjson.String && only.Kind() == pyjson.Missing {
				only = text
			}
			n++
		}
		if only.Kind() == pyjson.String {
			w.codexText(e, w.Text(only))
			if n > 1 {
				e.Payload = output.Raw()
			}
		}
	}
}

func (w *Scratch) codexText(e *Event, text []byte) {
	if len(text) > 0 && text[0] == '{' && w.codexJSON(e, text) {
		return
	}
	if header, body, ok := cutHeader(text); ok {
		e.Payload = w.Quote(body)
		if code := exitCodeIn(header); len(code) > 0 && string(code) != "0" {
			e.Status = Error
			if isKillExit(code) || IsAmbiguous(body) {
				e.Status = Ambiguous
			}
		}
		return
	}
	e.Status = codexFault(text)
}

// codexJSON reads the output of older versions, {"output": ..., "metadata": {"exit_code": ...}}, and an MCP result.
func (w *Scratch) codexJSON(e *Event, text []byte) bool {
	v, ok := w.Parse(text)
	if !ok {
		return false
	}
	if meta := v.Get("metadata"); meta.Kind() == pyjson.Object && v.Get("output").Kind() != pyjson.Missing {
		e.Payload = v.Get("output").Raw()
		if code := meta.Get("exit_code"); code.Kind() == pyjson.Int && string(code.Raw()) != "0" {
			e.Status = w.exitStatus(code.Raw(), v.Get("output"))
		}
		return true
	}
	if v.Get("isError").Kind() == pyjson.True {
		e.Payload, e.Status = v.Get("content").Raw(), w.fault(v.Get("content"))
		return true
	}
	return false
}

func (w *Scratch) exitStatus(code []byte, output pyjson.Value) Status {
	if isKillExit(code) {
		return Ambiguous
	}
	return w.fault(output)
}

// cutHeader parts the lines that Codex puts before a tool's own output from it.
func cutHeader(text []byte) (header, body []byte, ok bool) {
	const mark = "Output:"
	const longest = 1 << 10
	look := text[:min(len(text), longest)]
	for at := 0; at < len(look); {
		line := look[at:]
		next := len(look)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		if at > 0 && hasPrefix(line, mark) {
			header, body = text[:at], text[at+len(mark):]
			break
		}
		at = next
	}
	if header == nil {
		return nil, nil, false
	}
	for _, known := range [...]string{"Wall time:", "Exit code:", "Process exited with code", "Process running with session ID"} {
		if bytes.Contains(header, []byte(known)) {
			return header, bytes.TrimPrefix(body, []byte("\n")), true
		}
	}
	return nil, nil, false
}

// exitCodeIn gives the exit code that a header names; nil for a process that still runs.
func exitCodeIn(header []byte) []byte {
	for _, mark := range [...]string{"Process exited with code ", "Exit code: "} {
		if i := bytes.Index(header, []byte(mark)); i >= 0 {
			code := header[i+len(mark):]
			n := 0
			for n < len(code) && (isDigit(code[n]) || code[n] == '-') {
				n++
			}
			return code[:n]
		}
	}
	return nil
}

// codexFault reads the status of an output without an exit code by how it starts.
func codexFault(text []byte) Status {
	for _, f := range [...]struct {
		start string
		st    Status
	}{
		{"aborted by user", Ambiguous},
		{"apply_patch verification failed", Refused},
		{"failed to parse function arguments", Refused},
		{"failed to parse exec", Refused},
		{"unsupported call", Refused},
		{"unsupported custom tool call", Refused},
		{"exec command rejected by user", Refused},
		{"patch rejected by user", Refused},
		{"rejected by user", Refused},
		{"sandbox denied", Refused},
		{"exec_command failed", Error},
		{"write_stdin failed", Error},
		{"tool call error", Error},
	} {
		if hasPrefix(text, f.start) {
			if f.st == Error && IsAmbiguous(text) {
				return Ambiguous
			}
			return f.st
		}
	}
	return OK
}
