package trace

import (
	"path/filepath"

	"drainboard/keys/pyjson"
)

// entireFormat is FORMATS.md §13.12: the compact transcripts of Entire's checkpoints, each result inside its call.
func entireFormat() *Format {
	return &Format{
		Name:      "entire",
		Sign:      "`v` is 1, with `agent`, `ts` and `content`",
		Title:     "Entire checkpoints, compact transcripts",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return string(v.Get("v").Raw()) == "1" && has(v, "agent") && has(v, "ts") && has(v, "content")
		},
		New: func(_ []byte, path string) Decoder {
			d := entireDecoder{}
			if filepath.Base(path) == "transcript.jsonl" {
				dir := filepath.Dir(filepath.Dir(path)) // XX/ID/N/transcript.jsonl
				d.run = append(folderOf(dir), filepath.Base(dir)...)
			}
			return d
		},
	}
}

// entireDecoder names the run after the checkpoint, which the folders are named after: a session is told beside the file only.
type entireDecoder struct{ run []byte }

// Decode reads one message.
func (d entireDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{run: d.run, time: w.Instant(v.Get("ts"))}
	if id := firstOf(v, genericRun[:]); present(id) {
		t.run, t.raw, _ = w.ident(id)
	}
	for block := range v.Get("content").Elements() {
		t.block(block, w)
		answer := block.Get("result")
		if !block.Get("type").IsText("tool_use") || !present(answer) {
			continue
		}
		status := OK
		if answer.Get("status").IsText("error") {
			status = claudeFault(w, answer.Get("output"))
		}
		t.result(w, block.Get("id"), w.Text(block.Get("name")), status, answer.Get("output").Raw())
	}
}
