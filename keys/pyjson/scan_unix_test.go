//go:build unix

package pyjson

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestStringBeforeNothing reads texts that end where memory ends: to look behind them is a fault.
func TestStringBeforeNothing(t *testing.T) {
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mem) }()
	if err := unix.Mprotect(mem[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for n := range 4 * block {
		s := mem[page-n : page : page]
		for i := range s {
			s[i] = 'n'
			if (n-i)%4 == 0 {
				s[i] = '\\'
			}
		}
		if got := len(AppendQuote(nil, s)); got != 2+n+n/4 {
			t.Fatalf("%d bytes of %d bytes of text, want %d", got, n, 2+n+n/4)
		}
		if got := len(appendUnescaped(nil, s)); got != n-n/4 {
			t.Fatalf("%d bytes of text in %d, want %d", got, n, n-n/4)
		}
	}
	for _, text := range []string{"text ", `\n\"`, "日本語é", `\u00e9 `} {
		for i := range page {
			mem[i] = text[i%len(text)]
		}
		for n := range 4 * block {
			s := mem[page-n : page : page]
			compareStr(t, s)
			if n > 0 {
				last := s[n-1]
				s[n-1] = '"'
				compareStr(t, s)
				s[n-1] = last
			}
		}
	}
}
