package redact

import "strings"

// named takes away the values of secret names in a text: name=value, name: value, "name": "value", --name value, headers, in any quotes,
// escaped ones too.
func named(s string) string {
	var out strings.Builder
	at := 0 // s[:at] is in out, masked
	for i := 0; i < len(s); {
		j := strings.IndexAny(s[i:], "=:-")
		if j < 0 {
			break
		}
		i += j
		from, to := 0, 0
		if s[i] == '-' {
			from, to, i = flagged(s, i)
		} else {
			from, to, i = assigned(s, at, i)
		}
		if from < to && s[from:to] != Hidden {
			out.WriteString(s[at:from] + Hidden)
			at = to
		}
	}
	if at == 0 {
		return s
	}
	return out.String() + s[at:]
}

// assigned looks at the = or : at i, and gives the secret behind it, if there is one, and where to look on.
func assigned(s string, low, i int) (from, to, next int) {
	j := i + 1
	for j < len(s) && (s[j] == '=' || s[j] == '>' || s[j] == ':') {
		j++
	}
	if s[i] == ':' && j > i+1 && s[j-1] == ':' || strings.HasPrefix(s[i:], "://") {
		return 0, 0, j // a path of a language; an address
	}
	name, begin := nameBefore(s, low, i)
	how := secret(name)
	if how == 0 {
		return 0, 0, j
	}
	for j < len(s) && (s[j] == ' ' || s[j] == '\t') {
		j++
	}
	const most = 256 // bytes that tell whether a value is random
	if how == perhaps {
		if from, to = value(s[:min(len(s), j+most)], j, begin, false); !random(s[from:to]) {
			return 0, 0, max(i+1, j)
		}
	}
	from, to = value(s, j, begin, s[i] == ':' && how == surely)
	if from >= to || plainWord(s[from:to]) || how == several && strings.Trim(s[from:to], "0123456789.") == "" {
		return 0, 0, max(i+1, from)
	}
	return from, to, to
}

// flagged looks at the - at i: --password VALUE, and -u USER:VALUE.
func flagged(s string, i int) (from, to, next int) {
	j := i
	for j < len(s) && s[j] == '-' {
		j++
	}
	if i > 0 && !strings.ContainsRune(" \t\n\"'`[(,", rune(s[i-1])) || j-i > 2 {
		return 0, 0, j
	}
	end := j
	for end < len(s) && nameByte(s[end]) {
		end++
	}
	begin := end
	for begin < len(s) && (s[begin] == ' ' || s[begin] == '\t') {
		begin++
	}
	if begin == end || end == j || begin == len(s) || s[begin] == '-' {
		return 0, 0, end
	}
	name := s[j:end]
	if name == "u" || name == "user" || name == "proxy-user" {
		from, to = value(s, begin, -1, false)
		colon := strings.IndexByte(s[from:to], ':')
		if colon < 0 || strings.Trim(s[from:to], "0123456789:") == "" {
			return 0, 0, end
		}
		return from + colon + 1, to, to
	}
	if secret(name) != surely {
		return 0, 0, end
	}
	from, to = value(s, begin, -1, false)
	return from, to, max(to, end)
}

func nameByte(c byte) bool {
	return letter(c) || digit(c) || c == '_' || c == '-' || c == '.'
}

// nameBefore is the name that ends before i, with the word before it, and where it begins, its quote included.
func nameBefore(s string, low, i int) (name string, begin int) {
	const longest = 100
	low = max(low, i-longest)
	end := i
	for end > low && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == ']' || s[end-1] == '?') {
		end--
	}
	quoted := end > low && strings.IndexByte("\"'`", s[end-1]) >= 0
	if quoted {
		for end--; end > low && s[end-1] == '\\'; end-- {
		}
	}
	begin = end
	for begin > low && nameByte(s[begin-1]) {
		begin--
	}
	if quoted {
		return s[begin:end], begin - 1
	}
	if begin > low+1 && s[begin-1] == ' ' && nameByte(s[begin-2]) { // API key
		for begin--; begin > low && nameByte(s[begin-1]); begin-- {
		}
	}
	return s[begin:end], begin
}

