#!/bin/sh
# Usage: build.sh OUT
set -eu
flags="-s -w"
# Without these the server would not know its own version.
for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $p.gitVersion=v1.36.3 -X $p.gitMajor=1 -X $p.gitMinor=36 -X $p.gitTreeState=clean"
done
# GOGC=400 takes a quarter less of the compiler's time, and up to 2.5 GB.
GOGC=${GOGC:-400} CGO_ENABLED=0 exec nice go build -trimpath -ldflags "$flags" -o "$1" .
