package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// forms are what credentials of well-known services look like, by how each begins; the services' own documentation says so. What begins with a
// word of two letters counts only where a word begins.
var forms = []struct {
	begin, rest string
	long        bool // much may have to be read to see that it is none
}{
	{"sk-", `[A-Za-z0-9_-]{16,}`, true},
	{"sk_", `[A-Za-z0-9_-]{16,}`, true},
	{"rk_", `[A-Za-z0-9_-]{16,}`, true},
	{"pk_", `[A-Za-z0-9_-]{16,}`, true},
	{"ghp_", `[A-Za-z0-9]{20,}`, false},
	{"gho_", `[A-Za-z0-9]{20,}`, false},
	{"ghu_", `[A-Za-z0-9]{20,}`, false},
	{"ghs_", `[A-Za-z0-9]{20,}`, false},
	{"ghr_", `[A-Za-z0-9]{20,}`, false},
	{"github_pat_", `[A-Za-z0-9_]{20,}`, false},
	{"gl", `(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_-]{16,}`, false},
	{"xox", `[a-z]-[A-Za-z0-9-]{10,}`, false},
	{"xapp-", `[A-Za-z0-9-]{10,}`, false},
	{"hooks.slack.com/", `[a-z]+/[A-Za-z0-9/_-]+`, false},
	{"AKIA", `[0-9A-Z]{16}`, false},
	{"ASIA", `[0-9A-Z]{16}`, false},
	{"AIza", `[0-9A-Za-z_-]{30,}`, false},
	{"ya29.", `[0-9A-Za-z_-]{20,}`, false},
	{"GOCSPX-", `[0-9A-Za-z_-]{20,}`, false},
	{"npm_", `[A-Za-z0-9]{30,}`, false},
	{"pypi-", `[A-Za-z0-9_-]{40,}`, false},
	{"dckr_pat_", `[A-Za-z0-9_-]{20,}`, false},
	{"hf_", `[A-Za-z0-9]{30,}`, false},
	{"do", `[opr]_v1_[a-f0-9]{40,}`, false},
	{"shp", `(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}`, false},
	{"SG.", `[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, false},
	{"SK", `[0-9a-f]{32}`, false},
	{"lin_api_", `[A-Za-z0-9]{30,}`, false},
	{"ATATT3", `[A-Za-z0-9_=-]{30,}`, false},
	{"glsa_", `[A-Za-z0-9_]{30,}`, false},
	{"hvs.", `[A-Za-z0-9_-]{20,}`, false},
	{"hvb.", `[A-Za-z0-9_-]{20,}`, false},
	{"tskey-", `[A-Za-z0-9-]{16,}`, false},
	{"whsec_", `[A-Za-z0-9+/=]{16,}`, false},
	{"sq0", `[a-z]{3}-[A-Za-z0-9_-]{20,}`, false},
	{"AGE-SECRET-KEY-1", `[0-9A-Z]{40,}`, false},
	{"eyJ", `[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}`, true}, // JWT and JWE: RFC 7519, 7516
	{"-----BEGIN ", `[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`, false}, // RFC 7468, or cut off
}

// rests are the patterns of forms.
var rests = sync.OnceValue(func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(forms))
	for i, f := range forms {
		out[i] = regexp.MustCompile(`^` + f.rest)
	}
	return out
})

// leaders are patterns of what stands before a credential, and of the credential: a scheme (RFC 7235), and words of a sentence. Each begins
// with a word of stems.
var leaders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:bearer|basic)\s{1,9}([A-Za-z0-9._~+/=:-]{8,})` +
		`|(?:tokens?|secrets?|passwords?|passphrase|(?:api|access|private|secret|signing)[ _-]?keys?|credentials?)["'` + "`" + `:=,(]{0,2}\s{1,9}` +
		`(?:(?:is|was|are|of|for|the|value|now|with)[:=]?\s{1,9}){0,4}["'` + "`" + `(]?([A-Za-z0-9+/=_.~-]{16,}))`)
})

