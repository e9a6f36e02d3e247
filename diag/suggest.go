package diag

import (
	"strings"
)

// Nearest returns the candidate that word was probably meant to be: the one
// with the fewest typing mistakes (a letter missing, added, replaced, or two
// swapped), if there are few enough for the length of the word; else one that word is
// short for (param of parameter). Of equals the first wins.
func Nearest(word string, candidates []string) (string, bool) {
	best, least := "", max(1, min(3, len([]rune(word))/3))+1
	for _, c := range candidates {
		n := distance(strings.ToLower(word), strings.ToLower(c))
		if n < least && (n < len([]rune(c)) || strings.HasPrefix(strings.ToLower(word), strings.ToLower(c)) && c != "") {
			best, least = c, n
		}
	}
	if best == "" {
		best = cutShort(word, candidates)
	}
	return best, best != ""
}

// cutShort returns the first candidate that word is the beginning of, "" for none.
// A word of three letters is one.
func cutShort(word string, candidates []string) string {
	for _, c := range candidates {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			return c
		}
	}
	return ""
}

// distance is the optimal string alignment distance of two words.
func distance(s, t string) int {
	a, b := []rune(s), []rune(t)
	var before, row, next []int
	row = make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next = make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
