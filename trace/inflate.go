package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packing is how a file is compressed, told by its first bytes.
type packing uint8

const (
	unpacked packing = iota
	gzipped
	zstandard
)

// magicSize is how many bytes tell.
const magicSize = 4

func packingOf(start []byte) packing {
	switch {
	case bytes.HasPrefix(start, []byte{0x1F, 0x8B}):
		return gzipped
	case bytes.HasPrefix(start, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		return zstandard
	}
	return unpacked
}

// packed looks at a file's first bytes. A file that cannot be read counts as unpacked, which will come out.
func packed(f io.ReaderAt) packing {
	var start [magicSize]byte
	n, _ := f.ReadAt(start[:], 0)
	return packingOf(start[:n])
}

// window reads a compressed file from its start as if it lay there decompressed: offsets may only grow, except for what
// was not passed yet.
type window struct {
	src   io.Reader
	close func()
	base  int64 // offset of buf
	buf   []byte
	err   error
}

// maxZstdMemory bounds what one frame of a hostile .zst may ask for.
const maxZstdMemory = 256 << 20

func newWindow(f *os.File, p packing) (*window, error) {
	raw := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 256<<10)
	if p == zstandard {
		d, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxZstdMemory))
		if err != nil {
			return nil, fmt.Errorf("read zstd: %w", err)
		}
		return &window{src: d, close: d.Close}, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, fmt.Errorf("read gzip: %w", err)
	}
	return &window{src: z, close: func() { _ = z.Close() }}, nil
}

// ReadAt fills p from the decompressed offset off. A short read comes with the error that ended the data.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if off < w.base {
		return 0, errors.New("read back in a compressed file")
	}
	for {
		skip := min(off-w.base, int64(len(w.buf)))
		w.buf = append(w.buf[:0], w.buf[skip:]...)
		if w.base += skip; w.base == off || w.err != nil {
			break
		}
		w.more(int(min(off-w.base, blockSize)))
	}
	if w.base == off && len(w.buf) < len(p) {
		w.more(len(p) - len(w.buf))
	}
	n := 0
	if w.base == off {
		n = copy(p, w.buf)
	}
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

// more reads n bytes more, or up to the end.
func (w *window) more(n int) {
	if w.err != nil {
		return
	}
	at := len(w.buf)
	if cap(w.buf) < at+n {
		w.buf = append(make([]byte, 0, at+n), w.buf...)
	}
	k, err := io.ReadFull(w.src, w.buf[at:at+n])
	w.buf = w.buf[:at+k]
	switch {
	case err == nil:
	case k > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		w.err = w.atEnd()
	default:
		w.err = err
	}
}

// atEnd tells the end of the data from a file that was cut off: io.ReadFull says the same for both.
func (w *window) atEnd() error {
	var one [1]byte
	_, err := w.src.Read(one[:])
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// rereader reads a compressed file at any offset, from its start when it must.
type rereader struct {
	f *os.File
	p packing
	w *window
}

func (r *rereader) ReadAt(p []byte, off int64) (int, error) {
	if r.w != nil && off < r.w.base {
		r.close()
	}
	if r.w == nil {
		w, err := newWindow(r.f, r.p)
		if err != nil {
			return 0, err
		}
		r.w = w
	}
	return r.w.ReadAt(p, off)
}

func (r *rereader) close() {
	if r.w != nil {
		r.w.close()
		r.w = nil
	}
}

// unpackedSize gives the decompressed size of a file, or why it cannot be read to its end.
func unpackedSize(f *os.File, p packing) (int64, error) {
	w, err := newWindow(f, p)
	if err != nil {
		return 0, err
	}
	defer w.close()
	return io.Copy(io.Discard, w.src)
}
