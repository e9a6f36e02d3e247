package graph

import "strings"

// widths are those of the printable characters of ASCII in DejaVu Sans, from the space
// on, in thousandths of the size, and boldWidths those of its bold letters: few of the
// fonts that sans-serif stands for are wider.
var widths = [...]float64{
	318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
	1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
	500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
}

var boldWidths = [...]float64{
	348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
	696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
	1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
	733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
	500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
	716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
}

// width is how wide a text of the size is at most, boldWidth how wide one in bold letters.
func width(text string, size float64) float64     { return wide(text, size, widths[:]) }
func boldWidth(text string, size float64) float64 { return wide(text, size, boldWidths[:]) }

func wide(text string, size float64, widths []float64) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(widths):
			sum += widths[r-' ']
		case r < 0x1100:
			sum += 840
		default:
			sum += 1050 // an ideograph, or an arrow
		}
	}
	return sum * size / 1000
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
