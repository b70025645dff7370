package trace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// root is a source as the reader's goroutine sees it.
type root struct {
	Source
	clean  string // Path, cleaned
	seen   bool   // looked at before
	there  bool
	many   bool // a directory or a glob
	stream bool
	traces int  // files in which a format was recognised
	barred bool // a directory of it that was named could not be read, which was told
}

// shown is what a source that is one file is shown as.
func (o *root) shown() string {
	if o.As != "" {
		return o.As
	}
	return o.Path
}

// keep says whether a file found in a directory or by a glob is to be read.
func (r *Reader) keep(path string, info fs.FileInfo) bool {
	return r.cfg.Keep == nil || r.cfg.Keep(path, info)
}

// grace is how long a missing file may take to turn up under another name before it counts as removed.
const grace = 100 * time.Millisecond

// look goes through all sources for what is new, has changed or is gone.
func (r *Reader) look(ctx context.Context) {
	r.round++
	for _, root := range r.roots {
		if ctx.Err() != nil {
			return
		}
		r.lookAt(ctx, root)
		root.seen = true
	}
	for path, t := range r.byPath {
		if t.round != r.round && t.pipe == nil && t.gone.IsZero() {
			r.inspect(ctx, path)
		}
	}
	r.place(ctx)
	for _, t := range r.perhaps {
		r.enqueue(t)
	}
	r.perhaps = r.perhaps[:0]
	r.giveUp(ctx)
	// The newest first: what happens now is of more interest than what happened last year.
	slices.SortStableFunc(r.queue, func(a, b *tail) int { return b.mtime.Compare(a.mtime) })
}

func (r *Reader) lookAt(ctx context.Context, root *root) {
	root.clean = filepath.Clean(root.Path)
	if root.stream || root.Path == Stdin {
		if !root.seen {
			r.openStream(ctx, root)
		}
		return
	}
	info, err := os.Stat(root.Path)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(root.Path, "*?[") {
		r.lookGlob(ctx, root)
		return
	}
	if err != nil {
		r.missing(ctx, root, err)
		return
	}
	back := root.seen && !root.there
	root.there = true
	switch {
	case info.IsDir():
		root.many = true
		if back {
			r.tell(ctx, Notice{What: Returned, Path: root.Path, Label: root.Label})
		}
		r.walk(ctx, root, root.Path)
	case info.Mode().IsRegular():
		r.watchDir(ctx, root, filepath.Dir(root.Path))
		r.found(ctx, root, root.shown(), root.clean, info, true)
	default:
		root.stream = true
		if !root.seen {
			r.openStream(ctx, root)
		}
	}
}

func (r *Reader) lookGlob(ctx context.Context, root *root) {
	root.many = true
	paths, err := filepath.Glob(root.Path)
	if err != nil || len(paths) == 0 {
		if err == nil {
			err = fmt.Errorf("find %s: %w", root.Path, fs.ErrNotExist)
		}
		r.missing(ctx, root, err)
		return
	}
	root.there = true
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			r.tellOnce(ctx, root, path, err)
		case info.IsDir():
			r.walk(ctx, root, path)
		case info.Mode().IsRegular() && r.keep(path, info):
			r.watchDir(ctx, root, filepath.Dir(path))
			r.found(ctx, root, path, filepath.Clean(path), info, true)
		}
	}
}

// missing tells that a source is not there, once until it comes back. Its directory is watched for it.
func (r *Reader) missing(ctx context.Context, root *root, err error) {
	switch {
	case root.there && root.many:
		r.tell(ctx, Notice{What: Removed, Path: root.Path, Label: root.Label})
	case !root.seen:
		r.tell(ctx, Notice{What: Unreadable, Path: root.Path, Label: root.Label, Err: err})
	}
	root.there = false
	if dir := filepath.Dir(root.clean); errors.Is(err, fs.ErrNotExist) && !root.seen {
		if _, err := os.Stat(dir); err == nil {
			r.watchDir(ctx, root, dir)
		}
	}
}

// walk finds the files below a directory and watches the directories on the way. Links are not followed. Known files come
// first: one that was renamed is known before its old name is seen to be another's.
func (r *Reader) walk(ctx context.Context, root *root, dir string) {
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		dir += string(filepath.Separator) // a link that was named is followed
	}
	var others []sighting
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				r.tellOnce(ctx, root, path, err)
				root.barred = root.barred || path == dir
			}
			return nil
		}
		if d.IsDir() {
			if path != dir && vendored(d.Name()) {
				return fs.SkipDir
			}
			r.watchDir(ctx, root, path) // before its entries are read, so that none is missed
			return nil
		}
		if !d.Type().IsRegular() || !traceName(d.Name()) {
			return nil
		}
		info, err := d.Info()
		switch {
		case err != nil || !r.keep(path, info):
		case r.byID[identityOf(info)] == nil:
			others = append(others, sighting{path, info})
		default:
			r.found(ctx, root, path, filepath.Clean(path), info, false)
		}
		return nil
	})
	for _, s := range others {
		r.found(ctx, root, s.path, filepath.Clean(s.path), s.info, false)
	}
}

