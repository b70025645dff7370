package leftovers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"drainboard/ledger/run"
	"drainboard/trace"
)

// Repository is where Git looks.
type Repository struct {
	Dir     string
	Since   time.Time       // commits and branches whose committer date is before it are left out; zero: none are
	Environ []string        // of this process; git gets PATH and HOME of it
	Stored  map[string]bool // hashes and branches that the ledger stored, from Traces
	Limit   time.Duration   // of each git; 0: two minutes
	Commits int             // at most, the newest; 0: 100,000
}

// commit is one commit.
type commit struct {
	hash, tree, subject, source string
	at                          int64 // committer date, nanoseconds
	onHead                      bool
	patch                       string // stable patch id, "" for an empty one or a merge
}

// branch is one branch, local or remote.
type branch struct {
	ref, short, commit, tree string
	remote                   string // "" for a local one
	at                       int64
	head                     bool
}

const (
	mostCommits = 100_000
	mostText    = 256 << 20 // bytes of one answer of git
)

// bounded takes one answer of git, up to mostText.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > mostText {
		return 0, fmt.Errorf("expected an answer of at most %d bytes, found a longer one; give a later --since", mostText)
	}
	return b.Buffer.Write(p)
}

// Git hunts in a repository for commits with one patch or one subject, and for branches with one tree. It changes nothing, and runs nothing that the
// repository's own configuration names: no pager, hook, filter, external diff, signature check or remote.
func Git(ctx context.Context, r Repository) (Found, error) {
	commits, err := r.commits(ctx)
	if err != nil {
		return Found{}, err
	}
	branches, err := r.branches(ctx)
	if err != nil {
		return Found{}, err
	}
	f := Found{Looked: len(commits) + len(branches)}
	inPatch := map[string]string{} // commit -> its patch, where another one has it too
	for _, list := range together(commits, func(c *commit) string { return c.patch }) {
		for _, c := range list {
			inPatch[c.hash] = c.patch
		}
		f.Groups = append(f.Groups, r.commitGroup(ByPatch, list))
	}
	for _, list := range together(commits, func(c *commit) string { return c.subject }) {
		if patch := inPatch[list[0].hash]; patch != "" && !slices.ContainsFunc(list, func(c *commit) bool { return inPatch[c.hash] != patch }) {
			continue // one patch: told already
		}
		f.Groups = append(f.Groups, r.commitGroup(BySubject, list))
	}
	for _, list := range together(branches, func(b *branch) string { return b.tree }) {
		if list[0].sameCommit(list) && slices.ContainsFunc(list, func(b *branch) bool { return b.head }) {
			continue // merged, or not begun yet
		}
		f.Groups = append(f.Groups, r.branchGroup(list))
	}
	sortGroups(f.Groups)
	return f, nil
}

// together lists those that share a text, in the order of their first; a text that is empty or stands alone makes no group.
func together[T any](all []T, by func(*T) string) [][]*T {
	at := map[string]int{}
	var lists [][]*T
	for i := range all {
		key := by(&all[i])
		if key == "" {
			continue
		}
		n, ok := at[key]
		if !ok {
			n = len(lists)
			at[key] = n
			lists = append(lists, nil)
		}
		lists[n] = append(lists[n], &all[i])
	}
	return slices.DeleteFunc(lists, func(l []*T) bool { return len(l) < 2 })
}

func (r *Repository) commitGroup(basis Basis, list []*commit) Group {
	value := list[0].subject
	if basis == ByPatch {
		value = list[0].patch
	}
	g := Group{Where: "git", Basis: basis, Guess: basis == BySubject, Kind: "commit", Fields: []Field{{string(basis), show(value)}}, Hash: digest(string(basis), value)}
	for _, c := range list {
		g.Objects = append(g.Objects, Object{
			Name: c.hash, Tool: "git", Run: c.subject, File: r.Dir, Time: stamp(c.at), Sure: true, Stored: r.stored(c.hash), Calls: 1, Command: []string{}, at: c.at,
		})
	}
	kept := slices.IndexFunc(g.Objects, func(o Object) bool { return o.Stored })
	if kept < 0 {
		kept = max(0, slices.IndexFunc(list, func(c *commit) bool { return c.onHead }))
	}
	for i, c := range list {
		o := &g.Objects[i]
		switch {
		case i == kept && o.Stored:
			o.Action, o.Why = Keep, "the ledger stored it"
		case i == kept:
			o.Action, o.Why = Keep, "the ledger stored none; it was the first"
		case basis == BySubject:
			o.Action, o.Why = Look, "the same subject, another patch: git show "+c.hash[:12]
		case c.onHead:
			o.Action, o.Why, o.Command = Revert, "the same patch again, on this branch", []string{"git", "-C", r.Dir, "revert", "--no-edit", c.hash}
		default:
			o.Action, o.Why = ByHand, "the same patch again, reached from "+c.source+": leave it out when that lands"
		}
	}
	return g
}

