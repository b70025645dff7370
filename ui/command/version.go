package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Which drainboard this is",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			v := readVersion(debug.ReadBuildInfo())
			if a.opts.json {
				return a.printJSON(v)
			}
			line := "drainboard " + v.Version
			if v.Revision != "" {
				line += " " + v.Revision[:min(12, len(v.Revision))]
			}
			if v.Modified {
				line += " modified"
			}
			_, err := fmt.Fprintln(a.env.Stdout, line, v.Go, v.Platform)
			return err
		},
	}
}

// versionLine is what `version --json` prints.
type versionLine struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readVersion(b *debug.BuildInfo, ok bool) versionLine {
	v := versionLine{Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return v
	}
	if b.Main.Version != "" {
		v.Version = b.Main.Version
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
