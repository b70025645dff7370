package trace

// StatusOf reads the status of a plain line in any case: a word, or an HTTP status from 200 to 599 of which 2xx is ok.
// Any other word is ambiguous (PRODUCT.md "Status").
func StatusOf(word []byte) Status {
	word = trimSpace(word)
	if len(word) == 3 && isDigit(word[0]) && isDigit(word[1]) && isDigit(word[2]) {
		switch word[0] {
		case '2':
			return OK
		case '4', '5':
			return Error
		}
		return Ambiguous
	}
	var buf [16]byte
	if len(word) > len(buf) {
		return Ambiguous
	}
	lower := buf[:len(word)]
	for i, c := range word {
		lower[i] = toLower(c)
	}
	switch string(lower) {
	case "", "ok", "success", "succeeded", "completed", "done", "true":
		return OK
	case "replayed", "cached":
		return Replayed
	case "refused", "rejected", "denied", "declined", "blocked":
		return Refused
	case "error", "failed", "failure", "false":
		return Error
	}
	return Ambiguous // cancelled, canceled, aborted, interrupted, timeout, and what nobody has told us of
}

func trimSpace(s []byte) []byte {
	i := skipSpace(s, 0)
	n := len(s)
	for n > i && (s[n-1] == ' ' || s[n-1] == '\t' || s[n-1] == '\r' || s[n-1] == '\n') {
		n--
	}
	return s[i:n]
}

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