var stems = []string{"bearer", "basic", "token", "secret", "password", "passphrase", "api", "access", "private", "signing", "credential"}

// span is a part of a text.
type span struct{ from, to int }

// Shapes takes away what looks like a credential wherever it stands, and leaves what only its name tells: it is for text that a program wrote
// round names which it did not choose.
func Shapes(s string) string {
	s = without(s, known)
	if strings.ContainsAny(s, " \t\n") {
		s = without(s, behind)
	}
	if strings.Contains(s, "://") {
		s = without(s, passwords)
	}
	return s
}

// without puts Hidden for the parts of a text that find names, in their order.
func without(s string, find func(string) []span) string {
	parts := find(s)
	if len(parts) == 0 {
		return s
	}
	var out strings.Builder
	at := 0
	for _, p := range parts {
		if p.from >= at && p.from < p.to {
			out.WriteString(s[at:p.from] + Hidden)
			at = p.to
		}
	}
	return out.String() + s[at:]
}

// known finds credentials of the known forms. Where two overlap, the first one counts.
func known(s string) (out []span) {
	for i, f := range forms {
		for at := 0; ; {
			j := strings.Index(s[at:], f.begin)
			if j < 0 {
				break
			}
			from := at + j
			at = from + len(f.begin)
			if letter(f.begin[0]) && letter(f.begin[1]) && (len(f.begin) == 2 || !letter(f.begin[2])) && from > 0 && (letter(s[from-1]) || digit(s[from-1])) {
				continue
			}
			m := rests()[i].FindStringIndex(s[at:])
			if m == nil || f.begin[1] == 'k' && !strings.ContainsAny(s[at:at+m[1]], "0123456789") { // sk-learn-contributions
				for f.long && at < len(s) && (letter(s[at]) || digit(s[at]) || s[at] == '_' || s[at] == '-') {
					at++ // what begins in between ends alike, and would be looked through as often as it begins
				}
				continue
			}
			at += m[1]
			out = append(out, span{from, at})
		}
	}
	slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return out
}

// behind finds what follows a scheme, or words that say what follows. Part of a name is no such word: behind refresh_token stands a tool's key.
func behind(s string) (out []span) {
	word := false
	for i := 0; i < len(s); i++ {
		began := word
		word = letter(s[i])
		if began || !word || i > 0 && strings.IndexByte("_-./", s[i-1]) >= 0 || strings.IndexByte("abcpst", s[i]|0x20) < 0 {
			continue
		}
		for _, stem := range stems {
			if len(s)-i < len(stem) || !strings.EqualFold(s[i:i+len(stem)], stem) {
				continue
			}
			m := leaders().FindStringSubmatchIndex(s[i:min(len(s), i+4096)])
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 && mixed(s[i+m[g]:i+m[g+1]]) {
					out = append(out, span{i + m[g], i + m[g+1]})
					i += m[g+1] - 1
				}
			}
			break
		}
	}
	return out
}

// passwords finds those of addresses: scheme://user:password@host.
func passwords(s string) (out []span) {
	for at := 0; ; {
		j := strings.Index(s[at:], "://")
		if j < 0 {
			return out
		}
		at += j + 3
		end := at
		for end < len(s) && strings.IndexByte(" \t\r\n/\"'<>", s[end]) < 0 {
			end++
		}
		last := strings.LastIndexByte(s[at:end], '@')
		if colon := strings.IndexByte(s[at:end], ':'); colon >= 0 && colon < last {
			out = append(out, span{at + colon + 1, at + last})
		}
		at = end
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// mixed says that a text is no word of a sentence: it has digits, a padding, or capitals behind small letters.
func mixed(s string) bool {
	lower := false
	for i := range len(s) {
		switch c := s[i]; {
		case digit(c) || c == '=' || c == '+':
			return true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z' && lower:
			return true
		}
	}
	return false
}
