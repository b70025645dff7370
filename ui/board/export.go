package board

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// formats of an export, and the endings of their files.
var exportFormats = []struct{ name, ending, note string }{
	{"JSON lines", ".jsonl", "one object a row, for programs"},
	{"CSV", ".csv", "for spreadsheets"},
	{"Markdown", ".md", "for the incident report"},
}

// export asks how and where to write the rows that are shown.
func (m *model) export() tea.Cmd {
	rows := []map[string]any{}
	all := m.pane().each(func(_ string, s subject) {
		rows = append(rows, rowJSON(s).masked(m.look))
	})
	name := strings.ReplaceAll(strings.ToLower(screenNames[m.screen]), " ", "-")
	q := &question{verb: "export"}
	q.said = []span{say("Write "+count(len(rows), "row", "rows")+" to a new file? ", ink.Plain), say("Arguments and results are not among them.", ink.Faint)}
	if !all {
		q.list = []string{"the first " + ink.Thousands(most) + " rows: narrow the list with / for others"}
	}
	for _, f := range exportFormats {
		q.choices = append(q.choices, choice{f.name, f.note})
	}
	q.fields = []entry{{label: "file"}}
	q.fields[0].set("drainboard-" + name + "-" + m.opt.Now().In(m.look.zone).Format("20060102-150405"))
	q.do = func(m *model, q *question) (tea.Cmd, string) {
		path := q.text("file")
		if path == "" {
			return nil, "give a file"
		}
		format := exportFormats[q.chosen]
		if !strings.HasSuffix(path, format.ending) {
			path += format.ending
		}
		return m.run("export", func(context.Context) tea.Msg { return exported(path, format.ending, rows) }), ""
	}
	m.front = q
	return nil
}

func exported(path, ending string, rows []map[string]any) saidMsg {
	text, err := exportText(ending, rows)
	if err == nil {
		err = writeNew(path, text)
	}
	if err != nil {
		return saidMsg{"export: " + err.Error(), ink.Bad}
	}
	return saidMsg{"export: " + count(len(rows), "row", "rows") + " in " + path, ink.Good}
}

// writeNew writes a file that is not there yet, readable by the user only.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

// exportText writes rows in a format. Names stand in one order in all rows; CSV and Markdown hold safe text.
func exportText(ending string, rows []map[string]any) ([]byte, error) {
	var out bytes.Buffer
	if ending == ".jsonl" {
		for _, r := range rows {
			line, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			out.Write(append(line, '\n'))
		}
		return out.Bytes(), nil
	}
	names := map[string]bool{}
	for _, r := range rows {
		for n := range r {
			names[n] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	table := [][]string{columns}
	for _, r := range rows {
		line := make([]string, len(columns))
		for i, n := range columns {
			line[i] = exportCell(r[n])
		}
		table = append(table, line)
	}
	if ending == ".csv" {
		w := csv.NewWriter(&out)
		if err := w.WriteAll(table); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	}
	for i, line := range table {
		for j := range line {
			line[j] = strings.NewReplacer("|", `\|`, "<", `\<`, "`", "\\`").Replace(line[j])
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(&out, "|%s\n", strings.Repeat(" --- |", len(line)))
		}
	}
	return out.Bytes(), nil
}

func exportCell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return string(safe.Line(v))
	case []string:
		return string(safe.Line(strings.Join(v, " ")))
	}
	return fmt.Sprint(v)
}