func (r *Repository) branchGroup(list []*branch) Group {
	one := list[0].sameCommit(list)
	g := Group{Where: "git", Basis: ByTree, Guess: one, Kind: "branch", Fields: []Field{{"tree", list[0].tree}}, Hash: digest("tree", list[0].tree)}
	kept, by := 0, "the ledger stored none; it is the oldest"
	for _, b := range list {
		o := Object{
			Name: b.short, Tool: "git", Run: b.commit, File: r.Dir, Time: stamp(b.at), Sure: true, Stored: r.Stored[b.short], Calls: 1, Command: []string{}, at: b.at,
		}
		g.Objects = append(g.Objects, o)
	}
	if at := slices.IndexFunc(g.Objects, func(o Object) bool { return o.Stored }); at >= 0 {
		kept, by = at, "the ledger stored it"
	} else if at := slices.IndexFunc(list, func(b *branch) bool { return b.head }); at >= 0 {
		kept, by = at, "it is checked out"
	}
	for i, b := range list {
		o := &g.Objects[i]
		switch {
		case i == kept:
			o.Action, o.Why = Keep, by
		case b.head:
			o.Action, o.Why = ByHand, "it is checked out: it has the tree of "+list[kept].short
		case one:
			o.Action, o.Why = Look, "at the same commit as "+list[kept].short+": a twin, or not begun yet"
		default:
			o.Action, o.Why, o.Command = Delete, "the same tree as "+list[kept].short, b.remove(r.Dir)
		}
	}
	return g
}

func (b *branch) sameCommit(list []*branch) bool {
	return !slices.ContainsFunc(list, func(o *branch) bool { return o.commit != b.commit })
}

func (b *branch) remove(dir string) []string {
	if b.remote != "" {
		return []string{"git", "-C", dir, "push", b.remote, "--delete", "refs/heads/" + strings.TrimPrefix(b.short, b.remote+"/")}
	}
	return []string{"git", "-C", dir, "branch", "-D", "--", b.short}
}

// stored says whether the ledger stored a commit under its hash, or the beginning of it.
func (r *Repository) stored(hash string) bool {
	for n := range len(hash) - 6 {
		if r.Stored[hash[:n+7]] {
			return true
		}
	}
	return false
}

// commits lists the commits of all branches and tags, merges left out, the oldest first, with their patch ids.
func (r *Repository) commits(ctx context.Context) ([]commit, error) {
	most := cmp.Or(r.Commits, mostCommits)
	pick := []string{"log", "--exclude=refs/stash", "--exclude=refs/notes/*", "--all", "HEAD", "--no-merges", "--no-show-signature", "--no-mailmap", "-z", "--max-count=" + strconv.Itoa(most)}
	if !r.Since.IsZero() {
		pick = append(pick, "--since="+r.Since.UTC().Format(time.RFC3339))
	}
	if _, err := r.git(ctx, nil, nil, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	if _, err := r.git(ctx, nil, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		pick = slices.DeleteFunc(pick, func(s string) bool { return s == "HEAD" }) // nothing is committed there yet
	}
	var text bounded
	if _, err := r.git(ctx, nil, &text, append(pick, "--source", "--format=%H%x01%T%x01%ct%x01%S%x01%s")...); err != nil {
		return nil, err
	}
	var out []commit
	for line := range strings.SplitSeq(text.String(), "\x00") {
		f := strings.SplitN(strings.TrimPrefix(line, "\n"), "\x01", 5)
		if len(f) != 5 {
			continue
		}
		out = append(out, commit{hash: f[0], tree: f[1], at: seconds(f[2]), source: f[3], subject: strings.TrimSpace(f[4])})
	}
	slices.SortStableFunc(out, func(a, b commit) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.hash, b.hash)) })
	if err := r.patches(ctx, pick, out); err != nil {
		return nil, err
	}
	return out, r.onHead(ctx, pick, out)
}

