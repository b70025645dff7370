package trace

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLocations(t *testing.T) {
	known := map[string]bool{}
	for _, f := range Formats() {
		known[f.Name] = true
	}
	none := func(string) string { return "" }
	globs := func(env func(string) string, home string) []string {
		var out []string
		for _, l := range Locations(home, env) {
			if !known[l.Format] {
				t.Errorf("%s: no format is called %q", l.Agent, l.Format)
			}
			if _, err := filepath.Match(l.Glob, "x"); err != nil || !filepath.IsAbs(l.Glob) {
				t.Errorf("%s: %q is no absolute glob: %v", l.Agent, l.Glob, err)
			}
			out = append(out, filepath.ToSlash(l.Glob))
		}
		return out
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		home string
		want []string
		not  string // no glob begins so
	}{
		{"at home", nil, "/h", []string{
			"/h/.claude/projects/*/*.jsonl", "/h/.codex/sessions/*/*/*/rollout-*.jsonl", "/h/.copilot/session-state/*/events.jsonl",
			"/h/.config/claude/projects/*/*.jsonl", "/h/.local/share/amp/threads/T-*.json",
		}, ""},
		{"moved", map[string]string{"CLAUDE_CONFIG_DIR": "/c [1]", "CODEX_HOME": "/x", "APPDATA": "/app"}, "/h", []string{
			`/c \[1]/projects/*/*.jsonl`, "/x/archived_sessions/*.jsonl", "/app/Claude/logs/mcp*.log",
			"/app/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json",
		}, "/h/.claude"},
		{"homeless", map[string]string{"CODEX_HOME": "/x"}, "", []string{"/x/sessions/*/*/*/rollout-*.jsonl"}, "/."},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := none
			if c.env != nil {
				env = func(name string) string { return c.env[name] }
			}
			got := globs(env, c.home)
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is not among %q", want, got)
				}
			}
			if i := slices.IndexFunc(got, func(g string) bool { return c.not != "" && strings.HasPrefix(g, c.not) }); i >= 0 {
				t.Errorf("%s should not be there", got[i])
			}
			for i, g := range got {
				if slices.Contains(got[:i], g) {
					t.Errorf("%s is there twice", g)
				}
			}
		})
	}
}
