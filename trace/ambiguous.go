package trace

import "drainboard/keys/pyjson"

// IsAmbiguous says whether the text of an error leaves it open that the effect happened all the same: a time-out, a
// connection that broke, a killed process (PRODUCT.md "Status" has the list). A word is a run of ASCII letters and
// digits in any case; the words of a phrase may be parted by white space, '_' or '-', a number and what it is by
// anything that is no word. It does not allocate.
func IsAmbiguous(text []byte) bool {
	var s phraseScanner
	return s.scan(text)
}

// wordCode stands for a word that the scanner knows.
type wordCode uint8

const (
	wOther wordCode = iota
	wAlone          // a phrase by itself
	wOut
	wExceeded
	wReset
	wBy
	wPeer
	wPipe
	wEOF
	wHang
	wUp
	wDisconnected
	wGateway
	wUnavailable
	wEnded // closed, lost, dropped
	wTime
	wDeadline
	wBroken
	wUnexpected
	wServer
	wBad
	wService
	wConnection
	wStream
	wSocket
	wHTTP
	wStatus
	wCode
	wError
	wExit
	wExited
	wWith
	wExitCode
)

// codeOf gives the code of a word in lower case.
func codeOf(w []byte) wordCode {
	switch string(w) {
	case "timeout", "interrupted", "cancelled", "canceled", "aborted":
		return wAlone
	case "timed", "time":
		return wTime
	case "out":
		return wOut
	case "deadline":
		return wDeadline
	case "exceeded":
		return wExceeded
	case "connection":
		return wConnection
	case "stream":
		return wStream
	case "socket":
		return wSocket
	case "closed", "lost", "dropped":
		return wEnded
	case "reset":
		return wReset
	case "by":
		return wBy
	case "peer":
		return wPeer
	case "broken":
		return wBroken
	case "pipe":
		return wPipe
	case "unexpected":
		return wUnexpected
	case "eof":
		return wEOF
	case "hang":
		return wHang
	case "up":
		return wUp
	}
	return rareCodeOf(w)
}

func rareCodeOf(w []byte) wordCode {
	switch string(w) {
	case "server":
		return wServer
	case "disconnected":
		return wDisconnected
	case "bad":
		return wBad
	case "gateway":
		return wGateway
	case "service", "temporarily":
		return wService
	case "unavailable":
		return wUnavailable
	case "http":
		return wHTTP
	case "status":
		return wStatus
	case "code":
		return wCode
	case "error":
		return wError
	case "exit":
		return wExit
	case "exited":
		return wExited
	case "with":
		return wWith
	case "exitcode", "returncode":
		return wExitCode
	}
	return wOther
}

// wordLengths holds, for the first letters of the known words (a is 1), a bit for each of their lengths.
var wordLengths = [32]uint16{
	'a' & 31: 1 << 7, 'b' & 31: 1<<2 | 1<<3 | 1<<6, 'c' & 31: 1<<4 | 1<<6 | 1<<8 | 1<<9 | 1<<10, 'd' & 31: 1<<7 | 1<<8 | 1<<12,
	'e' & 31: 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<8, 'g' & 31: 1 << 7, 'h' & 31: 1 << 4, 'i' & 31: 1 << 11, 'l' & 31: 1 << 4,
	'o' & 31: 1 << 3, 'p' & 31: 1 << 4, 'r' & 31: 1<<5 | 1<<10, 's' & 31: 1<<6 | 1<<7, 't' & 31: 1<<4 | 1<<5 | 1<<7 | 1<<11,
	'u' & 31: 1<<2 | 1<<10 | 1<<11, 'w' & 31: 1 << 4,
}

// phraseScanner looks at one word after the other.
type phraseScanner struct {
	last, before wordCode // the word before and the one before that, wOther unless joined to what follows
	gap          int      // so many words on, closed, lost or dropped ends what connection, stream or socket began
	http         bool     // the number that follows may be an HTTP status
	version      bool     // ... or the version of HTTP before it
	exit         bool     // the number that follows may be an exit code
}

// wordByte holds the bytes of words.
var wordByte = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true,
	'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true,
	'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

func (s *phraseScanner) scan(t []byte) bool {
	for i := 0; ; {
		joined := true
		for i < len(t) && !wordByte[t[i]] {
			switch t[i] {
			case ' ', '_', '-', '\t', '\n', '\r':
			default:
				joined = false
			}
			i++
		}
		if i == len(t) {
			return false
		}
		first := i
		for i < len(t) && wordByte[t[i]] {
			i++
		}
		if !joined {
			s.last, s.before = wOther, wOther
		}
		if s.word(t[first:i]) {
			return true
		}
	}
}

