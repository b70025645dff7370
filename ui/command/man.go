package command

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan is for packagers: it is not listed.
func newMan(a *app, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages, one a command, into a folder",
		Hidden: true,
		Args:   exactly(1, "a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder of the manual pages: %w", err)
			}
			root.DisableAutoGenTag = true
			var made time.Time // the same commands give the same pages: the date is that of --now, or none
			if made = a.opts.now.Time; made.IsZero() {
				made = time.Unix(0, 0).UTC()
			}
			head := doc.GenManHeader{Section: "1", Source: "drainboard", Manual: "drainboard", Date: &made}
			if err := doc.GenManTree(root, &head, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	}
}
