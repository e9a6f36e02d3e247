package registry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"cuelabs.dev/go/oci/ociregistry"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/modsource"
)

// Explain adds to an error of a registry what it means for who asked, and what
// to do; others it returns as they are.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if what := meaning(err); what != "" {
		return explained{err, what}
	}
	return err
}

type explained struct {
	error
	what string
}

// Error implements error.
func (e explained) Error() string {
	return unpacked().ReplaceAllString(e.error.Error(), "its archive: ") + "; " + e.what
}

// Unwrap returns the error beneath.
func (e explained) Unwrap() error { return e.error }

// unpacked is where CUE unpacks an archive, which says nothing to a reader.
var unpacked = lazyregexp.New(`unzip \S+\.zip: `)

// IsDown reports whether an error says that a registry cannot be reached or is out of
// order: what was asked of it may be right.
func IsDown(err error) bool {
	var answer ociregistry.HTTPError
	if errors.As(err, &answer) {
		return answer.StatusCode() >= 500 || answer.StatusCode() == http.StatusTooManyRequests
	}
	if file := new(fs.PathError); errors.As(err, &file) {
		return false // a directory that is one, or none
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, modsource.ErrSilent)
}

func meaning(err error) string {
	var answer ociregistry.HTTPError
	var network net.Error
	text := err.Error()
	switch {
	case errors.As(err, new(*fs.PathError)):
		return "" // of a directory in place of a registry, which says what to do
	case errors.As(err, &answer):
		return answered(answer.StatusCode())
	case unpacked().MatchString(text), errors.Is(err, modsource.ErrArchive):
		return "no honest publisher makes such an archive: do not use the module"
	case strings.Contains(text, "digest mismatch"), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, ociregistry.ErrSizeInvalid):
		return "what came is not what the registry says it has: try again; if it stays so, its copy is damaged, or somebody altered it"
	case errors.Is(err, modsource.ErrListing):
		return "no honest registry lists that: see whether CUE_REGISTRY names the right one"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, modsource.ErrSilent):
		return "the registry takes too long: try again later"
	case errors.As(err, &network), errors.Is(err, io.EOF):
		return "the registry can't be reached: see whether CUE_REGISTRY names the right one, and whether it is up"
	}
	return ""
}

func answered(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "the registry does not take the login, which may have expired: log in again with cue login or docker login"
	case status == http.StatusForbidden:
		return "the registry does not allow that with this login: ask who keeps it"
	case status == http.StatusTooManyRequests:
		return "the registry was asked too often: try again later"
	case status >= 500:
		return "the registry is out of order: try again later"
	}
	return ""
}
