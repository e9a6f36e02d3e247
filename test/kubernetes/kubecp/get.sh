#!/bin/sh
# Prints the path of the kubecp binary for this source; makes it only when there
# is none: $KUBECP, else the copy in the cache, else go build. The name of the
# copy covers all that goes into the binary, and the build is reproducible.
set -eu
cd "$(dirname "$0")"
if [ -n "${KUBECP:-}" ]; then echo "$KUBECP"; exit; fi
key=$({ cat go.mod go.sum build.sh ./*.go; GOWORK=off go env GOVERSION GOOS GOARCH; } | sha256sum | cut -c1-16)
dir=${KUBECP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubecp}/$key
bin=$dir/kubecp
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9 # Of two callers, one builds and the other waits for it.
if [ ! -x "$bin" ]; then
	echo "kubecp: building; that takes 10 to 15 minutes on 2 cores with a cold cache" >&2
	GOWORK=off GOFLAGS=-mod=readonly ./build.sh "$bin.tmp" >&2
	mv "$bin.tmp" "$bin"
fi
echo "$bin"
