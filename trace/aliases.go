package trace

// The names of plain lines. The first of each list that is present with a value counts, then the first that is null.
const (
	nType = iota
	nEvent
	nTool
	nToolName
	nName
	nArgs
	nArguments
	nInput
	nParameters
	nCallID
	nToolCallID
	nToolUseID
	nID
	nRunID
	nSessionID
	nConversationID
	nThreadID
	nTraceID
	nTS
	nTimestamp
	nTime
	nIdempotencyKey
	nDedupKey
	nRequestKey
	nKey
	nStatus
	nIsError
	nError
	nResult
	nOutput
	nContent
	nResponse
	nReplayed
	nParentRunID
	nCall
	nExitCode
	nCode
	plainNames
)

// plainName gives the index of a name, or plainNames.
func plainName(name []byte) int {
	switch string(name) {
	case "type":
		return nType
	case "event":
		return nEvent
	case "tool":
		return nTool
	case "tool_name":
		return nToolName
	case "name":
		return nName
	case "args":
		return nArgs
	case "arguments":
		return nArguments
	case "input":
		return nInput
	case "parameters":
		return nParameters
	case "call_id":
		return nCallID
	case "tool_call_id":
		return nToolCallID
	case "tool_use_id":
		return nToolUseID
	case "id":
		return nID
	case "run_id":
		return nRunID
	case "session_id":
		return nSessionID
	case "conversation_id":
		return nConversationID
	case "thread_id":
		return nThreadID
	case "trace_id":
		return nTraceID
	case "ts":
		return nTS
	case "timestamp":
		return nTimestamp
	case "time":
		return nTime
	}
	return plainResultName(name)
}

func plainResultName(name []byte) int {
	switch string(name) {
	case "idempotency_key":
		return nIdempotencyKey
	case "dedup_key":
		return nDedupKey
	case "request_key":
		return nRequestKey
	case "key":
		return nKey
	case "status":
		return nStatus
	case "is_error":
		return nIsError
	case "error":
		return nError
	case "result":
		return nResult
	case "output":
		return nOutput
	case "content":
		return nContent
	case "response":
		return nResponse
	case "replayed":
		return nReplayed
	case "parent_run_id":
		return nParentRunID
	case "call":
		return nCall
	case "exit_code", "exitCode", "returncode":
		return nExitCode
	case "code", "status_code":
		return nCode
	}
	return plainNames
}
