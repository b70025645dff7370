// Package probe keeps Bubble Tea from talking to the terminal while it is imported.
//
// Contract. Bubble Tea v1 asks the terminal for its background from an init function, which stalls every command of the program
// on a terminal that does not answer. It does not ask when the answer is known already. Go initialises packages whose imports
// are ready in the order of their import paths, and this path sorts before Bubble Tea's, so importing this package anywhere in
// the program is enough. This is the one package of the project with an init that has an effect; the board never uses the
// answer, because its colours are the terminal's own sixteen.
package probe

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
