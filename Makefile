# What a newcomer runs: make test. What CI runs: .ci/run.

STATICCHECK = go tool -modfile=tools/go.mod staticcheck
UNPARAM = go tool -modfile=tools/go.mod unparam

.PHONY: site release test-release test-manager bench-manager test attack test-registry test-swarm test-e2e test-editors race mutants without-partial switches forms changes steady pairs lint count golden bench bench-forms bench-go bench-matrix bench-store benchstat fuzz differential

# All tests, in seven minutes on two cores once the build cache is warm. Half of it is
# the comparison with plain CUE: go test -short leaves most of that out.
test:
	go test -timeout 30m ./...

# What kumiki makes, on a real Kubernetes API server. That is built the first
# time, in 10 to 15 minutes, and kept for the next. KUMIKI_EDITS=all makes all edits
# through kumiki apply, not every eighth.
test-e2e:
	go build -o kumiki ./cmd/kumiki
	kubecp=$$(test/kubernetes/kubecp/get.sh) && cd test/kubernetes && \
		KUMIKI=$(CURDIR)/kumiki KUBECP=$$kubecp go test -timeout 45m -count=1 ./...

# The editors: a session in a headless Neovim, which is installed where there is
# a Debian to get it from and nobody has it, and VS Code's extension under Node.
test-editors:
	command -v nvim >/dev/null || { apt-get update -qq && apt-get install -y -qq neovim; } >/dev/null
	editors/neovim/test/run
	cd editors/vscode && npm ci --no-audit --no-fund && npm test && npm run package

# The packages of the main module that files belong to.
PACKAGES = xargs -n1 dirname | grep -vE '^(test|site|release|run|tools)(/|$$)' | sort -u | sed 's,^,./,'

# Those that start goroutines or lock. Their tests run the others, too.
CONCURRENT = $$(git grep -lE '\bgo func|\bgo [a-zA-Z.]+\(|\.Go\(|sync\.(Mutex|RWMutex|WaitGroup|Map|Pool)' -- '*.go' ':!*_test.go' | $(PACKAGES))

# Those with expected outputs.
EXPECTING = $$(git grep -lE 'internal/golden"|UPDATE_GOLDEN' -- '*_test.go' | $(PACKAGES))

# The same under the race detector, which takes ten times as long: a machine that
# has other things to do needs more than Go's ten minutes for a package. With CI=1 those
# packages only in which something runs at the same time; of scripts, those in which that is so
# and one of twelve of the others are run under the detector anyway.
race:
	go test -race -timeout 45m $(if $(CI),$(CONCURRENT),./...)

# The stacks of all cases by Swarm's own code, and on a real engine, by docker and by kumiki
# apply, where there is root and a Debian to get it from; seven minutes, and as many the first
# time: what the tests build is built before, so that it takes none of their time. KUMIKI_EDITS=all
# makes all edits through kumiki apply.
test-swarm:
	go build -o /dev/null ./cmd/kumiki
	cd run && go build -o /dev/null ./cmd/kumikid
	cd test/swarm && go vet ./... && go test -short ./... && go test -v -timeout 30m -run "^Test(Engine|Proxies|Apply)" .

# What kumiki publishes, in Debian's docker-registry with TLS and basic auth, read
# by kumiki and by cue.
test-registry:
	go build -o kumiki ./cmd/kumiki
	registry=$$(test/registry/get.sh) && cd test/registry && go vet ./... && \
		KUMIKI=$(CURDIR)/kumiki REGISTRY=$$registry go test -count=1 ./...

# The documentation as plain HTML with a search, in dist/site; a link that leads nowhere
# is an error.
site:
	cd site && go run . -out ../dist/site

# What a version is handed out as, for all platforms, in dist: make release
# VERSION=v1.2.3. Six minutes the first time on two cores; docs/install.md says what
# is in it.
release:
	rm -rf dist
	cd release && go run . -version '$(VERSION)'

# The same for Linux, twice, from two directories, and used as people would; go install.
test-release:
	go vet -tags manual ./cmd/kumiki
	cd release && go vet ./... && go test -count=1 -timeout 15m ./...

