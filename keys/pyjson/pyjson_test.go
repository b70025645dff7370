package pyjson

import (
	"errors"
	"testing"
)

func TestParseAcceptsWhatJSONLoadsDoes(t *testing.T) {
	for _, tc := range []struct {
		src        string
		end        int // -1: refused
		offset     int
		unfinished bool
	}{
		{src: ` {"a":[1,2.5,-0,-0.0,1e5,1E+05,1e-7]} x`, end: 37},
		{src: `[]`, end: 2},
		{src: `{}`, end: 2},
		{src: "[ ]\n", end: 3},
		{src: `{ }`, end: 3},
		{src: `[NaN,Infinity,-Infinity,null,true,false]`, end: 40},
		{src: `"\ud83d"`, end: 8},
		{src: "\"é\x7f\"", end: 5},
		{src: `{"a":1}{"b":2}`, end: 7},
		{src: `{"a":1,"a":2}`, end: 13},
		{src: "", end: -1, offset: 0, unfinished: true},
		{src: " \n", end: -1, offset: 2, unfinished: true},
		{src: `{"a":1`, end: -1, offset: 6, unfinished: true},
		{src: `{"a"`, end: -1, offset: 4, unfinished: true},
		{src: `{"a":`, end: -1, offset: 5, unfinished: true},
		{src: `{"a":1,`, end: -1, offset: 7, unfinished: true},
		{src: `"\u12`, end: -1, offset: 5, unfinished: true},
		{src: "\"\xe2\x82", end: -1, offset: 3, unfinished: true},
		{src: `tru`, end: -1, offset: 3, unfinished: true},
		{src: `-`, end: -1, offset: 1, unfinished: true},
		{src: `-Inf`, end: -1, offset: 4, unfinished: true},
		{src: `1.`, end: -1, offset: 2, unfinished: true},
		{src: `1e+`, end: -1, offset: 3, unfinished: true},
		{src: `{,}`, end: -1, offset: 1},
		{src: `[,]`, end: -1, offset: 1},
		{src: `[1,]`, end: -1, offset: 3},
		{src: `{"a":1,}`, end: -1, offset: 7},
		{src: `[1}`, end: -1, offset: 2},
		{src: `{"a":1]`, end: -1, offset: 6},
		{src: `{"a" 1}`, end: -1, offset: 5},
		{src: `[1 2]`, end: -1, offset: 3},
		{src: `]`, end: -1, offset: 0},
		{src: `01`, end: -1, offset: 1},
		{src: `1.x`, end: -1, offset: 2},
		{src: `1.2.3`, end: -1, offset: 3},
		{src: `1e5e`, end: -1, offset: 3},
		{src: `+1`, end: -1, offset: 0},
		{src: `-x`, end: -1, offset: 1},
		{src: `.5`, end: -1, offset: 0},
		{src: `'a'`, end: -1, offset: 0},
		{src: `"\x41"`, end: -1, offset: 2},
		{src: `"\u12G4"`, end: -1, offset: 5},
		{src: "\"a\nb\"", end: -1, offset: 2},
		{src: "\"a\x00b\"", end: -1, offset: 2},
		{src: "\"\xff\"", end: -1, offset: 1},
		{src: "\"\xed\xa0\xbd\"", end: -1, offset: 1},
		{src: "\"\xc0\x80\"", end: -1, offset: 1},
		{src: "\ufeff{}", end: -1, offset: 0},
		{src: "{\u00a0}", end: -1, offset: 1},
		{src: `nul1`, end: -1, offset: 3},
	} {
		var d Doc
		end, err := d.Parse([]byte(tc.src), 0)
		if tc.end >= 0 {
			if err != nil || end != tc.end {
				t.Errorf("Parse(%q) = %d, %v; want end %d", tc.src, end, err, tc.end)
			}
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%q) = %d, %v; want a SyntaxError", tc.src, end, err)
			continue
		}
		if syntax.Offset != tc.offset || syntax.Unfinished != tc.unfinished {
			t.Errorf("Parse(%q): %v, unfinished %v; want offset %d, unfinished %v", tc.src, err, syntax.Unfinished, tc.offset, tc.unfinished)
		}
		if d.Root().Kind() != Missing || d.Depth() != 0 {
			t.Errorf("Parse(%q) failed and left %v", tc.src, d.Root().Kind())
		}
	}
}
