# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the tests of packages: a copy of the host's root file system, an overlay in a mount namespace of its own, in which packages
# are installed and DKMS builds modules.

set -euo pipefail
shopt -s inherit_errexit
tree=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
# shellcheck source-path=SCRIPTDIR source=../../scripts/lab/lib.sh
. "$tree/scripts/lab/lib.sh"

failed_tests=0

# run_step NAME COMMAND...: COMMAND must succeed
run_step() {
	local name=$1 status=0

	shift
	"$@" >"$work/log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "ok - $name"
		return
	fi
	echo "not ok - $name"
	tail -n 60 "$work/log" | sed 's/^/    /'
	failed_tests=$((failed_tests + 1))
}

# in_copy COMMAND...: runs COMMAND in the copy of the root file system
in_copy() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c '
		mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
		mount -t proc proc "$1/root/proc"
		mount --rbind /dev "$1/root/dev"
		# Services are for the guest: none is started here.
		printf "#!/bin/sh\nexit 101\n" >"$1/root/usr/sbin/policy-rc.d"
		chmod +x "$1/root/usr/sbin/policy-rc.d"
		at=$1
		shift
		export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
		status=0
		chroot "$at/root" "$@" || status=$?
		rm "$at/root/usr/sbin/policy-rc.d"
		exit $status' - "$work" "$@"
}

# add_kernel KERNEL: as a package of that kernel and of its headers would, with symbolic links to the lab's
add_kernel() {
	local headers image release folder

	headers=$("$SSDCACHE_LAB/kernel.sh" headers "$1")
	image=$("$SSDCACHE_LAB/kernel.sh" image "$1")
	release=$("$SSDCACHE_LAB/kernel.sh" image-version "$1")
	folder=$work/upper/lib/modules
	[ ! -L /lib ] || folder=$work/upper/usr/lib/modules
	folder+=/$release
	mkdir -p "$folder"
	ln -sf "$image/lib/modules/$release/kernel" "$folder/kernel"
	cp "$image/lib/modules/$release"/modules.* "$folder/"
	ln -sfn "$headers" "$folder/build"
	releases+=("$release")
}

# has_module RELEASE: without debug information
has_module() {
	# shellcheck disable=SC2016 # for the inner shell
	in_copy bash -euc '
		dkms build -m dm-ssdcache -v "$2" -k "$1" || cat "/var/lib/dkms/dm-ssdcache/$2/build/make.log"
		dkms install --force -m dm-ssdcache -v "$2" -k "$1"
		file=$(find "/lib/modules/$1/updates/" -name "dm-ssdcache.ko*")
		ls -l $file
		size=$(stat -c %s $file)
		[ "$size" -lt 2000000 ]
		modinfo -k "$1" dm-ssdcache | grep -F "alias:          dm-ssdflash"' - "$1" "$version"
}

work=$(mktemp -d -p "${SSDCACHE_OUT:-/tmp}" packages.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work"/{upper,work,root,out}
# shellcheck disable=SC2034 # for the script that sources this one
version=$("$tree/packaging/version.sh")
releases=()
