package trace

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestStatusWords(t *testing.T) {
	for want, words := range map[Status]string{
		OK:        "ok OK success Succeeded completed done true 200 201 299",
		Replayed:  "replayed Cached",
		Refused:   "refused rejected denied DECLINED blocked",
		Error:     "error failed failure false 400 429 500 503 599",
		Ambiguous: "cancelled canceled aborted interrupted timeout pending whatever 100 302 600 a-word-that-is-longer-than-any",
	} {
		for _, w := range strings.Fields(words) {
			if got := StatusOf([]byte(w)); got != want {
				t.Errorf("%s: got %d, want %d", w, got, want)
			}
		}
	}
}

// TestAmbiguousTexts has every phrase of PRODUCT.md "Status", and what is near but none.
func TestAmbiguousTexts(t *testing.T) {
	for _, s := range []string{
		"timeout", "read timeout after 60s", "Request TIMED OUT", "time out", "context deadline exceeded", "connection reset",
		"read: connection reset by peer", "reset by peer", "connection closed", "the connection was lost", "stream has been aborted",
		"socket was suddenly closed", "connection is now dropped", "write: broken pipe", "unexpected EOF", "socket hang up",
		"Server disconnected without sending a response.", "interrupted", "operation was cancelled", "canceled", "aborted",
		"502 Bad Gateway", "gateway timeout", "503 Service Unavailable", "temporarily unavailable", "http 503", "HTTP/1.1 503",
		"status 502", "status code: 504", `{"status":503}`, "code=504", "error 503", "error: 502", "exit code 137", "Exit code: 143",
		"exit status 124", "exited with 137", "Process exited with code 137", `{"exit_code": 137}`, `{"exitCode":143}`,
		"returncode=124", "ERR_CONNECTION_RESET", "stream closed", "connection.closed", "http status code 503",
	} {
		if !IsAmbiguous([]byte(s)) {
			t.Errorf("not ambiguous: %q", s)
		}
	}
	for _, s := range []string{
		"", "connection refused", "no such host", "429 Too Many Requests", "500 Internal Server Error", "address rejected",
		"timeouts", "ETIMEDOUT", "timed. Out of range", "connection to the other end closed", "closed connection", "503", "line 503",
		"code 5031", "code 503ms", "exit code 1", "exit code 1370", "137", "exit 137", "exited 137", "with code 137", "bad gateways", "deadline",
		"reset by a peer", "the pipe is broken", "service is unavailable", "error on page 503", "eof", "hang up",
	} {
		if IsAmbiguous([]byte(s)) {
			t.Errorf("ambiguous: %q", s)
		}
	}
}

// slowAmbiguous is IsAmbiguous once more, in regular expressions.
func slowAmbiguous() func(string) bool {
	const join = `[ _\-\t\n\r]+`
	phrase := func(words ...string) string { return strings.Join(words, join) }
	number := `[^a-z0-9]+`
	list := []string{
		"timeout", "interrupted", "cancelled", "canceled", "aborted",
		phrase("(?:timed|time)", "out"), phrase("deadline", "exceeded"), phrase("connection", "reset"), phrase("reset", "by", "peer"),
		phrase("broken", "pipe"), phrase("unexpected", "eof"), phrase("socket", "hang", "up"), phrase("server", "disconnected"),
		phrase("bad", "gateway"), phrase("(?:service|temporarily)", "unavailable"),
		`(?:connection|stream|socket)(?:[^a-z0-9]+[a-z0-9]+){0,2}[^a-z0-9]+(?:closed|lost|dropped)`,
		`(?:http(?:[^a-z0-9]+[0-9])*|status|code|error)` + number + `50[234]`,
		`(?:` + phrase("exit", "(?:code|status)") + `|` + phrase("exited", "with") + `(?:` + join + `(?:code|status))?|exitcode|returncode)` + number + `(?:124|137|143)`,
	}
	var all []*regexp.Regexp
	for _, p := range list {
		all = append(all, regexp.MustCompile(`(?:^|[^a-z0-9])(?:`+p+`)(?:$|[^a-z0-9])`))
	}
	return func(s string) bool {
		lower := []byte(s)
		for i, c := range lower {
			lower[i] = toLower(c)
		}
		for _, re := range all {
			if re.Match(lower) {
				return true
			}
		}
		return false
	}
}

// TestAmbiguousAgainstExpressions compares both on texts made of the words that matter.
func TestAmbiguousAgainstExpressions(t *testing.T) {
	words := strings.Fields("timed out time deadline exceeded connection reset by peer broken pipe unexpected eof socket hang up " +
		"server disconnected bad gateway service temporarily unavailable stream closed lost dropped http status code error exit exited " +
		"with exitCode returncode 502 503 504 124 137 143 1 12 x the Timeouts")
	seps := []string{" ", " ", " ", "_", "-", "\n", ". ", ": ", "=", "/", "\": ", "é"}
	slow := slowAmbiguous()
	rnd := rand.New(rand.NewPCG(1, 1))
	hits := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteString(seps[rnd.IntN(len(seps))])
		}
		want := slow(b.String())
		if want {
			hits++
		}
		if got := IsAmbiguous([]byte(b.String())); got != want {
			t.Fatalf("%q: got %v, want %v", b.String(), got, want)
		}
	}
	if hits < 500 {
		t.Errorf("only %d texts were ambiguous", hits)
	}
}

func FuzzAmbiguous(f *testing.F) {
	slow := slowAmbiguous()
	for _, s := range []string{
		"connection was closed", "exit code: 137", "HTTP/1.1 503", "exited with code 137 timeouts", "socket hang-up", "error 1 502",
		"exit status 1\nexit code 137", "stream a b c lost", "exited with\nstatus 143", "http 1 1 1 504", "service_unavailable", "with code 137",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := IsAmbiguous([]byte(s)), slow(s); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	})
}

func BenchmarkAmbiguous(b *testing.B) {
	text := []byte(strings.Repeat("the quick brown fox jumps over the lazy dog, exit code 1; connection refused. ", 100))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if IsAmbiguous(text) {
			b.Fatal("ambiguous")
		}
	}
}
