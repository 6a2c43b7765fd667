#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Scripts refuse words that they cannot use before they do anything: those that take none, and fio-jobs/run-all.sh, which overwrites what
# it is given. They run in a copy, with stand-ins for the programs that would install, build or write something.
# Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export SSDCACHE_CACHE=$work/cache WORK=$work PATH=$work/bin:$PATH

mkdir -p "$work/bin" "$work/copy"
(cd "$tree" && cp -r --parents scripts/check scripts/lab/*.sh scripts/studies/bench.sh packaging fio-jobs dm-ssdcache/version.h "$work/copy")
# Each program that would do something says that it was called, and fails.
for program in "$work/bin"/{fio,make,python3,shellcheck} "$work/copy/scripts/lab"/{deps,kernel,vm}.sh; do
	# shellcheck disable=SC2016 # for the program
	printf '#!/bin/sh\necho "${0##*/}" >>"$WORK/begun"\nexit 1\n' >"$program"
	chmod +x "$program"
done
printf '#!/bin/sh\necho Makefile\n' >"$work/bin/git"
chmod +x "$work/bin/git"

# refuses TEXT SCRIPT [WORD]...: SCRIPT of the copy fails with one line that has TEXT, and has called nothing
refuses() {
	local status=0

	rm -f "$work/begun"
	"$work/copy/$2" "${@:3}" </dev/null >"$work/said" 2>&1 || status=$?
	if [ $status = 0 ] || [ -e "$work/begun" ] || [ "$(wc -l <"$work/said")" != 1 ] || ! grep -qF -- "$1" "$work/said"; then
		echo "${*:2}: status $status, expected '$1'"
		[ ! -e "$work/begun" ] || paste -sd ' ' "$work/begun"
		tail -n 5 "$work/said"
		failures=$((failures + 1))
	fi
}

for script in packaging/{deb,rpm}.sh scripts/studies/bench.sh scripts/lab/wheel.sh scripts/check/check-{build,floors,python}.sh; do
	refuses "'--help': " "$script" --help
done
refuses "'--cache': " scripts/check/check-source.sh --cache
refuses "'more': " scripts/check/check-source.sh --cached more

echo precious >"$work/file"
mkfifo "$work/fifo"
ln -s file "$work/link"
for name in file fifo link bin absent; do
	refuses "$work/$name" fio-jobs/run-all.sh "$work/$name"
done
refuses "--help" fio-jobs/run-all.sh --help
refuses "'5s'" fio-jobs/run-all.sh "$work/file" 5s
refuses "'0'" fio-jobs/run-all.sh "$work/file" 0
[ "$(<"$work/file")" = precious ] || { echo "run-all.sh has written to a file"; failures=$((failures + 1)); }
[ $failures = 0 ]
