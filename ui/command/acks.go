package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"drainboard/ledger"
)

// ownAcks keeps acknowledgements where there is no ledger: in the user's state folder, a file for the sources and the table that they
// are about. They hide findings and turn no verdict.
type ownAcks struct {
	path string // "" when the environment names no place
	mu   sync.Mutex
	err  error // what was kept cannot be read
}

// ownAcks names the file of a session.
func (a *app) ownAcks(s *session) *ownAcks {
	folder := stateFolder(a.env)
	if folder == "" {
		return &ownAcks{}
	}
	about := []string{"table=" + a.identity(s.tableAt.path)}
	for _, src := range s.sources {
		about = append(about, src.Label+"="+a.identity(src.Path))
	}
	slices.Sort(about)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", about))
	return &ownAcks{path: filepath.Join(folder, "acks", hex.EncodeToString(sum[:16])+".json")}
}

// why says why nothing can be acknowledged, "" when it can.
func (k *ownAcks) why() string {
	switch {
	case k.path == "":
		return "there is no ledger, and neither $XDG_STATE_HOME nor $HOME says where else to keep it"
	case k.err != nil:
		return k.err.Error()
	}
	return ""
}

// ackLine is one acknowledgement of the file.
type ackLine struct {
	Kind    string  `json:"kind"`
	Key     string  `json:"key"`
	Seen    string  `json:"seen"`
	Reason  string  `json:"reason"`
	Actor   string  `json:"actor"`
	At      float64 `json:"at"`      // seconds since 1970
	Expires float64 `json:"expires"` // 0: never
}

// read gives what was kept, nothing when there is no file.
func (k *ownAcks) read() ([]ledger.Ack, error) {
	if k.path == "" {
		return nil, nil
	}
	src, err := os.ReadFile(k.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var lines []ackLine
	if err == nil {
		err = json.Unmarshal(src, &lines)
	}
	if err != nil {
		return nil, fmt.Errorf("read the acknowledgements in %s: %w; correct the file or take it away", k.path, err)
	}
	var out []ledger.Ack
	for _, l := range lines {
		out = append(out, ledger.Ack{Kind: l.Kind, Key: l.Key, Seen: l.Seen, Reason: l.Reason, Actor: l.Actor, At: l.At, Expires: l.Expires})
	}
	return out, nil
}

// add keeps further acknowledgements and returns all of them.
func (k *ownAcks) add(list []ledger.Ack) ([]ledger.Ack, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.read()
	if err != nil {
		return nil, err
	}
	all = append(all, list...)
	lines := make([]ackLine, len(all))
	for i, a := range all {
		lines[i] = ackLine{a.Kind, a.Key, a.Seen, a.Reason, a.Actor, a.At, a.Expires}
	}
	text, err := json.MarshalIndent(lines, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return nil, fmt.Errorf("keep the acknowledgement: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(k.path), ".acks-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("keep the acknowledgement: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), k.path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep the acknowledgement: %w", err), os.Remove(f.Name()))
	}
	return all, nil
}