# The manager: its store, its interface, and a server that is killed at every point; then
# with a real Kubernetes API server. Building etcd takes two minutes the first time.
test-manager:
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null
	command -v systemd-analyze >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd; } >/dev/null
	go build -o kumiki ./cmd/kumiki
	kubecp=$$(test/kubernetes/kubecp/get.sh) && registry=$$(test/registry/get.sh) && cd run && go vet ./... && \
		KUMIKI=$(CURDIR)/kumiki KUBECP=$$kubecp REGISTRY=$$registry go test -timeout 15m ./...

# The manager with N deployments of five manifests: memory, time until it is ready, how long
# requests take, and what it takes when nobody asks; 1,000 writes by 32 clients through a proxy
# that loses answers; a server that is killed again and again for KILL; FUZZ made-up requests for
# each operation of its document.
bench-manager: N = 10000
bench-manager: KILL = 5m
bench-manager: FUZZ = 1000
bench-manager:
	go build -o kumiki ./cmd/kumiki
	@cat /proc/loadavg
	cd run && KUMIKI=$(CURDIR)/kumiki KUMIKI_DEPLOYMENTS=$(N) go test -timeout 30m -run '^$$' -bench '^BenchmarkManager$$' -benchtime 1x ./cmd/kumikid
	cd run && KUMIKI=$(CURDIR)/kumiki KUMIKI_WRITES=1000 KUMIKI_KILL=$(KILL) KUMIKI_FUZZ=$(FUZZ) go test -v -count=1 -parallel 1 -timeout 60m \
		-run '^(TestWrites|TestRandomly|TestDocument)$$' ./cmd/kumikid | grep -vE 'level=|it listens'

# What somebody who means harm would give it: ten minutes; with CI=1 two.
attack:
	go build -o kumiki ./cmd/kumiki
	cd test/attack && go vet ./... && KUMIKI=$(CURDIR)/kumiki go test -count=1 -timeout 30m $(if $(CI),-short) ./...

# Edits of the shortcuts and of the loader, which a test has to notice: 80 of them.
# make mutants SEED=7 N=200 draws others; CI=1 draws 10 and asks the quick tests only;
# ONLY=checkBound N=0 tries all with that text in their function or file.
mutants: SEED = 1
mutants: N = $(if $(CI),10,80)
mutants:
	go run ./internal/mutants -seed $(SEED) -n $(N) -only '$(ONLY)' $(if $(CI),-suites 7)

# The shortcut taken out of a copy, its folder and the two lines that name it: all that does
# not count work passes without, if it takes longer. CI=1 asks fewer tests.
without-partial:
	.ci/without-partial '$(if $(CI),$(WITHOUT),.)'

WITHOUT = ^Test(Cases|Mistakes|Errors|Described|Memory|Switches)

# Every combination of the switches that leave out shortcuts, on all inputs that the
# repository has and on N that are made up; five minutes. make test tries a few.
switches: N = 300
switches:
	KUMIKI_SWITCHES=$(N) go test -count=1 -timeout 60m ./compiler -run TestSwitches

# All combinations of the ways to write artifacts in compiler/forms_*_test.go beside plain CUE;
# an hour. make test tries a share of them.
forms:
	go test -count=1 -timeout 150m ./compiler -run '^Test(Around|Decided|Siblings|PlacesOfOneRole|RolesThatPassOn|ComponentsThatUse|ServicesThatUse|DeploymentsThatGive|WrongInCopies|Wrapped)$$' -around 1 -forms 1

# The forms of internal/benchapp, each changed at random N times, beside plain CUE; 20 take six minutes. SEED=… draws other changes.
changes: N = 20
changes:
	go test -count=1 -timeout 150m ./internal/benchapp -run '^TestChangedForms$$' -changes $(N) $(if $(SEED),-changes-seed $(SEED))

# Tests that draw what they try, each with N draws, and again and again with few.
steady: N = 1000
steady:
	.ci/steady $(N)

