#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: xfstests' cases in xfstests.list on ext4 and xfs: ssdcache passes what the bare device passes
# long: uml vm-6.12
# timeout: 28800
# memory: uml=4G
#
# No distribution has a package of xfstests: XFSTESTS=DIR names a checkout in which "make" has run, outside /tmp.
# XFSTESTS_CASES replaces the list of cases, XFSTESTS_FS the file systems ("ext4 xfs").

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

list=$(dirname "$0")/xfstests.list
results=$scratch/results

need_xfstests() {
	local tool

	[ -n "${XFSTESTS-}" ] || skip "XFSTESTS is not set: it names a checkout of xfstests in which make has run"
	[ -x "$XFSTESTS/check" ] || skip "$XFSTESTS has no xfstests (the guest does not see /tmp)"
	[ -x "$XFSTESTS/ltp/fsstress" ] || skip "$XFSTESTS is not built: run make there"
	for tool in gawk setfattr chacl mkfs.xfs xfs_io; do
		[ -n "$(type -P "$tool")" ] || skip "no program $tool, which xfstests needs: scripts/lab/deps.sh suites"
	done
}

# null_blk allocates what is written.
make_bare() {
	make_nullb 1536 discard=1 cache_size=16
	DEVICE=$NULLB
}

# A few thousand pages: nearly all requests evict.
make_ssdcache() {
	make_bare
	make_cache "$1" "$NULLB" dram 16m replacement cflru-ef-sc admission read-write
	DEVICE=/dev/mapper/$1
}

# run_cases FS DEVICE-KIND: run them all; $results/FS.KIND.passed and .skipped list cases
run_cases() {
	local out=$results/$1.$2 status=0

	need_xfstests
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" || skip "this kernel has no $1"
	mkdir -p "$out" "$scratch/test" "$scratch/mnt"
	"make_$2" test
	{
		echo "export FSTYP=$1 TEST_DEV=$DEVICE TEST_DIR=$scratch/test SCRATCH_MNT=$scratch/mnt RESULT_BASE=$out"
		"mkfs.$1" -q "$DEVICE" >&2
		"make_$2" scratch
		echo "export SCRATCH_DEV=$DEVICE"
	} >"$scratch/local.config"
	# shellcheck disable=SC2086 # a list of words
	(cd "$XFSTESTS" && HOST_OPTIONS=$scratch/local.config ./check $cases) >"$out/log" 2>&1 || status=$?
	cat "$out/log"
	# A line for each case, and three with lists at the end.
	sed -n 's/^\(generic\/[0-9]*\) .*\[not run\] *\(.*\)/\1 \2/p' "$out/log" >"$out/skipped"
	comm -23 <(sed -n 's/^Ran: //p' "$out/log" | tr ' ' '\n' | grep . | sort) \
		<({ sed -n 's/^Failures: //p' "$out/log" | tr ' ' '\n' | grep . || :; cut -d' ' -f1 "$out/skipped"; } | sort) \
		>"$out/passed"
	grep -q '^Ran: ' "$out/log" || fail "check ended early, with status $status"
	# Unmounts what the last case left.
	umount "$scratch/mnt" "$scratch/test" 2>/dev/null || :
}

# passes FS CASE: the cache passes what the bare device passes
passes() {
	local case=$2 file

	grep -qxF "$case" "$results/$1.bare/passed" ||
		skip "the bare device does not pass it: $(sed -n "s|^$case ||p" "$results/$1.bare/skipped" || :)"
	if ! grep -qxF "$case" "$results/$1.ssdcache/passed"; then
		grep -A 20 "^$case " "$results/$1.ssdcache/log" || :
		for file in "$results/$1.ssdcache/$case".{out.bad,dmesg,full}; do
			[ ! -e "$file" ] || tail -n 15 "$file"
		done
		fail "$case passes on the bare device, and not on ssdcache"
	fi
}

fake_udevadm
cases=${XFSTESTS_CASES:-$(sed -n 's/^\(generic[^\t #]*\).*/\1/p' "$list" | tr '\n' ' ')}
for fs in ${XFSTESTS_FS:-ext4 xfs}; do
	run_test "$fs: xfstests runs on the bare device" run_cases "$fs" bare
	[ -s "$results/$fs.bare/passed" ] || continue
	run_test "$fs: xfstests runs on ssdcache" run_cases "$fs" ssdcache
	[ -e "$results/$fs.ssdcache/passed" ] || continue
	for case in $cases; do
		run_test "$case, $fs" passes "$fs" "$case"
	done
done
