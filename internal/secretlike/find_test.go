package secretlike

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pair is a name and a value that is given under it.
type pair struct{ name, value string }

const privateKey = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY\noAoGCCqGSM49AwEHoUQDQgAEPR3tU2Fta9ktY+6P9G0cWO+0kETA6SFs38Gecty\n-----END EC PRIVATE KEY-----\n"

const certificate = "-----BEGIN CERTIFICATE-----\nMIIBhTCCASugAwIBAgIQIRi6zePL6mKjOipn+dNuaTAKBggqhkjOPQQDAjASMRAw\nDgYDVQQKEwdBY21lIENvMB4XDTE3MTAyMDE5NDMwNloXDTE4MTAyMDE5NDMwNlow==\n-----END CERTIFICATE-----\n"

var secrets = []pair{
	{"PASSWORD", "hunter2"},
	{"DB_PASSWORD", "geheim"},
	{"dbPassword", "correct horse battery"},
	{"PASSWORD_2", "hunter3"},
	{"password1", "hunter4"},
	{"DB_PASSWD", "tiger"},
	{"DB_PWD", "scott/tiger"},
	{"MYSQL_PWD", "tiger"},
	{"PGPASS", "db:5432:shop:shop:tiger"},
	{"PGPASSWORD", "tiger"},
	{"SMTP_PASS", "tiger"},
	{"REDISPASS", "tiger"},
	{"SSH_PASSPHRASE", "open sesame"},
	{"HTPASSWD", "admin:$apr1$ab$cd"},
	{"SPRING_DATASOURCE_PASSWORD", "postgres"},
	{"spring.datasource.password", "postgres"},
	{"CLIENT_SECRET", "b9a1c3"},
	{"clientSecret", "b9a1c3"},
	{"SECRET_KEY_BASE", "4f1c"},
	{"DJANGO_SECRET_KEY", "insecure-abc"},
	{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
	{"API_TOKEN", "0123456789abcdef"},
	{"accessToken", "abc-def"},
	{"ACCESSTOKEN", "abc-def"},
	{"TOKEN", "9b2f8c1e-2b1d-4f7a-9d55-0a1b2c3d4e5f"},
	{"STRIPE_API_KEY", "sk_live_4eC39HqLyjWDarjtT1"},
	{"api-key", "abc123"},
	{"apikey", "abc123"},
	{"X_APIKEY", "abc123"},
	{"ENCRYPTION_KEY", "thirty-two bytes of anything"},
	{"SIGNING_KEY", "abc123"},
	{"APP_KEY", "base64:J63qRTDLub5NuZvP"},
	{"MASTER_KEY", "abc123"},
	{"AZURE_STORAGE_ACCOUNT_KEY", "abc123=="},
	{"JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"},
	{"SESSION", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"},
	{"BEARER", "abc123"},
	{"AUTHORIZATION", "Bearer abc123def456"},
	{"HEADERS", "Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1lMQ=="},
	{"GITHUB_PAT", "abc123"},
	{"GIT_AUTH", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
	{"CI", "glpat-abcdefghij0123456789"},
	{"CHAT", "xoxb-123456789012-abcdefGHIJKL"},
	{"CREDENTIALS", "admin:tiger"},
	{"DATABASE_URL", "postgres://shop:geheim@db:5432/shop"},
	{"DATABASE_URL", "postgres://shop:p@ss@db:5432/shop"},
	{"MONGO_URI", "mongodb+srv://root:geheim@cluster0.example.net/?retryWrites=true"},
	{"REDIS_URL", "redis://:geheim@redis:6379/0"},
	{"AMQP_URL", "amqp://guest:guest@rabbit/vhost"},
	{"HTTPS_PROXY", "http://me:geheim@proxy:3128"},
	{"JDBC", "jdbc:postgresql://db/shop?user=shop&password=geheim"},
	{"DSN", "shop:geheim@tcp(db:3306)/shop"},
	{"DSN", "host=db user=shop password=geheim dbname=shop"},
	{"SENTRY_DSN", "https://0123456789abcdef0123456789abcdef@o1.ingest.example.com/1"},
	{"CONNECTION_STRING", "Server=db;Database=shop;User Id=shop;Password=geheim;"},
	{"SERVICE_BUS", "Endpoint=sb://x.example.net/;SharedAccessKeyName=Root;SharedAccessKey=abc123="},
	{"ALERTS", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"},
	{"DISCORD_WEBHOOK", "https://discord.com/api/webhooks/123456/abcDEF123"},
	{"WEBHOOK_URL", "https://example.com/in/a8F3kQ92mZx71LpW"},
	{"TLS_KEY", privateKey},
	{"/etc/tls/key.pem", privateKey},
	{"KEY", strings.ReplaceAll(privateKey, "\n", `\n`)},
	{"blob", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VBTUJNR0J5cUdTTTQ5QWdFRwotLS0tLUVORCBQUklWQVRFIEtFWS0tLS0tCg=="},
	{"/etc/app.properties", "db.user=shop\ndb.password=geheim\n"},
	{"/etc/app.yaml", "db:\n  user: shop\n  password: geheim\n"},
	{"/etc/app.json", `{"user":"shop","password":"geheim"}`},
	{"/etc/app.xml", "<user>shop</user><password>geheim</password>"},
	{"cmd", "serve --password=geheim --port=80"},
	{"cmd", "serve --api-key abc123"},
	{"SALTED", "Zk9xQ2vT7pLw3RmY8sBd"},
	{"blob", "q7Jx0Zk9xQ2vT7pLw3RmY8sBdN4hF6uC1eG5iA=="},
	{"seed", "3f9a0c7be18d42f65a90b1c2d3e4f5a6b7c8d9"},
}

var others = []pair{
	{"KEYCLOAK_HOST", "keycloak.example.com"},
	{"KEYCLOAK_URL", "https://keycloak.example.com/auth"},
	{"PARTITION_KEY", "customer"},
	{"SORT_KEY", "createdAt"},
	{"ROUTING_KEY", "orders.created"},
	{"PRIMARY_KEY", "id"},
	{"CACHE_KEY_PREFIX", "shop:"},
	{"keyboard", "de-latin1"},
	{"MONKEY", "banana"},
	{"PASSENGER_COUNT", "four"},
	{"COMPASS", "north"},
	{"BYPASS", "all of them"},
	{"PASS_THROUGH", "headers"},
	{"PATH", "/usr/bin"},
	{"PATTERN", "[a-z]+"},
	{"SECRETARY", "Smith"},
	{"TOKENIZER", "standard"},
	{"MAX_TOKENS", "4096"},
	{"TOKEN_TTL", "1h"},
	{"TOKEN_URL", "https://login.example.com/oauth2/token"},
	{"TOKEN_TYPE", "opaque"},
	{"PASSWORD_FILE", "/run/secrets/password"},
	{"DB_PASSWORD", "/run/secrets/db_password"},
	{"DB_PASSWORD", "${DB_PASSWORD}"},
	{"DB_PASSWORD", "$DB_PASSWORD"},
	{"DB_PASSWORD", "$(DB_PASSWORD)"},
	{"DB_PASSWORD", "{{ .Values.password }}"},
	{"DB_PASSWORD", "<password>"},
	{"DB_PASSWORD", "CHANGE_ME"},
	{"DB_PASSWORD", "your-password-here"},
	{"DB_PASSWORD", "********"},
	{"DB_PASSWORD", ""},
	{"DB_PASSWORD", "vault:secret/data/db#password"},
	{"API_TOKEN", "op://prod/api/token"},
	{"API_KEY", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:key"},
	{"PASSWORD_MIN_LENGTH", "12 characters"},
	{"PASSWORD_POLICY", "strict"},
	{"PASSWORD_REQUIRED", "true"},
	{"PASSWORD_HASH_ALGORITHM", "argon2id"},
	{"USE_TOKEN", "true"},
	{"TOKEN", "3600"},
	{"TOKEN_LIFETIME", "15m"},
	{"SESSION_TOKEN", "15m"},
	{"SECRET_NAME", "db-password"},
	{"SECRET_REF", "db-password"},
	{"API_KEY_ID", "AKIAIOSFODNN7EXAMPLE"},
	{"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"},
	{"JWT_ISSUER", "https://login.example.com"},
	{"JWT_ALGORITHM", "RS256"},
	{"JWT_PUBLIC_KEY", "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----"},
	{"SSH_KEY", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1qTk8y5uG2VhX9 me@example"},
	{"STRIPE_PUBLISHABLE_KEY", "pk_live_TYooMQauvdEDq54NiTphI7jx"},
	{"TLS_CERT", certificate},
	{"/etc/ssl/ca.pem", certificate},
	{"IMAGE", "ghcr.io/acme/shop:1.2.3"},
	{"IMAGE", "ghcr.io/acme/shop@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{"DIGEST", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{"what", "sha256-9f86d081884c7d659a2feaa0c55ad015"},
	{"BUILD", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{"GIT_COMMIT", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
	{"revision", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
	{"INSTANCE", "123e4567-e89b-12d3-a456-426614174000"},
	{"CLIENT_ID", "8h3jKq0ZmW2xV5nB7cR1tY4u"},
	{"VERSION", "1.24.3-rc.1+build.7"},
	{"API_TOKEN_VERSION", "v2"},
	{"HOST", "ip-10-0-12-34.eu-west-1.compute.internal"},
	{"DATABASE_URL", "postgres://db:5432/shop"},
	{"DATABASE_URL", "postgres://shop@db:5432/shop"},
	{"DATABASE_URL", "postgres://shop:${DB_PASSWORD}@db:5432/shop"},
	{"MONGO_URI", "mongodb://mongo:27017/shop"},
	{"DSN", "host=db user=shop dbname=shop sslmode=disable"},
	{"CONNECTION_STRING", "Server=db;Database=shop;Integrated Security=true;"},
	{"REPOSITORY", "git@github.com:acme/shop.git"},
	{"REPOSITORY", "ssh://git@github.com/acme/shop.git"},
	{"MAIL", "someone@example.com"},
	{"WEBHOOK_URL", "https://example.com/hooks/orders"},
	{"TOPIC", "orders-service-prod-eu-west-1-v2-events"},
	{"CLASS", "org.springframework.boot.autoconfigure.Security2Filter"},
	{"FEATURES", "enableFastCheckout,enableNewPricing2"},
	{"BUCKET", "acme-shop-backups-2024-eu-central-1"},
	{"LOREM", "the quick brown fox jumps over the lazy dog 12 times"},
	{"PORT", "8080"},
	{"TIMEOUT", "1h30m"},
	{"RATIO", "0.25"},
	{"DEBUG", "true"},
	{"PHONE", "00491701234567890123456"},
	{"AUTH_MODE", "basic"},
	{"AUTHOR", "Jane Doe"},
	{"COOKIE_NAME", "shop_session"},
	{"/etc/app.properties", "db.user=shop\ndb.password=${DB_PASSWORD}\ntoken.ttl=1h\n"},
	{"/etc/app.yaml", "token_url: https://login.example.com\npassword_file: /run/secrets/x\n"},
	{"/etc/nginx.conf", "server {\n  listen 80;\n  proxy_set_header X-Token $http_x_token;\n}\n"},
	{"cmd", "serve --token-file /run/secrets/x --port=80"},
	{"certificateChain", certificate},
	{"RECAPTCHA_SITE_KEY", "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI"},
	{"integrity", "oqVuAfXRKap7fdgcCY5uykM6R9GqQ8K9uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"},
}

func TestFind(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(secrets), 60)
	require.GreaterOrEqual(t, len(others), 60)
	for _, p := range secrets {
		if !Is(p.name, p.value) {
			t.Errorf("%s=%q does not look like a secret", p.name, p.value)
		}
	}
	for _, p := range others {
		if found := Find(p.name, p.value); len(found) > 0 {
			t.Errorf("%s=%q looks like a secret: %q", p.name, p.value, found)
		}
	}
}

// TestFindParts: what is hidden of a longer text is the secret alone.
func TestFindParts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pair
		want []string
	}{
		{pair{"DATABASE_URL", "postgres://shop:geheim@db/shop"}, []string{"geheim"}},
		{pair{"DSN", "host=db password='ge heim' user=x"}, []string{"ge heim"}},
		{pair{"/etc/app.properties", "a=b\ndb.password=geheim\napi.token=abc123\n"}, []string{"abc123", "geheim"}},
		{pair{"x", "see https://hooks.slack.com/services/T0/B0/X0 there"}, []string{"https://hooks.slack.com/services/T0/B0/X0"}},
		{pair{"PASSPHRASE", "first line\nsecond line\n"}, []string{"first line", "second line"}},
		{pair{"x", privateKey}, strings.Split(strings.TrimSpace(privateKey), "\n")[1:3]},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, Find(tt.name, tt.value), tt.name)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"code.c.mapping.env.DB_PASSWORD.value": "DB_PASSWORD",
		"code.c.cmd.[2]":                       "cmd",
		"config.parameter.db.password":         "password",
		"config.parameter.secret":              "secret",
		"config.resource.password.secret":      "no value",
		"code.c.mapping.env.TOKEN.parameter":   "no value",
		"connect.c.from.token":                 "no value",
		`mapping.filesystem."/a.b/token"`:      "/a.b/token",
	} {
		name, ok := Path(Dotted(path))
		if !ok {
			name = "no value"
		}
		require.Equal(t, want, name, path)
	}
}
