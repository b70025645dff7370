package trace

import "drainboard/keys/pyjson"

// tauBenchFormat is FORMATS.md §6.1: tau-bench's results, one array of trials. Call ids are used again within a trial.
func tauBenchFormat() *Format {
	return &Format{
		Name:      "tau-bench",
		Sign:      "`task_id` and `traj`",
		Title:     "tau-bench results",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"times", "errors", "in flight"},
		Sniff: func(p *Probe) bool {
			return has(p.Value, "task_id") && p.Value.Get("traj").Kind() == pyjson.Array
		},
		New: func([]byte, string) Decoder { return tauBench{} },
	}
}

type tauBench struct{}

// Decode reads one trial.
func (tauBench) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	t.run, _, _ = w.ident(v.Get("task_id"))
	if trial, _, _ := w.ident(v.Get("trial")); len(trial) > 0 {
		t.run = w.join(t.run, []byte("/"), trial)
	}
	t.chats(v.Get("traj"), w)
}
