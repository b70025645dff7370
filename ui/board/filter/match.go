package filter

import "drainboard/ledger/triage"

// Match says whether a record passes.
func (f *Filter) Match(r *Record) bool {
	if f == nil {
		return true
	}
	for i := range f.terms {
		if t := &f.terms[i]; t.field != arg && t.match(r) == t.not {
			return false
		}
	}
	return !f.reads || f.matchArgs(r)
}

func (t *term) match(r *Record) bool {
	switch t.field {
	case anyField:
		w := t.values[0]
		return contains(r.Tool, w) || contains(r.Run, w) || begins(r.Key, w) || begins(r.OtherKey, w) || contains(r.CallID, w) || contains(r.File, w)
	case sev:
		if t.compare == is {
			return t.one(r.Sev.String())
		}
		return t.compared(float64(r.Sev))
	case age:
		return r.Age >= 0 && t.compared(r.Age)
	case calls:
		return t.compared(float64(r.Calls))
	case key:
		for _, v := range t.values {
			if begins(r.Key, v) || begins(r.OtherKey, v) {
				return true
			}
		}
		return false
	}
	return t.one(t.text(r))
}

func (t *term) text(r *Record) string {
	switch t.field {
	case kind:
		return r.Kind
	case tool:
		return r.Tool
	case run:
		return r.Run
	case class:
		return r.Class
	case cause:
		return r.Cause
	case outcome:
		return r.Outcome
	case state:
		return r.State
	case side:
		return r.Side
	case call:
		return r.CallID
	case file:
		return r.File
	case owner:
		return r.Owner
	}
	return ""
}

// one says whether a text is one of the alternatives: a glob when it holds a `*`, else the whole text; of tools, runs, files,
// owners and call ids a part is enough.
func (t *term) one(text string) bool {
	for _, v := range t.values {
		switch {
		case hasStar(v):
			if glob(v, text) {
				return true
			}
		case t.field == tool || t.field == run || t.field == file || t.field == owner || t.field == call:
			if contains(text, v) {
				return true
			}
		case len(v) == len(text) && begins(text, v):
			return true
		}
	}
	return false
}

func (t *term) compared(n float64) bool {
	switch t.compare {
	case atLeast:
		return n >= t.number
	case above:
		return n > t.number
	case atMost:
		return n <= t.number
	case below:
		return n < t.number
	}
	return n == t.number
}

func hasStar(s string) bool {
	for i := range len(s) {
		if s[i] == '*' {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// begins says whether s begins with w, which is in lower case.
func begins(s, w string) bool {
	if len(s) < len(w) {
		return false
	}
	for i := range len(w) {
		if lower(s[i]) != w[i] {
			return false
		}
	}
	return true
}

// contains says whether w, which is in lower case, stands in s.
func contains(s, w string) bool {
	for i := 0; i+len(w) <= len(s); i++ {
		if begins(s[i:], w) {
			return true
		}
	}
	return false
}

// glob matches a whole text with a pattern in which `*` is any run of bytes.
func glob(pattern, text string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == lower(text[i]):
			p, i = p+1, i+1
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// kindName is the name of a kind, or "" behind the last.
func kindName(k triage.Kind) (name string) {
	if k > triage.OrphanResult {
		return ""
	}
	return k.String()
}