// longestWord is the length of "disconnected".
const longestWord = 12

// word takes the next word and says whether a phrase ends with it.
func (s *phraseScanner) word(w []byte) bool {
	if isDigit(w[0]) {
		s.gap--
		return s.number(w)
	}
	code := wOther
	if len(w) <= longestWord && wordLengths[w[0]&0x1F]>>len(w)&1 != 0 {
		var buf [longestWord]byte
		for i, c := range w {
			buf[i] = c | 0x20
		}
		code = codeOf(buf[:len(w)])
	}
	ended := code == wAlone || code == wEnded && s.gap > 0 || s.phrase(code)
	s.gap--
	exit := s.exit
	s.http, s.version, s.exit = false, false, false
	switch code {
	case wConnection, wStream, wSocket:
		s.gap = 3
	case wHTTP:
		s.http, s.version = true, true
	case wError:
		s.http = true
	case wStatus, wCode:
		s.http, s.exit = true, s.last == wExit || exit && s.last == wWith
	case wWith:
		s.exit = s.last == wExited
	case wExitCode:
		s.exit = true
	}
	s.last, s.before = code, s.last
	return ended
}

// number takes a word that begins with a digit.
func (s *phraseScanner) number(w []byte) bool {
	found := s.http && isGatewayStatus(w) || s.exit && isKillExit(w)
	s.version = s.version && len(w) == 1
	s.http, s.exit = s.version, false
	s.last, s.before = wOther, wOther
	return found
}

// phrase says whether a phrase of several words ends with the word code.
func (s *phraseScanner) phrase(code wordCode) bool {
	switch code {
	case wOut:
		return s.last == wTime
	case wExceeded:
		return s.last == wDeadline
	case wReset:
		return s.last == wConnection
	case wPeer:
		return s.last == wBy && s.before == wReset
	case wPipe:
		return s.last == wBroken
	case wEOF:
		return s.last == wUnexpected
	case wUp:
		return s.last == wHang && s.before == wSocket
	case wDisconnected:
		return s.last == wServer
	case wGateway:
		return s.last == wBad
	case wUnavailable:
		return s.last == wService
	}
	return false
}

func isGatewayStatus(num []byte) bool {
	switch string(num) {
	case "502", "503", "504":
		return true
	}
	return false
}

func isKillExit(num []byte) bool {
	switch string(num) {
	case "124", "137", "143":
		return true
	}
	return false
}

// ambiguousField says whether a number is one by the name of its member: any member may hold an HTTP status, one with
// exit_code, exitCode or returncode as its name an exit code.
func ambiguousField(name string, v pyjson.Value) bool {
	if v.Kind() != pyjson.Int {
		return false
	}
	switch name {
	case "exit_code", "exitCode", "returncode":
		return isKillExit(v.Raw())
	}
	return isGatewayStatus(v.Raw())
}

// ambiguous says whether an error's payload is: a text by its words, an object or array by its texts, read as one text
// in order, and by its number members.
func (w *Scratch) ambiguous(v pyjson.Value) bool {
	switch v.Kind() {
	case pyjson.String:
		return IsAmbiguous(w.Text(v))
	case pyjson.Object, pyjson.Array:
		var s phraseScanner
		return w.ambiguousTree(v, &s, maxErrorDepth)
	}
	return false
}

// maxErrorDepth is how deep an error's payload is looked at.
const maxErrorDepth = 100

func (w *Scratch) ambiguousTree(v pyjson.Value, s *phraseScanner, depth int) bool {
	if depth == 0 {
		return false
	}
	s.last, s.before = wOther, wOther
	switch v.Kind() {
	case pyjson.String:
		return s.scan(w.Text(v))
	case pyjson.Object:
		for name, value := range v.Members() {
			s.last, s.before = wOther, wOther
			key := w.Text(name)
			if s.scan(key) || ambiguousField(string(key), value) || w.ambiguousTree(value, s, depth-1) {
				return true
			}
		}
	case pyjson.Array:
		for e := range v.Elements() {
			if w.ambiguousTree(e, s, depth-1) {
				return true
			}
		}
	case pyjson.Int:
		return s.word(v.Raw())
	}
	return false
}
