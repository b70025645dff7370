package trace

import (
	"context"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// watcher hears from the system what changes in directories. A nil watcher hears nothing.
type watcher struct {
	*fsnotify.Watcher
	dirs    map[string]bool
	failed  bool // a directory could not be watched, which was told
	touched map[string]fsnotify.Op
}

func (r *Reader) startWatch(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		r.tell(ctx, Notice{What: Polling, Err: err})
		return
	}
	r.watch = &watcher{Watcher: w, dirs: map[string]bool{}, touched: map[string]fsnotify.Op{}}
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
func (w *watcher) note(e fsnotify.Event) {
	if e.Op&^fsnotify.Chmod != 0 {
		w.touched[filepath.Clean(e.Name)] |= e.Op
	}
}

// drain takes what has been reported so far.
func (w *watcher) drain() {
	if w == nil {
		return
	}
	for {
		select {
		case e := <-w.Events:
			w.note(e)
		default:
			return
		}
	}
}

// look2 looks at the paths where something happened: first at those that are there, so that a file that was renamed is
// known before its old name is missed.
func (r *Reader) heed(ctx context.Context) {
	w := r.watch
	if w == nil || len(w.touched) == 0 {
		r.giveUp(ctx)
		return
	}
	for path, op := range w.touched {
		if w.dirs[path] && op&(fsnotify.Remove|fsnotify.Rename) != 0 {
			w.forget(path)
		}
		if op&fsnotify.Create != 0 {
			r.inspect(ctx, path)
			if op == fsnotify.Create || op == fsnotify.Create|fsnotify.Write {
				delete(w.touched, path)
			}
		}
	}
	for path := range w.touched {
		r.inspect(ctx, path)
	}
	clear(w.touched)
	r.giveUp(ctx)
}
