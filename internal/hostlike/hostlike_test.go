package hostlike

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func texts(hosts []Host) string {
	var out []string
	for _, h := range hosts {
		out = append(out, h.String())
	}
	return strings.Join(out, " ")
}

// TestFind has values as people write them, with the hosts that they name.
func TestFind(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"AUTH", "https://auth.example.com/realms/a", "auth.example.com:443"},
		{"AUTH", "http://auth.example.com:8080", "auth.example.com:8080"},
		{"DATABASE_URL", "postgres://u:p%40ss@db.example.com/shop?sslmode=require", "db.example.com:5432"},
		{"DATABASE_URL", "postgresql://u@10.2.3.4:6543/shop", "10.2.3.4:6543"},
		{"SPRING", "jdbc:postgresql://db.internal/shop", "db.internal:5432"},
		{"MONGO", "mongodb://u:p@m1.example.com:27018,m2.example.com/?replicaSet=a", "m1.example.com:27018 m2.example.com:27017"},
		{"BROKERS", "k1.example.com:9092,k2.example.com:9092", "k1.example.com:9092 k2.example.com:9092"},
		{"X", "k1.example.com:9092, k1.example.com:9092", "k1.example.com:9092"},
		{"DB_HOST", "db.example.com", "db.example.com"},
		{"dbHost", "10.0.0.7", "10.0.0.7"},
		{"ES_HOSTS", "es1.example.com es2.example.com", "es1.example.com es2.example.com"},
		{"DSN", "root:pw@tcp(db.example.com:3306)/shop", "db.example.com:3306"},
		{"DSN", "host=db.example.com port=5433 user=a", "db.example.com:5433"},
		{"CS", "Server=tcp:sql.example.com,1433;Database=a", "sql.example.com:1433"},
		{"CS", "Data Source=sql.example.com;User=a", "sql.example.com"},
		{"U", "http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"},
		{"U", "HTTPS://API.Example.COM./x", "api.example.com:443"},
		{"U", "redis://cache", "cache:6379"},
		{"U", "see https://a.example.com, and http://b.example.com/", "a.example.com:443 b.example.com:80"},
		{"U", "otlp+http://collector.example.com", "collector.example.com"},
		{"U", "http://localhost:8080", "localhost:8080"},

		{"NAME", "app.example.com", ""},
		{"MAIN", "server.js", ""},
		{"CONFIG_URL", "settings.json", ""},
		{"CLASS", "com.example.shop.Main", ""},
		{"VERSION", "1.2.3", ""},
		{"SERVER", "1.2.3", ""},
		{"TIME", "12:30", ""},
		{"IMAGE", "nginx:1.27", ""},
		{"RANGE", "a:b", ""},
		{"LISTEN_ADDR", "10.0.0.1", ""},
		{"ADDR", ":8080", ""},
		{"PORT", "8080", ""},
		{"MAIL", "someone@example.com", ""},
		{"X", "file:///etc/passwd", ""},
		{"X", "unix:///run/x.sock", ""},
		{"X", "s3://bucket/key", ""},
		{"X", "http://${HOST}/x", ""},
		{"X", "http://api.{{ .Domain }}/x", ""},
		{"X", "http://api-$STAGE.example.com", ""},
		{"X", "http://www.w3.org/2000/svg", ""},
		{"X", "http://a.example.com:99999", ""},
		{"X", "trust host=true", ""},
		{"X", "ghost=db.example.com", ""},
		{"X", "", ""},
		{"HOST", "", ""},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, texts(Find(tt.name, tt.value)), "%s=%s", tt.name, tt.value)
	}
}

func TestInText(t *testing.T) {
	text := `# see https://docs.example.com
upstream: https://api.example.com   # https://both.example.com
  // https://c.example.com
<svg xmlns="http://www.w3.org/2000/svg">
; http://d.example.com
server a.example.com:80
`
	require.Equal(t, "api.example.com:443 both.example.com:443", texts(InText(text)))
}

func TestPrivate(t *testing.T) {
	for name, want := range map[string]bool{
		"10.1.2.3": true, "192.168.0.1": true, "172.20.0.1": true, "169.254.169.254": true, "100.64.1.1": true, "fd00::1": true,
		"db": true, "db.internal": true, "host.docker.internal": true, "a.b.svc.cluster.local": true, "x.home.arpa": true,
		"8.8.8.8": false, "2001:db8::1": false, "api.example.com": false, "internal.example.com": false,
	} {
		require.Equal(t, want, Host{Name: name}.IsPrivate(), name)
	}
	for name, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "0.0.0.0": true, "a.localhost": true, "localhost.example.com": false, "10.0.0.1": false} {
		require.Equal(t, want, Host{Name: name}.IsHere(), name)
	}
	prefix, ok := Host{Name: "10.1.2.3"}.Prefix()
	require.True(t, ok)
	require.Equal(t, "10.1.2.3/32", prefix.String())
	_, ok = Host{Name: "db"}.Prefix()
	require.False(t, ok)
}
