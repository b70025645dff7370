package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drainboard/ledger"
)

//go:embed folder
var folder embed.FS

// Prepare fills a folder, which must be empty or absent, with the decision table, the compensations and the two sides'
// empty folders.
func Prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	held, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return fmt.Errorf("%s is not empty (it holds %s): name a new folder", dir, held[0].Name())
	}
	for _, side := range []string{Paid, Dest} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o700); err != nil {
			return err
		}
	}
	return fs.WalkDir(folder, "folder", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(name, "folder"))
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		src, err := folder.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if filepath.Ext(name) == ".sh" {
			mode = 0o700
		}
		return os.WriteFile(to, src, mode)
	})
}

// Play makes the beats happen in a folder, one after the other. wait blocks until a moment has come; nil plays all at once.
// It returns when the story is told, or with the error of wait.
func Play(ctx context.Context, dir string, beats []Beat, into ledger.Store, wait func(ctx context.Context, until time.Time) error) (err error) {
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	for _, b := range beats {
		if wait != nil {
			if err := wait(ctx, b.At); err != nil {
				return err
			}
		}
		if b.File == "" {
			if err := into.Update(ctx, b.apply); err != nil {
				return err
			}
			continue
		}
		f := files[b.File]
		if f == nil {
			if f, err = os.OpenFile(filepath.Join(dir, b.File), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
				return err
			}
			files[b.File] = f
		}
		if _, err := f.WriteString(b.Text); err != nil {
			return err
		}
	}
	return nil
}

// apply writes what a beat says into the ledger. A row is written over whatever stands there, as the helper does it.
func (b *Beat) apply(tx ledger.Tx) error {
	if b.Row != nil {
		old, err := tx.Row(b.Row.Key)
		if err == nil {
			if r := *b.Row; old == nil {
				err = tx.Insert(&r)
			} else {
				err = tx.Change(&r)
			}
		}
		if err != nil {
			return err
		}
	}
	if b.Entry != nil {
		if _, err := tx.Log(b.Entry); err != nil {
			return err
		}
	}
	if b.Late != nil {
		if err := tx.AddLate(b.Late); err != nil {
			return err
		}
	}
	if b.Compensation != nil {
		return tx.PutCompensation(b.Compensation)
	}
	return nil
}
