package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/keys/pyjson"
)

// Observed gathers what the calls of one tool show of it. The zero Observed is ready. Its memory is bounded, whatever it is shown.
type Observed struct {
	Calls    int // whose arguments were seen
	Steady   int // keys that were called again with equal ok results
	Changing int // keys that were called again with different ok results
	Exists   int // errors which say that something is there already

	members  map[string]*member
	commands map[string]*Command // by pointer and beginning
	shell    int                 // calls that hold a command
	at       []keys.Pointer      // where they may be
}

// member is a name at the top of the arguments.
type member struct {
	calls  int
	values map[uint64]struct{}
	long   bool // a text that names nothing: prose, a body
	other  bool // an object, a list, a bool
}

const (
	mostMembers  = 64
	mostValues   = 4096
	mostCommands = 512
	longestText  = 200 // bytes of a text that names something
)

// Command is a beginning of shell commands that a tool ran.
type Command struct {
	At    string // pointer to the command in the arguments
	Begin string // "git push"
	Calls int
	Mixed bool // some of them go on with another command, a pipe or a redirection, which a glob cannot see
}

// Add takes in the arguments of one call, after its ignore rules.
func (o *Observed) Add(args *keys.Args) {
	o.Calls++
	root := args.Root()
	if args.Opaque() || root.Kind() != pyjson.Object {
		return
	}
	if o.members == nil {
		o.members, o.commands, o.at = map[string]*member{}, map[string]*Command{}, CommandPointers()
	}
	for name, v := range root.Members() {
		n := name.Text()
		m := o.members[n]
		if m == nil {
			if len(o.members) >= mostMembers || len(n) > longestText {
				continue
			}
			m = &member{values: map[uint64]struct{}{}}
			o.members[n] = m
		}
		m.add(v)
	}
	for _, p := range o.at {
		if v := p.In(root); v.Kind() == pyjson.String {
			o.command(p.String(), v.Text())
			return
		}
	}
}

func (m *member) add(v pyjson.Value) {
	m.calls++
	switch v.Kind() {
	case pyjson.String, pyjson.Int:
		text := v.Text()
		if v.Kind() == pyjson.Int {
			text = string(v.Raw())
		}
		m.long = m.long || len(text) > longestText || strings.ContainsAny(text, "\n\r")
		if len(m.values) < mostValues {
			h := uint64(14695981039346656037) // FNV-1a
			for i := range len(text) {
				h = (h ^ uint64(text[i])) * 1099511628211
			}
			m.values[h] = struct{}{}
		}
	default:
		m.other = true
	}
}

// commandPointers are where known tools have their shell commands.
var commandPointers = []string{"/command", "/cmd", "/script", "/command/2", "/cmd/2", "/bash_command"}

