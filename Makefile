# What a newcomer runs: make test. What CI runs: .ci/run.

STATICCHECK = go tool -modfile=tools/go.mod staticcheck

.PHONY: test race lint golden bench fuzz

# All tests, under three minutes once the build cache is warm.
test:
	go test ./...

# The same under the race detector.
race:
	go test -race ./...

# Format, vet, staticcheck, tidiness of the modules.
lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...
	go mod tidy -diff
	cd tools && go mod tidy -diff

# Rewrite the expected outputs of the tests; read the diff before you commit it.
golden:
	UPDATE_GOLDEN=1 go test ./...

# Each stage and the whole pipeline at several sizes.
bench:
	go test -run '^$$' -bench . -benchmem ./...

# A minute for each fuzz test.
fuzz:
	go test -run '^$$' -fuzz FuzzLoad -fuzztime 60s ./compiler
	go test -run '^$$' -fuzz FuzzRead -fuzztime 60s ./solution
