package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"drainboard/trace"
	"drainboard/trace/agentdb"
)

// spools are the private files into which agents' databases are read, so that they are followed like any trace.
type spools struct {
	list []*agentdb.Spool
	stop context.CancelFunc
	done sync.WaitGroup
}

// lookEvery is how often an agent's database is looked at; one that did not change costs a pragma.
const lookEvery = 500 * time.Millisecond

// openStores puts a private file in the place of every source that is an agent's database.
func openStores(ctx context.Context, sources []trace.Source, follow bool) (_ *spools, err error) {
	s := &spools{stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for i := range sources {
		at := &sources[i]
		if at.Path == trace.Stdin || !agentdb.Is(at.Path) {
			continue
		}
		spool, err := agentdb.NewSpool(ctx, at.Path, "")
		if errors.Is(err, agentdb.ErrUnknown) {
			continue // read, and told of, as a file that is no trace
		}
		if err != nil {
			return s, fmt.Errorf("read the sessions of %s: %w", at.Path, err)
		}
		s.list = append(s.list, spool)
		at.As, at.Path = at.Path, spool.Path()
	}
	if !follow || len(s.list) == 0 {
		return s, nil
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			for _, spool := range s.list {
				_, _ = spool.Look(ctx) // a database that is busy now is looked at again
			}
		}
	}()
	return s, nil
}

// close ends looking and removes the files. It may be called on nil.
func (s *spools) close() error {
	if s == nil {
		return nil
	}
	s.stop()
	s.done.Wait()
	var err error
	for _, spool := range s.list {
		err = errors.Join(err, spool.Close())
	}
	s.list = nil
	return err
}