// sighting is a file that was seen at a path.
type sighting struct {
	path string
	info fs.FileInfo
}

// tellOnce tells of a path that cannot be read, once.
func (r *Reader) tellOnce(ctx context.Context, root *root, path string, err error) {
	if !r.told[path] {
		r.told[path] = true
		r.tell(ctx, Notice{What: Unreadable, Path: path, Label: root.Label, Err: err})
	}
}

// inspect looks at one path that a source covers or that was renamed from one, because something happened there.
func (r *Reader) inspect(ctx context.Context, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		r.vanished(ctx, path)
		return
	}
	if info.IsDir() {
		if root := r.covering(path, true); root != nil {
			r.walk(ctx, root, path)
		}
		return
	}
	root := r.covering(path, false)
	if root != nil && root.clean == path && info.Mode()&fs.ModeSymlink != 0 {
		if info, err = os.Stat(path); err != nil {
			r.vanished(ctx, path)
			return
		}
	}
	if !info.Mode().IsRegular() {
		return
	}
	display := path
	switch {
	case root == nil && r.byID[identityOf(info)] == nil && r.byPath[path] == nil:
		return
	case root == nil:
		root = r.roots[0]
	case root.clean == path:
		display = root.shown()
	case !r.keep(path, info):
		return
	}
	r.found(ctx, root, display, path, info, root.clean == path)
}

// found takes note of a file that lies at a path.
func (r *Reader) found(ctx context.Context, root *root, display, path string, info fs.FileInfo, named bool) {
	id := identityOf(info)
	t := r.byPath[path]
	if t != nil && t.id == id {
		t.round = r.round
		t.gone = time.Time{}
		if t.size != info.Size() || !t.mtime.Equal(info.ModTime()) {
			r.changed(t, info)
		}
		return
	}
	if known := r.byID[id]; known != nil && id != (identity{}) {
		if r.moved(ctx, known, display, path, info) {
			return
		}
		t = r.byPath[path]
	}
	if t != nil {
		r.replaced(ctx, t, root, display, info, named)
		return
	}
	r.add(ctx, root, display, path, info, named)
}

// changed is called when a file's size or time is another one than at the last look.
func (r *Reader) changed(t *tail, info fs.FileInfo) {
	t.size, t.mtime = info.Size(), info.ModTime()
	r.count(t)
	r.enqueue(t)
}

// add begins to read a file.
func (r *Reader) add(ctx context.Context, root *root, display, path string, info fs.FileInfo, named bool) *tail {
	t := &tail{
		path: path, label: root.Label, root: root, named: named, id: identityOf(info), size: info.Size(), mtime: info.ModTime(),
		round: r.round,
	}
	last := r.last[display]
	t.file = r.newFile(display, root.Label)
	if root.As != "" {
		t.file.now.Store(&path)
	}
	r.tails[t] = struct{}{}
	r.byPath[path] = t
	r.byID[t.id] = t
	r.addStem(t)
	r.count(t)
	what := Found
	if last != nil && last.removed {
		what = Returned
	}
	n := Notice{What: what, File: t.file}
	if last != nil {
		n.Of = last.file
	}
	r.tell(ctx, n)
	r.enqueue(t)
	return t
}

// lastAt is the last File that a path had.
type lastAt struct {
	file    *File
	removed bool
}

func (r *Reader) newFile(display, label string) *File {
	f := &File{ID: int(r.files.Add(1) - 1), Path: display, Label: label, Gen: r.gens[display]}
	r.gens[display]++
	r.last[display] = &lastAt{file: f}
	return f
}

// openStream begins to read standard input, or a pipe that was named.
func (r *Reader) openStream(ctx context.Context, root *root) {
	src := r.cfg.Stdin
	if root.Path != Stdin {
		src = &pipe{path: root.Path}
	}
	if src == nil {
		r.missing(ctx, root, errors.New("there is no standard input here"))
		return
	}
	s, err := newSpool(r.cfg.SpoolDir)
	if err != nil {
		r.missing(ctx, root, err)
		return
	}
	root.there = true
	r.spoolMu.Lock()
	r.spools = append(r.spools, s)
	r.spoolMu.Unlock()
	t := &tail{label: root.Label, root: root, named: true, pipe: s, file: r.newFile(root.Path, root.Label)}
	t.file.pipe = s
	r.tails[t] = struct{}{}
	r.tell(ctx, Notice{What: Found, File: t.file})
	r.enqueue(t)
	go s.fill(src, func() { signal(r.wake) })
}

// wakeStreams queues the streams, of which one has grown or ended.
func (r *Reader) wakeStreams() {
	for t := range r.tails {
		if t.pipe != nil {
			r.enqueue(t)
		}
	}
}
