package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drainboard/ui/board"

	"github.com/spf13/cobra"
)

// boardFlags are the flags of what opens the board.
type boardFlags struct {
	plain   bool
	notify  choice
	columns []string
}

func (f *boardFlags) bind(c *cobra.Command) {
	f.notify = choice{"", []string{"off", "bell", "osc9"}}
	c.Flags().BoolVar(&f.plain, "plain", false, "the board in lines, for a screen reader: nothing is drawn over (also with ACCESSIBLE=1)")
	c.Flags().Var(&f.notify, "notify", "what a new critical finding does to the terminal, `HOW`: off, bell or osc9")
	c.Flags().StringArrayVar(&f.columns, "columns", nil, "the `COLUMNS` that a list shows, as severity,tool,key or runs=run,calls")
}

// settingsFile is where this user's board.yaml is, "" when the environment names no place.
func settingsFile(e *Env) string {
	if base := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "drainboard", "board.yaml")
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(e.Home, ".config", "drainboard", "board.yaml")
}

// settings are the user's, and what the flags say instead.
func (a *app) boardSettings(flags *boardFlags) (board.Settings, error) {
	var s board.Settings
	if path := settingsFile(a.env); path != "" {
		src, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return s, fmt.Errorf("read the board's settings: %w", err)
		default:
			if s, err = board.ParseSettings(src, path); err != nil {
				return s, err
			}
		}
	}
	if flags.notify.word != "" {
		s.Notify = flags.notify.word
	}
	for _, text := range flags.columns {
		name, list, ok := strings.Cut(text, "=")
		if !ok {
			name, list = "findings", text
		}
		columns := strings.Split(list, ",")
		if err := board.CheckColumns(name, columns); err != nil {
			return s, &usage{"watch", fmt.Errorf("--%w", err)}
		}
		if s.Columns == nil {
			s.Columns = map[string][]string{}
		}
		for old := range s.Columns {
			if strings.EqualFold(old, name) {
				delete(s.Columns, old)
			}
		}
		s.Columns[name] = columns
	}
	return s, nil
}

// plainBoard says whether the board is to be in lines.
func (a *app) plainBoard(flags *boardFlags) bool {
	return flags.plain || a.env.Interactive && a.env.Getenv("ACCESSIBLE") != "" && a.env.Getenv("ACCESSIBLE") != "0"
}

// stateFile is where the board keeps what it remembers for the working directory, "" when the environment names no place.
func (a *app) stateFile() string {
	folder := stateFolder(a.env)
	if folder == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(a.env.Dir))
	return filepath.Join(folder, "board", hex.EncodeToString(sum[:16])+".json")
}

// kept is the content of that file.
type kept struct {
	Directory string `json:"directory"`
	board.State
}

// remembered is what the board remembers for the working directory. A file that cannot be read is told and passed over.
func (a *app) remembered() board.State {
	path := a.stateFile()
	if path == "" {
		return board.State{}
	}
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return board.State{}
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(src, &k)
	}
	if err != nil {
		a.warn("what the board remembers is passed over: %s: %v", path, err)
		return board.State{}
	}
	return k.State
}

// remember keeps it. A failure is told: nothing of what the board did depends on it.
func (a *app) remember(s board.State) {
	path := a.stateFile()
	if path == "" {
		return
	}
	text, err := json.MarshalIndent(kept{a.env.Dir, s}, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(filepath.Dir(path), ".board-*") // mode 0600
	}
	if err == nil {
		_, err = f.Write(append(text, '\n'))
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	if err != nil {
		a.warn("the board's state is not kept: %v", err)
	}
}
