package trace

import (
	"path/filepath"
	"strings"
)

// Location is a place where an agent keeps its traces (FORMATS.md §1.7).
type Location struct {
	Agent  string // for people
	Format string // the Name of a Format; what a file really is decides its own lines
	Glob   string // of files, or of directories that are read with all that is in them
}

// Locations gives the places where known agents keep their traces, below the home directory or where the environment
// moves them. Most of them do not exist on a machine.
func Locations(home string, env func(name string) string) []Location {
	p := places{home: home, env: env}
	claude := p.or("CLAUDE_CONFIG_DIR", ".claude")
	data := p.or("XDG_DATA_HOME", ".local/share")
	p.add("Claude Code", "claude-code", claude, "projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl")
	if env("CLAUDE_CONFIG_DIR") == "" {
		p.add("Claude Code", "claude-code", p.or("XDG_CONFIG_HOME", ".config"), "claude/projects/*/*.jsonl", "claude/projects/*/*/subagents/*.jsonl")
	}
	p.add("Claude desktop app", "claude-code", home, "Library/Application Support/Claude/local-agent-mode-sessions")
	p.add("Codex", "codex", p.or("CODEX_HOME", ".codex"), "sessions/*/*/*/rollout-*.jsonl", "sessions/*/*/*/rollout-*.jsonl.zst",
		"archived_sessions/*.jsonl", "archived_sessions/*.jsonl.zst")
	p.add("Copilot CLI", "copilot", home, ".copilot/session-state/*/events.jsonl", ".copilot/session-state/*.jsonl",
		".copilot/history-session-state/*.jsonl")
	p.add("Gemini CLI", "gemini-chat", home, ".gemini/tmp/*/chats/session-*.json", ".gemini/tmp/*/chats/session-*.jsonl",
		".gemini/tmp/*/chats/*/*.jsonl")
	p.add("Qwen Code", "qwen", home, ".qwen/projects/*/chats/*.jsonl", ".qwen/tmp/*/chats/session-*.json")
	p.add("pi", "pi", p.or("PI_CODING_AGENT_DIR", ".pi/agent"), "sessions/*/*.jsonl")
	p.add("pi", "pi", home, ".omp/agent/sessions/*/*.jsonl")
	p.add("OpenClaw", "pi", home, ".openclaw/agents/*/sessions/*.jsonl", ".clawdbot/sessions/*.jsonl")
	p.add("Cursor", "cursor", home, ".cursor/projects/*/agent-transcripts/*.jsonl", ".cursor/projects/*/agent-transcripts/*/*.jsonl")
	p.add("Factory Droid", "droid", home, ".factory/sessions/*/*.jsonl")
	p.add("Kimi", "kimi", p.or("KIMI_CODE_HOME", ".kimi-code"), "sessions/*/*/agents/*/wire.jsonl")
	p.add("Kimi", "kimi", home, ".kimi/sessions/*/*/wire.jsonl")
	p.add("Mistral Vibe", "chat", home, ".vibe/logs/session/*/messages.jsonl")
	p.add("Grok Build", "acp", p.or("GROK_HOME", ".grok"), "sessions/*/*/updates.jsonl")
	p.add("Amp", "amp", data, "amp/threads/T-*.json")
	p.add("opencode", "opencode", data, "opencode/storage/part/*/*.json")
	p.add("goose", "goose", data, "goose/sessions/*.jsonl")
	p.add("goose", "goose", home, ".goose/sessions/*.jsonl")
	p.add("OpenHands", "openhands", home, ".openhands/conversations/*/events/event-*.json")
	for _, editor := range [...]string{"Code", "Code - Insiders", "VSCodium", "Cursor"} {
		for _, root := range p.editors() {
			p.add("Cline", "cline", root, editor+"/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json")
			p.add("Roo", "cline", root, editor+"/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json")
		}
	}
	p.add("Claude Desktop", "mcp-log", home, "Library/Logs/Claude/mcp*.log")
	p.add("Claude Desktop", "mcp-log", env("APPDATA"), "Claude/logs/mcp*.log")
	return p.all
}

type places struct {
	home string
	env  func(name string) string
	all  []Location
}

// or gives the directory that a variable of the environment names, or the one below the home directory.
func (p *places) or(variable, below string) string {
	if dir := p.env(variable); dir != "" {
		return dir
	}
	if p.home == "" {
		return ""
	}
	return filepath.Join(p.home, filepath.FromSlash(below))
}

// editors gives the directories in which editors made of VS Code keep theirs.
func (p *places) editors() []string {
	return []string{
		p.or("XDG_CONFIG_HOME", ".config"), p.or("", "Library/Application Support"), p.env("APPDATA"),
	}
}

// add adds globs below a directory, unless there is no such directory to name. What a directory's own name holds is taken literally.
func (p *places) add(agent, format, dir string, globs ...string) {
	if dir == "" {
		return
	}
	literal := strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`)
	if filepath.Separator == '\\' {
		literal = strings.NewReplacer()
	}
	for _, glob := range globs {
		p.all = append(p.all, Location{Agent: agent, Format: format, Glob: filepath.Join(literal.Replace(dir), filepath.FromSlash(glob))})
	}
}
