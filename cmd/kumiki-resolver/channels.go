package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// group is what a client finds behind one number of its channel: the servers as
// one, and each of their instances.
type group struct {
	// LB is the service that stands for all instances; requests to its port 80
	// arrive at the servers' port. It may be "".
	LB string `json:"lb"`
	// Set is the headless service of the instances. It may be "".
	Set string `json:"set"`
	// Port is where the instances listen.
	Port uint16 `json:"port"`
	// Protocol is the transport, "tcp" or "udp".
	Protocol string `json:"protocol"`
}

// channels are the groups of each client channel of a role, by its name in
// lower case: names of hosts are the same in all cases.
type channels map[string][]group

func readChannels(file string) (channels, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := parseChannels(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func parseChannels(data []byte) (channels, error) {
	var content struct {
		Channels map[string][]group `json:"channels"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	c := channels{}
	for name, groups := range content.Channels {
		low := strings.ToLower(name)
		if _, twice := c[low]; twice {
			return nil, fmt.Errorf("two channels have the name %q, in which capitals do not count", low)
		}
		c[low] = groups
	}
	return c, nil
}

// subject is what a name stands for.
type subject struct {
	group
	// set says that the instances are meant, not the servers as one.
	set bool
	// known is false where the channel has no group of that number.
	known bool
}

// find says what a host name stands for; false means that it is none of a
// channel's. Names come with the search domains too, because with Kubernetes'
// ndots:5 the libraries try those first.
func (c channels) find(name string, search []string) (subject, bool) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if s, ok := c.exact(name); ok {
		return s, true
	}
	for _, domain := range search {
		if rest, ok := strings.CutSuffix(name, "."+domain); ok {
			if s, ok := c.exact(rest); ok {
				return s, true
			}
		}
	}
	return subject{}, false
}

func (c channels) exact(name string) (subject, bool) {
	rest, set := strings.CutPrefix(name, "set.")
	digits, channel, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(digits)
	if err != nil || number < 0 || strconv.Itoa(number) != digits {
		return subject{}, false
	}
	groups, ok := c[channel]
	if !ok {
		return subject{}, false
	}
	if number >= len(groups) {
		return subject{set: set}, true
	}
	return subject{group: groups[number], set: set, known: true}, true
}
