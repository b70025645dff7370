package trace

// What says what a Notice tells.
type What uint8

// What may be told.
const (
	Found      What = iota // File was found and will be read
	Unreadable             // a source, file or directory cannot be read (any further); Err says why
	NoTraces               // a source holds no traces (it is there, and readable)
	NotTrace               // File, found in a directory, holds nothing that looks like a trace and is left out
	Copy                   // File begins with what was read of Of already: that much is not read again
	Same                   // Path names the file Of, which another source or path gave already
	Truncated              // a file was cut: what it holds from now on is File, what it held was Of, of which Bytes were held back
	Rewritten              // a file was written anew in place or replaced: File is the new one and Of the old; the same when the new one goes on where the old one ended
	Renamed                // File lies at Path by now
	Removed                // File, or the directory Path, is gone
	Returned               // Path was gone and is there again, as File if it is one
	Writing                // File ends in an unfinished line of Bytes bytes, which is held back; 0: no longer
	CaughtUp               // everything that was there at the start has been read
	Polling                // changes of Path are not reported, so it is looked at now and then; Err says why
)

// Notice is news of a source or a file.
type Notice struct {
	What  What
	Path  string
	Label string // of the source
	File  *File  // nil when it is about no file
	Of    *File
	Err   error
	Bytes int64
}
