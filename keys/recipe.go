package keys

import (
	"crypto/sha256"

	"drainboard/keys/pyjson"
)

// Recipe says which bytes are hashed, how, and how much of the digest is printed.
type Recipe struct {
	name   string
	digits int // hexadecimal digits printed
	// write appends the bytes to hash, or says why there are none.
	write    func(dst []byte, run RunID, tool []byte, a *Args) (_ []byte, reason string)
	template *template // of a recipe that Make made
}

// The built-in recipes (PRODUCT.md "Keys"), each SHA-256 over UTF-8.
var (
	// Intent hashes Python's json.dumps({"run_id": R, "tool": T, "args": A}, sort_keys=True); 64 digits.
	Intent = &Recipe{name: "intent", digits: 64, write: writeIntent}
	// Dedup16 hashes R + "|" + T + "|" + json.dumps(A, sort_keys=True, separators=(",", ":")); 16 digits.
	Dedup16 = &Recipe{name: "dedup16", digits: 16, write: writeDedup}
	// JCS hashes RFC 8785 of {"args": A, "run_id": R, "tool": T}; 64 digits.
	JCS = &Recipe{name: "jcs", digits: 64, write: writeJCS}
)

// Lookup finds a built-in recipe by its name.
func Lookup(name string) (*Recipe, bool) {
	for _, r := range [...]*Recipe{Intent, JCS, Dedup16} {
		if r.name == name {
			return r, true
		}
	}
	return nil, false
}

// Name is what --recipe and tools.yaml call the recipe.
func (r *Recipe) Name() string { return r.name }

// Text prints the digest of a key of this recipe: lower-case hexadecimal, as long as the recipe prints it. It is the whole key unless
// the recipe is Spelled.
func (r *Recipe) Text(d Digest) string { return d.text(r.digits) }

// ID is the index form of a key of this recipe: IDOf of its whole text.
func (r *Recipe) ID(d Digest) ID {
	var id ID
	if r.Spelled() {
		copy(id[:], d[maxPrinted/2:])
		return id
	}
	switch r.digits {
	case 64:
		copy(id[:], d[:])
	case 16:
		copy(id[:], d[:8])
	default:
		return IDOf(r.Text(d))
	}
	return id
}

// RunID is the run of a call. For the scope "forever" both fields are empty.
type RunID struct {
	Text []byte // WTF-8
	Raw  []byte // set when the run id is a JSON number: its JSON form, which Text is then not asked about
}

// Derive gives the key of a call. The error is a *Refusal: the recipe has no key for these arguments.
func (r *Recipe) Derive(run RunID, tool []byte, a *Args) (Digest, error) {
	if r == Intent {
		d, reason := a.intent(run, tool)
		return d, r.refusal(reason)
	}
	b, reason := r.write(a.buf[:0], run, tool, a)
	a.buf = b[:0]
	if reason != "" {
		return Digest{}, r.refusal(reason)
	}
	if r.template != nil {
		return r.template.sum(b, run, tool), nil
	}
	return sha256.Sum256(b), nil
}

// refusal makes an error of a reason, nil of none.
func (r *Recipe) refusal(reason string) error {
	if reason == "" {
		return nil
	}
	return &Refusal{Recipe: r.name, Reason: reason}
}

// Bytes appends what the recipe hashes for a call, for showing it. The error is a *Refusal.
func (r *Recipe) Bytes(dst []byte, run RunID, tool []byte, a *Args) ([]byte, error) {
	dst, reason := r.write(dst, run, tool, a)
	return dst, r.refusal(reason)
}

// intentHead stands before the arguments in what Intent hashes: "args" sorts first.
const intentHead = `{"args": `

func writeIntent(dst []byte, run RunID, tool []byte, a *Args) ([]byte, string) {
	if reason := a.defaultText(); reason != "" {
		return dst, reason
	}
	return intentTail(append(dst, a.text...), run, tool)
}

// intentTail appends what stands behind the arguments.
func intentTail(dst []byte, run RunID, tool []byte) (_ []byte, reason string) {
	dst = append(dst, `, "run_id": `...)
	if run.Raw == nil {
		dst = pyjson.AppendQuote(dst, run.Text)
	} else if dst, reason = appendPython(dst, run.Raw); reason != "" {
		return dst, ofRun + reason
	}
	dst = append(dst, `, "tool": `...)
	return append(pyjson.AppendQuote(dst, tool), '}'), ""
}

// What a reason is about when it is not about the arguments.
const (
	ofRun  = "the run id: "
	ofTool = "the tool name: "
)

func writeDedup(dst []byte, run RunID, tool []byte, a *Args) (_ []byte, reason string) {
	if run.Raw != nil {
		if dst, reason = appendStr(dst, run.Raw); reason != "" {
			return dst, ofRun + reason
		}
	} else if reason = loneSurrogate(run.Text); reason != "" {
		return dst, ofRun + reason
	} else {
		dst = append(dst, run.Text...)
	}
	if reason = loneSurrogate(tool); reason != "" {
		return dst, ofTool + reason
	}
	dst = append(append(append(dst, '|'), tool...), '|')
	return a.append(dst, &compactForm)
}

func writeJCS(dst []byte, run RunID, tool []byte, a *Args) (_ []byte, reason string) {
	dst = append(dst, `{"args":`...)
	if dst, reason = a.append(dst, &jcsForm); reason != "" {
		return dst, reason
	}
	dst = append(dst, `,"run_id":`...)
	if run.Raw != nil {
		dst, reason = appendES(dst, run.Raw)
	} else {
		dst, reason = appendJCSText(dst, run.Text)
	}
	if reason != "" {
		return dst, ofRun + reason
	}
	dst = append(dst, `,"tool":`...)
	if dst, reason = appendJCSText(dst, tool); reason != "" {
		return dst, ofTool + reason
	}
	return append(dst, '}'), ""
}
