package triage

// Report is the answer of `check --json`: the names are the contract (PRODUCT.md "Commands").
type Report struct {
	Verdict      string         `json:"verdict"`
	Recipe       string         `json:"recipe"`
	RecipeNote   string         `json:"recipe_note,omitempty"`
	Bytes        int64          `json:"bytes"`
	Lines        int            `json:"lines"`
	BadLines     int            `json:"bad_lines"`
	PartialTails int            `json:"partial_tails"`
	Calls        int            `json:"calls"`
	Copies       int            `json:"copies"`
	Results      int            `json:"results"`
	Others       int            `json:"others"`
	Runs         int            `json:"runs"`
	Tools        int            `json:"tools"`
	Ledger       ReportLedger   `json:"ledger"`
	Table        string         `json:"table"`
	Sources      []ReportSource `json:"sources"`
	Blockers     []ReportBlock  `json:"blockers"`

	Duplicates    []ReportDuplicate `json:"duplicates"`
	Drift         []ReportDrift     `json:"drift"`
	TemporalKeys  []ReportTemporal  `json:"temporal_keys"`
	KeyConflicts  []ReportConflict  `json:"key_conflicts"`
	CrossRun      []ReportCross     `json:"cross_run"`
	Runaway       []ReportRunaway   `json:"runaway"`
	AfterEnd      []ReportAt        `json:"after_end"`
	InFlight      []ReportInFlight  `json:"inflight"`
	Settled       []ReportKey       `json:"settled_in_trace"`
	FailedDone    []ReportKey       `json:"failed_but_done"`
	OtherResponse []ReportKey       `json:"other_response"`
	Overwritten   []ReportKey       `json:"overwritten"`
	LateReplies   []ReportLate      `json:"late_replies"`
	Compensations []ReportComp      `json:"compensations"`
	NewWhileDrain []ReportNew       `json:"new_while_draining"`
	LostResults   []ReportKey       `json:"lost_results"`
	OpenCalls     []ReportCall      `json:"open_calls"`
	OrphanResults []ReportOrphan    `json:"orphan_results"`
	Unkeyed       []ReportUnkeyed   `json:"unkeyed"`
	Unclassified  []ReportTool      `json:"unclassified"`
	Unmatched     []ReportUnmatched `json:"unmatched"`
	Budget        ReportBudget      `json:"budget"`
	Unreadable    []ReportBad       `json:"unreadable"`
	TracesOnly    bool              `json:"traces_only"`
	Window        *ReportWindow     `json:"window,omitempty"`
}

