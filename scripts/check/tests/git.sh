#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks and packages of the files that git lists fail where git lists none: in a copy without .git, and below a repository that does not
# know them.
# Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export GIT_CEILING_DIRECTORIES=$work SSDCACHE_CACHE=$work/cache PATH=$work/bin:$PATH

# Programs that find nothing wrong
mkdir -p "$work/bin" "$work/outer/copy"
printf '#!/bin/sh\nexit 0\n' | tee "$work/bin/make" "$work/bin/shellcheck" >"$work/bin/sparse"
chmod +x "$work/bin"/*
(cd "$tree" && cp -r --parents Makefile dm-ssdcache include scripts/check scripts/lab/*.sh packaging "$work/outer/copy")
printf '#!/bin/sh\necho /none\n' >"$work/outer/copy/scripts/lab/kernel.sh"

# refuses WHERE SCRIPT: SCRIPT of the copy fails, says why, and has no good result of what git lists
refuses() {
	local status=0

	"$work/outer/copy/$2" </dev/null >"$work/said" 2>&1 || status=$?
	if [ $status = 0 ] || ! grep -q "git lists no files of $work/outer/copy" "$work/said" ||
		grep -qE '^ok .*(build: 6|checkpatch|shellcheck)' "$work/said"; then
		echo "$2, $1: status $status"
		tail -n 5 "$work/said"
		failures=$((failures + 1))
	fi
}

scripts=(scripts/check/check-build.sh scripts/check/check-source.sh packaging/deb.sh packaging/rpm.sh packaging/kernel-series.sh)
for script in "${scripts[@]}"; do
	refuses "without .git" "$script"
done
git init -q "$work/outer"
for script in "${scripts[@]}"; do
	refuses "unknown to git" "$script"
done
[ $failures = 0 ]