# Two mistakes in one module, for 2,000 pairs of the cases of testdata/errors; make
# test does so as well.
pairs:
	go test -count=1 -timeout 30m ./compiler -run TestPairs

# Format, vet, staticcheck, parameters that make no difference, tidiness of the modules.
lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...
	$(UNPARAM) ./...
	go mod tidy -diff
	cd tools && go mod tidy -diff
	cd release && go vet ./...
	cd site && go vet ./...

# Statements of Go by package, without tests: how much there is to understand.
count:
	@go run ./internal/statements

# Rewrite the expected outputs of the tests; read the diff before you commit it.
golden:
	UPDATE_GOLDEN=1 go test -count=1 -timeout 30m $(EXPECTING)

# Kumiki beside plain CUE, as whole processes, written into docs/performance.md;
# ten minutes on an idle machine. make bench BENCH=quick prints small cases only.
BENCH = full
bench:
	go run ./internal/bench $(if $(filter quick,$(BENCH)),-quick,-page docs/performance.md)

# Ways to write manifests, each beside the plainest one: half an hour for 300 roles.
# PAIRS=40 adds pairs and triples of them, drawn by SEED; ONLY=file: picks some.
bench-forms: N = 300
bench-forms:
	@go run ./internal/bench -forms $(N) $(if $(PAIRS),-pairs $(PAIRS)) $(if $(SEED),-seed $(SEED)) $(if $(ONLY),-only '$(ONLY)')

# N templates for as many environments, with a loop over kumiki render and, where there
# is a helm, over helm template beside it; into docs/performance.md if N is 100.
bench-matrix: N = 100
bench-matrix:
	go run ./internal/bench -matrix $(N) $(if $(filter 100,$(N)),-page docs/performance.md)

# Each stage and the whole pipeline at several sizes, in process. To compare two
# states: make -s bench-go COUNT=6 > old.txt in one, > new.txt in the other, and
# make benchstat OLD=old.txt NEW=new.txt.
COUNT = 1
bench-go:
	@go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...
benchstat:
	@go tool -modfile=tools/go.mod benchstat $(OLD) $(NEW)

# Questions about N saved solutions of examples/shop, the first time and again, with the
# load of the machine.
bench-store: N = 1000
bench-store:
	@dir=$$(mktemp -d) && go build -o $$dir ./cmd/kumiki ./internal/rusage && \
		go run ./internal/storebench -n $(N) $$dir/kumiki $$dir/rusage; rm -rf $$dir

# kumiki apply beside kubectl apply --server-side, and beside helm and kapp where they are on
# PATH, on a real API server: N copies of examples/shop, 27 objects each; what each takes in
# time, CPU, memory, requests and writes. WATCH=1: how soon foreign edits are told and healed.
bench-live: N = 1
bench-live:
	go build -o kumiki ./cmd/kumiki
	kubecp=$$(test/kubernetes/kubecp/get.sh) && cd test/kubernetes && \
		KUMIKI=$(CURDIR)/kumiki KUBECP=$$kubecp KUMIKI_COPIES=$(N) go test -timeout 60m -run '^$$' -bench '^BenchmarkLive$(if $(WATCH),Watch)$$' -benchtime 1x .

# Kumiki beside plain CUE on N fresh applications that are made up; where they
# differ, the application is made smaller and kept. SEED=… repeats a run, ALL=1
# leaves out the shortcuts in every combination.
differential: N = 1000
differential:
	go run ./internal/differential/sweep -n $(N) $(if $(SEED),-seed $(SEED)) $(if $(ALL),-all)

# Ten seconds for each fuzz test; make fuzz FUZZTIME=10m looks longer. Without a
# bound, most of the time goes into making what was found smaller.
FUZZTIME = 10s
FUZZ = go test -run '^$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
fuzz:
	$(FUZZ) -fuzz '^FuzzLoad$$' ./load
	$(FUZZ) -fuzz '^FuzzCompile$$' ./compiler
	$(FUZZ) -fuzz '^FuzzRead$$' ./solution
	$(FUZZ) -fuzz '^FuzzRead$$' ./module/catalog
