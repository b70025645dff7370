package storetest

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
)

// Count is how often a test under fire does what it does: full when $DRAINBOARD_FIRE is set, else few.
func Count(few, full int) int {
	if os.Getenv("DRAINBOARD_FIRE") != "" {
		return full
	}
	return few
}

// volley is what came of many callers who asked for one key at one moment.
type volley struct{ sent, replayed, refused int32 }

// fire has n goroutines ask for one key at a moment, and counts the answers.
func fire(e *ledger.Envelope, key string, n int, at time.Time) (v volley, err error) {
	c := call(key, table.Keyed)
	c.Run = key // a counter of its own: rounds do not wait for each other there
	var sent, replayed, refused atomic.Int32
	var wrong atomic.Pointer[error]
	together(n, func(int) {
		time.Sleep(time.Until(at))
		a, err := e.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
			sent.Add(1)
			return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
		})
		switch {
		case err != nil:
			wrong.Store(&err)
		case a.Ticket.Decision == ledger.Replay && a.Ticket.Row.Response == "1":
			replayed.Add(1)
		case a.Ticket.Decision == ledger.Refuse && a.Ticket.Reason == ledger.RefusedInFlight:
			refused.Add(1)
		case a.Ticket.Decision != ledger.Send || a.Settled.Late:
			err := fmt.Errorf("an answer that none may get: %s, late %v", says(a.Ticket), a.Settled.Late)
			wrong.Store(&err)
		}
	})
	if p := wrong.Load(); p != nil {
		err = *p
	}
	return volley{sent.Load(), replayed.Load(), refused.Load()}, err
}

// OneKey has 64 goroutines of this process ask for one key at one moment, round after round: one of them sends, the
// others are answered from the store or refused.
func OneKey(t *testing.T, s ledger.Store) {
	const callers = 64
	rounds := Count(20, 1000)
	e := envelopeOf(s)
	var all volley
	for round := range rounds {
		v, err := fire(e, fmt.Sprint("key ", round), callers, time.Now())
		if err != nil || v.sent != 1 || v.sent+v.replayed+v.refused != callers {
			t.Fatalf("round %d: %+v %v, want one send of %d answers", round, v, err, callers)
		}
		all.add(v)
	}
	t.Logf("%d rounds of %d goroutines: %d sent, %d replayed, %d refused", rounds, callers, all.sent, all.replayed, all.refused)
}

func (v *volley) add(w volley) {
	v.sent, v.replayed, v.refused = v.sent+w.sent, v.replayed+w.replayed, v.refused+w.refused
}

func envelopeOf(s ledger.Store) *ledger.Envelope {
	return &ledger.Envelope{
		Store: s, Now: time.Now, Random: rand.Reader, Actor: "me@host",
		Owner: ledger.Owner{Host: "h", BootID: "b", PID: os.Getpid(), PIDStart: 1},
	}
}

// peerCallers is how many goroutines of each process take part.
const peerCallers = 8

// Peer is one process of OneKeyOfProcesses: what is written to it, and read from it.
type Peer struct {
	In  io.WriteCloser
	Out *bufio.Reader
}

// ServePeer is the side of the process: it takes part in rounds until in ends.
func ServePeer(s ledger.Store, in io.Reader, out io.Writer) error {
	e := envelopeOf(s)
	for {
		var round int
		var at int64
		if _, err := fmt.Fscanln(in, &round, &at); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		v, err := fire(e, fmt.Sprint("key ", round), peerCallers, time.Unix(0, at))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, v.sent, v.replayed, v.refused); err != nil {
			return err
		}
	}
}

// OneKeyOfProcesses has the goroutines of many processes ask for one key at one moment, round after round.
func OneKeyOfProcesses(t *testing.T, peers []Peer) {
	rounds := Count(20, 1000)
	var all volley
	for round := range rounds {
		at := time.Now().Add(time.Millisecond).UnixNano()
		for _, p := range peers {
			if _, err := fmt.Fprintln(p.In, round, at); err != nil {
				t.Fatal(err)
			}
		}
		var sum volley
		for i, p := range peers {
			var v volley
			if _, err := fmt.Fscanln(p.Out, &v.sent, &v.replayed, &v.refused); err != nil {
				t.Fatalf("round %d: process %d ended: %v", round, i, err)
			}
			sum.add(v)
		}
		if sum.sent != 1 || int(sum.sent+sum.replayed+sum.refused) != len(peers)*peerCallers {
			t.Fatalf("round %d: %+v, want one send of %d answers", round, sum, len(peers)*peerCallers)
		}
		all.add(sum)
	}
	t.Logf("%d rounds of %d processes with %d goroutines each: %d sent, %d replayed, %d refused",
		rounds, len(peers), peerCallers, all.sent, all.replayed, all.refused)
}
