package board

import (
	"slices"

	"drainboard/ui/board/filter"
)

// State is what a board remembers for a directory from one time to the next (UI.md "It remembers per directory"). What does not fit any
// more is passed over.
type State struct {
	Screen   string               `json:"screen,omitempty"`
	Split    int                  `json:"split,omitempty"`    // columns that the detail has more than by default
	Absolute bool                 `json:"absolute,omitempty"` // times of day instead of ages
	Lists    map[string]ListState `json:"lists,omitempty"`    // by screen
	Views    []View               `json:"views,omitempty"`    // saved from the board
}

// ListState is how a list is narrowed and sorted.
type ListState struct {
	Filter string `json:"filter,omitempty" yaml:"filter"`
	Sort   string `json:"sort,omitempty" yaml:"sort"`
	List   string `json:"list,omitempty" yaml:"list"` // which of the screen's lists, such as committed
	Pure   bool   `json:"pure,omitempty" yaml:"pure"` // repeats of pure tools are shown
	Copies bool   `json:"copies,omitempty" yaml:"copies"`
	Unack  bool   `json:"unacked,omitempty" yaml:"unacked"` // what is acknowledged is hidden
}

// state is what is to be remembered.
func (m *model) state() State {
	s := State{Screen: screenNames[m.screen], Split: m.split, Absolute: m.look.absolute, Lists: map[string]ListState{}, Views: m.saved}
	for i := range screens {
		if l := m.listState(i); l != (ListState{}) {
			s.Lists[screenNames[i]] = l
		}
	}
	return s
}

func (m *model) listState(at screen) (l ListState) {
	st := m.panes[at].options()
	if st.filter != nil {
		l.Filter = st.filter.Text
	}
	if st.order > 0 {
		l.Sort = m.panes[at].orders()[st.order]
	}
	if at == onFlight {
		if st.tab > 0 {
			l.List = flightTabs[st.tab]
		}
	} else {
		l.Unack = st.hushed
	}
	l.Pure, l.Copies = st.pure, st.copies
	return l
}

// restore takes up what was remembered.
func (m *model) restore(s *State) {
	if at, ok := screenNamed(s.Screen); ok {
		m.screen = at
	}
	m.split = s.Split
	m.look.absolute = m.look.absolute || s.Absolute
	for i := range screens {
		if l, ok := s.Lists[screenNames[i]]; ok {
			m.narrow(i, l)
		}
	}
	for _, v := range s.Views {
		if v.check() == nil {
			m.saved = append(m.saved, v)
		}
	}
	m.bindViews()
}

// narrow narrows and sorts a list; the list is made anew by whoever calls it.
func (m *model) narrow(at screen, l ListState) {
	p := m.panes[at]
	st := p.options()
	*st = listState{pure: l.Pure, copies: l.Copies, hushed: l.Unack}
	if l.Filter != "" {
		st.filter = filter.Parse(l.Filter, p.subject())
	}
	st.order = max(slices.Index(p.orders(), l.Sort), 0)
	if at == onFlight {
		st.tab = max(slices.Index(flightTabs[:], l.List), 0)
		st.hushed = st.tab == 1 || st.tab == 2
	}
}
