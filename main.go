// Command drainboard watches and triages the tool calls of agents, so that no side effect happens twice.
package main

import (
	"os"

	"drainboard/ui/command"
)

func main() { os.Exit(command.Main()) }
