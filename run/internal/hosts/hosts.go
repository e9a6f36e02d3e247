// Package hosts tells of the names of hosts.
package hosts

import (
	"net"
	"strings"
)

// Loopback reports whether a host, with or without a port, is this machine.
func Loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
