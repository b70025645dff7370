//go:build !amd64

package pyjson

func scanText(*byte, int) (at int, seen uint8) { return 0, 0 }

func unescapeText(_, _ *byte, _ int) (read, written int) { return 0, 0 }

func quoteText(_, _ *byte, _, _ int) (read, written int) { return 0, 0 }

func vectors() bool { return false }
