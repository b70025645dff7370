package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"

	"drainboard/ledger"

	lib "modernc.org/sqlite/lib"
)

const recoverHint = "run `drainboard ledger recover`, which opens it for writing once after asking"

const damagedHint = "restore it from a copy, or let `sqlite3 FILE .recover` save what it holds"

// smallest is the size of the smallest SQLite database: one page of 512 bytes.
const smallest = 512

// explain turns an error of SQLite into a Problem. It may open the file itself: only where SQLite could not, so
// that closing it drops no lock of another connection of this process.
func explain(path string, err error) error {
	if p := (*ledger.Problem)(nil); err == nil || errors.As(err, &p) {
		return err
	}
	at := func(k ledger.ProblemKind, found, do string) error {
		return &ledger.Problem{Kind: k, Path: path, Found: found, Do: do, Err: err}
	}
	switch rc := code(err); {
	case rc == lib.SQLITE_READONLY_ROLLBACK:
		return at(ledger.HotJournal, "expected no transaction left open, found the journal of a writer that died inside one", recoverHint)
	case rc == lib.SQLITE_READONLY_RECOVERY, rc == lib.SQLITE_READONLY_CANTINIT:
		return at(ledger.WALDenied, "expected leave to write the WAL's index beside it, found none", walHint)
	case rc&0xff == lib.SQLITE_READONLY && walMode(path) && mayWrite(path) != nil:
		return at(ledger.WALDenied, "expected leave to make the WAL's index beside it, found none", walHint)
	case rc&0xff == lib.SQLITE_READONLY:
		return at(ledger.ReadOnly, "expected a file that may be written, found one that may not", "change its permissions, or only look")
	case rc&0xff == lib.SQLITE_CANTOPEN:
		if walMode(path) {
			return at(ledger.WALDenied, "expected leave to make the WAL's index beside it, found none", walHint)
		}
		return at(ledger.Denied, "expected a file that may be opened, found one that may not", "change its permissions")
	case rc&0xff == lib.SQLITE_NOTADB:
		return at(ledger.NotALedger, "expected an SQLite database, found something else", "name the agents' replay file")
	case rc&0xff == lib.SQLITE_FULL:
		return at(ledger.Broken, "expected room on its disk, found none; nothing was written", "make room, then try again")
	case rc&0xff == lib.SQLITE_CORRUPT:
		return at(ledger.Broken, "expected a sound database, found a damaged one; nothing was written", damagedHint)
	case rc&0xff == lib.SQLITE_IOERR:
		return at(ledger.Broken, "expected its disk to read and write, found that it does not", "look at the disk and its file system (`dmesg`, `df`)")
	case busy(err):
		return at(ledger.Locked, "expected to read it at once, found it locked by another program", "wait, or end the program that holds it")
	}
	return at(ledger.Broken, "expected a sound database", "check the disk and the file (`sqlite3 FILE 'PRAGMA integrity_check'`)")
}

const walHint = "make its directory writable for this user, or copy the file with its -wal to a directory that is"

// walMode reads the header's read version: 2 is WAL. Only explain calls it.
func walMode(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var h [20]byte
	if _, err := io.ReadFull(f, h[:]); err != nil {
		return false
	}
	return h[19] == 2
}

// present says whether path can be a ledger at all, before SQLite sees it.
func present(path string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &ledger.Problem{
			Kind: ledger.Missing, Path: path, Found: "expected a file, found none",
			Do: "check the name; agents make it with their first call",
		}
	case err != nil:
		return &ledger.Problem{Kind: ledger.Denied, Path: path, Found: "expected a readable file", Do: "change its permissions", Err: err}
	case !st.Mode().IsRegular():
		return &ledger.Problem{
			Kind: ledger.NotALedger, Path: path,
			Found: "expected a regular file, found " + st.Mode().Type().String(), Do: "name the agents' replay file",
		}
	case st.Size() == 0:
		return &ledger.Problem{
			Kind: ledger.Empty, Path: path, Found: "expected an SQLite database, found a file of zero bytes",
			Do: "wait for the agents' first call, or name another file",
		}
	case st.Size() < smallest:
		return &ledger.Problem{
			Kind: ledger.NotALedger, Path: path, Found: fmt.Sprintf("expected an SQLite database, found a file of %d bytes", st.Size()),
			Do: "name the agents' replay file",
		}
	}
	return nil
}
