#!/bin/bash
# enter.sh FOLDER CHECKOUT SCRIPT: runs SCRIPT as root on a copy of this system that nothing outside sees: its own root folder (an
# overlay over this one), processes, host name and network (loopback only), with CHECKOUT at /opt/cidermill. To be called by
# `unshare --mount --net --pid --uts --fork`. FOLDER is empty; the copy's changes are kept in memory.
set -eu
folder=$1 checkout=$2 script=$3
# Large, because hosts check the free space. Only files that are written take memory.
mount -t tmpfs -o size=400g tmpfs "$folder"
mkdir "$folder"/{changes,work,root,checkout-changes,checkout-work}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
root=$folder/root
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for own in tmp run var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$own"; done
mkdir -p "$root/opt/cidermill"
mount -t overlay overlay \
  -o "lowerdir=$checkout,upperdir=$folder/checkout-changes,workdir=$folder/checkout-work" "$root/opt/cidermill"
ip link set lo up
hostname mac-01
exec chroot "$root" /bin/bash -s <"$script"
