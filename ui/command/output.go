package command

import "encoding/json"

// page starts an output for people.
func (a *app) page() *page {
	return &page{colour: a.env.Coloured && a.opts.theme.word != "mono", ascii: a.opts.ascii, width: a.env.Width, folder: a.folder}
}

// printJSON prints one JSON value and a newline. Text that is not UTF-8 is printed with U+FFFD in its place.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.env.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
