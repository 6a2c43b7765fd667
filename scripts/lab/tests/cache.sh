#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which folder the scripts of the lab take for their cache, and what they say if they cannot write there. Prints a line for each case
# that went wrong.

set -u
lab=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# case_is NAME STATUS TEXT CACHE: a script, started in $work/here, ends with STATUS, and TEXT is the last line that it says
case_is() {
	local status=0 out

	# shellcheck disable=SC2016 # for the inner shell
	out=$(cd "$work/here" && SSDCACHE_CACHE=$4 bash -c '. "$0/lib.sh"; cd /; echo "cache: $SSDCACHE_CACHE"; lock kernels' "$lab" 2>&1) || status=$?
	if [ $status != "$2" ] || [ "${out##*$'\n'}" != "$3" ]; then
		printf '%s: status %s: %s\n' "$1" $status "$out"
		failures=$((failures + 1))
	fi
}

mkdir "$work/here"
case_is "a full path" 0 "cache: $work/full" "$work/full"
case_is "a relative path" 0 "cache: $work/here/relative" relative
advice="set SSDCACHE_CACHE to a writable directory"
touch "$work/file"
case_is "no folder" 1 "lab: cannot write to $work/file: $advice" "$work/file"
# As files of root are for others; root can write those.
mkdir -p "$work/locked/.lock-cache"
case_is "a lock that cannot be taken" 1 "lab: cannot write to $work/locked: $advice" "$work/locked"
mkdir -p "$work/kernels/.lock-kernels"
case_is "the same of kernels" 1 "lab: cannot write to $work/kernels: $advice" "$work/kernels"
mkdir "$work/bin"
ln -s "$(type -P bash)" "$(type -P dirname)" "$(type -P ls)" "$(type -P mkdir)" "$work/bin"
PATH=$work/bin case_is "no flock" 1 "lab: flock is missing: install the package util-linux (scripts/lab/deps.sh installs everything needed)" "$work/full"
# As on a full disk: an empty tag would stay, and clean-cache.sh would refuse the folder.
(
	trap '' XFSZ
	ulimit -f 0
	# shellcheck disable=SC2016 # for the inner shell
	SSDCACHE_CACHE=$work/full-disk bash -c '. "$0/lib.sh"' "$lab" 2>/dev/null
)
case_is "space again" 0 "cache: $work/full-disk" "$work/full-disk"
grep -qs "dm-ssdcache" "$work/full-disk/CACHEDIR.TAG" || {
	echo "after a full disk: no tag"
	failures=$((failures + 1))
}
characters=' '"'"'"`$#:;&|<>()\*?%[{'
for ((i = 0; i < ${#characters}; i++)); do
	character=${characters:i:1}
	case_is "a path with $character" 1 "lab: no ${character/ /white space} allowed in the path of the tree (${lab%/scripts/lab}) or of the cache ($work/a${character}b): \
set SSDCACHE_CACHE or move the tree" "$work/a${character}b"
done
case_is "a path with other characters" 0 "cache: $work/a-b_c+d,e=f@g~é.h" "$work/a-b_c+d,e=f@g~é.h"
[ $failures = 0 ]
