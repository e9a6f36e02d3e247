// The program in the image of the tests on a real engine: a server that says
// who it is, and a client that is run in the server's container.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	arguments := append(os.Args, "")
	switch arguments[1] {
	case "get": // URL [HOST]
		get(arguments[2], strings.Join(arguments[3:], ""))
	case "lookup":
		for _, name := range os.Args[2:] {
			addresses, err := net.LookupHost(name)
			fmt.Println(name, len(addresses), err)
		}
	case "reach": // ADDRESS…
		for _, address := range os.Args[2:] {
			c, err := net.DialTimeout("tcp", address, 2*time.Second)
			if err != nil {
				fmt.Println("closed")
				continue
			}
			_ = c.Close()
			fmt.Println("open")
		}
	case "stat":
		for _, name := range os.Args[2:] {
			info, err := os.Stat(name)
			if err != nil {
				fmt.Println(err)
				continue
			}
			owner := info.Sys().(*syscall.Stat_t)
			data, err := os.ReadFile(name)
			fmt.Printf("%s %04o %d:%d %q %v\n", name, info.Mode().Perm(), owner.Uid, owner.Gid, data, err)
		}
	case "env":
		for _, name := range os.Args[2:] {
			fmt.Println(name + "=" + os.Getenv(name))
		}
	default:
		serve()
	}
}

func get(url, host string) {
	client := http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: host}}}
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err == nil {
		if host != "" {
			r.Host = host
		}
		var answer *http.Response
		if answer, err = client.Do(r); err == nil {
			body, _ := io.ReadAll(answer.Body)
			fmt.Printf("%d %s", answer.StatusCode, body)
			return
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func serve() {
	if os.Getenv("FAIL") == "yes" {
		fmt.Println("failing, as asked")
		os.Exit(1)
	}
	name, _ := os.Hostname()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, os.Getenv("WHO"), name) })
	http.HandleFunc("/ready", func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat("/tmp/unready"); err == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	fmt.Println("serving")
	go func() { fmt.Println(http.ListenAndServe(":"+os.Getenv("PORT"), nil)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
}
