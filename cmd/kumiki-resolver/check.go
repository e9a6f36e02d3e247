package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// check is nil when a resolver answers at the address and has written the file
// for the other containers.
func check(address, out string, timeout time.Duration) error {
	if _, err := os.Stat(out); err != nil {
		return err
	}
	q := dnsmessage.Question{Name: dnsmessage.MustNewName(readyName), Type: dnsmessage.TypeTXT, Class: dnsmessage.ClassINET}
	request, err := packQuestion(q)
	if err != nil {
		return err
	}
	binary.BigEndian.PutUint16(request, uint16(rand.Uint32()))
	conn, err := net.DialTimeout("udp", address, timeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	if _, err := conn.Write(request); err != nil {
		return err
	}
	reply := make([]byte, maxDatagram)
	n, err := conn.Read(reply)
	if err != nil {
		return fmt.Errorf("no answer at %s: %w", address, err)
	}
	if !answers(reply[:n], request, q) {
		return fmt.Errorf("what answers at %s is no resolver", address)
	}
	return nil
}
