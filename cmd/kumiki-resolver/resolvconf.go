package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"kumiki.dev/internal/atomicfile"
)

// dnsPort is where DNS servers listen; resolv.conf has no way to say another.
const dnsPort = "53"

// defaultAttempts is how often each server is asked, as in resolv.conf(5).
const defaultAttempts = 2

// resolvConf is what a resolv.conf says.
type resolvConf struct {
	servers  []string // Addresses, or addresses with ports, which only tests have.
	search   []string // In lower case, without dots at their ends.
	attempts int
	others   [][]byte // All lines but those that name servers.
}

func readResolvConf(file string) (resolvConf, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return resolvConf{}, err
	}
	c := parseResolvConf(data)
	if len(c.servers) == 0 {
		return c, fmt.Errorf("%s: no nameserver", file)
	}
	return c, nil
}

// parseResolvConf reads what resolv.conf(5) describes. As there, the last of
// several search lines counts, and what is not understood does no harm.
func parseResolvConf(data []byte) resolvConf {
	c := resolvConf{attempts: defaultAttempts}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		words := strings.Fields(string(line))
		if len(words) > 1 && words[0] == "nameserver" {
			c.servers = append(c.servers, words[1])
			continue
		}
		c.others = append(c.others, line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "domain", "search":
			c.search = nil
			for _, domain := range words[1:] {
				if domain = strings.ToLower(strings.Trim(domain, ".")); domain != "" {
					c.search = append(c.search, domain)
				}
			}
		case "options":
			for _, word := range words[1:] {
				if n, err := strconv.Atoi(strings.TrimPrefix(word, "attempts:")); err == nil && strings.Contains(word, ":") {
					c.attempts = min(max(n, 1), 5)
				}
			}
		}
	}
	return c
}

// addresses are the servers with their ports.
func (c resolvConf) addresses() []string {
	var out []string
	for _, server := range c.servers {
		if _, _, err := net.SplitHostPort(server); err != nil {
			server = net.JoinHostPort(server, dnsPort)
		}
		out = append(out, server)
	}
	return out
}

// pointedAt is the same file with one server only.
func (c resolvConf) pointedAt(host string) []byte {
	lines := append([][]byte{[]byte("nameserver " + host)}, c.others...)
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

// writeFile writes the file at once: whoever reads it finds all of it.
func writeFile(name string, data []byte) error {
	return atomicfile.Write(name, bytes.NewReader(data), atomicfile.Options{Mode: 0o644})
}
