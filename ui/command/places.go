package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drainboard/trace"
)

// agents are the folders in which known agents keep traces that can be read (FORMATS.md §1.7), below the user's home unless
// the agent's own variable says where.
var agents = []struct{ name, variable, home, folder string }{
	{"Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects"},
	{"Codex", "CODEX_HOME", ".codex", "sessions"},
	{"Codex", "CODEX_HOME", ".codex", "archived_sessions"},
	{"Copilot CLI", "", ".copilot", "session-state"},
	{"Gemini CLI", "", ".gemini", "tmp"},
	{"Qwen Code", "", ".qwen", "projects"},
	{"pi", "PI_CODING_AGENT_DIR", ".pi/agent", "sessions"},
	{"OpenClaw", "", ".openclaw", "agents"},
	{"Cursor", "", ".cursor", "projects"},
	{"Factory Droid", "", ".factory", "sessions"},
	{"Kimi", "KIMI_CODE_HOME", ".kimi-code", "sessions"},
	{"Kimi", "", ".kimi", "sessions"},
	{"Grok", "GROK_HOME", ".grok", "sessions"},
	{"Amp", "", ".local/share/amp", "threads"},
	{"goose", "", ".local/share/goose", "sessions"},
	{"OpenHands", "", ".openhands", "conversations"},
}

// What a search of the working directory may cost.
const (
	mostEntries = 20_000 // names looked at
	mostDepth   = 6      // folders below the working directory
	mostFiles   = 500    // traces taken
)

// findTraces looks for traces when no path is given: in the places of known agents, and in the working directory by name. The error,
// when there are none, says where it looked.
func findTraces(e *Env) ([]trace.Source, error) {
	here, looked, err := tracesBelow(e.Dir)
	if err != nil {
		return nil, err
	}
	places := []string{fmt.Sprintf("./ (%s; *.jsonl, *.ndjson, *.traj, mcp*.log, also .gz and .zst)", plural(looked, "name", "names"))}
	for _, p := range agents {
		dir := filepath.Join(e.Home, filepath.FromSlash(p.home))
		if own := e.Getenv(p.variable); p.variable != "" && own != "" {
			dir = own
		} else if e.Home == "" {
			continue
		}
		dir = filepath.Join(dir, p.folder)
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			if holdsFiles(dir) {
				here = append(here, trace.Source{Path: dir})
				continue
			}
			err = errors.New("empty")
		case err == nil:
			err = errors.New("not a folder")
		case errors.Is(err, fs.ErrNotExist):
			err = errors.New("not there")
		}
		places = append(places, fmt.Sprintf("%s (%s: %v)", dir, p.name, err))
	}
	if len(here) == 0 {
		return nil, &usage{"", errors.New("no traces were found; name a file or folder, or try: drainboard demo\nlooked in " + strings.Join(places, "\n          "))}
	}
	return here, nil
}

// holdsFiles says whether any file lies below a folder.
func holdsFiles(dir string) (held bool) {
	looked := 0
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if looked++; looked > mostEntries {
			return fs.SkipAll
		}
		if err == nil && d.Type().IsRegular() {
			held = true
			return fs.SkipAll
		}
		return nil
	})
	return held
}

// tracesBelow finds files in a folder that are traces by name, and says how many names it looked at. Hidden and vendored folders are
// left out, links are not followed, and it stops at its bounds.
func tracesBelow(dir string) (found []trace.Source, looked int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			return fs.SkipDir
		}
		looked++
		switch {
		case looked > mostEntries || len(found) >= mostFiles:
			return fs.SkipAll
		case d.IsDir():
			rel, _ := filepath.Rel(dir, path)
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || vendored(d.Name()) || strings.Count(rel, string(filepath.Separator)) >= mostDepth) {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && traceName(d.Name()):
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			found = append(found, trace.Source{Path: rel})
		}
		return nil
	})
	return found, looked, err
}

// vendored says whether a folder holds other people's files.
func vendored(name string) bool {
	switch name {
	case "node_modules", "vendor", "venv", "site-packages", "__pycache__", "target", "dist", "build", "testdata":
		return true
	default:
		return false
	}
}

// traceName says whether a file is called as traces are.
func traceName(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	if strings.HasPrefix(name, ".") {
		return false
	}
	switch filepath.Ext(name) {
	case ".jsonl", ".ndjson", ".traj":
		return true
	case ".log":
		return strings.HasPrefix(name, "mcp")
	default:
		return false
	}
}
