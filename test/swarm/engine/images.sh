#!/usr/bin/env bash
# images.sh ROOT APP PROXY: the images of the tests, for the engine at DOCKER_HOST.
# kumiki-app:1 holds APP and BusyBox. The proxy's image is Debian's HAProxy under
# the name PROXY of the one that stacks use, as there is no registry to get that from.
set -euo pipefail
root=$1 app=$2 proxy=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{app,proxy}/{bin,tmp,etc}
chmod 1777 "$work"/{app,proxy}/tmp
for i in app proxy; do
	cp "$root/bin/busybox" "$work/$i/bin/busybox"
	for tool in sh cat wget nc; do
		ln -s busybox "$work/$i/bin/$tool"
	done
done
cp "$app" "$work/app/app"
tar -c -C "$work/app" . | docker import --change 'ENTRYPOINT ["/app"]' --change 'ENV PATH=/bin' - kumiki-app:1
mkdir -p "$work"/proxy/{usr/sbin,lib,lib64}
cp "$root/usr/sbin/haproxy" "$work/proxy/usr/sbin/"
libraries=$(LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu ldd "$root/usr/sbin/haproxy")
if grep "not found" <<<"$libraries"; then exit 1; fi
awk '/=> \// { print $3 }' <<<"$libraries" | while read -r library; do
	cp -L "$library" "$work/proxy/lib/"
done
cp -L /lib64/ld-linux-x86-64.so.2 "$work/proxy/lib64/"
tar -c -C "$work/proxy" . | docker import --change 'ENV PATH=/usr/sbin:/bin' --change 'ENV LD_LIBRARY_PATH=/lib' --change 'USER 99:99' - "$proxy"
