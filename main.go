// Command drainboard watches and triages the tool calls of agents.
package main

func main() {}
