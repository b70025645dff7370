package leftovers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger/run"
)

// repo is a git repository that a test makes.
type repo struct {
	t   *testing.T
	dir string
	now time.Time
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, dir: t.TempDir(), now: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)}
	if _, err := run.Run(t.Context(), run.Command{Argv: []string{"git", "--version"}, Env: run.Allow(os.Environ(), nil)}); err != nil {
		t.Skip("there is no git here: ", err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	env := append(run.Allow(os.Environ(), nil), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid",
		"GIT_AUTHOR_DATE="+r.now.Format(time.RFC3339), "GIT_COMMITTER_DATE="+r.now.Format(time.RFC3339))
	res, err := run.Run(r.t.Context(), run.Command{Argv: append([]string{"git", "-C", r.dir}, args...), Env: env})
	if err != nil || res.Exit != 0 {
		r.t.Fatalf("git %q: %v, exit %d: %s", args, err, res.Exit, res.Stderr.Head)
	}
	return strings.TrimSpace(string(res.Stdout.Head))
}

// commit writes files (name, text, ...) and commits them an hour after the last commit; it gives the hash.
func (r *repo) commit(subject string, files ...string) string {
	r.t.Helper()
	r.now = r.now.Add(time.Hour)
	for i := 0; i+1 < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(r.dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", subject)
	return r.git("rev-parse", "HEAD")
}

// plan is a group in one line: its basis, whether it is a guess, and each object's action and name.
func plan(g Group, names map[string]string) string {
	out := string(g.Basis)
	if g.Guess {
		out += "?"
	}
	for _, o := range g.Objects {
		name := o.Name
		if n, ok := names[name]; ok {
			name = n
		}
		out += fmt.Sprintf(" %s:%s", o.Action, name)
	}
	return out
}

func plans(groups []Group, names map[string]string) []string {
	out := make([]string, len(groups))
	for i, g := range groups {
		out[i] = plan(g, names)
	}
	return out
}

// TestGit: one patch under two subjects, one subject over two patches, and branches with one tree.
func TestGit(t *testing.T) {
	r := newRepo(t)
	names := map[string]string{}
	commit := func(name, subject string, files ...string) string {
		h := r.commit(subject, files...)
		names[h] = name
		return h
	}
	commit("base", "base", "a", "1\n", "b", "1\n")
	commit("first", "add retries", "a", "1\nretry\n")
	commit("back", "take it back", "a", "1\n")
	commit("again", "add the retries again", "a", "1\nretry\n") // the patch of first, another subject
	commit("same", "add retries", "b", "1\nother\n")            // the subject of first, another patch
	r.git("switch", "-q", "-c", "paid/feat", "main~4")
	commit("twin1", "feature of paid", "c", "feature\n")
	r.git("switch", "-q", "-c", "dest/feat", "main~4")
	commit("twin2", "feature of dest", "c", "feature\n")
	commit("empty", "nothing in it")
	r.git("switch", "-q", "main")
	r.git("branch", "merged")  // at the commit that is checked out: no twin
	r.git("branch", "started") // neither

	f, err := Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"patch keep:first revert:again",
		"patch keep:twin1 by hand:twin2",
		"tree keep:paid/feat delete:dest/feat",
		"subject? keep:first look:same",
	}
	if got := plans(f.Groups, names); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if f.Looked != 8+5 {
		t.Errorf("looked at %d, want 8 commits and 5 branches", f.Looked)
	}
	// The commands do what they say.
	revert, remove := f.Groups[0].Objects[1].Command, f.Groups[2].Objects[1].Command
	r.git(revert[3:]...)
	if text, err := os.ReadFile(filepath.Join(r.dir, "a")); err != nil || string(text) != "1\n" {
		t.Errorf("%q leaves %q (%v)", revert, text, err)
	}
	r.git(remove[3:]...)
	if list := r.git("branch", "--list", "dest/feat"); list != "" {
		t.Errorf("%q leaves %s", remove, list)
	}

	// What the ledger stored is kept: a commit by the beginning of its hash, a branch by its name.
	again := ""
	for h, n := range names {
		if n == "again" {
			again = h
		}
	}
	r.git("branch", "dest/feat", "main~4")
	if f, err = Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ(), Stored: map[string]bool{again[:9]: true}}); err != nil {
		t.Fatal(err)
	}
	if got := plan(f.Groups[0], names); got != "patch revert:first keep:again" {
		t.Errorf("the stored commit: %s", got)
	}
}

// TestGitSince leaves out what is older, and what nobody committed yet is no error.
func TestGitSince(t *testing.T) {
	r := newRepo(t)
	if f, err := Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ()}); err != nil || f.Looked != 0 {
		t.Fatalf("an empty repository: %+v, %v", f, err)
	}
	r.commit("wip", "a", "1\n")
	r.commit("wip", "a", "2\n")
	since := r.now.Add(time.Minute)
	if f, err := Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ()}); err != nil || len(f.Groups) != 1 {
		t.Fatalf("both: %+v, %v", f, err)
	}
	r.commit("wip", "a", "3\n")
	if f, err := Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ(), Since: since}); err != nil || len(f.Groups) != 0 || f.Looked != 2 {
		t.Fatalf("since %s: %+v, %v", since, f, err)
	}
}

// TestGitRunsNothing hunts in a repository whose configuration names programs for everything: none of them runs.
func TestGitRunsNothing(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "a", "1\n", ".gitattributes", "* diff=evil filter=evil\n")
	mark := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+mark+"\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.commit("one", "a", "2\n")
	for _, c := range []string{
		"core.pager", "pager.log", "diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.sshCommand", "gpg.program", "core.editor", "filter.evil.smudge", "filter.evil.clean",
	} {
		r.git("config", c, evil)
	}
	r.git("config", "log.showSignature", "true")
	r.git("config", "alias.log", "!"+evil)
	f, err := Git(t.Context(), Repository{Dir: r.dir, Environ: os.Environ()})
	if err != nil || len(f.Groups) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if text, err := os.ReadFile(mark); err == nil {
		t.Errorf("it ran %s", text)
	}
}

func TestGitNoRepository(t *testing.T) {
	newRepo(t)
	for _, dir := range []string{t.TempDir(), "/nowhere"} {
		_, err := Git(t.Context(), Repository{Dir: dir, Environ: append(os.Environ(), "GIT_CEILING_DIRECTORIES=/")})
		if err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
