package layered

import (
	"cmp"
	"slices"

	"kumiki.dev/internal/sorting"
)

// sweeps is how often the layers are ordered; the best order is kept.
const sweeps = 24

// order puts the items of each layer in an order in which few edges cross.
func (p *placing) order() {
	best, least := p.snapshot(), p.crossings()
	for i := range sweeps {
		if least == 0 {
			break
		}
		if i%2 == 0 {
			for _, layer := range p.layers {
				p.sortBy(layer, func(x *item) []joint { return x.before })
			}
		} else {
			for _, layer := range slices.Backward(p.layers) {
				p.sortBy(layer, func(x *item) []joint { return x.after })
			}
		}
		if n := p.crossings(); n < least {
			best, least = p.snapshot(), n
		}
	}
	p.layers = best
	for _, layer := range p.layers {
		number(layer)
	}
}

func (p *placing) snapshot() [][]*item {
	var out [][]*item
	for _, layer := range p.layers {
		out = append(out, slices.Clone(layer))
	}
	return out
}

func number(layer []*item) {
	for i, x := range layer {
		x.at = i
	}
}

// sortBy orders a layer by the mean place of the items that each is joined with
// on one side; one that is joined with none stays where it is.
func (p *placing) sortBy(layer []*item, joints func(*item) []joint) {
	for _, x := range layer {
		x.ordering = float64(x.at)
		to := joints(x)
		if len(to) == 0 {
			to = x.beside
		}
		if len(to) == 0 {
			continue
		}
		sum := 0.0
		for _, j := range to {
			sum += place(j)
		}
		x.ordering = sum / float64(len(to))
	}
	sorting.By(layer, func(a, b *item) int { return cmp.Compare(a.ordering, b.ordering) })
	number(layer)
}

// place is the order of an item, and that of the lines on one.
func place(j joint) float64 { return float64(j.to.at) + j.theirs/(j.to.h+1) }

// crossings counts the pairs of lines that cross.
func (p *placing) crossings() int {
	n := 0
	for l := range p.layers {
		n += p.crossingsAfter(l)
	}
	return n
}

func (p *placing) crossingsAfter(l int) int {
	type line struct{ a, b float64 }
	var lines []line
	for _, x := range p.layers[l] {
		for _, j := range x.after {
			lines = append(lines, line{float64(x.at) + j.mine/(x.h+1), place(j)})
		}
	}
	sorting.By(lines, func(x, y line) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	ends := make([]float64, len(lines))
	for i, x := range lines {
		ends[i] = x.b
	}
	return inversions(ends)
}

// inversions counts the pairs that are in the wrong order, and sorts them.
func inversions(list []float64) int {
	if len(list) < 2 {
		return 0
	}
	a, b := slices.Clone(list[:len(list)/2]), slices.Clone(list[len(list)/2:])
	n := inversions(a) + inversions(b)
	for i := range list {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			list[i], a = a[0], a[1:]
			continue
		}
		list[i], b = b[0], b[1:]
		n += len(a)
	}
	return n
}
