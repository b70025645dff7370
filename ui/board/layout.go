package board

// Sizes of the screen.
const (
	leastW, leastH = 60, 15
	wideFrom       = 120 // columns from which on the detail stands beside the list
	bodyTop        = 3   // lines above the body: header, tabs, rule
	bodyRest       = 5   // lines that are not the body: those, and rule and footer below it
)

// layout is where things stand.
type layout struct {
	w, body int  // width, and lines between the rules
	list    int  // width of the list
	side    int  // width of the detail beside it; 0: it stands below, or there is none
	rows    int  // rows that the list shows, without its titles
	strip   int  // lines of the detail below the list; 0: none
	sheet   int  // lines of a question above the footer, its rule included
	wide    bool // the detail stands beside the list
}

// layout divides the screen.
func (m *model) layout() layout {
	l := layout{w: m.w, body: max(m.h-bodyRest, 1), list: m.w}
	if m.front != nil {
		if n := m.front.sheet(m); n > 0 {
			l.sheet = min(n+1, l.body)
		}
	}
	free := l.body - l.sheet
	switch {
	case m.screen == onDrain:
		l.rows = len(checklist) + 1
	case m.pane().shown() == 0: // there is no row to say more about
		l.rows = max(free-1, 1)
	case m.w >= wideFrom:
		l.wide = true
		l.list = m.w*4/7 + l.splitLimit(-m.split)
		l.side = m.w - l.list - 1
		l.rows = max(free-1, 1)
	case l.sheet > 0:
		l.rows = max(free-1, 1)
	default:
		// Of 24 lines the detail takes nine, of more its share, and never so many that fewer than four rows are left.
		l.strip = min(max(m.h*3/8, 5), 18, free-6)
		if l.strip < 3 {
			l.strip = 0
		}
		l.rows = max(free-1-l.strip, 1)
		if l.strip > 0 {
			l.rows--
		}
	}
	return l
}

// splitLimit keeps the columns that the list gives to the detail so that both stay readable.
func (l layout) splitLimit(by int) int {
	list := l.w * 4 / 7
	return max(min(by, l.w-42-list), 68-list)
}
