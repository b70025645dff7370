package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const oneCall = `{"type":"tool_call","run_id":"r","call":{"id":"1","name":"open_pr","arguments":{"n":1}}}` + "\n"

// TestBundles has small files handed out several at a time, within the bounds of a bundle, each block once and in order; a large file's blocks come alone.
func TestBundles(t *testing.T) {
	dir := t.TempDir()
	const files = 3 * bundleItems
	for i := range files {
		write(t, filepath.Join(dir, fmt.Sprintf("%03d.jsonl", i)), strings.Repeat(oneCall, 1+i%30))
	}
	write(t, filepath.Join(dir, "z.jsonl"), strings.Repeat(oneCall, 3*blockSize/len(oneCall)))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Open(ctx, Config{Sources: sources(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	g := newGather()
	var w Scratch
	most := 0
	for {
		items, err := r.NextFew(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks, bytes := 0, 0
		for _, it := range items {
			if it.Block != nil {
				blocks++
				bytes += len(it.Block.Data)
			}
		}
		last := items[len(items)-1]
		if last.Block != nil {
			bytes -= len(last.Block.Data)
		}
		if len(items) > bundleItems || bytes >= bundleBytes {
			t.Errorf("a bundle of %d items, %d bytes before the last", len(items), bytes)
		}
		most = max(most, blocks)
		for _, it := range items {
			g.take(t, it, &w)
		}
	}
	if len(g.files) != files+1 || most < 4 {
		t.Errorf("%d files of %d, at most %d at a time", len(g.files), files+1, most)
	}
}

// TestNextOfSeveral has one caller of Next wait for what does not come: another, whose context ends, does not wait with it.
func TestNextOfSeveral(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Open(ctx, Config{Sources: sources(t.TempDir()), Follow: true, NoWatch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for caughtUp := false; !caughtUp; {
		it, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		caughtUp = it.Notice != nil && it.Notice.What == CaughtUp
	}
	ended := make(chan error, 1)
	go func() {
		_, err := r.Next(ctx)
		ended <- err
	}()
	for len(r.turn) == 0 { // until it is at work
		time.Sleep(time.Millisecond)
	}
	short, end := context.WithCancel(ctx)
	end()
	if _, err := r.Next(short); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	select {
	case err := <-ended:
		t.Errorf("the one that waited has ended: %v", err)
	default:
	}
}

// BenchmarkSmallFiles reads 1,000 files of 10 KB, and a file of 10 MB.
func BenchmarkSmallFiles(b *testing.B) {
	for _, files := range []int{1000, 1} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			dir := b.TempDir()
			text := strings.Repeat(oneCall, 10_000_000/files/len(oneCall))
			for i := range files {
				write(b, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), text)
			}
			b.SetBytes(int64(files * len(text)))
			for b.Loop() {
				readAll(b, Config{Sources: sources(dir)})
			}
		})
	}
}
