package targets

import (
	"math"
	"math/big"

	"kumiki.dev/solution"
)

// factor is what a unit is of the unit "", which is one: a core, a byte, a bit a
// second.
type factor struct{ of, in int64 }

// units are those of the model.
var units = map[string]factor{
	"": {1, 1}, "m": {1, 1000},
	"k": {1e3, 1}, "K": {1e3, 1}, "M": {1e6, 1}, "G": {1e9, 1}, "T": {1e12, 1},
	"Ki": {1 << 10, 1}, "Mi": {1 << 20, 1}, "Gi": {1 << 30, 1}, "Ti": {1 << 40, 1},
}

// Milli is the amount in thousandths (of a core), rounded up: what is asked for
// is never less than what was written. It is false for a unit that the model
// does not have.
func Milli(a solution.Amount) (int64, bool) { return scaled(a, 1000) }

// Whole is the amount in whole ones (bytes, bits a second), rounded up. It is
// false for a unit that the model does not have, and for what does not fit.
func Whole(a solution.Amount) (int64, bool) { return scaled(a, 1) }

func scaled(a solution.Amount, parts int64) (int64, bool) {
	unit, known := units[a.Unit]
	if !known {
		return 0, false
	}
	of := unit.of * parts
	if n, err := a.Size.Int64(); err == nil && 0 <= n && n < math.MaxInt64/of-unit.in {
		return (n*of + unit.in - 1) / unit.in, true // as most are
	}
	size, ok := new(big.Rat).SetString(a.Size.String())
	if !ok {
		return 0, false
	}
	size.Mul(size, big.NewRat(of, unit.in))
	quotient, rest := new(big.Int).QuoRem(size.Num(), size.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient.Int64(), quotient.IsInt64()
}
