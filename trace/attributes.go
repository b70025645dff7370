package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// attr names an attribute that decides something. Where several conventions have one thing under different names, they
// stand in the order in which they are asked.
type attr uint8

const (
	atOperation attr = iota
	atOpenInferenceKind
	atTraceloopKind
	atVercelOperation
	atOperationName
	atMCPMethod
	// The tool's name.
	atToolName
	atInferenceTool
	atTraceloopName
	atVercelTool
	atBareTool
	atFunctionName
	// Its arguments.
	atArguments
	atAnyAgentArgs
	atPydanticArgs
	atInputValue
	atToolParameters
	atTraceloopInput
	atVercelArgs
	atToolInput
	atFunctionArgs
	atLogArguments
	// What came back.
	atResult
	atAnyAgentOutput
	atPydanticResponse
	atOutputValue
	atTraceloopOutput
	atVercelResult
	atLogOutput
	// The call's id.
	atCallID
	atCallIDGemini
	atInferenceID
	atInferenceCallID
	atVercelID
	atUseID
	atLogCallID
	atRequestID // JSON-RPC's: good for one connection
	// The run.
	atConversation
	atSession
	atLogConversation
	atRunTag // any of the tags that carry a session
	atMCPSession
	// The rest.
	atErrorType
	atError
	atErrorMessage
	atSuccess
	atDuration
	atDecision
	atEventName
	atEventTime
	atSequence
	atOutputMessages
	atExceptionMessage
	attrCount
)

// attrNames gives the names of the attributes; atRunTag has many, see isRunTag.
var attrNames = [attrCount]string{
	atOperation: "gen_ai.operation.name", atOpenInferenceKind: "openinference.span.kind", atTraceloopKind: "traceloop.span.kind",
	atVercelOperation: "ai.operationId", atOperationName: "operation.name", atMCPMethod: "mcp.method.name",
	atToolName: "gen_ai.tool.name", atInferenceTool: "tool.name", atTraceloopName: "traceloop.entity.name",
	atVercelTool: "ai.toolCall.name", atBareTool: "tool_name", atFunctionName: "function_name",
	atArguments: "gen_ai.tool.call.arguments", atAnyAgentArgs: "gen_ai.tool.args", atPydanticArgs: "tool_arguments",
	atInputValue: "input.value", atToolParameters: "tool.parameters", atTraceloopInput: "traceloop.entity.input",
	atVercelArgs: "ai.toolCall.args", atToolInput: "tool_input", atFunctionArgs: "function_args", atLogArguments: "arguments",
	atResult: "gen_ai.tool.call.result", atAnyAgentOutput: "gen_ai.output", atPydanticResponse: "tool_response",
	atOutputValue: "output.value", atTraceloopOutput: "traceloop.entity.output", atVercelResult: "ai.toolCall.result", atLogOutput: "output",
	atCallID: "gen_ai.tool.call.id", atCallIDGemini: "gen_ai.tool.call_id", atInferenceID: "tool.id", atInferenceCallID: "tool_call.id",
	atVercelID: "ai.toolCall.id", atUseID: "tool_use_id", atLogCallID: "call_id", atRequestID: "jsonrpc.request.id",
	atConversation: "gen_ai.conversation.id", atSession: "session.id", atLogConversation: "conversation.id", atMCPSession: "mcp.session.id",
	atErrorType: "error.type", atError: "error", atErrorMessage: "error.message", atSuccess: "success", atDuration: "duration_ms",
	atDecision: "decision", atEventName: "event.name", atEventTime: "event.timestamp", atSequence: "event.sequence",
	atOutputMessages: "gen_ai.output.messages", atExceptionMessage: "exception.message",
}

// attrIndex finds an attribute by its name.
type attrIndex map[string]attr

func newAttrIndex() attrIndex {
	x := attrIndex{"error_type": atErrorType, "error_message": atErrorMessage}
	for a, name := range attrNames {
		if name != "" {
			x[name] = attr(a)
		}
	}
	return x
}

// isRunTag says whether an attribute carries the session among the tags that a program sets itself.
func isRunTag(name []byte) bool {
	for _, prefix := range [...]string{"traceloop.association.properties.", "ai.telemetry.metadata.", "langfuse.", "metadata."} {
		if tag, ok := bytes.CutPrefix(name, []byte(prefix)); ok {
			switch string(tag) {
			case "session_id", "sessionId", "session.id", "conversation_id", "conversationId", "thread_id", "threadId", "chat_id", "chatId":
				return true
			}
		}
	}
	return false
}

// attributes are those of one span, record or resource that decide something. The values are OTLP's AnyValues, or plain
// JSON where flat.
type attributes struct {
	flat  bool
	v     [attrCount]pyjson.Value
	asked []askedFor
}

// askedFor is a call that a model's span asks for, as OpenInference spreads it over attributes.
type askedFor struct {
	at       []byte // what the names of its attributes have in common
	id, args pyjson.Value
}

