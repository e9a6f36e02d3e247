// Package backup writes all that a manager keeps into one stream, and reads it again.
//
// It is a tar in gzip, in this order: kumikid.json, which says what it is; records, which are
// those of one revision; contents, which are what manifests of these records name; and end.json,
// with the hash of all before. A stream without the right end is no backup.
package backup

import "time"

// format is the version of the stream.
const format = 1

// The names of what is in a stream.
const (
	beginName  = "kumikid.json"
	recordsDir = "records/"
	contentDir = "contents/"
	endName    = "end.json"
)

// Begin says what a backup is of.
type Begin struct {
	Format int `json:"format"`
	// Schema is the version of the records.
	Schema string `json:"schema"`
	// Revision is when they were so.
	Revision int64     `json:"revision"`
	Made     time.Time `json:"made"`
}

// End says what a backup has.
type End struct {
	Records  int `json:"records"`
	Contents int `json:"contents"`
	// Missing are digests that manifests name, and whose contents were not there or damaged.
	Missing []string `json:"missing,omitempty"`
	// Sum is the SHA-256 of the names and contents before, in hexadecimal digits.
	Sum string `json:"sum"`
}
