package main

import (
	"context"
	"strings"
	"sync/atomic"

	"golang.org/x/net/dns/dnsmessage"

	"kumiki.dev/internal/filter"
)

const (
	// readyName is a name for -check only. It leads nowhere, so that a pod is
	// not restarted because the cluster's DNS is slow.
	readyName = "ready.kumiki-resolver.invalid."
	// lbPort is where a channel's servers as one are found, wherever they
	// listen.
	lbPort = 80
	// fixedTTL is for answers that no other server has given: they change only
	// with the pod itself.
	fixedTTL = 5

	minDatagram = 512  // Without EDNS, an answer by UDP is no longer than this.
	maxDatagram = 4096 // With it, no longer than this, whatever was asked for.

	typeIXFR dnsmessage.Type = 251
)

// resolver answers questions.
type resolver struct {
	channels atomic.Pointer[channels]
	search   []string
	upstream *upstream
}

// query is a question as it has come in.
type query struct {
	header   dnsmessage.Header
	question dnsmessage.Question
	edns     bool
	room     int // How long the answer may be.
}

// answer is what to reply to a request; nil is for what deserves no reply. With
// stream, the request has come by TCP.
func (r *resolver) answer(ctx context.Context, request []byte, stream bool) []byte {
	q, code, ok := parseQuery(request, stream)
	if !ok {
		return nil
	}
	if code != dnsmessage.RCodeSuccess {
		return q.reply(code, nil)
	}
	if strings.EqualFold(q.question.Name.String(), readyName) {
		return q.reply(dnsmessage.RCodeSuccess, nil)
	}
	if q.question.Class == dnsmessage.ClassINET {
		if s, ok := r.channels.Load().find(q.question.Name.String(), r.search); ok {
			return q.reply(r.lookup(ctx, s, q.question))
		}
	}
	reply, err := r.upstream.exchange(ctx, request, q.question, stream)
	switch {
	case err != nil:
		return q.reply(dnsmessage.RCodeServerFailure, nil)
	case len(reply) > q.room:
		return q.truncated()
	}
	return reply
}

// parseQuery reads a request. A code other than success is the reply to give;
// false means that there is nobody to reply to.
func parseQuery(request []byte, stream bool) (query, dnsmessage.RCode, bool) {
	q := query{room: minDatagram}
	if stream {
		q.room = maxMessage
	}
	var p dnsmessage.Parser
	var err error
	q.header, err = p.Start(request)
	if err != nil || q.header.Response {
		return q, 0, false
	}
	if q.header.OpCode != 0 {
		return q, dnsmessage.RCodeNotImplemented, true
	}
	if q.question, err = p.Question(); err != nil {
		return query{header: q.header, room: q.room}, dnsmessage.RCodeFormatError, true
	}
	if _, err := p.Question(); err != dnsmessage.ErrSectionDone {
		return q, dnsmessage.RCodeFormatError, true
	}
	if !q.readEDNS(&p, stream) {
		return q, dnsmessage.RCodeFormatError, true
	}
	// A whole zone is nothing that a process in a pod has to ask for.
	if t := q.question.Type; t == dnsmessage.TypeAXFR || t == typeIXFR {
		return q, dnsmessage.RCodeRefused, true
	}
	return q, dnsmessage.RCodeSuccess, true
}

// readEDNS looks for the record that says how long an answer may be, behind the
// question.
func (q *query) readEDNS(p *dnsmessage.Parser, stream bool) bool {
	if p.SkipAllAnswers() != nil || p.SkipAllAuthorities() != nil {
		return false
	}
	for {
		header, err := p.AdditionalHeader()
		if err == dnsmessage.ErrSectionDone {
			return true
		}
		if err != nil {
			return false
		}
		if header.Type == dnsmessage.TypeOPT {
			q.edns = true
			if !stream {
				q.room = min(max(int(header.Class), minDatagram), maxDatagram)
			}
		}
		if p.SkipAdditional() != nil {
			return false
		}
	}
}

// reply is the message that answers the query, cut short where it has no room.
func (q query) reply(code dnsmessage.RCode, records []record) []byte {
	m := q.message(code)
	for _, record := range records {
		m.Answers = append(m.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: q.question.Name, Class: dnsmessage.ClassINET, TTL: record.ttl},
			Body:   record.body,
		})
	}
	packed, err := m.Pack()
	if err != nil || len(packed) > q.room {
		return q.truncated()
	}
	return packed
}

// truncated tells the client to ask again by TCP.
func (q query) truncated() []byte {
	m := q.message(dnsmessage.RCodeSuccess)
	m.Truncated = true
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

func (q query) message(code dnsmessage.RCode) *dnsmessage.Message {
	m := &dnsmessage.Message{Header: dnsmessage.Header{
		ID: q.header.ID, Response: true, OpCode: q.header.OpCode,
		RecursionDesired: q.header.RecursionDesired, RecursionAvailable: true, RCode: code,
	}}
	if q.question.Name.Length > 0 {
		m.Questions = []dnsmessage.Question{q.question}
	}
	if q.edns {
		m.Additionals = []dnsmessage.Resource{opt()}
	}
	return m
}

func opt() dnsmessage.Resource {
	var h dnsmessage.ResourceHeader
	// It fails only for extended codes, of which there are none here.
	_ = h.SetEDNS0(maxDatagram, dnsmessage.RCodeSuccess, false)
	return dnsmessage.Resource{Header: h, Body: &dnsmessage.OPTResource{}}
}

// lookup answers a question about a channel. A name that is known has no records
// of types other than these.
func (r *resolver) lookup(ctx context.Context, s subject, q dnsmessage.Question) (dnsmessage.RCode, []record) {
	service := s.LB
	if s.set || service == "" {
		service = s.Set
	}
	if !s.known || service == "" {
		return dnsmessage.RCodeNameError, nil
	}
	switch q.Type {
	case dnsmessage.TypeA, dnsmessage.TypeAAAA:
		return r.records(ctx, service, q.Type)
	case dnsmessage.TypeSRV:
		if service == s.LB {
			return dnsmessage.RCodeSuccess, []record{{fixedTTL, &dnsmessage.SRVResource{Port: lbPort, Target: q.Name}}}
		}
		return r.instances(ctx, s, q)
	}
	return dnsmessage.RCodeSuccess, nil
}

// instances are the names and ports of a channel's instances. A DNS server that
// has names for them lists those; else one name stands for all.
func (r *resolver) instances(ctx context.Context, s subject, q dnsmessage.Question) (dnsmessage.RCode, []record) {
	code, found := r.records(ctx, s.Set, dnsmessage.TypeSRV)
	if code != dnsmessage.RCodeSuccess {
		return code, nil
	}
	other := func(x record) bool { return x.body.(*dnsmessage.SRVResource).Port != s.Port }
	// The instances may have ports for other channels.
	if !filter.Any(found, func(x record) bool { return !other(x) }) {
		other = func(record) bool { return false }
	}
	found = filter.Out(found, other)
	if len(found) > 0 || s.Port == 0 {
		return code, found
	}
	for _, t := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA} {
		if _, addresses := r.records(ctx, s.Set, t); len(addresses) > 0 {
			return code, []record{{addresses[0].ttl, &dnsmessage.SRVResource{Port: s.Port, Target: q.Name}}}
		}
	}
	return code, nil
}
