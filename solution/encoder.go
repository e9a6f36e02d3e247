package solution

import (
	"encoding/json"
	"io"
)

// encoder writes indented JSON, an object member by member.
type encoder struct {
	w     io.Writer
	buf   []byte // what is not yet written
	size  int    // of what is written
	depth int
	begun bool // whether the object that is open has members
	err   error
	// shared has the artifacts that come several times, and written their bytes.
	shared  map[*Artifact]bool
	written map[spot][]byte
}

// spot is an artifact at a depth.
type spot struct {
	artifact *Artifact
	depth    int
}

func (e *encoder) open() {
	e.buf = append(e.buf, '{')
	e.depth++
	e.begun = false
}

func (e *encoder) end() {
	e.depth--
	e.buf = append(newLine(e.buf, e.depth), '}')
	e.begun = true
}

func (e *encoder) key(key string) {
	if e.begun {
		e.buf = append(e.buf, ',')
	}
	e.begun = true
	e.buf = newLine(e.buf, e.depth)
	e.value(key)
	e.buf = append(e.buf, ": "...)
}

func (e *encoder) member(key string, v any) {
	e.key(key)
	e.value(v)
}

func (e *encoder) value(v any) {
	b, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.buf = indent(e.buf, b, e.depth)
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.size += len(e.buf)
	e.buf = e.buf[:0]
}

func newLine(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, "  "...)
	}
	return out
}

// indent appends valid JSON without white space, laid out as json.Indent does
// with two spaces, at a depth. That one checks what it reads, character by
// character, which takes longer than all the rest of the encoding.
func indent(out, compact []byte, depth int) []byte {
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			end := i + 1
			for ; compact[end] != '"'; end++ {
				if compact[end] == '\\' {
					end++
				}
			}
			out = append(out, compact[i:end+1]...)
			i = end
		case '{', '[':
			out = append(out, c)
			if depth++; compact[i+1] != c+2 { // } is two after {, ] two after [
				out = newLine(out, depth)
			}
		case '}', ']':
			if depth--; compact[i-1] != c-2 {
				out = newLine(out, depth)
			}
			out = append(out, c)
		case ',':
			out = newLine(append(out, c), depth)
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return out
}