// patches finds the patch ids of commits: git log writes the patches into git patch-id, and nothing of them is kept.
func (r *Repository) patches(ctx context.Context, pick []string, commits []commit) error {
	if len(commits) == 0 {
		return nil
	}
	pick = slices.DeleteFunc(slices.Clone(pick), func(s string) bool { return s == "-z" })
	in, out := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		_, err := r.git(ctx, nil, out, append(pick, "--patch", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index", "--submodule=short", "--format=commit %H")...)
		wrote <- errors.Join(err, out.CloseWithError(err))
	}()
	var ids bounded
	_, err := r.git(ctx, in, &ids, "patch-id", "--stable")
	if err = errors.Join(err, in.Close(), <-wrote); err != nil {
		return err
	}
	patch := map[string]string{}
	for line := range strings.Lines(ids.String()) {
		if id, hash, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			patch[hash] = id
		}
	}
	for i := range commits {
		commits[i].patch = patch[commits[i].hash]
	}
	return nil
}

// onHead marks the commits that the branch that is checked out holds.
func (r *Repository) onHead(ctx context.Context, pick []string, commits []commit) error {
	if !slices.Contains(pick, "HEAD") {
		return nil
	}
	var text bounded
	args := []string{"rev-list", "HEAD", "--max-count=" + strconv.Itoa(cmp.Or(r.Commits, mostCommits))}
	if !r.Since.IsZero() {
		args = append(args, "--since="+r.Since.UTC().Format(time.RFC3339))
	}
	if _, err := r.git(ctx, nil, &text, args...); err != nil {
		return err
	}
	on := map[string]bool{}
	for line := range strings.Lines(text.String()) {
		on[strings.TrimSpace(line)] = true
	}
	for i := range commits {
		commits[i].onHead = on[commits[i].hash]
	}
	return nil
}

// branches lists the branches, the oldest first. A remote branch that a local one of the same name agrees with is that branch.
func (r *Repository) branches(ctx context.Context) ([]branch, error) {
	var text bounded
	_, err := r.git(ctx, nil, &text, "for-each-ref", "--format=%(refname)%01%(objectname)%01%(tree)%01%(committerdate:unix)%01%(HEAD)%01%(symref)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	var out []branch
	local := map[string]string{} // name -> commit
	for line := range strings.Lines(text.String()) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x01")
		if len(f) != 6 || f[5] != "" || f[2] == "" {
			continue
		}
		b := branch{ref: f[0], commit: f[1], tree: f[2], at: seconds(f[3]), head: f[4] == "*"}
		if !r.Since.IsZero() && b.at < r.Since.UnixNano() {
			continue
		}
		if name, ok := strings.CutPrefix(b.ref, "refs/heads/"); ok {
			b.short, local[name] = name, b.commit
		} else {
			b.short = strings.TrimPrefix(b.ref, "refs/remotes/")
			b.remote, _, _ = strings.Cut(b.short, "/")
		}
		out = append(out, b)
	}
	out = slices.DeleteFunc(out, func(b branch) bool {
		_, name, _ := strings.Cut(b.short, "/")
		return b.remote != "" && local[name] == b.commit
	})
	slices.SortStableFunc(out, func(a, b branch) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.ref, b.ref)) })
	return out, nil
}

func seconds(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > 9e9 || n < -9e9 {
		return trace.NoTime
	}
	return n * 1e9
}

// git runs git on the repository. Its output goes to out and is not kept.
func (r *Repository) git(ctx context.Context, in io.Reader, out io.Writer, args ...string) (run.Result, error) {
	argv := []string{
		"git", "--no-pager", "--no-replace-objects", "-C", r.Dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
		"-c", "core.attributesFile=/dev/null", "-c", "protocol.allow=never", "-c", "core.quotePath=true",
	}
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
	}
	for _, e := range r.Environ {
		if name, _, _ := strings.Cut(e, "="); name == "PATH" || name == "HOME" {
			env = append(env, e)
		}
	}
	res, err := run.Run(ctx, run.Command{Argv: append(argv, args...), Env: env, Stdin: in, Stdout: out, Keep: 4 << 10, Limit: cmp.Or(r.Limit, 2*time.Minute)})
	what := "git " + args[0]
	switch {
	case err != nil:
		return res, fmt.Errorf("%s in %s: %w", what, r.Dir, err)
	case res.TimedOut:
		return res, fmt.Errorf("%s in %s: not done within its limit; give a later --since", what, r.Dir)
	case res.Stopped:
		return res, ctx.Err()
	case res.Stream != nil:
		return res, fmt.Errorf("%s in %s: %w", what, r.Dir, res.Stream)
	case res.Exit != 0:
		return res, fmt.Errorf("%s in %s: exit code %d: %s", what, r.Dir, res.Exit, strings.TrimSpace(string(res.Stderr.Head)))
	}
	return res, nil
}
