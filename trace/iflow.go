package trace

import (
	"strings"

	"drainboard/keys/pyjson"
)

// iflowFormat is FORMATS.md §13.7: iFlow's transcripts, in Claude Code's envelope. Its call ids are good for their run only.
func iflowFormat() *Format {
	f := claudeFormat()
	f.Name, f.Title, f.Reach = "iflow", "iFlow session transcripts", ReachRun
	f.Sign = "`sessionId` begins with session-, with `uuid`"
	f.Sniff = func(p *Probe) bool {
		return p.Value.Get("uuid").Kind() == pyjson.String && strings.HasPrefix(p.Value.Get("sessionId").Text(), "session-")
	}
	return f
}