func (a *attributes) read(x attrIndex, list pyjson.Value, w *Scratch) {
	a.v = [attrCount]pyjson.Value{}
	a.asked = a.asked[:0]
	a.flat = list.Kind() == pyjson.Object
	for name, value := range list.Members() {
		a.set(x, w.Text(name), value)
	}
	for kv := range list.Elements() {
		var key, of pyjson.Value
		for name, value := range kv.Members() {
			switch {
			case name.IsText("key"):
				key = value
			case name.IsText("value"):
				of = value
			}
		}
		a.set(x, w.Text(key), of)
	}
}

func (a *attributes) set(x attrIndex, name []byte, value pyjson.Value) {
	if i, ok := x[string(name)]; ok {
		a.v[i] = value
		return
	}
	if isRunTag(name) {
		a.v[atRunTag] = value
		return
	}
	if at, leaf, ok := bytes.Cut(name, []byte(".tool_call.")); ok && bytes.HasPrefix(at, []byte("llm.output_messages.")) {
		a.ask(at, string(leaf), value)
	}
}

func (a *attributes) ask(at []byte, leaf string, value pyjson.Value) {
	var of *askedFor
	for i := range a.asked {
		if bytes.Equal(a.asked[i].at, at) {
			of = &a.asked[i]
		}
	}
	if of == nil {
		a.asked = append(a.asked, askedFor{at: at})
		of = &a.asked[len(a.asked)-1]
	}
	switch leaf {
	case "id":
		of.id = value
	case "function.arguments":
		of.args = value
	}
}

// first gives the first attribute of a range that has a value.
func (a *attributes) first(from, to attr) pyjson.Value {
	for i := from; i <= to; i++ {
		if v := a.plain(a.v[i]); present(v) {
			return a.v[i]
		}
	}
	return pyjson.Value{}
}

// firstText gives the first attribute of a range that is a text and not empty.
func (a *attributes) firstText(w *Scratch, from, to attr) []byte {
	for i := from; i <= to; i++ {
		if text := a.text(w, a.v[i]); len(text) > 0 {
			return text
		}
	}
	return nil
}

// plain gives the JSON value of a scalar AnyValue, and the wrapper of another; Missing for an empty one.
func (a *attributes) plain(v pyjson.Value) pyjson.Value {
	if a.flat || v.Kind() != pyjson.Object {
		return v
	}
	for _, value := range v.Members() {
		return value
	}
	return pyjson.Value{}
}

// text gives an attribute as text: a string, or a number as it stands.
func (a *attributes) text(w *Scratch, v pyjson.Value) []byte {
	switch p := a.plain(v); p.Kind() {
	case pyjson.String:
		return w.Text(p)
	case pyjson.Int, pyjson.Float, pyjson.True, pyjson.False:
		return p.Raw()
	}
	return nil
}

// raw gives an attribute as JSON.
func (a *attributes) raw(w *Scratch, v pyjson.Value) []byte {
	if a.flat || v.Kind() == pyjson.Missing {
		return v.Raw()
	}
	n := len(w.arena)
	w.arena = appendAny(w.arena, v, maxErrorDepth)
	return w.arena[n:len(w.arena):len(w.arena)]
}

// appendAny writes an AnyValue as the JSON value that it stands for. The protocol's JSON writes 64-bit integers as texts
// and NaN and the infinities as names.
func appendAny(dst []byte, wrapper pyjson.Value, depth int) []byte {
	if depth == 0 {
		return append(dst, "null"...)
	}
	for name, v := range wrapper.Members() {
		switch {
		case textIn(name, "stringValue", "string_value", "boolValue", "bool_value", "bytesValue", "bytes_value"):
			return append(dst, v.Raw()...)
		case textIn(name, "intValue", "int_value"):
			if raw := v.Raw(); v.Kind() == pyjson.String && isInteger(raw[1:len(raw)-1]) {
				return append(dst, raw[1:len(raw)-1]...)
			}
			return append(dst, v.Raw()...)
		case textIn(name, "doubleValue", "double_value"):
			if textIn(v, "NaN", "Infinity", "-Infinity") {
				raw := v.Raw()
				return append(dst, raw[1:len(raw)-1]...)
			}
			return append(dst, v.Raw()...)
		case textIn(name, "arrayValue", "array_value"):
			dst = append(dst, '[')
			n := 0
			for e := range v.Get("values").Elements() {
				if n++; n > 1 {
					dst = append(dst, ',')
				}
				dst = appendAny(dst, e, depth-1)
			}
			return append(dst, ']')
		case textIn(name, "kvlistValue", "kvlist_value"):
			dst = append(dst, '{')
			n := 0
			for kv := range v.Get("values").Elements() {
				key := kv.Get("key")
				if key.Kind() != pyjson.String {
					continue
				}
				if n++; n > 1 {
					dst = append(dst, ',')
				}
				dst = append(append(dst, key.Raw()...), ':')
				dst = appendAny(dst, kv.Get("value"), depth-1)
			}
			return append(dst, '}')
		}
	}
	return append(dst, "null"...)
}

// isInteger says whether the text is an integer as JSON spells it.
func isInteger(s []byte) bool {
	if len(s) > 1 && s[0] == '-' {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 1 && s[0] == '0' {
		return false
	}
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return true
}
