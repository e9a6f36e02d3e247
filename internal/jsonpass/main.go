// Command jsonpass reads a JSON file and writes it again, by encoding/json: the
// least that a program can do to it, which benchmarks compare with.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := pass(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pass(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if data, err = json.MarshalIndent(v, "", "  "); err != nil {
		return err
	}
	_, err = os.Stdout.Write(data)
	return err
}
