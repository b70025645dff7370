package table

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, Name), "", 0o644)
	repo := filepath.Join(dir, "repo")
	deep := filepath.Join(repo, "a", "b")
	write(t, filepath.Join(deep, "x"), "", 0o644)
	if err := os.Mkdir(filepath.Join(deep, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	find := func(start, want string) {
		t.Helper()
		if got, found := Find(start); got != want || found != (want != "") {
			t.Errorf("Find(%s) = %q, %v, want %q", start, got, found, want)
		}
	}
	find(dir, filepath.Join(dir, Name))
	find(deep, "") // no repository: only the folder itself, and what is there is a folder
	write(t, filepath.Join(repo, ".git", "HEAD"), "", 0o644)
	find(deep, "") // not above the repository's root
	write(t, filepath.Join(repo, Name), "", 0o644)
	find(deep, filepath.Join(repo, Name))
	write(t, filepath.Join(repo, "a", Name), "", 0o644)
	find(deep, filepath.Join(repo, "a", Name))
	write(t, filepath.Join(repo, "w", ".git"), "gitdir: elsewhere", 0o644) // a work tree
	find(filepath.Join(repo, "w"), "")
	t.Chdir(deep)
	find(".", filepath.Join(repo, "a", Name))
}

func TestTrusted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	if err := Trusted(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for mode, want := range map[fs.FileMode]string{0o644: "", 0o600: "", 0o755: "", 0o664: "found mode 0664", 0o646: "found mode 0646", 0o666: "run chmod go-w"} {
		write(t, path, "", mode)
		err := Trusted(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	write(t, path, "", 0o644)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Trusted(link); err == nil || !strings.Contains(err.Error(), "a symbolic link") {
		t.Errorf("symbolic link: %v", err)
	}
	if err := Trusted(dir); err == nil || !strings.Contains(err.Error(), "a folder") {
		t.Errorf("folder: %v", err)
	}
	for _, c := range []struct {
		owner int
		user  int
		ok    bool
	}{{1000, 1000, true}, {0, 1000, true}, {1001, 1000, false}, {1000, 0, false}} {
		if err := trusted(path, 0o644, c.owner, c.user); (err == nil) != c.ok {
			t.Errorf("file of %d, user %d: %v", c.owner, c.user, err)
		}
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	content := func(want string, mode fs.FileMode) {
		t.Helper()
		got, err := os.ReadFile(path)
		info, err2 := os.Stat(path)
		if err != nil || err2 != nil || string(got) != want || info.Mode().Perm() != mode {
			t.Errorf("%q, mode %v, %v, %v; want %q, %v", got, info.Mode(), err, err2, want, mode)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("files were left behind: %v", left)
		}
	}
	if err := Replace(path, []byte("x"), []byte("y")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := Replace(path, nil, []byte("one")); err != nil {
		t.Errorf("new file: %v", err)
	}
	content("one", 0o644)
	if err := Replace(path, nil, []byte("two")); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that was not there: %v", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("one"), []byte("two")); err != nil {
		t.Errorf("replace: %v", err)
	}
	content("two", 0o640)
	if err := Replace(path, []byte("one"), []byte("three")); !errors.Is(err, ErrChanged) {
		t.Errorf("another content: %v", err)
	}
	content("two", 0o640)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(Name, link); err != nil {
		t.Fatal(err)
	}
	if err := Replace(link, []byte("two"), []byte("three")); err != nil {
		t.Errorf("through a link: %v", err)
	}
	content("three", 0o640)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if err := Replace(path, []byte("three"), []byte{}); err != nil {
		t.Errorf("to nothing: %v", err)
	}
	if err := Replace(path, []byte{}, []byte("four")); err != nil {
		t.Errorf("from an empty file: %v", err)
	}
	content("four", 0o640)
}
