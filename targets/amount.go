package targets

import (
	"math/big"

	"kumiki.dev/solution"
)

// units are the factors of the model's units. The unit "" is one: a core, a
// byte, a bit a second.
var units = map[string]*big.Rat{
	"":  big.NewRat(1, 1),
	"m": big.NewRat(1, 1000),
	"k": power(1000, 1), "K": power(1000, 1), "M": power(1000, 2), "G": power(1000, 3), "T": power(1000, 4),
	"Ki": power(1024, 1), "Mi": power(1024, 2), "Gi": power(1024, 3), "Ti": power(1024, 4),
}

func power(base int64, exponent int64) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil))
}

// Milli is the amount in thousandths (of a core), rounded up: what is asked for
// is never less than what was written. It is false for a unit that the model
// does not have.
func Milli(a solution.Amount) (int64, bool) { return scaled(a, 1000) }

// Whole is the amount in whole ones (bytes, bits a second), rounded up. It is
// false for a unit that the model does not have, and for what does not fit.
func Whole(a solution.Amount) (int64, bool) { return scaled(a, 1) }

func scaled(a solution.Amount, factor int64) (int64, bool) {
	unit, known := units[a.Unit]
	size, ok := new(big.Rat).SetString(a.Size.String())
	if !known || !ok {
		return 0, false
	}
	size.Mul(size, unit).Mul(size, big.NewRat(factor, 1))
	quotient, rest := new(big.Int).QuoRem(size.Num(), size.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient.Int64(), quotient.IsInt64()
}
