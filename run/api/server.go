// Package api is the manager's HTTP interface: deployments, their manifests and what follows
// from them, as collections of REST.
//
// A handler reads and writes the store. What takes time is an operation, which package operate
// carries out: the answer is 202 with its name.
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kumiki.dev/query"
	"kumiki.dev/run/access"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/place"
	"kumiki.dev/run/store"
	"kumiki.dev/run/telemetry"
)

// Protocol is the number of the one that is spoken; a client of the one before or after is
// served too. It is in the header of every answer, and may be in that of a request.
const (
	Protocol       = 1
	protocolHeader = "Kumiki-Protocol"
)

// maxBundle bounds a bundle that is uploaded, and maxBody what else is sent.
const (
	maxBundle = 64 << 20
	maxBody   = 1 << 20
)

// Server answers requests.
type Server struct {
	Store    *store.Store
	Compiler operate.Compiler
	Connect  operate.Connector
	// Trees compiles what is placed.
	Trees place.Compiler
	Log   *slog.Logger
	// Issuer knows people by ID tokens; nil for none.
	Issuer *access.Issuer
	// Rate bounds how often each who is known may ask, and Strangers how often wrong tokens may
	// come from an address; nil for any number.
	Rate, Strangers *access.Limiter
	// Metrics are what /metrics answers with.
	Metrics *telemetry.Metrics

	mux *http.ServeMux
	api huma.API

	auditing sync.Mutex

	mu      sync.Mutex
	reading sync.Mutex              // held by the one request that reads what is not known
	known   map[string]*query.Facts // of the solutions that deployments want, by the keys of manifests
}

// whoKey is that of who asks, in a context.
type whoKey struct{}

func who(ctx context.Context) access.Identity {
	i, _ := ctx.Value(whoKey{}).(access.Identity)
	return i
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	ours()
	s.mux = http.NewServeMux()
	c := huma.DefaultConfig("Kumiki manager", strconv.Itoa(Protocol))
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil
	c.Transformers = []huma.Transformer{s.told}
	c.RejectUnknownQueryParameters = true
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	s.api = humago.New(s.mux, c)
	s.api.UseMiddleware(s.authorise)
	s.register()
	s.describePlans()
	s.mux.HandleFunc("/", s.nothing)
	s.mux.HandleFunc("GET /healthz", s.healthy)
	s.mux.HandleFunc("GET /readyz", s.ready)
	return s.around(s.mux)
}

// schemaName is what the document calls a type: live's are called so.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.PkgPath() == "kumiki.dev/live" {
		return "Live" + name
	}
	return name
}

// OpenAPI is the document that describes the interface.
func (s *Server) OpenAPI() ([]byte, error) {
	s.Handler()
	return s.api.OpenAPI().MarshalJSON()
}

