#!/bin/sh
# Boots systemd on a copy of this machine's root that nobody else sees. It is the first process of new namespaces:
# `unshare --pid --fork --mount --cgroup --uts --ipc --net sh boot.sh FOLDER PYTHON SOURCE SITE`.
set -eu
folder=$1 python=$2 source=$3 site=$4
root=$folder/root

mount --make-rprivate /
# The upper layer of an overlay cannot be in another one, which the root of a container is.
mount -t tmpfs -o mode=755 tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
# A server that this machine may have is none of the copy's.
rm -rf "$root/opt/scoville" "$root/etc/scoville" "$root"/var/lib/scoville* "$root/var/backups/scoville"

mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
    mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
fi
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"

# The user of the service may not look into a home, where this interpreter and the sources may be.
for folder in python site source source/client source/server source/shared; do
    mkdir -p "$root/opt/$folder"
done
mount --bind "$python" "$root/opt/python"
mount --bind "$site" "$root/opt/site"
for folder in client server shared; do
    mount --bind "$source/$folder" "$root/opt/source/$folder"
done
mkdir -p "$root/srv/host/scoville" "$root/usr/local/bin"
cp -r "$source/packaging" "$root/srv/host/scoville/"
echo /opt/python/lib > "$root/etc/ld.so.conf.d/drill.conf"
chroot "$root" ldconfig
chroot "$root" /opt/python/bin/python3 -m venv --without-pip /opt/scoville

# What would change the machine below, or do work of its own meanwhile.
rm -f "$root"/etc/systemd/system/*.wants/* "$root"/etc/systemd/system/scoville*
for unit in systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udev-trigger.service \
    systemd-sysctl.service systemd-modules-load.service systemd-random-seed.service systemd-remount-fs.service \
    kmod-static-nodes.service sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount \
    dev-hugepages.mount getty.target; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
: > "$root/etc/machine-id"
# Mounts that services are given must reach their namespaces.
mount --make-rshared "$root"
cd "$root"
exec env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot . /lib/systemd/systemd --system --unit=basic.target --log-target=journal --show-status=false </dev/null
