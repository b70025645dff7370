package trace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// moved is called when a known file was found at another path. It says whether that settles the matter: the file was
// renamed, or the path is another way to it. Otherwise the system uses the number of a file that is gone again.
func (r *Reader) moved(ctx context.Context, known *tail, display, path string, info fs.FileInfo) bool {
	if now, err := os.Lstat(known.path); err == nil && identityOf(now) == known.id && r.byPath[known.path] == known {
		if key := "same " + path; !r.told[key] {
			r.told[key] = true
			r.tell(ctx, Notice{What: Same, Path: display, Label: known.label, Of: known.file})
		}
		return true
	}
	if !known.is(path, info) {
		r.leave(ctx, known)
		return false
	}
	known.round, known.size, known.mtime = r.round, info.Size(), info.ModTime()
	r.settleAt(ctx, known, display, path)
	return true
}

// settleAt takes note that a file lies at another path by now. What lay there before is somewhere else, or gone.
func (r *Reader) settleAt(ctx context.Context, t *tail, display, path string) {
	r.dropStem(t)
	if r.byPath[t.path] == t {
		delete(r.byPath, t.path)
	}
	other := r.byPath[path]
	t.path, t.gone = path, time.Time{}
	r.byPath[path] = t
	r.addStem(t)
	t.file.now.Store(&display)
	r.tell(ctx, Notice{What: Renamed, Path: display, Label: t.label, File: t.file})
	r.enqueue(t)
	if other != nil && other != t {
		r.seek = append(r.seek, other)
	}
}

// place looks for the files that are not where they were: of those whose path another one took what is not found is left.
// Each directory is read once, however many are missing in it.
func (r *Reader) place(ctx context.Context) {
	for len(r.seek) > 0 {
		missing := map[string]map[identity]*tail{}
		for _, t := range r.seek {
			if r.byPath[t.path] == t && t.gone.IsZero() || t.closing || t.id == (identity{}) {
				continue // it turned up, or was left
			}
			dir := filepath.Dir(t.path)
			if missing[dir] == nil {
				missing[dir] = map[identity]*tail{}
			}
			missing[dir][t.id] = t
		}
		sought := r.seek
		r.seek = nil // placing one may drive others from their paths
		for dir, lost := range missing {
			r.placeIn(ctx, dir, lost)
		}
		for _, t := range sought {
			if r.byPath[t.path] != t && !t.closing && !slices.Contains(r.seek, t) {
				r.leave(ctx, t)
			}
		}
	}
}

func (r *Reader) placeIn(ctx context.Context, dir string, lost map[identity]*tail) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if t := lost[identityOf(info)]; t != nil && t.is(path, info) {
			t.size, t.mtime = info.Size(), info.ModTime()
			r.settleAt(ctx, t, r.shownAt(path), path)
		}
	}
}

// relocate looks in its directory for a file that does not lie at its path any more.
func (r *Reader) relocate(ctx context.Context, t *tail) bool {
	if t.id == (identity{}) {
		return false
	}
	if r.byPath[t.path] == t {
		delete(r.byPath, t.path)
	}
	r.placeIn(ctx, filepath.Dir(t.path), map[identity]*tail{t.id: t})
	return r.byPath[t.path] == t
}

// shownAt is what a path is shown as.
func (r *Reader) shownAt(path string) string {
	if root := r.covering(path, false); root != nil && root.clean == path {
		return root.Path
	}
	return path
}

// is says whether the file at a path, which has the tail's identity, is the tail's indeed: as long as its descriptor is
// open nothing else can have it; otherwise the file must begin as it did.
func (t *tail) is(path string, info fs.FileInfo) bool {
	if t.fd != nil {
		return true
	}
	if info.Size() < t.off {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return t.pack != unpacked || sameAt(f, 0, t.print.begin)
}

// leave gives up a tail's path: what is left of the file is read through its open descriptor, and it ends there.
func (r *Reader) leave(ctx context.Context, t *tail) {
	if r.byPath[t.path] == t {
		delete(r.byPath, t.path)
	}
	if r.byID[t.id] == t {
		delete(r.byID, t.id)
	}
	r.dropStem(t)
	r.remember(t)
	t.closing = true
	t.gone = time.Time{}
	if t.fd == nil && t.pipe == nil {
		r.end(ctx, t)
	}
	if t.ended {
		delete(r.tails, t)
	}
	r.enqueue(t)
}

// replaced is called when another file lies at a tail's path. It goes on where the tail stopped if it begins with what
// was read, as a file that was copied, added to and put back does.
func (r *Reader) replaced(ctx context.Context, t *tail, root *root, display string, info fs.FileInfo, named bool) {
	path := t.path
	if r.relocate(ctx, t) {
		r.last[display] = nil
		r.add(ctx, root, display, path, info, named)
		return
	}
	r.byPath[path] = t
	for r.advance(ctx, t) == again {
	}
	if t.queued || t.ended && t.pack == unpacked && r.cfg.Follow || !r.goesOn(t) {
		old := t.file
		r.leave(ctx, t)
		r.last[display] = nil
		n := r.add(ctx, root, display, path, info, named)
		r.tell(ctx, Notice{What: Rewritten, File: n.file, Of: old})
		return
	}
	delete(r.byID, t.id)
	t.close()
	t.id, t.size, t.mtime, t.round, t.gone = identityOf(info), info.Size(), info.ModTime(), r.round, time.Time{}
	r.byID[t.id] = t
	r.tell(ctx, Notice{What: Rewritten, File: t.file, Of: t.file})
	r.enqueue(t)
}

// goesOn says whether the file at the tail's path begins with all that was read of the tail.
func (r *Reader) goesOn(t *tail) bool {
	if t.off == 0 || t.pack != unpacked || t.document {
		return false
	}
	f, err := os.Open(t.path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && info.Size() >= t.off && t.print.begins(f, info.Size()) && t.print.marks(f, t.off)
}

// vanished is called when nothing lies at a path any more.
func (r *Reader) vanished(ctx context.Context, path string) {
	if t := r.byPath[path]; t != nil {
		if t.gone.IsZero() {
			t.gone = r.cfg.Now()
			r.gone = append(r.gone, t)
			r.seek = append(r.seek, t)
			r.enqueue(t)
		}
		return
	}
	prefix := path + string(os.PathSeparator)
	for p := range r.byPath { // a directory, perhaps
		if strings.HasPrefix(p, prefix) {
			if _, err := os.Lstat(p); err != nil {
				r.vanished(ctx, p)
			}
		}
	}
	r.watch.forget(path)
}

// giveUp ends what has been missing for longer than grace.
func (r *Reader) giveUp(ctx context.Context) {
	left := r.gone[:0]
	for _, t := range r.gone {
		switch {
		case t.gone.IsZero(): // it turned up
		case r.cfg.Now().Sub(t.gone) < grace:
			left = append(left, t)
		default:
			if at := r.last[t.file.Path]; at != nil && at.file == t.file {
				at.removed = true
			}
			r.leave(ctx, t)
			r.tell(ctx, Notice{What: Removed, File: t.file})
		}
	}
	r.gone = left
}
