#!/usr/bin/env bash
# run.sh ROOT DIR [HOSTNAME]: an engine of ROOT (see get.sh) with its data in DIR, in
# namespaces of its own: it cannot touch the network, the mounts, the control
# groups or the processes of the machine, and all it started ends with this
# process. It listens at DIR/docker.sock.
set -euo pipefail
mkdir -p "$2/data" "$2/exec"
exec unshare --uts --mount --net --cgroup --pid --fork --kill-child --mount-proc --propagation private bash -c '
set -euo pipefail
root=$1 dir=$2
[ -z "$3" ] || hostname "$3"
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu
export PATH=$root/usr/sbin:$root/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LD_LIBRARY_PATH=$libraries XTABLES_LIBDIR=$root/usr/lib/x86_64-linux-gnu/xtables
ip link set lo up
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
	# The hierarchies of version 1 once more, below our own group.
	controllers=$(awk "NR > 1 && \$2 > 0 { print \$1 }" /proc/cgroups)
	umount -l /sys/fs/cgroup || true
	mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup
	for c in $controllers; do
		mkdir "/sys/fs/cgroup/$c"
		mount -t cgroup -o "$c" cgroup "/sys/fs/cgroup/$c"
	done
	mkdir /sys/fs/cgroup/systemd
	mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi
mount -t tmpfs tmpfs /run
mkdir -p /run/lock
# With 1, images are looked for in no registry. Without, every task begins with that.
export DOCKER_SERVICE_PREFER_OFFLINE_IMAGE=${DOCKER_SERVICE_PREFER_OFFLINE_IMAGE-1}
exec dockerd --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/dockerd.pid" --host "unix://$dir/docker.sock" --storage-driver vfs --cgroup-parent "/${dir##*/}"
' run "$1" "$2" "${3-}"
