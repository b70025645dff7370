#include "textflag.h"

// The registers of scanText that never change:
//	Y15 quotes, Y14 backslashes, Y13 0x1F, Y12 0x7F, Y11 0x0F
// of a block: Y0 and Y1 its halves, Y2 the second half of the one before.

#define HALF(x, quote, slash, odd) \
	VPCMPEQB x, Y15, quote; \
	VPCMPEQB x, Y14, slash; \
	VPMINUB  x, Y13, odd; \
	VPCMPEQB x, odd, odd; \
	VPCMPEQB x, Y12, Y10; \
	VPOR     Y10, odd, odd

// BITS sets to to the top bits of the bytes of two halves.
#define BITS(low, high, to, room) \
	VPMOVMSKB low, to; \
	VPMOVMSKB high, room; \
	SHLQ      $32, room; \
	ORQ       room, to

// ENCODED sets bad's bytes to zero where x, which follows prev, is UTF-8: three tables tell, of the first byte of a pair and the second, what can be
// wrong with it, and a byte must continue a character of three or four just where one or two before it have begun such. Y3, Y10 and bad are its room.
#define ENCODED(x, prev, bad) \
	VPERM2I128 $0x21, x, prev, Y10; \
	VPALIGNR   $15, Y10, x, bad; \
	VPSRLW     $4, bad, Y3; \
	VPAND      Y11, Y3, Y3; \
	VMOVDQU    firstHigh<>(SB), Y9; \
	VPSHUFB    Y3, Y9, Y3; \
	VPAND      Y11, bad, bad; \
	VMOVDQU    firstLow<>(SB), Y9; \
	VPSHUFB    bad, Y9, bad; \
	VPAND      Y3, bad, bad; \
	VPSRLW     $4, x, Y3; \
	VPAND      Y11, Y3, Y3; \
	VMOVDQU    secondHigh<>(SB), Y9; \
	VPSHUFB    Y3, Y9, Y3; \
	VPAND      Y3, bad, bad; \
	VPALIGNR   $14, Y10, x, Y3; \
	VPSUBUSB   of3<>(SB), Y3, Y3; \
	VPALIGNR   $13, Y10, x, Y10; \
	VPSUBUSB   of4<>(SB), Y10, Y10; \
	VPOR       Y3, Y10, Y3; \
	VPAND      tops<>(SB), Y3, Y3; \
	VPXOR      Y3, bad, bad

#define PAIR(name, low, high) \
	DATA name<>+0(SB)/8, low; \
	DATA name<>+8(SB)/8, high; \
	DATA name<>+16(SB)/8, low; \
	DATA name<>+24(SB)/8, high; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

// What can be wrong with two bytes, a bit each: 01 the second does not continue, 02 it does and must not, 04 20 40 the spelling is longer than need be,
// 08 40 beyond U+10FFFF, 10 a surrogate, 80 both continue (which is right behind the first of a character of three or four).
PAIR(firstHigh, $0x0202020202020202, $0x4915012180808080)
PAIR(firstLow, $0xCBCBCB8B8383A3E7, $0xCBCBDBCBCBCBCBCB)
PAIR(secondHigh, $0x0101010101010101, $0x01010101BABAAEE6)
PAIR(of3, $0x6060606060606060, $0x6060606060606060)
PAIR(of4, $0x7070707070707070, $0x7070707070707070)
PAIR(tops, $0x8080808080808080, $0x8080808080808080)

// Letters that may stand behind a backslash, but for u: those whose two halves have a bit in common.
PAIR(letterLow, $0x00040008000D0000, $0x0104000200000000)
PAIR(letterHigh, $0x0804020000010000, $0x0000000000000000)

// func scanText(s *byte, n int) (at int, seen uint8)
TEXT ·scanText(SB), NOSPLIT, $0-25
	MOVQ s+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI           // where it began
	XORQ R8, R8           // 1: the block's first byte is escaped
	XORQ R9, R9           // what was seen: escaped bytes
	XORQ R10, R10         // and those because of which it is not as Python spells it
	XORQ R11, R11         // not 0: a character may be unfinished
	MOVQ $0x22, AX
	VMOVD AX, X15
	VPBROADCASTB X15, Y15
	MOVQ $0x5C, AX
	VMOVD AX, X14
	VPBROADCASTB X14, Y14
	MOVQ $0x1F, AX
	VMOVD AX, X13
	VPBROADCASTB X13, Y13
	MOVQ $0x7F, AX
	VMOVD AX, X12
	VPBROADCASTB X12, Y12
	MOVQ $0x0F, AX
	VMOVD AX, X11
	VPBROADCASTB X11, Y11
	VPXOR Y1, Y1, Y1

