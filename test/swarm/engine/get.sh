#!/usr/bin/env bash
# get.sh DIR: Debian's Docker engine, and what it and the tests' images need,
# unpacked in DIR and never installed: an installed one might start by itself.
# What is there already is kept.
set -euo pipefail
dir=$1
list=$(sha256sum "$0")
[ "$(cat "$dir/complete" 2>/dev/null)" = "$list" ] && exit 0
rm -rf "$dir"
mkdir -p "$dir/debs"
cd "$dir/debs"
packages=(docker.io containerd runc iptables libip4tc2 libip6tc2 libxtables12 libnftnl11 libnfnetlink0
	libnetfilter-conntrack3 libmnl0 tini haproxy liblua5.3-0
	libopentracing-c-wrapper0 libopentracing1 busybox-static)
apt-get download -qq "${packages[@]}" 2>/dev/null || { apt-get update -qq && apt-get download -qq "${packages[@]}"; }
for deb in *.deb; do
	dpkg-deb -x "$deb" "$dir/root"
done
ln -sf xtables-legacy-multi "$dir/root/usr/sbin/iptables"
ln -sf xtables-legacy-multi "$dir/root/usr/sbin/ip6tables"
rm -rf "$dir/debs"
echo "$list" >"$dir/complete"
