// Command gen writes a trace of a shape, about as long as is asked, and says on standard error how many calls it holds, how many groups of
// equal calls, and how many calls these groups have beyond their first: what every reader of it must find. The same flags give the same bytes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

var words = strings.Fields("invoice order customer retry merge branch café label → deploy cache token parse stream 日本語 review agent body title limit")

// call is a call that may be repeated: its members, spelled, with their names.
type call struct {
	run, tool string
	members   [][2]string
	again     int
}

// generator draws calls; one in fifty repeats one of the last thousand, spelled otherwise.
type generator struct {
	*rand.Rand
	last          []*call
	calls, groups int
	answered      int // the last call that was answered
	extra         int
	clock         int64 // milliseconds since 1970
}

func (g *generator) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[g.IntN(len(words))])
		b.WriteString([]string{" ", " ", ", ", `\n`}[g.IntN(4)])
	}
	return b.String()
}

// next gives a call and its arguments as JSON.
func (g *generator) next() (*call, string) {
	g.calls++
	g.clock += int64(g.IntN(50))
	if len(g.last) > 0 && g.IntN(50) == 0 {
		c := g.last[g.IntN(len(g.last))]
		if c.again++; c.again == 1 {
			g.groups++
		}
		g.extra++
		g.Shuffle(len(c.members), func(i, j int) { c.members[i], c.members[j] = c.members[j], c.members[i] })
		return c, c.spell(", ", ": ")
	}
	c := &call{
		run: fmt.Sprintf("run-%d", g.IntN(2000)), tool: []string{"open_pr", "charge_card", "send_email", "search"}[g.IntN(4)],
		members: [][2]string{
			{"nr", fmt.Sprintf(`"%016x"`, g.Uint64())},
			{"title", `"` + g.text(30) + `"`},
			{"body", `"` + g.text(20+g.IntN(200)) + `"`},
			{"amount", fmt.Sprintf("%d.%d", g.IntN(1000), 1+g.IntN(9))},
			{"labels", `["` + g.text(8) + `",true,null]`},
			{"at", fmt.Sprintf(`{"page":%d}`, g.IntN(100))},
		},
	}
	if len(g.last) < 1000 {
		g.last = append(g.last, c)
	} else {
		g.last[g.IntN(len(g.last))] = c
	}
	return c, c.spell(",", ":")
}

func (c *call) spell(comma, colon string) string {
	parts := make([]string, len(c.members))
	for i, m := range c.members {
		parts[i] = `"` + m[0] + `"` + colon + m[1]
	}
	return "{" + strings.Join(parts, comma) + "}"
}

var quote = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// plain is one call a line; three of ten have their arguments as a text.
func (g *generator) plain() string {
	c, args := g.next()
	if g.IntN(10) < 3 {
		args = `"` + quote.Replace(args) + `"`
	}
	return fmt.Sprintf(`{"type":"tool_call","run_id":"%s","ts":%d.%03d,"call":{"name":"%s","arguments":%s}}`, c.run, g.clock/1000, g.clock%1000, c.tool, args)
}

// claude is a transcript's line: a call, what came back, or something said; what comes back is long at times.
func (g *generator) claude() string {
	role, content, run := "assistant", "", fmt.Sprintf("run-%d", g.IntN(2000))
	switch n := g.IntN(4); {
	case n == 0:
		c, args := g.next()
		run = c.run
		content = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"%s","input":%s}`, g.calls, c.tool, args)
	case n == 1 && g.answered < g.calls: // the latest call, once
		g.answered = g.calls
		size := 200 + g.IntN(8000)
		if g.IntN(50) == 0 {
			size = 200_000
		}
		role, content = "user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%d","content":"%s"}`, g.calls, g.text(size))
	default:
		content = `{"type":"text","text":"` + g.text(2000) + `"}`
	}
	at := fmt.Sprintf("2026-03-02T%02d:%02d:%02d.%03dZ", g.clock/3600e3%24, g.clock/60e3%60, g.clock/1000%60, g.clock%1000)
	return fmt.Sprintf(`{"cwd":"/home/dev","sessionId":"%s","type":"%s","message":{"role":"%s","content":[%s]},"uuid":"%016x","timestamp":"%s"}`, run, role, role, content, g.Uint64(), at)
}

// otlp is an export of up to 24 spans, two of five a tool's.
func (g *generator) otlp() string {
	spans := make([]string, 1+g.IntN(24))
	attribute := func(name, value string) string {
		return `{"key":"` + name + `","value":{"stringValue":"` + value + `"}}`
	}
	for i := range spans {
		name, list := "POST /v1/messages", attribute("http.request.method", "POST")+","+attribute("url.full", "https://example.com/v1/messages")
		if g.IntN(5) < 2 {
			c, args := g.next()
			name, list = "execute_tool "+c.tool, strings.Join([]string{
				attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.conversation.id", c.run), attribute("gen_ai.tool.name", c.tool),
				attribute("gen_ai.tool.call.id", fmt.Sprint("call_", g.calls)), attribute("gen_ai.tool.call.arguments", quote.Replace(args)),
			}, ",")
		}
		spans[i] = fmt.Sprintf(`{"traceId":"%016x%016x","spanId":"%016x","name":"%s","kind":1,"startTimeUnixNano":"%d000000","endTimeUnixNano":"%d000000","attributes":[%s],"status":{}}`,
			g.Uint64(), g.Uint64(), g.Uint64(), name, g.clock, g.clock+int64(g.IntN(900)), list)
	}
	return `{"resourceSpans":[{"resource":{"attributes":[` + attribute("service.name", "agent") + `]},"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

func main() {
	shape := flag.String("shape", "plain", "plain, claude or otlp")
	size := flag.Int("bytes", 100_000_000, "about how long the trace is")
	flag.Parse()
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), clock: 1_772_442_000_000}
	line := map[string]func() string{"plain": g.plain, "claude": g.claude, "otlp": g.otlp}[*shape]
	if line == nil {
		fmt.Fprintf(os.Stderr, "expected plain, claude or otlp as shape, found %q\n", *shape)
		os.Exit(2)
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	for n := 0; n < *size; {
		k, err := w.WriteString(line() + "\n")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		n += k
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, g.calls, g.groups, g.extra)
}
