package depends_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefinitions says of fields of code which are the same definition of a package.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]map[string]string{
		`code: {x: strings.#T, y: strings.#T, z: strings.#U}`:        {"x": `"strings" #T`, "y": `"strings" #T`, "z": `"strings" #U`},
		`code: x: strings.#T, code: y?: strings.#T`:                  {"x": `"strings" #T`, "y": `"strings" #T`},
		`code: {x: strings.#T, y: string, z: #D, w: {strings.#T}}`:   {"x": `"strings" #T`},
		`code: {x: strings.#T, y: strings.#T & {a: 1}}`:              {"x": `"strings" #T`},
		`code: {x: strings.#T, y: strings.#T}, code: y: a: 1`:        {"x": `"strings" #T`},
		`code: {x: strings.#T, [string]: {a: 1}}`:                    {},
		`code: {x: strings.#T, if _n > 2 {x: a: 1}}`:                 nil,
		`code: {x: strings.#T, for k in ["x"] {(k): a: 1}}`:          nil,
		`code: {x: strings.#T, {x: a: 1}}`:                           {},
		`code: {x: strings.#T} & {x: a: 1}`:                          {},
		`code: {x: strings.#T}, code: _c, _c: x: a: 1`:               {},
		`code: {x: strings.#T, if config.parameter.a > 2 {x: a: 1}}`: nil,
		`code: {x: strings.#T, (config.parameter.b): {a: 1}}`:        nil,
		`code: {x: strings.#T, "\(config.parameter.b)": {a: 1}}`:     nil,
		`code: {x: strings.#T, let y = {x: a: 1}, y}`:                {},
		`code: {x: strings.#T} | {x: a: 1}`:                          nil,
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, artifact(t, source).Definitions("description", "code"))
		})
	}
}
