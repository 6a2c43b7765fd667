#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of ssdcachectl.
#
#	tests/run.sh [BINARY]			needs no device and no rights
#	tests/run.sh --device [BINARY]		as root where the module is loaded, or can be:
#						MODULE=FILE.ko names it
#
# Prints TAP; fails if any test does.

set -uo pipefail

tests=$(cd "$(dirname "$0")" && pwd -P)
suites=(words help attach completion saved hostile)
if [ "${1-}" = --device ]; then
	suites=(device)
	shift
fi
ctl=${1:-$tests/../build/ssdcachectl}
if [ ! -x "$ctl" ]; then
	echo "run.sh: there is no program $ctl: build it with make -C userspace/ssdcachectl" >&2
	exit 2
fi
ctl=$(cd "$(dirname "$ctl")" && pwd -P)/${ctl##*/}
PATH=$(dirname "$ctl"):$PATH:/sbin:/usr/sbin
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# shellcheck source-path=SCRIPTDIR source=../../tests/tap.sh
. "$tests/../../tests/tap.sh"

# run ARGS...: the program's exit code in $code, its output in $out, its errors in $err.
run() {
	code=0
	"$ctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
	out=$(<"$scratch/out")
	err=$(<"$scratch/err")
}

detail() {
	printf 'exit code %s\nout: %s\nerr: %s\n' "$code" "$out" "$err"
}

# expect NAME CODE TEXT ARGS...: the code, and TEXT somewhere in what is printed. A failure says
# so in exactly one line, which starts with the program's name.
expect() {
	local name=$1 want=$2 text=$3 bad=0

	shift 3
	run "$@"
	[ "$code" = "$want" ] || bad=1
	[[ $out$err == *"$text"* ]] || bad=1
	if [ "$want" != 0 ]; then
		[[ $err == 'ssdcachectl: '* && $err != *$'\n'* ]] || bad=1
	fi
	result "$bad" "$name" "wanted code $want and: $text
$(detail)"
}

# check NAME COMMAND...: succeeds?
check() {
	local name=$1 bad=0

	shift
	"$@" >"$scratch/check" 2>&1 || bad=1
	result "$bad" "$name" "$(<"$scratch/check")"
}

for suite in "${suites[@]}"; do
	# shellcheck source=/dev/null
	. "$tests/$suite.sh"
done
finish
