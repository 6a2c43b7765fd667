#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: blktests' cases that take a device: the targets pass what the bare device passes; the group ssdcache
# long: vm-6.12 vm-6.1
# timeout: 7200
#
# No distribution has a package of blktests: BLKTESTS=DIR names a checkout in which "make" has run, outside /tmp.
# BLKTESTS_SECONDS limits the cases that run for a given time (5); BLKTESTS_CASES replaces the list of cases.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

own=$(cd "$(dirname "$0")/../blktests/ssdcache" && pwd)
seconds=${BLKTESTS_SECONDS:-5}

need_blktests() {
	[ -n "${BLKTESTS-}" ] || skip "BLKTESTS is not set: it names a checkout of blktests in which make has run"
	[ -x "$BLKTESTS/check" ] || skip "$BLKTESTS has no blktests (the guest does not see /tmp)"
	[ -x "$BLKTESTS/src/openclose" ] || skip "$BLKTESTS is not built: run make there"
	[ -n "$(type -P gawk)" ] || skip "no program gawk, which blktests needs: scripts/lab/deps.sh suites"
}

# Of the groups that are about any block device, the cases that test the device they are given. The others make their own.
list_cases() {
	if [ -n "${BLKTESTS_CASES-}" ]; then
		# shellcheck disable=SC2086 # a list of words
		printf '%s\n' $BLKTESTS_CASES
	else
		(cd "$BLKTESTS/tests" && grep -lE '^test_device\(\)' {block,dm}/[0-9][0-9][0-9]) | sort
	fi
}

# The devices have more than the 1 GiB that block/008 reads; null_blk allocates what is written.
make_bare() {
	make_nullb 1200 discard=1 cache_size=16
	DEVICE=$NULLB
}

make_ssdcache() {
	make_bare
	make_cache c0 "$NULLB" dram 8m replacement cflru-ef-sc admission read-write
	DEVICE=/dev/mapper/c0
}

make_ssdflash() {
	make_bare
	sectors_of "$NULLB"
	make_flash f0 "$NULLB" "$SECTORS" profile s002 blocks 0
	DEVICE=/dev/mapper/f0
}

# run_case CASE [DEVICE]: run it; $STATUS is pass, fail or "not run", $scratch/check its output
run_case() {
	local out=$scratch/results result

	rm -rf "$out"
	echo "TEST_DEVS=(${2-})" >"$scratch/config"
	(cd "$BLKTESTS" && timeout -k 10 600 ./check "--quick=$seconds" -c "$scratch/config" -o "$out" "$1") \
		>"$scratch/check" 2>&1 || :
	STATUS="not ended"
	for result in "$out"/*/"$1"; do
		[ ! -e "$result" ] || STATUS=$(sed -n 's/^status\t//p' "$result")
	done
	cat "$scratch/check"
}

# reason: why the last case was not run
reason() {
	sed -n '/\[not run\]/{n;s/^ *//p}' "$scratch/check"
}

on_bare() {
	make_bare
	run_case "$1" "$DEVICE"
	mkdir -p "$scratch/bare/${1%/*}"
	case $STATUS in
	pass) touch "$scratch/bare/$1" ;;
	"not run") skip "not run: $(reason)" ;;
	*) skip "fails on the bare device: $STATUS: $(tail -n 1 "$scratch/check")" ;;
	esac
}

on_target() {
	"make_$1"
	run_case "$2" "$DEVICE"
	# Device-mapper targets like these have no queue of requests, and so no scheduler, for example.
	[ "$STATUS" != "not run" ] || skip "not run: $(reason)"
	expect_eq "$2 on $1" "$STATUS" pass
}

# The project's own group, in its place in the checkout. The guest keeps what it writes to itself.
own_case() {
	run_case "ssdcache/$1"
	expect_eq "ssdcache/$1" "$STATUS" pass
	# The case has removed its devices.
	expect_eq "devices" "$(dmsetup ls)" "No devices found"
}

# blktests cannot read a version such as 6.12.117+deb12-amd64: show it 6.12.117-amd64.
fake_uname() {
	local version plain

	version=$(uname -r)
	[[ $version = *+* ]] || return 0
	plain=${version%%+*}-${version##*-}
	printf '#!/bin/sh\n[ "$*" = -r ] && exec echo %s\nexec %s "$@"\n' "$plain" "$(type -P uname)" >"$scratch/bin/uname"
	chmod +x "$scratch/bin/uname"
	ln -sfn "$version" "/lib/modules/$plain"
}

list() {
	need_blktests
	cp -r "$own" "$BLKTESTS/tests/"
	list_cases >"$scratch/cases"
	expect "cases" "$(wc -l <"$scratch/cases")" -ge 1
}

fake_udevadm
fake_uname
: >"$scratch/cases"
run_test "blktests is there" list
mapfile -t cases <"$scratch/cases"
for case in "${cases[@]}"; do
	run_test "$case on the bare device" on_bare "$case"
	[ -e "$scratch/bare/$case" ] || continue
	for target in ssdcache ssdflash; do
		run_test "$case on $target" on_target "$target" "$case"
	done
done
for case in ${cases:+"$own"/[0-9][0-9][0-9]}; do
	run_test "ssdcache/${case##*/}: $(sed -n 's/^DESCRIPTION="\(.*\)"/\1/p' "$case")" own_case "${case##*/}"
done
