package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drainboard/ledger/storetest"
)

// TestKilledAtAnyInstant kills exec -9 at random instants, each time on a key of its own, on both stores. Then it asks
// every key again: none is sent twice, no response that was committed is lost, and what was interrupted after its claim is in
// flight, refused, and shown as in doubt.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killed(t, filepath.Join(t.TempDir(), "l.sqlite")) })
	t.Run("postgres", func(t *testing.T) { killed(t, database(t)) })
}

// effect is the tool: its effect is a line in a file, in one write; it answers with its key.
const effect = `sleep 0.01; echo "$DRAINBOARD_IDEMPOTENCY_KEY" >> effects; sleep 0.02; echo "\"done $DRAINBOARD_IDEMPOTENCY_KEY\""`

// killer is one loop of exec on distinct keys.
type killer struct {
	dir, program, url string
}

// start begins exec of the n-th key. When end returns, neither it nor anything it started is left.
func (k *killer) start(n int) (cmd *exec.Cmd, out *bytes.Buffer, end func() error, err error) {
	cmd = exec.Command(k.program, "exec", "--run", "r", "--tool", "open_pr", "--args", fmt.Sprintf(`{"n": %d}`, n), "--", "sh", "-c", effect)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "DRAINBOARD_LEDGER="+k.url, "GOMAXPROCS=2")
	out = &bytes.Buffer{}
	cmd.Stdout = out
	// The child inherits standard input: its other end closes when the last of them has gone.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	held, hold, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, errors.Join(err, r.Close(), w.Close())
	}
	cmd.Stdin = hold
	cmd.Stderr = w
	var said bytes.Buffer
	read := make(chan struct{})
	go func() { defer close(read); _, _ = io.Copy(&said, r) }()
	err = cmd.Start()
	err = errors.Join(err, w.Close(), hold.Close())
	return cmd, out, func() error {
		err := cmd.Wait()
		_, _ = io.Copy(io.Discard, held)
		<-read
		_, _ = r.Close(), held.Close()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said.String())
		}
		return err
	}, err
}

func killed(t *testing.T, url string) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{t.TempDir(), path, url}
	table := "budget: {calls_per_run: 100000}\ntools:\n  open_pr: {class: keyed}\n"
	for name, text := range map[string]string{"tools.yaml": table, "effects": "", "run.jsonl": ""} {
		if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := k.takes(t)
	kills := storetest.Count(20, 500)
	survived := k.kill(t, kills, whole)
	rows, doubts := k.rows(t)
	sent := k.effects(t)
	var absent, flying, done int
	keys := make([]string, kills)
	for n := range kills {
		keys[n] = k.again(t, n, rows, survived[n])
		switch r, ok := rows[keys[n]]; {
		case !ok:
			absent++
			if sent[keys[n]] > 0 {
				t.Errorf("key %d was sent and has no row", n)
			}
		case r.State == "committed":
			done++
			if sent[keys[n]] != 1 {
				t.Errorf("key %d is committed and was sent %d times", n, sent[keys[n]])
			}
		case r.State == "inflight":
			flying++
			if !r.Doubt || !doubts[keys[n]] {
				t.Errorf("key %d was interrupted and is not shown as in doubt: %+v", n, r)
			}
		default:
			t.Errorf("key %d is %s", n, r.State)
		}
	}
	for key, times := range k.effects(t) {
		if times > 1 {
			t.Errorf("key %s was sent %d times", key, times)
		}
	}
	if kills >= 500 && (absent == 0 || flying == 0 || done == 0) {
		t.Errorf("the kills did not reach every part: %d before the claim, %d in flight, %d after the commit", absent, flying, done)
	}
	t.Logf("%d killed within %s: %d before their claim, %d in flight, %d committed; none was sent twice", kills, whole, absent, flying, done)
}

// takes is how long one call takes here, at least.
func (k *killer) takes(t *testing.T) time.Duration {
	least := time.Hour
	for i := range 5 {
		start := time.Now()
		_, _, end, err := k.start(-1 - i)
		if err == nil {
			err = end()
		}
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, time.Since(start))
	}
	return 2 * least
}

// kill starts each key once and kills it, two at a time; it says which had ended before.
func (k *killer) kill(t *testing.T, kills int, whole time.Duration) []bool {
	survived := make([]bool, kills)
	r := rand.New(rand.NewPCG(1, 2))
	next := make(chan int)
	delays := make([]time.Duration, kills)
	for i := range delays {
		delays[i] = time.Duration(r.Int64N(int64(whole)))
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for n := range next {
				cmd, _, end, err := k.start(n)
				if err != nil {
					t.Error(err)
					continue
				}
				timer := time.AfterFunc(delays[n], func() { _ = cmd.Process.Kill() })
				survived[n] = end() == nil
				timer.Stop()
			}
		})
	}
	for n := range kills {
		next <- n
	}
	close(next)
	wg.Wait()
	return survived
}

type killedRow struct {
	Key, State string
	Doubt      bool `json:"in_doubt"`
}

// rows reads the ledger as an operator does: all rows, and the keys that the verdict shows in flight with a worker that is gone.
func (k *killer) rows(t *testing.T) (rows map[string]killedRow, doubts map[string]bool) {
	t.Helper()
	var ls struct{ Rows []killedRow }
	var check struct {
		Verdict  string
		InFlight []struct{ Key, Owner string }
	}
	for _, q := range []struct {
		args []string
		into any
	}{{[]string{"ledger", "ls", "--json"}, &ls}, {[]string{"check", "--json", "run.jsonl"}, &check}} {
		cmd := exec.CommandContext(context.Background(), k.program, q.args...)
		cmd.Dir, cmd.Env = k.dir, append(os.Environ(), "DRAINBOARD_LEDGER="+k.url)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, q.into); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	rows, doubts = map[string]killedRow{}, map[string]bool{}
	for _, r := range ls.Rows {
		rows[r.Key] = r
	}
	for _, f := range check.InFlight {
		doubts[f.Key] = strings.HasSuffix(f.Owner, " (gone)")
	}
	return rows, doubts
}

func (k *killer) effects(t *testing.T) map[string]int {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(k.dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for key := range strings.Lines(string(src)) {
		sent[strings.TrimSpace(key)]++
	}
	return sent
}

// again asks for a key once more and returns it: a committed one answers with what was stored, one in flight is refused,
// any other is sent now.
func (k *killer) again(t *testing.T, n int, rows map[string]killedRow, survived bool) string {
	t.Helper()
	_, out, end, err := k.start(n)
	if err != nil {
		t.Fatal(err)
	}
	err = end()
	var exit *exec.ExitError
	switch {
	case err == nil:
		key, ok := strings.CutPrefix(strings.Trim(out.String(), "\"\n"), "done ")
		if !ok {
			t.Fatalf("key %d answered %q", n, out)
		}
		if _, there := rows[key]; !there && survived {
			t.Errorf("key %d had ended well, and its response is lost", n)
		}
		return key
	case errors.As(err, &exit) && exit.ExitCode() == 125 && strings.Contains(err.Error(), "in flight"):
		if survived {
			t.Errorf("key %d had ended well, and is in flight", n)
		}
		short := strings.Fields(err.Error()[strings.Index(err.Error(), "open_pr"):])[1]
		for key := range rows {
			if strings.HasPrefix(key, short) {
				return key
			}
		}
	}
	t.Fatalf("key %d: %v", n, err)
	return ""
}
