package main

import (
	"context"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// record is what one record of an answer says, whatever name it is given.
type record struct {
	ttl  uint32
	body dnsmessage.ResourceBody
}

// records asks the cluster's DNS for a service's records of one type, A, AAAA
// or SRV. As a library would, it appends the search domains one after the
// other.
func (r *resolver) records(ctx context.Context, service string, t dnsmessage.Type) (dnsmessage.RCode, []record) {
	code := dnsmessage.RCodeNameError
	for _, name := range r.candidates(service) {
		q := dnsmessage.Question{Name: name, Type: t, Class: dnsmessage.ClassINET}
		request, err := packQuestion(q)
		if err != nil {
			continue
		}
		reply, err := r.upstream.exchange(ctx, request, q, false)
		if err != nil {
			return dnsmessage.RCodeServerFailure, nil
		}
		got, found := parseRecords(reply, t)
		if got == dnsmessage.RCodeSuccess {
			return got, found
		}
		// Where a name further on might exist, a failure is not the last word;
		// but only when all names are known to be missing is this one.
		if got != dnsmessage.RCodeNameError {
			code = dnsmessage.RCodeServerFailure
		}
	}
	return code, nil
}

// candidates are the full names that a service may have.
func (r *resolver) candidates(service string) []dnsmessage.Name {
	var texts []string
	absolute := strings.HasSuffix(service, ".")
	if !absolute {
		for _, domain := range r.search {
			texts = append(texts, service+"."+domain+".")
		}
	}
	// A name of one word that is in no search domain is not the cluster's.
	if absolute || len(r.search) == 0 || strings.Contains(service, ".") {
		texts = append(texts, strings.TrimSuffix(service, ".")+".")
	}
	var names []dnsmessage.Name
	for _, text := range texts {
		if name, err := dnsmessage.NewName(text); err == nil {
			names = append(names, name)
		}
	}
	return names
}

func packQuestion(q dnsmessage.Question) ([]byte, error) {
	m := dnsmessage.Message{
		Header:      dnsmessage.Header{RecursionDesired: true},
		Questions:   []dnsmessage.Question{q},
		Additionals: []dnsmessage.Resource{opt()},
	}
	return m.Pack()
}

// parseRecords reads the records of one type from an answer. Those of other
// types lead from one name to another, which the client need not know; the
// answer holds no longer than they do.
func parseRecords(reply []byte, t dnsmessage.Type) (dnsmessage.RCode, []record) {
	var p dnsmessage.Parser
	header, err := p.Start(reply)
	if err != nil || p.SkipAllQuestions() != nil {
		return dnsmessage.RCodeServerFailure, nil
	}
	if header.RCode != dnsmessage.RCodeSuccess {
		return header.RCode, nil
	}
	var records []record
	ttl := ^uint32(0)
	for {
		h, err := p.AnswerHeader()
		if err == dnsmessage.ErrSectionDone {
			break
		}
		if err != nil {
			return dnsmessage.RCodeServerFailure, nil
		}
		body, err := parseBody(&p, h, t)
		if err != nil {
			return dnsmessage.RCodeServerFailure, nil
		}
		ttl = min(ttl, h.TTL)
		if body != nil {
			records = append(records, record{body: body})
		}
	}
	for i := range records {
		records[i].ttl = ttl
	}
	return dnsmessage.RCodeSuccess, records
}

// parseBody reads one record; it is nil where the record is of another type.
func parseBody(p *dnsmessage.Parser, h dnsmessage.ResourceHeader, t dnsmessage.Type) (dnsmessage.ResourceBody, error) {
	if h.Type != t || h.Class != dnsmessage.ClassINET {
		return nil, p.SkipAnswer()
	}
	switch t {
	case dnsmessage.TypeA:
		body, err := p.AResource()
		return &body, err
	case dnsmessage.TypeAAAA:
		body, err := p.AAAAResource()
		return &body, err
	default:
		body, err := p.SRVResource()
		return &body, err
	}
}
