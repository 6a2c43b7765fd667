#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# clean-cache.sh removes a cache of the lab that nobody uses, and nothing else. Prints a line for each case that went wrong.

lab=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# case_is NAME STATUS TEXT DIRECTORY [WORD]...: clean-cache.sh ends with STATUS and says TEXT. It removes DIRECTORY if STATUS is 0.
case_is() {
	local status=0 out

	out=$(SSDCACHE_CACHE=$4 "$lab/clean-cache.sh" "${@:5}" 2>&1) || status=$?
	if [ $status != "$2" ] || [[ $out != *"$3"* ]] || { [ $status = 0 ] && [ -e "$4" ]; } || { [ $status != 0 ] && [ ! -e "$4" ]; }; then
		echo "$1: status $status: $out"
		failures=$((failures + 1))
	fi
}

# uses DIRECTORY COMMAND...: a script of the lab, with this cache, that runs COMMAND
uses() {
	# shellcheck disable=SC2016 # for the inner shell
	SSDCACHE_CACHE=$1 bash -c '. "$0/lib.sh"; "$@"' "$lab" "${@:2}"
}

uses "$work/made" mkdir "$work/made/kernels"
for word in --help --dry-run "$work/other"; do
	case_is "a cache, with $word" 2 "usage: clean-cache.sh" "$work/made" "$word"
	mkdir -p "$work/made/kernels"
done
case_is "a cache that the lab has made" 0 "removed $work/made" "$work/made"

mkdir -p "$work/mine/run"
touch "$work/mine/run/precious"
case_is "a directory of somebody else" 1 "was not made by the lab" "$work/mine"
[ "$(cd "$work/mine" && find . | sort | paste -sd ' ')" = ". ./run ./run/precious" ] || {
	echo "it is not as it was: $(ls -A "$work/mine")"
	failures=$((failures + 1))
}

uses "$work/mixed" touch "$work/mixed/thesis.tex"
case_is "a cache with a file of somebody else" 1 "has $work/mixed/thesis.tex" "$work/mixed"

mkdir -p "$work/old/dm-ssdcache/kernels"
case_is "a cache of an older version" 0 "removed" "$work/old/dm-ssdcache"

uses "$work/real" ln -s "$work/real" "$work/link"
SSDCACHE_CACHE=$work/link "$lab/clean-cache.sh" >/dev/null 2>&1
[ ! -e "$work/real" ] || { echo "behind a symbolic link: the cache stays"; failures=$((failures + 1)); }

mkfifo "$work/begin" "$work/end"
# shellcheck disable=SC2016 # for the inner shell
uses "$work/used" sh -c 'echo >"$0/begin"; read -r line <"$0/end"' "$work" &
read -r _ <"$work/begin"
case_is "a cache in use" 1 "is in use" "$work/used"
echo >"$work/end"
wait $!
case_is "the same, afterwards" 0 "removed" "$work/used"

[ $failures = 0 ]
