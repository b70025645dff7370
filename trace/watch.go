package trace

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// watcher hears from the system what changes in directories. A nil watcher hears nothing.
type watcher struct {
	*fsnotify.Watcher
	dirs   map[string]bool
	failed bool // a directory could not be watched, which was told
}

func (r *Reader) startWatch(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		r.tell(ctx, Notice{What: Polling, Err: err})
		return
	}
	r.watch = &watcher{Watcher: w, dirs: map[string]bool{}}
}

// watchDir watches a directory, or tells once that this source is only looked at now and then.
func (r *Reader) watchDir(ctx context.Context, root *root, dir string) {
	w := r.watch
	dir = filepath.Clean(dir)
	if w == nil || w.dirs[dir] {
		return
	}
	if err := w.Add(dir); err != nil {
		if !w.failed {
			w.failed = true
			r.tell(ctx, Notice{What: Polling, Path: dir, Label: root.Label, Err: err})
		}
		return
	}
	w.dirs[dir] = true
}

func (w *watcher) events() <-chan fsnotify.Event {
	if w == nil {
		return nil
	}
	return w.Events
}

func (w *watcher) errors() <-chan error {
	if w == nil {
		return nil
	}
	return w.Errors
}

func (w *watcher) close() {
	if w != nil {
		_ = w.Close()
	}
}

// forget drops a directory that is gone; it is watched anew when it comes back.
func (w *watcher) forget(path string) {
	if w == nil {
		return
	}
	if w.dirs[path] {
		delete(w.dirs, path)
		_ = w.Remove(path) // it may have been dropped already
	}
}

// note keeps in mind where something happened.
func (r *Reader) note(e fsnotify.Event) {
	if e.Op&^fsnotify.Chmod == 0 {
		return
	}
	path := filepath.Clean(e.Name)
	r.touch(path)
	if e.Op&(fsnotify.Remove|fsnotify.Rename) != 0 && r.watch.dirs[path] {
		r.watch.forget(path)
	}
}

// touch wants a path to be looked at.
func (r *Reader) touch(path string) { r.touched[path] = struct{}{} }

// drain takes what has been reported so far.
func (r *Reader) drain() {
	for r.watch != nil {
		select {
		case e := <-r.watch.Events:
			r.note(e)
		default:
			return
		}
	}
}

// heed looks at the paths where something happened: first at those where a known file lies by now, so that one that was
// renamed is known before its old name is taken by another or missed, then at others that are there, last at those where
// nothing is.
func (r *Reader) heed(ctx context.Context) {
	if len(r.touched) == 0 && len(r.gone) == 0 {
		return
	}
	paths := r.touched
	r.touched = map[string]struct{}{}
	var there []string
	for path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		delete(paths, path)
		if r.byID[identityOf(info)] == nil {
			there = append(there, path)
			continue
		}
		r.inspect(ctx, path)
	}
	for _, path := range there {
		r.inspect(ctx, path)
	}
	for path := range paths {
		r.inspect(ctx, path)
	}
	r.place(ctx)
	r.giveUp(ctx)
}
