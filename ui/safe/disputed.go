package safe

import "unicode"

// disputed are characters that terminals in use (measured: tmux 3.3a on the C library of Debian 12) and
// package ansi give different widths: those whose width Unicode changed, and those that came with Unicode
// 15 and later, which older tables do not know.
var disputed = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2630, Hi: 0x2637, Stride: 1}, // trigrams
		{Lo: 0x268A, Hi: 0x268F, Stride: 1}, // monograms, digrams
		{Lo: 0x3248, Hi: 0x324F, Stride: 1}, // circled numbers on black squares
	},
	R32: []unicode.Range32{
		{Lo: 0x1123F, Hi: 0x11241, Stride: 1},
		{Lo: 0x11B00, Hi: 0x11B09, Stride: 1},
		{Lo: 0x11F00, Hi: 0x11F59, Stride: 1}, // Kawi
		{Lo: 0x1342F, Hi: 0x1342F, Stride: 1},
		{Lo: 0x13440, Hi: 0x13455, Stride: 1},
		{Lo: 0x1B132, Hi: 0x1B155, Stride: 1},
		{Lo: 0x1D2C0, Hi: 0x1D2D3, Stride: 1},
		{Lo: 0x1D300, Hi: 0x1D376, Stride: 1}, // Tai Xuan Jing, counting rods
		{Lo: 0x1DF25, Hi: 0x1DF2A, Stride: 1},
		{Lo: 0x1E030, Hi: 0x1E08F, Stride: 1},
		{Lo: 0x1E4D0, Hi: 0x1E4F9, Stride: 1},
		{Lo: 0x1F6DC, Hi: 0x1F6DC, Stride: 1},
		{Lo: 0x1F774, Hi: 0x1F77F, Stride: 1},
		{Lo: 0x1F7D9, Hi: 0x1F7D9, Stride: 1},
		{Lo: 0x1FA75, Hi: 0x1FA77, Stride: 1},
		{Lo: 0x1FA87, Hi: 0x1FA88, Stride: 1},
		{Lo: 0x1FAAD, Hi: 0x1FAAF, Stride: 1},
		{Lo: 0x1FABB, Hi: 0x1FABF, Stride: 1},
		{Lo: 0x1FACE, Hi: 0x1FACF, Stride: 1},
		{Lo: 0x1FADA, Hi: 0x1FADB, Stride: 1},
		{Lo: 0x1FAE8, Hi: 0x1FAE8, Stride: 1},
		{Lo: 0x1FAF7, Hi: 0x1FAF8, Stride: 1},
		{Lo: 0x2B739, Hi: 0x2B739, Stride: 1},
		{Lo: 0x31350, Hi: 0x323AF, Stride: 1}, // Han, extension H
	},
}
