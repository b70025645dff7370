package table

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find looks for a tools.yaml in start and, when start is inside a repository (a folder that holds
// .git), in the folders above it up to the repository's root. Outside of one it looks in start alone.
func Find(start string) (path string, found bool) {
	start, err := filepath.Abs(start)
	if err != nil {
		return "", false
	}
	root := start
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			root = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, Name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
		if dir == root {
			return "", false
		}
	}
}

// Trusted says why nothing of a table may be run: it must be a regular file (no symbolic link) of the
// user or of root that neither its group nor others may write (LEDGER.md "Trust"). nil: it may.
func Trusted(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("table is not trusted: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("table is not trusted: expected a regular file, found %s at %s; name the file itself", kind(info.Mode()), path)
	}
	owner, _, ok := ownerOf(info)
	if !ok {
		return fmt.Errorf("table is not trusted: the owner of %s cannot be told on this system", path)
	}
	return trusted(path, info.Mode().Perm(), owner, os.Geteuid())
}

func trusted(path string, mode fs.FileMode, owner, user int) error {
	if owner != 0 && owner != user {
		return fmt.Errorf("table is not trusted: expected %s to belong to you (user %d) or root, found user %d; copy it and name the copy", path, user, owner)
	}
	if mode&0o022 != 0 {
		return fmt.Errorf("table is not trusted: expected %s to be writable by its owner only, found mode %04o; run chmod go-w on it", path, mode)
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "a special file"
	}
}

// Replace puts new where old is: it writes a file beside path, syncs it and renames it, keeping the mode
// and, where the system lets it, the owner. A symbolic link stays, its target is replaced. When path does
// not hold old any more nothing is written and the error is ErrChanged; a nil old means that there must be
// no file yet. A write by somebody else between that look and the rename, a moment later, is lost.
func Replace(path string, old, new []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	before, err := holds(path, old)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("cannot write beside the table: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(new); err != nil {
		return fmt.Errorf("cannot write the new table: %w", err)
	}
	mode := fs.FileMode(0o644)
	if before != nil {
		mode = before.Mode().Perm()
		if user, group, ok := ownerOf(before); ok {
			_ = f.Chown(user, group) // only root may give a file away: then it is the user's
		}
	}
	if err = errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot write the new table: %w", err)
	}
	if _, err = holds(path, old); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("cannot put the new table in its place: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// holds checks that the file is what was read, and says what it is; nil when there is none, and there was to be none.
func holds(path string, old []byte) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && old == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the table: %w", err)
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table: %w", err)
	}
	if old == nil || !bytes.Equal(now, old) {
		return nil, fmt.Errorf("%s: %w", path, ErrChanged)
	}
	return info, nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot sync the table's folder: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("cannot sync the table's folder: %w", err)
	}
	return nil
}
