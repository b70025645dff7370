"""Counts calls, groups of equal calls and calls beyond the first of each, as one writes it in five minutes."""
import collections
import hashlib
import json
import sys


def calls(shape, line):
    if shape == "plain":
        yield line["run_id"], line["call"]["name"], line["call"]["arguments"]
    elif shape == "claude":
        content = line.get("message", {}).get("content", [])
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                yield line["sessionId"], block["name"], block["input"]
    else:
        for resource in line["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    a = {x["key"]: x["value"].get("stringValue") for x in span["attributes"]}
                    if a.get("gen_ai.operation.name") == "execute_tool":
                        yield a["gen_ai.conversation.id"], a["gen_ai.tool.name"], a["gen_ai.tool.call.arguments"]


seen = collections.Counter()
with open(sys.argv[2], encoding="utf-8") as trace:
    for text in trace:
        for run, tool, args in calls(sys.argv[1], json.loads(text)):
            if isinstance(args, str):
                args = json.loads(args)
            body = json.dumps({"run_id": run, "tool": tool, "args": args}, sort_keys=True)
            seen[hashlib.sha256(body.encode()).digest()] += 1
more = [n for n in seen.values() if n > 1]
print(sum(seen.values()), len(more), sum(more) - len(more))
