#!/usr/bin/env bash
# Prints the path of Debian's docker-registry, unpacked into a cache the first
# time; nothing is installed. It needs a Debian to get the package from.
set -euo pipefail
dir=${XDG_CACHE_HOME:-$HOME/.cache}/kumiki/docker-registry
if [ ! -x "$dir/usr/bin/docker-registry" ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	(cd "$tmp" && { apt-get download -q docker-registry || { apt-get update -qq && apt-get download -q docker-registry; }; } >&2)
	mkdir -p "$dir"
	dpkg-deb -x "$tmp"/docker-registry_*.deb "$dir"
fi
echo "$dir/usr/bin/docker-registry"