// value is where the value at j stands, without its quotes and without the scheme of a header. Behind a colon it goes to the end of the line
// when the name, at begin, stands first on it; begin is below 0 when there is no such name.
func value(s string, j, begin int, colon bool) (from, to int) {
	from, to = whole(s, j, begin, colon)
	return from + scheme(s[from:to]), to
}

func whole(s string, j, begin int, colon bool) (from, to int) {
	for n := 0; n < 2 && j+1 < len(s) && s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z' && n == 0; n++ {
		if s[j+1] == '"' || s[j+1] == '\'' { // Python's b'...'
			j++
		}
	}
	slashes := j
	for slashes < len(s) && s[slashes] == '\\' {
		slashes++
	}
	if slashes < len(s) && strings.IndexByte("\"'`", s[slashes]) >= 0 {
		return quoted(s, slashes, slashes-j)
	}
	if j < len(s) && strings.IndexByte("[{(", s[j]) >= 0 {
		if strings.HasPrefix(s[j:], Hidden) {
			return j, j + len(Hidden)
		}
		return j, bracketed(s, j)
	}
	if colon && begin >= 0 {
		if first, stop := leads(s, begin); first {
			end := j
			for end < len(s) && s[end] != '\n' && s[end] != stop {
				end++
			}
			return j, j + len(strings.TrimRight(s[j:end], " \t\r,;"))
		}
	}
	to = j
	for to < len(s) && strings.IndexByte(" \t\r\n\"'`&<\\", s[to]) < 0 {
		to++
	}
	if strings.HasSuffix(s[j:to], Hidden) {
		return j, to
	}
	return j, j + len(strings.TrimRight(s[j:to], ")]},;."))
}

// leads says whether the name at begin is the first on its line, or in its quotes, which then end what belongs to it.
func leads(s string, begin int) (first bool, stop byte) {
	for i := begin - 1; i >= 0; i-- {
		switch s[i] {
		case ' ', '\t', '-', '>', '<', '*', '#':
			continue
		case '"', '\'', '`':
			return i == begin-1, s[i]
		case '\n':
			return true, '\n'
		}
		return false, 0
	}
	return true, '\n'
}

// quoted is the inside of quotes that open at j behind a number of backslashes, to their end or to that of the text.
func quoted(s string, j, slashes int) (from, to int) {
	mark := s[j : j+1]
	if slashes == 0 && strings.HasPrefix(s[j:], strings.Repeat(mark, 3)) {
		from = j + 3
		if n := strings.Index(s[from:], strings.Repeat(mark, 3)); n >= 0 {
			return from, from + n
		}
		return from, len(s)
	}
	from = j + 1
	for i := from; i < len(s); i++ {
		if s[i] != mark[0] {
			continue
		}
		before := i
		for before > from && s[before-1] == '\\' {
			before--
		}
		if n := i - before; slashes == 0 && n%2 == 0 {
			return from, i
		} else if slashes > 0 && n <= slashes {
			return from, before
		}
	}
	return from, len(s)
}

// bracketed is where the brackets that open at j are closed, or where the text ends.
func bracketed(s string, j int) int {
	depth := 0
	for i := j; i < len(s); i++ {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// scheme is how long the scheme at the beginning of a header's value is, with the blanks behind it.
func scheme(s string) int {
	for _, word := range []string{"bearer", "basic", "digest", "token", "negotiate", "apikey", "bot"} {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) && s[len(word)] == ' ' {
			return len(s) - len(strings.TrimLeft(s[len(word):], " "))
		}
	}
	return 0
}

// plainWord says that a value is none.
func plainWord(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "null", "nil", "none", "true", "false", "undefined":
		return true
	}
	return false
}