next:
	VMOVDQA Y1, Y2
	CMPQ CX, $64
	JLT  stop
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	HALF(Y0, Y4, Y6, Y8)
	HALF(Y1, Y5, Y7, Y3)
	VPOR Y4, Y6, Y9
	VPOR Y5, Y7, Y10
	VPOR Y8, Y9, Y9
	VPOR Y3, Y10, Y10
	VPOR Y0, Y9, Y9
	VPOR Y1, Y10, Y10
	VPOR Y9, Y10, Y9
	VPMOVMSKB Y9, AX
	ORQ  R8, AX
	ORQ  R11, AX
	JNZ  some
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  next

some:
	BITS(Y8, Y3, R12, AX)  // R12: faults
	BITS(Y0, Y1, R13, AX)  // R13: bytes that are not ASCII
	MOVQ R13, AX
	ORQ  R11, AX
	JZ   ascii
	ENCODED(Y0, Y2, Y8)
	ENCODED(Y1, Y0, Y2)
	VPXOR Y9, Y9, Y9
	VPCMPEQB Y8, Y9, Y8
	VPCMPEQB Y2, Y9, Y2
	BITS(Y8, Y2, AX, BX)
	NOTQ AX
	ORQ  AX, R12
	MOVQ R13, R11
	SHRQ $61, R11

ascii:
	BITS(Y4, Y5, DX, AX)   // DX: quotes
	BITS(Y6, Y7, BX, AX)   // BX: backslashes
	MOVQ BX, AX
	ORQ  R8, AX
	JZ   plain

	// Which of the backslashes escape: those at an odd place of their run.
	MOVQ R8, AX
	NOTQ AX
	ANDQ BX, AX            // may escape
	ORQ  R8, BX
	LEAQ (AX)(AX*1), R8
	MOVQ $0xAAAAAAAAAAAAAAAA, R15
	ORQ  R15, R8
	SUBQ AX, R8
	XORQ R15, R8           // escapes, and what ends their runs
	MOVQ R8, AX
	XORQ BX, AX            // AX: escaped
	ANDQ BX, R8            // bit 0 is none of these when the block before escapes it, and then it does not matter
	SHRQ $63, R8

	// Of the escaped, those that are no letter of an escape are faults.
	VPSRLW $4, Y0, Y8
	VPAND  Y11, Y8, Y8
	VMOVDQU letterHigh<>(SB), Y9
	VPSHUFB Y8, Y9, Y8
	VMOVDQU letterLow<>(SB), Y10
	VPSHUFB Y0, Y10, Y3
	VPAND   Y3, Y8, Y8
	VPSRLW $4, Y1, Y3
	VPAND  Y11, Y3, Y3
	VPSHUFB Y3, Y9, Y3
	VPSHUFB Y1, Y10, Y4
	VPAND   Y4, Y3, Y3
	VPXOR   Y9, Y9, Y9
	VPCMPEQB Y8, Y9, Y8
	VPCMPEQB Y3, Y9, Y3
	BITS(Y8, Y3, R15, BX)
	ANDQ AX, R15
	ORQ  R15, R12

	// An escaped slash is not as Python spells it.
	MOVQ $0x2F, BX
	VMOVD BX, X8
	VPBROADCASTB X8, Y8
	VPCMPEQB Y0, Y8, Y3
	VPCMPEQB Y1, Y8, Y4
	BITS(Y3, Y4, R15, BX)
	ANDQ AX, R15
	ORQ  R15, R13

	MOVQ AX, BX            // BX: escaped
	NOTQ AX
	ANDQ AX, DX            // DX: quotes that close

plain:
	TESTQ DX, DX
	JNZ  quote
	TESTQ R12, R12
	JNZ  fault
	ORQ  BX, R9
	ORQ  R13, R10
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  next

quote:
	LEAQ -1(DX), AX
	XORQ DX, AX            // all up to the quote
	TESTQ AX, R12
	JNZ  fault
	ANDQ AX, BX
	ANDQ AX, R13
	ORQ  BX, R9
	ORQ  R13, R10
	BSFQ DX, DX
	ADDQ DX, SI
	MOVQ $4, CX
	JMP  done

fault:
	// The block is left to others, and so is a backslash before it that escapes its first byte.
stop:
	XORQ CX, CX

done:
	VZEROUPPER
	SUBQ DI, SI
	MOVQ SI, at+16(FP)
	XORQ AX, AX
	TESTQ R9, R9
	SETNE AX
	ORQ  AX, CX
	XORQ AX, AX
	TESTQ R10, R10
	SETNE AX
	LEAQ (CX)(AX*2), CX
	MOVB CX, seen+24(FP)
	RET

