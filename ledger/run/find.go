package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Allowed are the names of the environment that every command gets.
func Allowed() []string { return []string{"PATH", "HOME", "LANG", "TZ"} }

// Allow takes from an environment (NAME=value) what a command may see: Allowed, and the names of more.
func Allow(environ, more []string) []string {
	names := append(Allowed(), more...)
	var out []string
	for _, e := range environ {
		if name, _, ok := strings.Cut(e, "="); ok && slices.Contains(names, name) {
			out = append(out, e)
		}
	}
	return out
}

// find resolves a program: a path as it is (from dir), a name by the PATH that the command will see.
func find(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		path := name
		if !filepath.IsAbs(path) && dir != "" {
			path = filepath.Join(dir, path)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", &NotStarted{127, fmt.Errorf("run %s: %w", name, err)}
		}
		return abs, executable(abs)
	}
	var denied error
	for _, e := range env {
		list, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(list) {
			if !filepath.IsAbs(d) {
				continue // the working directory is not a place to look for programs
			}
			path := filepath.Join(d, name)
			err := executable(path)
			if err == nil {
				return path, nil
			}
			if n := (*NotStarted)(nil); errors.As(err, &n) && n.Exit == 126 {
				denied = err
			}
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &NotStarted{127, fmt.Errorf("run %s: expected a program of that name in PATH, found none", name)}
}

func executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &NotStarted{127, fmt.Errorf("run %s: expected a program, found no file", path)}
	case err != nil:
		return &NotStarted{126, fmt.Errorf("run %s: %w", path, err)}
	case !st.Mode().IsRegular():
		return &NotStarted{126, fmt.Errorf("run %s: expected a program, found a file of type %s", path, st.Mode().Type())}
	case st.Mode().Perm()&0o111 == 0:
		return &NotStarted{126, fmt.Errorf("run %s: expected leave to execute it, found mode %s", path, st.Mode().Perm())}
	}
	return nil
}

// Script checks the program of a compensation (LEDGER.md "Trust"): base is the folder of the table that names it. It
// returns the path in full, which is a regular file, executable, not writable by everybody.
func Script(base, name string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	full, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("find the script %s: %w", name, err)
	}
	if full, err = filepath.Abs(full); err != nil {
		return "", fmt.Errorf("find the script %s: %w", name, err)
	}
	if err := executable(full); err != nil {
		return "", err
	}
	st, err := os.Stat(full)
	if err != nil {
		return "", fmt.Errorf("look at the script %s: %w", full, err)
	}
	if st.Mode().Perm()&0o002 != 0 {
		return "", fmt.Errorf("check the script %s: expected one that only its owner may change, found mode %s; run chmod o-w on it", full, st.Mode().Perm())
	}
	return full, nil
}

// Find resolves a program as Run would, so that one that cannot be run is known before anything is claimed for it. The
// error is a *NotStarted.
func Find(name, dir string, env []string) (string, error) { return find(name, dir, env) }
