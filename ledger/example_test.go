package ledger_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/sqlite"
)

// openPR is a function with a side effect.
func openPR(key string) string {
	fmt.Println("sent under", key)
	return `{"pr": 41}`
}

// Ten lines put the envelope round a function: it is called once, whoever asks and however often.
func ExampleEnvelope_Execute() {
	store, err := sqlite.Memory() // or OpenStore, of package sqlite or postgres
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	env := ledger.Envelope{Store: store, Now: time.Now, Random: rand.Reader, Actor: "worker@host"}
	call := ledger.Call{Key: "the key of an intent", Run: "run-22", Tool: "open_pr", Request: `{"head": "feat/keys"}`, Class: table.Keyed}
	send := func(_ context.Context, key string) ledger.Reply {
		return ledger.Reply{Outcome: ledger.Done, Response: openPR(key), HasResponse: true}
	}
	for range 2 {
		a, err := env.Execute(context.Background(), call, send)
		fmt.Println(a.Ticket.Decision, a.Ticket.Row.Response, a.Settled.Row.Response, err)
	}
	// Output:
	// sent under the key of an intent
	// send  {"pr": 41} <nil>
	// replay {"pr": 41}  <nil>
}