// The letters of escapes and what they stand for, 0 for all others.
#define LETTER(c, to) DATA letters<>+c(SB)/1, to
LETTER(0x22, $0x22)
LETTER(0x2F, $0x2F)
LETTER(0x5C, $0x5C)
LETTER(0x62, $0x08)
LETTER(0x66, $0x0C)
LETTER(0x6E, $0x0A)
LETTER(0x72, $0x0D)
LETTER(0x74, $0x09)
GLOBL letters<>(SB), RODATA|NOPTR, $256

// func unescapeText(dst, src *byte, n int) (read, written int)
TEXT ·unescapeText(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ DI, R8
	MOVQ SI, R9
	LEAQ letters<>(SB), R10
	MOVQ $0x5C, AX
	VMOVD AX, X1
	VPBROADCASTB X1, Y1

piece:
	CMPQ CX, $34
	JLT  end
	VMOVDQU (SI), Y0
	VMOVDQU Y0, (DI)
	VPCMPEQB Y0, Y1, Y0
	VPMOVMSKB Y0, AX
	TESTL AX, AX
	JNZ  escape
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JMP  piece

escape:
	BSFL AX, AX
	MOVBLZX 1(SI)(AX*1), DX
	MOVBLZX (R10)(DX*1), DX
	ADDQ AX, SI
	ADDQ AX, DI
	SUBQ AX, CX
	TESTL DX, DX
	JZ   end               // of several letters
	MOVB DX, (DI)
	INCQ DI
	ADDQ $2, SI
	SUBQ $2, CX
	JMP  piece

end:
	VZEROUPPER
	SUBQ R9, SI
	MOVQ SI, read+24(FP)
	SUBQ R8, DI
	MOVQ DI, written+32(FP)
	RET

// What json.dumps writes behind a backslash for a byte, 0 where it takes more than a letter.
#define QUOTED(c, to) DATA quoted<>+c(SB)/1, to
QUOTED(0x08, $0x62)
QUOTED(0x09, $0x74)
QUOTED(0x0A, $0x6E)
QUOTED(0x0C, $0x66)
QUOTED(0x0D, $0x72)
QUOTED(0x22, $0x22)
QUOTED(0x5C, $0x5C)
GLOBL quoted<>(SB), RODATA|NOPTR, $256

// func quoteText(dst, src *byte, n, room int) (read, written int)
TEXT ·quoteText(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ room+24(FP), BX
	MOVQ DI, R8
	MOVQ SI, R9
	LEAQ quoted<>(SB), R10
	MOVQ $0x22, AX
	VMOVD AX, X1
	VPBROADCASTB X1, Y1
	MOVQ $0x5C, AX
	VMOVD AX, X2
	VPBROADCASTB X2, Y2
	MOVQ $0x1F, AX
	VMOVD AX, X3
	VPBROADCASTB X3, Y3
	MOVQ $0x7F, AX
	VMOVD AX, X4
	VPBROADCASTB X4, Y4

piece:
	CMPQ CX, $32
	JLT  end
	CMPQ BX, $32
	JLT  end
	VMOVDQU (SI), Y0
	VMOVDQU Y0, (DI)
	VPCMPEQB Y0, Y1, Y5
	VPCMPEQB Y0, Y2, Y6
	VPMINUB  Y0, Y3, Y7
	VPCMPEQB Y0, Y7, Y7
	VPCMPEQB Y0, Y4, Y8
	VPOR Y5, Y6, Y5
	VPOR Y7, Y8, Y7
	VPOR Y0, Y5, Y5
	VPOR Y7, Y5, Y5
	VPMOVMSKB Y5, AX
	TESTL AX, AX
	JNZ  odd
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	SUBQ $32, BX
	JMP  piece

odd:
	BSFL AX, AX
	MOVBLZX (SI)(AX*1), DX
	MOVBLZX (R10)(DX*1), DX
	ADDQ AX, SI
	ADDQ AX, DI
	SUBQ AX, CX
	SUBQ AX, BX
	TESTL DX, DX
	JZ   end
	CMPQ BX, $2
	JLT  end
	MOVB $0x5C, (DI)
	MOVB DX, 1(DI)
	ADDQ $2, DI
	INCQ SI
	DECQ CX
	SUBQ $2, BX
	JMP  piece

end:
	VZEROUPPER
	SUBQ R9, SI
	MOVQ SI, read+32(FP)
	SUBQ R8, DI
	MOVQ DI, written+40(FP)
	RET