// CommandPointers are where known tools have their shell commands, the likeliest first.
func CommandPointers() (out []keys.Pointer) {
	for _, at := range commandPointers {
		if p, err := keys.ParsePointer(at); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func (o *Observed) command(at, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	o.shell++
	begin := beginOf(text)
	key := at + "\x00" + begin
	c := o.commands[key]
	if c == nil {
		if len(o.commands) >= mostCommands || len(begin) > longestText {
			return
		}
		c = &Command{At: at, Begin: begin}
		o.commands[key] = c
	}
	c.Calls++
	c.Mixed = c.Mixed || Mixed(text)
}

// Mixed says whether a command goes on with another one, a pipe or a redirection, which a glob cannot see.
func Mixed(command string) bool {
	return strings.ContainsAny(command, ";|&><`\n") || strings.Contains(command, "$(")
}

// beginOf is the program of a command, and what it is told to do where that is its second word.
func beginOf(text string) string {
	words := strings.Fields(text)
	if i := strings.IndexAny(words[0], ";|&"); i > 0 {
		return words[0][:i]
	}
	if len(words) > 1 && slices.Contains(strings.Fields(twoWords), words[0]) && !strings.HasPrefix(words[1], "-") {
		second := words[1]
		if i := strings.IndexAny(second, ";|&"); i >= 0 {
			second = second[:i]
		}
		return strings.TrimSpace(words[0] + " " + second)
	}
	return words[0]
}

const (
	twoWords  = "git gh go npm yarn pnpm cargo docker kubectl helm terraform pip apt apt-get brew systemctl aws gcloud make"
	readsOnly = "ls cat head tail grep rg find pwd wc which file stat du df ps env echo date diff tree"
	readsTwo  = "git status|git diff|git log|git show|git branch|git remote|gh pr view|go vet|go list|go version|docker ps|docker logs|kubectl get|kubectl describe|kubectl logs|npm ls|pip list|helm list|terraform plan|systemctl status"
	writesTwo = "git push|git commit|git add|git tag|git checkout|git merge|git rebase|go build|go mod|npm install|yarn install|pip install|docker build|kubectl apply|helm upgrade|terraform apply"
)

// NaturalKey picks the pointers that seem to name the object: members that every call has, whose names are those of names and ids. Where
// there is none, the one text that hardly ever comes again. nil when nothing does.
func (o *Observed) NaturalKey() []string {
	var named, telling []string
	for _, n := range slices.Sorted(maps.Keys(o.members)) {
		m := o.members[n]
		if m.calls < o.Calls || m.long || m.other || keys.VolatileName(n) {
			continue
		}
		w := words(n)
		if len(w) > 0 && slices.Contains(strings.Fields(namingWords), w[len(w)-1]) {
			named = append(named, pointerOf(n))
		} else if o.Calls > 2 && 10*len(m.values) >= 9*min(o.Calls, mostValues) {
			telling = append(telling, pointerOf(n))
		}
	}
	if len(named) == 0 && len(telling) == 1 {
		return telling
	}
	return named
}

const namingWords = "id key name path file filename repo repository owner project head branch number issue url uri slug ref tag sha bucket object table row email username order invoice customer account channel ticket"

func pointerOf(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// Commands lists the beginnings of the shell commands that were seen, most called first; none unless most calls hold one.
func (o *Observed) Commands() []Command {
	if 2*o.shell < o.Calls || o.shell == 0 {
		return nil
	}
	var out []Command
	for _, c := range o.commands {
		all := *c
		for _, other := range o.commands { // a glob sees whatever begins so
			if other.At == c.At && other.Begin != c.Begin && strings.HasPrefix(other.Begin, c.Begin) && (other.Mixed || other.Suggest().Class != c.Suggest().Class) {
				all.Mixed = true
			}
		}
		out = append(out, all)
	}
	slices.SortFunc(out, func(a, b Command) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Begin, b.Begin), strings.Compare(a.At, b.At))
	})
	return out
}

// Suggest is the class of a command, from what is known of a few programs; Unclassified where others stand behind it.
func (c *Command) Suggest() Suggestion {
	first, _, _ := strings.Cut(c.Begin, " ")
	switch {
	case c.Mixed:
		return Suggestion{Why: "some go on with another command, a pipe or a redirection"}
	case slices.Contains(strings.Fields(readsOnly), first), slices.Contains(strings.Split(readsTwo, "|"), c.Begin):
		return Suggestion{Class: Pure, Why: "it only looks"}
	case slices.Contains(strings.Split(writesTwo, "|"), c.Begin):
		return Suggestion{Class: Keyed, Effect: Write, Why: "a second time changes nothing more"}
	default:
		return Suggestion{}
	}
}

// Case is the row's case for such commands, of a class. Its glob sees the whole command: it fits whatever begins so.
func (c *Command) Case(s Suggestion) string {
	m := members{"at": text(c.At), "glob": text(c.Begin + "*")}
	if s.Class != Unclassified {
		m["class"] = text(s.Class.String())
	}
	if s.Class == Keyed && s.Effect == Write {
		m["effect"] = text(s.Effect.String())
	}
	return render(m, false)
}

// Behaved is what the behaviour of a tool suggests: errors that something is there already, or the same arguments with other results.
func (o *Observed) Behaved() Suggestion {
	switch {
	case o.Exists > 0:
		return Suggestion{Class: Keyed, Why: fmt.Sprintf("%s: it is there already", plural(o.Exists, "error says", "errors say"))}
	case o.Changing > 0:
		return Suggestion{Class: Pure, Why: fmt.Sprintf("the same arguments had changing results, as when looking (%s)", plural(o.Changing, "key", "keys"))}
	default:
		return Suggestion{}
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// SaysExists says whether the text of an error tells that what was to be made is there already.
func SaysExists(text string) bool {
	text = strings.ToLower(text)
	for _, phrase := range [...]string{"already exist", "already a ", "alreadyexists", "already_exists", "already taken", "duplicate key", "duplicate entry", "unique constraint", "eexist", "file exists", "has already been taken", "409 conflict"} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}
