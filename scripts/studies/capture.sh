#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Captures the block requests of real applications, one trace each: FOLDER/NAME.csv.zst, and what is known of them, FOLDER/NAME.txt. Each
# application runs on ext4 in a User-Mode Linux guest with little memory, so that reads reach the disk. Times are those of the guest, which
# runs in real time: on a busy machine, all takes longer.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

here=$SSDCACHE_TREE/scripts/studies/capture
mapfile -t all < <(sed -n 's/^app_\([a-z_]*\)() {.*/\1/p' "$here/applications.sh")

usage() {
	cat <<USAGE
usage: ${0##*/} [--flash SPEC] FOLDER [APPLICATION...]
  --flash SPEC  the disk takes the times of this ssdflash, such as shin23 or lin22:blocks=2048; without, it is as fast as memory
  APPLICATION   ${all[*]} (default: all)
USAGE
	exit
}

export CAPTURE_FLASH=''
if [ "${1-}" = --flash ]; then
	need_value "$@"
	CAPTURE_FLASH=$2
	shift 2
fi
case ${1--} in
--help) usage ;;
-) wrong "no FOLDER" ;;
-*) wrong "'$1': no such option" ;;
esac
out=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- "${all[@]}"

is_application() {
	local each

	for each in "${all[@]}"; do
		[ "$1" != "$each" ] || return 0
	done
	return 1
}

for name; do
	is_application "$name" || wrong "'$name' is not one of ${all[*]}"
done

"$SSDCACHE_LAB/deps.sh" uml capture
step "build of the tools" make -C "$SSDCACHE_TREE" userspace
module=()
if [ -n "$CAPTURE_FLASH" ]; then
	"$SSDCACHE_TREE/userspace/build/bin/ssdcache-sim" --limit 1 --fold --flash "$CAPTURE_FLASH" "$SSDCACHE_TREE/traces/demo-ext4.csv.zst" >/dev/null
	kernel=$("$SSDCACHE_LAB/kernel.sh" uml --net)
	step "build of the module" make -C "$SSDCACHE_TREE" module KDIR="$kernel" ARCH=um
	module=(--module "$SSDCACHE_TREE/build/${kernel##*/}/dm-ssdcache/dm-ssdcache.ko")
fi
export CAPTURE_TRACE=$SSDCACHE_TREE/userspace/build/bin/ssdcache-trace CAPTURE_TREE=$SSDCACHE_TREE
mkdir -p "$out"

# The guest's disk is a file, in memory if that has room: what reaches it is not in the guest's own memory.
CAPTURE_DISK=$(mktemp -d /dev/shm/capture.XXXXXX)
[ "$(df --output=avail -BM "$CAPTURE_DISK" | tail -n 1 | tr -dc 0-9)" -gt 2100 ] || {
	rmdir "$CAPTURE_DISK"
	CAPTURE_DISK=$(mktemp -d "$SSDCACHE_CACHE/capture.XXXXXX")
}
export CAPTURE_DISK
trap 'rm -rf "$CAPTURE_DISK"' EXIT

failed=()
for name; do
	say "$name"
	rm -f "$CAPTURE_DISK"/* "$out/$name.csv.zst" "$out/$name.txt"
	truncate -s 2G "$CAPTURE_DISK/disk"
	memory=$(sed -n "s/^# $name: memory //p" "$here/applications.sh")
	status=0
	in_group "$SSDCACHE_LAB/uml.sh" --net "${module[@]}" --memory "$memory" --timeout 1500 --out "$out/log/$name" -- "$here/guest.sh" "$name" ||
		status=$?
	if [ "$status" != 0 ]; then
		failed+=("$name")
		continue
	fi
	mv "$out/log/$name/$name".* "$out"
	sed -n '/^requests/p;/^read/p;/^write/p;/^footprint/p;/^reuse/p' "$out/$name.txt"
done
[ ${#failed[@]} -eq 0 ] || die "not captured: ${failed[*]}; see $out/log"
