package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// schema is the version of what is below root, schemaKey where it is written.
const (
	schemaKey = "schema"
	schema    = 2
)

// steps bring records from one version of the schema to the next, the first from 1 to 2. One that
// was broken off is begun anew. They know records as JSON, since the types of Go are those of the
// last version.
var steps = [schema - 1]func(context.Context, *Store) error{labelStatuses}

// migrate brings what is kept to the version of the schema, and refuses one that is later.
func (s *Store) migrate(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	e, err := s.Get(bounded, schemaKey)
	if errors.Is(err, ErrNotFound) {
		return s.version(ctx, schema, 0)
	}
	if err != nil {
		return err
	}
	is, err := Known(string(e.Value))
	if err != nil || is == schema {
		return err
	}
	if err := steps[is-1](ctx, s); err != nil {
		return fmt.Errorf("what is kept has schema %d, and is not brought to %d: %w", is, is+1, err)
	}
	if err := s.version(ctx, is+1, e.Revision); err != nil {
		return err
	}
	return s.migrate(ctx)
}

// version writes the version; where another server was first, that one's is looked at.
func (s *Store) version(ctx context.Context, is int, revision int64) error {
	_, err := s.Commit(ctx, Write{Key: schemaKey, Value: []byte(strconv.Itoa(is)), If: revision})
	if errors.Is(err, ErrConflict) {
		return s.migrate(ctx)
	}
	return err
}

// Known reads a version of the schema. One that is not known is an error.
func Known(version string) (int, error) {
	is, err := strconv.Atoi(version)
	if err != nil || is < 1 || is > schema {
		return 0, fmt.Errorf("what is kept has schema %q, and this kumikid knows those up to %d: use the kumikid that wrote it, or a later one", version, schema)
	}
	return is, nil
}

// labelStatuses gives the status of a deployment its labels, by which it is selected since
// schema 2.
func labelStatuses(ctx context.Context, s *Store) error {
	return s.eachPage(ctx, "status/", func(some []Entry) error {
		keys := make([]string, 0, len(some))
		for _, e := range some {
			keys = append(keys, "deployments/"+strings.TrimPrefix(e.Key, "status/"))
		}
		deployments, err := s.GetAll(ctx, keys)
		if err != nil {
			return err
		}
		var writes []Write
		for i, e := range some {
			labels, err := field(deployments[keys[i]].Value, "labels")
			if err != nil {
				return fmt.Errorf("%s: %w", keys[i], err)
			}
			if labels == nil {
				continue
			}
			value, err := with(e.Value, "labels", labels)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Key, err)
			}
			writes = append(writes, Write{Key: e.Key, Value: value, If: e.Revision})
		}
		return s.each(ctx, writes)
	})
}

// each makes writes one by one. What somebody else has changed meanwhile stays: who changes it
// knows the schema.
func (s *Store) each(ctx context.Context, writes []Write) error {
	for _, w := range writes {
		if _, err := s.Commit(ctx, w); err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

// eachPage calls f with the records whose keys begin so, some at a time.
func (s *Store) eachPage(ctx context.Context, prefix string, f func([]Entry) error) error {
	page := Page{Limit: atOnce}
	for more := true; more; {
		some, at, next, err := s.List(ctx, prefix, page)
		if err != nil || len(some) == 0 {
			return err
		}
		if err := f(some); err != nil {
			return err
		}
		page.After, page.At, more = some[len(some)-1].Key, at, next
	}
	return nil
}

// field is a field of a record, nil where there is none.
func field(record []byte, name string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if len(record) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(record, &fields)
	return fields[name], err
}

// with is a record with a field more.
func with(record []byte, name string, value json.RawMessage) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(record, &fields); err != nil {
		return nil, err
	}
	fields[name] = value
	return json.Marshal(fields)
}