// around is what is done with every request.
func (s *Server) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(protocolHeader, strconv.Itoa(Protocol))
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if spoken := r.Header.Get(protocolHeader); spoken != "" {
			if n, err := strconv.Atoi(spoken); err != nil || n < Protocol-1 || n > Protocol+1 {
				s.refuse(w, problem(http.StatusBadRequest, "manager/protocol", "this server speaks protocol "+strconv.Itoa(Protocol)+", and serves clients of one less and one more; the request says "+strconv.Quote(spoken)))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) refuse(w http.ResponseWriter, p *Fault) {
	data, err := s.marshal(p)
	if err != nil {
		http.Error(w, p.Detail, p.Status)
		return
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_, _ = w.Write(data)
}

// authorise lets nobody by who may not do what an operation of the interface does.
func (s *Server) authorise(ctx huma.Context, next func(huma.Context)) {
	is, err := s.identity(ctx)
	if err != nil {
		s.stranger(ctx, err)
		return
	}
	telemetry.Of(ctx.Context()).User = is.Name
	if wait, may := s.Rate.Take(is.Name); !may && !local(ctx) {
		s.tooMany(ctx, wait, is.Name+" asks more often than the server lets anybody")
		return
	}
	needs, _ := ctx.Operation().Metadata["role"].(access.Role)
	i, may := is.For(needs)
	switch {
	case !may:
		s.write(ctx, problem(http.StatusForbidden, "manager/forbidden", i.Name+" is a "+string(i.Role)+", and this takes a "+string(needs)))
	case (needs == access.Admin || ctx.Operation().Metadata["whole"] == true) && i.Selector != nil:
		// Who makes a token, changes an environment, reads the audit or stops the engine goes past
		// any selector.
		s.write(ctx, problem(http.StatusForbidden, "manager/forbidden", i.Name+" may see deployments of "+i.Selector.String()+" only, and this is for those who may see all"))
	default:
		next(huma.WithContext(ctx, context.WithValue(ctx.Context(), whoKey{}, i)))
	}
}

// stranger answers a request without a known identity.
func (s *Server) stranger(ctx huma.Context, err error) {
	var refused *access.Refused
	var ungranted *access.Ungranted
	var issuer *access.IssuerError
	switch {
	case errors.Is(err, access.ErrNobody), errors.As(err, &refused):
		if wait, may := s.Strangers.Take(telemetry.Of(ctx.Context()).Address); !may {
			s.tooMany(ctx, wait, "too many requests without a token that is known have come from there")
			return
		}
		ctx.SetHeader("WWW-Authenticate", "Bearer")
		s.write(ctx, problem(http.StatusUnauthorized, "manager/nobody", err.Error()))
	case errors.As(err, &ungranted):
		s.write(ctx, problem(http.StatusForbidden, "manager/forbidden", err.Error()))
	case errors.As(err, &issuer):
		s.write(ctx, problem(http.StatusServiceUnavailable, "manager/issuer", err.Error()))
	default:
		var p *Fault
		errors.As(answer(err), &p)
		s.write(ctx, p)
	}
}

// tooMany answers 429, and says how long to wait.
func (s *Server) tooMany(ctx huma.Context, wait time.Duration, why string) {
	in := int(math.Ceil(wait.Seconds()))
	ctx.SetHeader("Retry-After", strconv.Itoa(in))
	s.write(ctx, problem(http.StatusTooManyRequests, "manager/too-many", fmt.Sprintf("%s; again in %d s", why, in)))
}

// local reports whether a request came by the Unix socket, from a user who has this server's
// rights anyway.
func local(ctx huma.Context) bool {
	_, ok := access.Peer(ctx.Context())
	return ok
}

func (s *Server) identity(ctx huma.Context) (access.Identity, error) {
	if i, ok := access.Peer(ctx.Context()); ok {
		return i, nil
	}
	r, _ := humago.Unwrap(ctx)
	token := access.Bearer(r)
	if s.Issuer != nil && access.IsIDToken(token) {
		return s.Issuer.Find(ctx.Context(), token, "")
	}
	return access.Tokens{Store: s.Store}.Find(ctx.Context(), token)
}

// told looks at what the handlers answer.
func (s *Server) told(ctx huma.Context, _ string, v any) (any, error) {
	if p, ok := v.(*Fault); ok {
		s.note(ctx, p)
	}
	return v, nil
}

// note keeps the code of what is wrong for the request's line in the log, and writes down what
// is the server's own fault.
func (s *Server) note(ctx huma.Context, p *Fault) {
	telemetry.Of(ctx.Context()).Code = p.Code
	if p.Status >= http.StatusInternalServerError {
		s.Log.Warn("a request cannot be carried out", "error.type", p.Code, "error", p.Detail)
	}
}

func (s *Server) write(ctx huma.Context, p *Fault) {
	s.note(ctx, p)
	ctx.SetHeader("Content-Type", p.ContentType(""))
	ctx.SetStatus(p.Status)
	if data, err := s.marshal(p); err == nil {
		_, _ = ctx.BodyWriter().Write(data)
	}
}