// The parts of a Report.
type (
	ReportLedger struct {
		Path    string         `json:"path"`
		States  map[string]int `json:"states"`
		Recipe  string         `json:"recipe"`
		Foreign int            `json:"foreign"`
	}
	ReportSource struct {
		File   string `json:"file"`
		Side   string `json:"side"`
		Format string `json:"format"`
		Lines  int    `json:"lines"`
		Calls  int    `json:"calls"`
		Bad    int    `json:"bad"`
		Last   string `json:"last"`
	}
	ReportBlock struct {
		Kind  string `json:"kind"`
		Count int    `json:"count"`
	}
	ReportPlace struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		CallID string `json:"call_id"`
		Time   string `json:"time"`
	}
	ReportDuplicate struct {
		Key      string        `json:"key"`
		Run      string        `json:"run"`
		Tool     string        `json:"tool"`
		Class    string        `json:"class"`
		Calls    int           `json:"calls"`
		Results  int           `json:"results"`
		Cause    string        `json:"cause"`
		Outcome  string        `json:"outcome"`
		Severity string        `json:"severity"`
		Overlap  bool          `json:"overlap"`
		Side     string        `json:"side,omitempty"`
		At       []ReportPlace `json:"at"`
	}
	ReportDrift struct {
		Run       string   `json:"run"`
		Tool      string   `json:"tool"`
		Calls     int      `json:"calls"`
		Pointers  []string `json:"pointers"`
		LooksLike []string `json:"looks_like"`
		Keys      []string `json:"keys"`
	}
	ReportTemporal struct {
		Run      string   `json:"run"`
		Tool     string   `json:"tool"`
		Key      string   `json:"key"`
		Recorded []string `json:"recorded"`
	}
	ReportConflict struct {
		Recorded string   `json:"recorded"`
		Keys     []string `json:"keys"`
		Tools    []string `json:"tools"`
	}
	ReportCross struct {
		Tool  string   `json:"tool"`
		Runs  []string `json:"runs"`
		Calls int      `json:"calls"`
	}
	ReportRunaway struct {
		Run    string `json:"run"`
		Tool   string `json:"tool"`
		Kind   string `json:"kind"`
		Length int    `json:"length"`
	}
	ReportAt struct {
		Run  string `json:"run"`
		Tool string `json:"tool"`
		File string `json:"file"`
		Line int    `json:"line"`
	}
	ReportInFlight struct {
		Key     string  `json:"key"`
		Tool    string  `json:"tool"`
		Age     float64 `json:"age_s"`
		Timeout float64 `json:"timeout_s"`
		Hung    bool    `json:"hung"`
		Owner   string  `json:"owner"`
	}
	ReportKey struct {
		Key  string `json:"key"`
		Tool string `json:"tool"`
		Run  string `json:"run"`
	}
	ReportLate struct {
		Key      string `json:"key"`
		Tool     string `json:"tool"`
		Severity string `json:"severity"`
	}
	ReportComp struct {
		Key   string `json:"key"`
		Tool  string `json:"tool"`
		State string `json:"state"`
	}
	ReportNew struct {
		Run  string `json:"run"`
		Side string `json:"side"`
	}
	ReportCall struct {
		Run    string `json:"run"`
		Tool   string `json:"tool"`
		CallID string `json:"call_id"`
		File   string `json:"file"`
		Line   int    `json:"line"`
	}
	ReportOrphan struct {
		Run    string `json:"run"`
		CallID string `json:"call_id"`
		File   string `json:"file"`
		Line   int    `json:"line"`
	}
	ReportUnkeyed struct {
		Run    string `json:"run"`
		Tool   string `json:"tool"`
		CallID string `json:"call_id"`
		File   string `json:"file"`
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	}
	ReportTool struct {
		Tool      string `json:"tool"`
		Calls     int    `json:"calls"`
		Suggested string `json:"suggested"`
	}
	ReportUnmatched struct {
		Side string `json:"side"`
		Key  string `json:"key"`
		Tool string `json:"tool"`
		Run  string `json:"run"`
		Why  string `json:"why"`
	}
	ReportRun struct {
		Run   string `json:"run"`
		Calls int    `json:"calls"`
		Tree  int    `json:"tree_calls"`
		Over  bool   `json:"over"`
	}
	ReportBudget struct {
		Ceiling   int         `json:"ceiling"`
		Suggested int         `json:"suggested"`
		Runs      []ReportRun `json:"runs"`
	}
	ReportBad struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	}
)

// ReportWindow is how the drain window stands.
type ReportWindow struct {
	Need    float64 `json:"need_s"`
	Left    float64 `json:"left_s"`
	Since   string  `json:"since"` // from when on nothing blocks; "" while something does
	Until   string  `json:"until"`
	Through bool    `json:"through"`
}

// Apply puts a window on a report, as Snapshot.Apply does.
func (r *Report) Apply(v *WindowView, now int64) {
	r.Window = ReportOf(v, now)
	if !v.Through {
		r.Verdict = Verdict{}.Word()
	}
}

// ReportOf is a window as reports print it; nil for nil.
func ReportOf(v *WindowView, now int64) *ReportWindow {
	if v == nil {
		return nil
	}
	return &ReportWindow{v.Need.Seconds(), v.Left(now).Seconds(), Stamp(v.Since), Stamp(v.Until), v.Through}
}
