#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks that the module builds without a warning (W=1, and sparse where it is installed) for every kernel that Debian
# offers: 6.1, 6.12 and the newest one. A source that has passed is not built again. Prints TAP.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lab/tap.sh
. "$SSDCACHE_LAB/tap.sh"
takes_no_words "$@"
cd "$SSDCACHE_TREE"
need_git

# Warnings about the headers, not about the module.
noise='Skipping BTF generation|the compiler differs from the one used|The kernel was built by|You are using'
# A complaint, and not a file that is called errors.c.
complaint='(warning|error|WARNING|ERROR): |\*\*\*'

mapfile -t source < <(git ls-files -co --exclude-standard Makefile Kbuild dm-ssdcache scripts/lab/feeder include scripts/check/check-build.sh)

# check SERIES LABEL [MAKE-ARGUMENT]...
check() {
	local series=$1 label=$2 kdir out build copy status=0
	shift 2

	kdir=$(scripts/lab/kernel.sh headers "$series") || status=$?
	if [ "$status" -eq 3 ]; then
		tap_skip "build: $label" "no package suite offers a newer kernel"
		return
	fi
	[ "$status" -eq 0 ] || { tap_not_ok "build: $label: no headers"; return; }
	build="build $(basename "$kdir") $* $(gcc -dumpfullversion) $(contents_of "${source[@]}")"
	if has_passed "$build"; then
		tap_ok "build: $label (this source has passed)"
		return
	fi
	out=$(mktemp)
	find build -name '*.o' -path "*/$(basename "$kdir")/*" -delete 2>/dev/null || :
	make module feeder KDIR="$kdir" "$@" >"$out" 2>&1 || status=$?
	# As DKMS does before a build; in a copy, so that the build stays.
	copy=$(mktemp -d)
	cp -r dm-ssdcache include "$copy/"
	make -C "$kdir" "M=$copy/dm-ssdcache" clean >>"$out" 2>&1 || status=$?
	rm -r "$copy"
	if [ "$status" -ne 0 ] || grep -qE "$complaint" <<<"$(grep -vE "$noise" "$out")"; then
		{ grep -E "$complaint" "$out" || :; } | { grep -vE "$noise" || :; } >"$out.lines"
		tap_not_ok "build: $label" "$out.lines"
	else
		tap_ok "build: $label"
		set_passed "$build"
	fi
	rm -f "$out" "$out.lines"
}

# shellcheck disable=SC2016 # for make
# strips WITH ARGUMENT...: make strips the module with the program WITH
strips() {
	[ "$(make -s --eval='print-strip: ; @echo $(strip-tool)' print-strip "${@:2}")" = "$1" ]
}

status=0
strips strip && strips aarch64-linux-gnu-strip CROSS_COMPILE=aarch64-linux-gnu- && strips llvm-strip LLVM=1 &&
	strips llvm-strip-19 LLVM=-19 && strips /opt/llvm/bin/llvm-strip LLVM=/opt/llvm/bin/ || status=$?
tap_result "build: the module is stripped with the tools of its compiler" $status /dev/null

if command -v sparse >/dev/null; then
	check 6.1 "6.1, W=1 and sparse" W=1 C=2
else
	check 6.1 "6.1, W=1" W=1
	tap_skip "build: sparse" "not installed"
fi
for series in 6.12 newest; do
	check "$series" "$series, W=1" W=1
done
tap_end
