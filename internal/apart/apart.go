// Package apart keeps the connections of tests that run beside each other apart. When a
// net/http/httptest.Server closes, it closes all idle connections of the default
// transport, one included that another test is just about to use again. It is imported
// for this effect:
//
//	import _ "kumiki.dev/internal/apart"
package apart

import "net/http"

// unclosed is a transport that cannot be told to close connections.
type unclosed struct{ http.RoundTripper }

func init() { http.DefaultTransport = unclosed{http.DefaultTransport} }
