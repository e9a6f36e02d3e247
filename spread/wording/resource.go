package wording

import (
	"cuelang.org/go/cue"

	"kumiki.dev/internal/fromcue"
)

// ResourceKind is the kind of resource that a schema takes, "" for anything
// else.
func ResourceKind(schema cue.Value) string {
	if schema.IncompleteKind() != cue.StructKind {
		return ""
	}
	if names := fromcue.FieldNames(schema); len(names) == 1 && Resource(names[0]) != "" {
		return names[0]
	}
	return ""
}

// Resource is what people call a resource of a kind, such as "a volume"; "" for what is no
// kind. A kind is the member of a resource whose value is the id of something that is
// registered in a cluster.
func Resource(kind string) string {
	switch kind {
	case "volume", "secret", "port", "domain", "certificate":
		return "a " + kind
	case "ca":
		return "a certificate authority"
	}
	return ""
}
