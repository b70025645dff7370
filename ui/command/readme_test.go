package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeCommands runs what README.md tells to type, word for word, in their order, in a folder that has nothing but a script and an editor. A command may find
// something (exit code 1); it must not be a mistake.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := readmeFolder(t)
	ran := 0
	for i, block := range strings.Split(string(readme), "\n```") {
		if i%2 == 0 || !strings.HasPrefix(block, "sh\n") {
			continue
		}
		for line := range strings.Lines(block) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "drainboard ") {
				continue
			}
			ran++
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(line, "--timeout 4h", "--timeout 1ms", 1)) // nothing would come in four hours
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_BE_MAIN=1", "EDITOR=edit", "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir,
				"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if ran < 12 {
		t.Errorf("%d commands were found in README.md", ran)
	}
}

// readmeFolder makes a folder with the program, and what README.md takes to be the reader's.
func readmeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"open-pr.sh": "#!/bin/sh\necho '{\"pr\": 41}'\n",
		"bin/edit":   "#!/bin/sh\necho 'tools: {open_pr: {class: keyed}}' > \"$1\"\n", // a person at the table
	} {
		write(t, filepath.Join(dir, name), text)
	}
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Chmod(filepath.Join(dir, "open-pr.sh"), 0o700), os.Chmod(filepath.Join(dir, "bin", "edit"), 0o700))
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "bin", "drainboard"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-q", "--allow-empty", "-m", "begin"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	return dir
}
