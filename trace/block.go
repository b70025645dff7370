package trace

// Block is a piece of a file: whole lines, or whole values in a file whose values span lines. Whoever got it from Next
// calls Release when done with its bytes. It is for one goroutine at a time.
type Block struct {
	File *File
	Seq  int    // number of the block in its file, from 0; blocks of one file are handed out in this order
	Off  int64  // of Data in the (decompressed) file
	Data []byte // whole lines with their line ends; the last block may end without one
	// Last: the file is closed and ends here, so that a last line without a line end is all that will ever be of it.
	// There may be a Last block without Data.
	Last bool
	// Document: the file's values span lines (or it is one array of values); Data holds whole values.
	Document bool
	// Skipped is set instead of Data when a line (in a Document: all that is left) is longer than Config.MaxLine: that is
	// one bad line of this many bytes, line end included, and in no block.
	Skipped int64

	buf    []byte
	home   *Reader
	before <-chan struct{} // closed when the block before it is decoded, or released without; nil: it may be decoded at once
	done   chan struct{}   // of this one; nil: closed, or nobody waits for it
}

// Release gives the block's memory back. Events that lend from it, and Data, must not be used any more.
func (b *Block) Release() {
	r := b.home
	if r == nil {
		return
	}
	b.home = nil
	if b.buf != nil {
		r.pool.put(b.buf)
		b.buf, b.Data = nil, nil
	}
	b.pass()
}

// pass lets the block behind it have its turn.
func (b *Block) pass() {
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
}

// signal leaves word in a channel that holds one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
