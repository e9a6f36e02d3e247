package graph

import "strings"

// widths are those of the printable characters of ASCII in Helvetica, from the
// space on, in thousandths of the size. What else sans-serif stands for is not
// much wider.
var widths = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// width is how wide a text of the size is at most.
func width(text string, size float64) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(widths):
			sum += widths[r-' ']
		case r < 0x1100:
			sum += 700
		default:
			sum += 1050 // an ideograph, or an arrow
		}
	}
	return sum * size / 1000 * 1.12 // bold, and other fonts
}

// maxText is how many characters of a name are shown.
const maxText = 48

// shown is the text as it is drawn: the middle of a long one is left out.
func shown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	r := []rune(text)
	if len(r) <= maxText {
		return text
	}
	return string(r[:maxText-12]) + "…" + string(r[len(r)-11:])
}
