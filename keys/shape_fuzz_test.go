package keys

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// blanker writes arguments with their volatile leaves blanked by walking through them: what Shape does out of the text that it has.
type blanker struct {
	dst    []byte
	leaves []Leaf
	time   int64
	a      *Args
}

func (b *blanker) value(v pyjson.Value, pointer string, name []byte) {
	switch {
	case v.IsLeaf():
		b.leaf(v, pointer, name)
	case v.Kind() == pyjson.Object:
		b.dst = append(b.dst, '{')
		for i, m := range b.a.members(v) {
			if i > 0 {
				b.dst = append(b.dst, ", "...)
			}
			b.dst = append(pyjson.AppendQuote(b.dst, m.text), ": "...)
			b.value(m.value, pointer+string(appendName(nil, m.text)), m.text)
		}
		b.dst = append(b.dst, '}')
	default:
		b.dst = append(b.dst, '[')
		for i, e := range b.a.elements(v) {
			if i > 0 {
				b.dst = append(b.dst, ", "...)
			}
			b.value(e.value, pointer+string(appendPosition(nil, e.position)), name)
		}
		b.dst = append(b.dst, ']')
	}
}

func (b *blanker) leaf(v pyjson.Value, pointer string, name []byte) {
	var w writer
	whole, _ := w.write(nil, &defaultForm, v, b.a.removed)
	s := shape{time: b.time}
	blanked, looks, ok := s.blank(nil, v, name)
	if !ok {
		b.dst = append(b.dst, whole...)
		return
	}
	b.dst = append(b.dst, blanked...)
	if looks != "" {
		h := sum(0, whole)
		b.leaves = append(b.leaves, Leaf{pointer, looks, binary.LittleEndian.Uint64(h[:])})
	}
}

// FuzzShape holds Shape against a walk through all arguments, with and without something left out.
func FuzzShape(f *testing.F) {
	for _, src := range []string{
		`{"b":[1.50,-0,1e400,NaN,{"x":[2,{"ts":3}],"y":1.0},4],"a":"\u00e9\ud83d\ude00","a":null}`, `{"at":1789000000,"n":1.0,"path":"/tmp/tmp8x2k1q/a","nonce":[],"r\u0065try":{}}`,
		`"{\"retry\":false,\"list\":[[1789000000.5,\"2026-09-10T00:26:40Z\"]],\"z\":{\"requestId\":\"x\"}}"`, `{"ts":{"deep":1,"now":2},"a":[{"ts":1},7]}`,
	} {
		f.Add([]byte(src), "/b/0")
		f.Add([]byte(src), "/a")
	}
	var a Args
	f.Fuzz(func(t *testing.T, src []byte, pointer string) {
		if a.Parse(src) != nil || a.depth() > 500 {
			return
		}
		if p, err := ParsePointer(pointer); err == nil {
			a.Ignore([]Pointer{p})
		}
		const call = 1789000000e9
		got, leaves, ok := a.Shape(call, true)
		if kind := a.Root().Kind(); ok != (kind == pyjson.Object || kind == pyjson.Missing) {
			t.Fatalf("%s has a shape: %v", src, ok)
		}
		if !ok || a.Root().Kind() == pyjson.Missing {
			return
		}
		b := blanker{dst: []byte(intentHead), time: call, a: &a}
		b.value(a.Root(), "", nil)
		if got != sum(' ', b.dst) || !slices.Equal(leaves, b.leaves) {
			t.Fatalf("%s\n%v\nthe reference\n%s\n%v", src, leaves, strings.ToValidUTF8(string(b.dst), "?"), b.leaves)
		}
	})
}
