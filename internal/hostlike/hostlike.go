// Package hostlike finds the hosts that a text names, as those do who read it: in URLs,
// in connection strings, in lists of HOST:PORT, and in variables that are called after
// a host. It would rather miss one than call things hosts that are none.
package hostlike

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
)

// Host is one that is named.
type Host struct {
	// Name is a name of the DNS in small letters, or an address.
	Name string
	// Port is where it is asked, 0 where neither the text nor its scheme tells.
	Port int
}

// Find returns the hosts that a value names which is given under a name, in the order
// in which they are named, each once.
func Find(name, value string) []Host {
	var f finder
	f.text(value)
	if len(value) <= longestList && strings.ContainsAny(value, ".:") { // as each host of a list has
		f.list(value, name)
	}
	return f.found
}

// InText returns the hosts in a text of many lines, without those in comments.
func InText(text string) []Host {
	var f finder
	if !mayName(text) {
		return nil
	}
	for line := range strings.Lines(text) {
		if mayName(line) && !comment().MatchString(line) {
			f.text(line)
		}
	}
	return f.found
}

// mayName reports whether a text has what a host comes with, which is quickly looked at.
func mayName(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, "=") || strings.Contains(text, "@tcp(")
}

// longestList bounds what is taken for a list of hosts.
const longestList = 4096

// comment is a line of a file that says nothing to the program.
var comment = lazyregexp.New(`^\s*(#|//|;|--|\*|/\*|<!--)`)

const (
	// label is one of a name's, or the number of an address.
	label = `[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?`
	// host is a name or an address; one of IPv6 is in brackets.
	host = `(` + label + `(?:\.` + label + `)*\.?|\[[0-9A-Fa-f:.]+\])`
)

var (
	// url takes names and passwords apart from the host. A list of hosts may follow, as
	// drivers of MongoDB and Kafka have it.
	url = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*)://(?:[^\s/@"'<>]*@)?(` + host + `(?::[0-9]{1,5})?(?:,` + host + `(?::[0-9]{1,5})?)*)`)
	// goDriver is user:password@tcp(host:port)/database.
	goDriver = lazyregexp.New(`@tcp\(` + host + `:([0-9]{1,5})\)`)
	// keyword is the host of a connection string: host=db.example.com port=5432.
	keyword     = lazyregexp.New(`(?i)(?:^|[\s;])(?:host|hostaddr|server|data source|bootstrap\.servers)\s*=\s*'?(?:tcp:)?` + host + `(?:[:,]([0-9]{1,5}))?(?:[\s;,']|$)`)
	keywordPort = lazyregexp.New(`(?i)(?:^|[\s;])port\s*=\s*'?([0-9]{1,5})\b`)
	// item is one of a list.
	item = lazyregexp.New(`^` + host + `(?::([0-9]{1,5}))?$`)
)

// schemes are the ports of those that most texts leave out.
var schemes = map[string]int{
	"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "ftps": 990, "sftp": 22, "ssh": 22, "git": 9418,
	"postgres": 5432, "postgresql": 5432, "mysql": 3306, "mariadb": 3306, "sqlserver": 1433, "oracle": 1521,
	"mongodb": 27017, "redis": 6379, "rediss": 6379, "memcached": 11211, "amqp": 5672, "amqps": 5671, "nats": 4222,
	"kafka": 9092, "mqtt": 1883, "mqtts": 8883, "ldap": 389, "ldaps": 636, "smtp": 25, "smtps": 465, "imap": 143, "imaps": 993,
	"cassandra": 9042, "clickhouse": 9000, "neo4j": 7687, "bolt": 7687, "etcd": 2379, "consul": 8500, "zookeeper": 2181, "dns": 53,
}

// notHosts are schemes of URLs that have no host.
var notHosts = []string{"file", "unix", "data", "jar", "classpath", "resource", "urn", "mem", "memory", "sqlite", "sqlite3", "s3", "s3a", "gs", "az", "arn", "secret", "vault", "mongodb+srv"}

// identifiers are hosts of URLs that name a thing rather than lead to it: schemas and
// namespaces.
var identifiers = []string{"www.w3.org", "w3.org", "json-schema.org", "schemas.xmlsoap.org", "xmlns.jcp.org", "java.sun.com", "xmlns.com", "purl.org", "schema.org", "schemas.microsoft.com", "www.sitemaps.org", "jakarta.ee", "www.springframework.org", "maven.apache.org", "logging.apache.org", "spdx.org", "www.apache.org"}

type finder struct{ found []Host }

func (f *finder) add(name string, port int) {
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if slices.Contains(identifiers, name) || port < 0 || port > 65535 {
		return
	}
	if address, err := netip.ParseAddr(name); err == nil {
		name = address.String()
	} else if strings.Contains(name, ":") || isNumber(lastLabel(name)) {
		return // a version, or half an address
	}
	if h := (Host{name, port}); !slices.Contains(f.found, h) {
		f.found = append(f.found, h)
	}
}

// text adds what any text may hold.
func (f *finder) text(text string) {
	if strings.Contains(text, "://") {
		f.urls(text)
	}
	for _, m := range goDriver().FindAllStringSubmatch(text, -1) {
		f.add(m[1], number(m[2]))
	}
	if !strings.Contains(text, "=") {
		return
	}
	for _, m := range keyword().FindAllStringSubmatch(text, -1) {
		at := number(m[2])
		if p := keywordPort().FindStringSubmatch(text); at == 0 && p != nil {
			at = number(p[1])
		}
		if !isFlag(m[1]) {
			f.add(m[1], at)
		}
	}
}

