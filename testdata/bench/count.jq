# One canonical line a call (jq -cS); $shape says where calls stand.
def args: if type == "string" then fromjson else . end;
if $shape == "plain" then [.run_id, .call.name, (.call.arguments | args)]
elif $shape == "claude" then .sessionId as $run | .message.content? | arrays | .[] | select(.type == "tool_use") | [$run, .name, .input]
else .resourceSpans[].scopeSpans[].spans[].attributes | map({(.key): .value.stringValue}) | add | select(."gen_ai.operation.name" == "execute_tool")
  | [."gen_ai.conversation.id", ."gen_ai.tool.name", (."gen_ai.tool.call.arguments" | args)]
end
