package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"drainboard/ui/safe"
)

// plainText is what Markdown would take for its own.
var plainText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "#", `\#`, "!", `\!`, "~", `\~`,
)

// md is a text of a trace as Markdown shows it as it is.
func md(text string) string { return plainText.Replace(string(safe.Line(text))) }

// mdTable writes a table; it writes nothing where there are no rows.
func mdTable(b *strings.Builder, titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(titles, " | "), strings.Repeat(" --- |", len(titles)))
	for _, r := range rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = md(c)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

// markdown writes the report for people.
func (n *incident) markdown(out io.Writer) error {
	var b strings.Builder
	word := n.Verdict
	if n.TracesOnly && word == "GO" {
		word = "GO (traces only)"
	}
	fmt.Fprintf(&b, "# Incident report: %s\n\nMade %s. %s, %s, %s", word, n.Made, plural(n.Calls, "call", "calls"), plural(n.Runs, "run", "runs"), plural(n.Lines, "line", "lines"))
	if n.BadLines > 0 {
		fmt.Fprintf(&b, ", %s unreadable", thousands(n.BadLines))
	}
	fmt.Fprintf(&b, ". Ledger: %s. Table: %s. Recipe: %s.", md(orNone(n.Ledger)), md(orNone(n.Table)), md(n.Recipe))
	if n.RecipeNote != "" {
		fmt.Fprintf(&b, " Note: %s.", md(n.RecipeNote))
	}
	if n.Redacted {
		b.WriteString(" Redacted: what looks like a secret is masked.")
	}
	if n.Anonymous {
		b.WriteString(" Anonymous: digests stand for names, free text is left out.")
	}
	b.WriteString("\n")
	var rows [][]string
	for _, k := range n.Blockers {
		one, many, words := blockerWords(k.Kind)
		if k.Count == 1 {
			many = one
		}
		rows = append(rows, []string{thousands(k.Count), many, words})
	}
	section(&b, "What blocks", "nothing", []string{"count", "what", "until"}, rows)
	rows = nil
	for _, s := range slices.Sorted(maps.Keys(n.States)) {
		rows = append(rows, []string{s, thousands(n.States[s])})
	}
	if n.Ledger != "" {
		section(&b, "Ledger rows", "none", []string{"state", "rows"}, rows)
	}
	rows = nil
	for _, s := range n.Sides {
		note := ""
		if s.Draining {
			note = "draining"
		}
		rows = append(rows, []string{s.Label, thousands(s.Calls), thousands(s.Runs), thousands(s.Mutators), thousands(s.InLedger), thousands(s.OnlyKeys), s.Last, note})
	}
	if len(rows) > 0 {
		section(&b, "Sides", "", []string{"side", "calls", "runs", "mutators", "in ledger", "keys only here", "last", ""}, rows)
	}
	n.markdownFindings(&b)
	rows = nil
	for _, m := range n.Timeline {
		rows = append(rows, []string{m.Time, m.What, strings.TrimSpace(m.Side + " " + m.Run), m.Tool, prefix(m.Key), m.CallID, m.Words, placeText(m.File, m.Line), m.Who})
	}
	section(&b, "Timeline", "nothing of medium severity or worse", []string{"time", "what", "run", "tool", "key", "call", "", "where", "who"}, rows)
	rows = nil
	for _, c := range n.Actions {
		rows = append(rows, []string{fmt.Sprint(c.ID), c.Time, c.Actor, c.Action, c.Tool, prefix(c.Key), c.From, c.To, c.Reason})
	}
	section(&b, "Actions taken", "none in the ledger's log", []string{"entry", "time", "who", "action", "tool", "key", "from", "to", "reason"}, rows)
	rows = nil
	for _, u := range n.Unreadable {
		rows = append(rows, []string{placeText(u.File, u.Line), u.Reason})
	}
	if len(rows) > 0 {
		section(&b, "Unreadable", "", []string{"where", "why"}, rows)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (n *incident) markdownFindings(b *strings.Builder) {
	var rows [][]string
	for _, f := range n.Findings {
		words := f.Words
		if f.Ack != "" {
			words += " (acknowledged: " + f.Ack + ")"
		}
		rows = append(rows, []string{f.Severity, f.Kind, f.Tool, prefix(f.Key), strings.TrimSpace(f.Side + " " + f.Run), fmt.Sprint(f.Calls), words, placeText(f.File, f.Line), f.Next})
	}
	section(b, "Findings", "none", []string{"severity", "what", "tool", "key", "run", "calls", "", "where", "next"}, rows)
	if n.LeftOut > 0 {
		fmt.Fprintf(b, "\n%s of lower severity are left out.\n", thousands(n.LeftOut))
	}
}

func section(b *strings.Builder, title, empty string, titles []string, rows [][]string) {
	fmt.Fprintf(b, "\n## %s\n", title)
	if len(rows) == 0 {
		fmt.Fprintf(b, "\n%s.\n", empty)
		return
	}
	mdTable(b, titles, rows)
}

// csv writes the timeline. A field that a spreadsheet would take for a formula begins with an apostrophe.
func (n *incident) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	rows := [][]string{{"time", "what", "who", "side", "run", "tool", "key", "call_id", "words", "file", "line"}}
	for _, m := range n.Timeline {
		rows = append(rows, []string{m.Time, m.What, m.Who, m.Side, m.Run, m.Tool, m.Key, m.CallID, m.Words, m.File, fmt.Sprint(m.Line)})
	}
	for _, r := range rows {
		for i, f := range r {
			f = string(safe.Line(f))
			if f != "" && strings.ContainsRune("=+-@", rune(f[0])) {
				f = "'" + f
			}
			r[i] = f
		}
		if err := w.Write(r); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