// isFlag is a value of a setting that is no host although the setting is called so.
func isFlag(text string) bool {
	return slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "none", "null"}, strings.ToLower(text))
}

func (f *finder) urls(text string) {
	for _, m := range url().FindAllStringSubmatchIndex(text, -1) {
		scheme, hosts := strings.ToLower(text[m[2]:m[3]]), text[m[4]:m[5]]
		if slices.Contains(notHosts, scheme) || strings.HasPrefix(scheme, "git+file") {
			continue
		}
		// http+tls, jdbc:postgresql and the like end in what tells the port.
		usual, known := schemes[scheme]
		if before, _, cut := strings.Cut(scheme, "+"); !known && cut {
			usual = schemes[before]
		}
		if rest := strings.TrimLeft(text[m[5]:], "-_."); rest != "" && strings.ContainsRune("$%{(<@", rune(rest[0])) {
			continue // a part of the name is put in elsewhere
		}
		for one := range strings.SplitSeq(hosts, ",") {
			if p := item().FindStringSubmatch(one); p != nil {
				at := number(p[2])
				if at == 0 {
					at = usual
				}
				f.add(p[1], at)
			}
		}
	}
}

// list adds a value that is a list of hosts, as all of it: HOST:PORT with a name that
// has a dot or an address, or without a port where the variable of that name is called after a host.
func (f *finder) list(value, name string) {
	items := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '\n' })
	var hosts []Host
	for _, one := range items {
		m := item().FindStringSubmatch(one)
		if m == nil {
			return
		}
		_, err := netip.ParseAddr(strings.Trim(m[1], "[]"))
		named := strings.Contains(m[1], ".") && isTop(lastLabel(strings.TrimSuffix(m[1], ".")))
		if err != nil && !named || m[2] == "" && !isHostName(name) {
			return
		}
		hosts = append(hosts, Host{m[1], number(m[2])})
	}
	for _, h := range hosts {
		f.add(h.Name, h.Port)
	}
}

var words = lazyregexp.New(`[A-Z]?[a-z0-9]+|[A-Z0-9]+`)

// isHostName reports whether a variable is called after a host: DB_HOST, upstreamUrl.
func isHostName(name string) bool {
	all := words().FindAllString(name, -1)
	if len(all) == 0 {
		return false
	}
	last := strings.ToLower(all[len(all)-1])
	return slices.Contains([]string{"host", "hosts", "hostname", "server", "servers", "addr", "address", "addresses", "endpoint", "endpoints", "url", "urls", "uri", "broker", "brokers", "upstream", "upstreams", "peer", "peers", "proxy"}, last) &&
		!filter.Any(all, func(w string) bool {
			return slices.Contains([]string{"bind", "listen", "advertised", "advertise", "public", "external", "virtual", "email", "mail"}, strings.ToLower(w))
		})
}

// isTop is what a name that other hosts resolve ends with: letters, two or more, and no
// ending of files.
func isTop(text string) bool {
	return len(text) >= 2 && !strings.ContainsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) &&
		!slices.Contains([]string{"js", "ts", "json", "yaml", "yml", "xml", "html", "htm", "conf", "cfg", "ini", "toml", "txt", "log", "py", "go", "rb", "php", "jar", "war", "sql", "db", "sock", "pem", "crt", "key", "csv", "properties", "cue"}, strings.ToLower(text))
}

func lastLabel(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// number is that of a port, 0 for none and -1 for one that cannot be.
func number(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 || n > 65535 {
		return -1
	}
	return n
}

// IsHere reports whether a host is the instance itself or no host at all.
func (h Host) IsHere() bool {
	if address, err := netip.ParseAddr(h.Name); err == nil {
		return address.IsLoopback() || address.IsUnspecified()
	}
	return h.Name == "localhost" || strings.HasSuffix(h.Name, ".localhost")
}

// private are the endings of names that only a site of one's own resolves.
var private = []string{".internal", ".local", ".lan", ".corp", ".home", ".intranet", ".intra", ".private", ".svc", ".consul", ".localdomain", ".home.arpa"}

// IsPrivate reports whether a host is one of a network of one's own: by its address, or
// by a name that the world does not resolve.
func (h Host) IsPrivate() bool {
	if address, err := netip.ParseAddr(h.Name); err == nil {
		return address.IsPrivate() || address.IsLinkLocalUnicast() || shared.Contains(address)
	}
	return !strings.Contains(h.Name, ".") || filter.Any(private, func(ending string) bool { return strings.HasSuffix(h.Name, ending) })
}

// shared is the range that carriers and clusters use among themselves (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// Prefix is the host's address as a range of one, false for a name.
func (h Host) Prefix() (netip.Prefix, bool) {
	address, err := netip.ParseAddr(h.Name)
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(address, address.BitLen()), true
}

// String is HOST:PORT, or HOST where the port is not known.
func (h Host) String() string {
	if h.Port == 0 {
		return h.Name
	}
	if strings.Contains(h.Name, ":") {
		return "[" + h.Name + "]:" + strconv.Itoa(h.Port)
	}
	return h.Name + ":" + strconv.Itoa(h.Port)
}
