package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kumiki.dev/internal/modsource"
)

// Reference names a version of an artifact: "shop:v1.2", "data/kafka:v1",
// "example.org/data/kafka:v1.2.3".
type Reference struct {
	// Path is what comes before the colon.
	Path string
	// Version is what comes after it; omitted parts are zero.
	Version string
	// Exact tells that it is to be that version, and none with a higher PATCH:
	// "shop:=v1.2.3".
	Exact bool
}

func (r Reference) String() string {
	if r.Exact {
		return r.Path + ":=" + r.Version
	}
	return r.Path + ":" + r.Version
}

// highest is the version to take of those that are published, "" for none.
func (r Reference) highest(versions []string) (string, error) {
	if !r.Exact {
		return HighestPatch(r.Version, versions)
	}
	p, err := parsePattern(r.Version)
	if err != nil {
		return "", err
	}
	p.numbers = 3 // omitted parts are zero
	return p.highest(versions), nil
}

// IsReference reports whether an argument can only be meant to be a reference: it
// has a colon, which no directory that is there has.
func IsReference(arg string) bool {
	if !strings.Contains(arg, ":") || filepath.VolumeName(arg) != "" {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}

// ParseReference reads a reference.
func ParseReference(s string) (Reference, error) {
	wrong := func(what string) error {
		return fmt.Errorf("reference %q %s; write NAME:VERSION, COLLECTION/NAME:VERSION or MODULE/NAME:VERSION, for example shop:v1.2", s, what)
	}
	at := strings.LastIndex(s, ":")
	if at < 0 {
		return Reference{}, wrong("has no version")
	}
	version, exact := strings.CutPrefix(s[at+1:], "=")
	r := Reference{s[:at], version, exact}
	if r.Version == "" || r.Version == "latest" {
		return r, wrong("has no version")
	}
	if _, err := parsePattern(r.Version); err != nil {
		return r, fmt.Errorf("reference %q: %w", s, err)
	}
	if r.Path == "" || !fs.ValidPath(r.Path) || r.Path == "." || strings.ContainsAny(r.Path, ":@\\ ") {
		return r, wrong("has no name that could be one")
	}
	return r, nil
}

// Settings say where modules come from and what short names stand for.
type Settings = modsource.Settings

// SettingsFile is the name of the file that has them.
const SettingsFile = modsource.SettingsFile

// ReadSettings reads the nearest [SettingsFile] of a directory.
func ReadSettings(dir string) (Settings, error) { return modsource.ReadSettings(dir) }
