package filter

import (
	"slices"
	"strings"
)

// Completion is how the word that ends at the cursor may go on: Words, the likeliest first, each of which may stand in the place of
// text[Start:cursor].
type Completion struct {
	Start int
	Words []string
	// Wanted is the name whose values would be Words, had the caller known any: "tool" behind "tool:"; "" while a name is typed.
	Wanted string
}

// Known gives the values that a name has in what is listed, the likeliest first, and the names of arguments for "arg". nil: none are known.
type Known func(name string) []string

// mostWords bounds the words of a Completion.
const mostWords = 64

// Complete says how the word before a place of a text may go on. The place is a byte of the text, between letters. Nothing
// goes on in the middle of a word, nor behind a value that cannot be listed (age, calls).
func Complete(text string, at int, on Subject, known Known) Completion {
	start, word := lastPiece(text[:at])
	if at < len(text) && text[at] != ' ' {
		return Completion{Start: at}
	}
	if len(word) > 0 && word[0] == '-' {
		start, word = start+1, word[1:]
	}
	if known == nil {
		known = func(string) []string { return nil }
	}
	op := strings.IndexAny(word, `:=<>"`)
	switch {
	case op < 0 && strings.HasPrefix(strings.ToLower(word), "arg."):
		c := Completion{Start: start + len("arg."), Wanted: "arg"}
		if slices.Contains(Names(on), "arg.NAME") {
			c.offer(word[len("arg."):], known("arg"), "=")
		}
		return c
	case op < 0:
		c := Completion{Start: start}
		c.offer(word, names(on), "")
		if word != "" {
			c.offer(word, known("tool"), "")
		}
		return c
	case word[op] == '"' || !letters(word[:op]):
		return Completion{Start: at}
	}
	name, rest := strings.ToLower(word[:op]), word[op:]
	for _, n := range named {
		if n.name != name || !applies(n.on, on) {
			continue
		}
		_, sign := operator(rest)
		begun := rest[len(sign):]
		begun = begun[strings.LastIndexByte(begun, ',')+1:]
		c := Completion{Start: at - len(begun), Wanted: name}
		values := known(name)
		if n.words != nil {
			values = among(values, n.words())
		}
		c.offer(strings.TrimPrefix(begun, `"`), values, "")
		return c
	}
	return Completion{Start: at}
}

// lastPiece is the word that a text ends with, and where it starts; it is empty behind a blank.
func lastPiece(text string) (start int, word string) {
	start = len(text)
	for from, piece := range pieces(text) {
		if from+len(piece) == len(text) {
			start, word = from, piece
		}
	}
	return start, word
}

// names are those of a subject with the sign that follows them.
func names(on Subject) (out []string) {
	for _, n := range named {
		switch {
		case !applies(n.on, on):
		case n.field == sev:
			out = append(out, n.name+">=")
		case n.number:
			out = append(out, n.name+">")
		default:
			out = append(out, n.name+":")
		}
	}
	if slices.Contains(Names(on), "arg.NAME") {
		out = append(out, "arg.")
	}
	return out
}

// among are the values that are words, in the order of the values; all words when no value is one.
func among(values, words []string) (out []string) {
	for _, v := range values {
		if slices.Contains(words, v) {
			out = append(out, v)
		}
	}
	if out == nil {
		return words
	}
	return out
}

// offer adds the words that begin as it was begun, then those that hold it. What cannot be typed as one value is left out, and so is
// what stands there already.
func (c *Completion) offer(begun string, words []string, sign string) {
	begun = strings.ToLower(begun)
	for pass := range 2 {
		for _, w := range words {
			begins, holds := begins(w, begun), begun != "" && contains(w, begun)
			if w == "" || strings.ContainsAny(w, "\",*\n\t") || len(c.Words) >= mostWords || (pass == 0) != begins || pass == 1 && !holds {
				continue
			}
			if strings.ContainsRune(w, ' ') {
				w = `"` + w + `"`
			}
			if w += sign; !strings.EqualFold(w, begun) && !slices.Contains(c.Words, w) {
				c.Words = append(c.Words, w)
			}
		}
	}
}

// Rest is what of the likeliest word is not typed yet, "" when the word is not begun, or the typed part stands elsewhere in it.
func (c *Completion) Rest(text string, at int) string {
	if len(c.Words) == 0 || at == c.Start && c.Wanted == "" || at > len(text) {
		return ""
	}
	begun := text[c.Start:at]
	if w, lower := c.Words[0], strings.ToLower(begun); len(lower) == len(begun) && begins(w, lower) {
		return w[len(begun):]
	}
	return ""
}

// Without is a text without the word that ends at a place: a filter of everything else.
func Without(text string, at int) string {
	start, _ := lastPiece(text[:at])
	return text[:start] + text[at:]
}

// Value is what a row has under a name, "" when it has nothing, or nothing that can be listed. Of a key it is the beginning that lists show.
func Value(r *Record, name string) string {
	for _, n := range named {
		switch {
		case n.name != name:
		case n.field == sev:
			return r.Sev.String()
		case n.field == key:
			return r.Key[:min(len(r.Key), shownKey)]
		case !n.number:
			return (&term{field: n.field}).text(r)
		}
	}
	return ""
}

// shownKey is how much of a key lists show.
const shownKey = 12
