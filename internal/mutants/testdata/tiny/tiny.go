// Package tiny is for the test of mutants: its own test notices some and not
// others.
package tiny

// Clamp is n, or most where that is less.
func Clamp(n, most int) int {
	if n > most {
		return most
	}
	return n
}

// Count counts the texts that are not empty, up to the first "end".
func Count(texts []string) (n int) {
	for i := 0; i < len(texts); {
		text := texts[i]
		i++
		switch {
		case text == "end":
			return n
		case text == "":
			continue
		}
		n++
	}
	return n
}

// First is the first text, "" if there is none.
func First(texts []string) (string, bool) {
	if len(texts) == 0 {
		return "", false
	}
	return texts[0], true
}

// Sized reports whether what a function makes is as long as it has to be.
func Sized(texts func() []string) bool {
	return len(texts()) == 2 && !isOdd(texts()[1])
}

func isOdd(text string) bool { return len(text)%2 == 1 }

// Kind has returns, and cases, that a function has to end with, and some that it
// need not.
func Kind(x any) (string, int) {
	if x == nil {
		println()
		return "nil", 1
	}
	switch x := x.(type) {
	case int:
		if x < 0 {
			println()
			return "negative", 1
		} else {
			println()
		}
		return "int", 1
	default:
		return "else", 2
	}
}
