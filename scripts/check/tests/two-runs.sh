#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two runs of check.sh in one tree each report their own results. Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export SSDCACHE_CACHE=$work/cache PATH=$work/bin:$PATH WORK=$work

mkdir "$work/bin" "$work/copy"
mkfifo "$work/begun" "$work/go"
(cd "$tree" && cp -r --parents scripts/check/check.sh scripts/lab/{lib,tap}.sh "$work/copy")
printf '#!/bin/sh\n' >"$work/copy/scripts/lab/deps.sh"
# The tools of the first run do not build, and that takes time.
cat >"$work/bin/make" <<'STUB'
#!/bin/sh
[ -n "${FIRST-}" ] || exit 0
echo >"$WORK/begun"
read -r line <"$WORK/go"
exit 1
STUB
chmod +x "$work/bin/make" "$work/copy/scripts/lab/deps.sh"

# ends_with NAME FILE LINE
ends_with() {
	[ "$(tail -n 1 "$2")" = "$3" ] || {
		echo "$1: the last line is '$(tail -n 1 "$2")'"
		failures=$((failures + 1))
	}
}

check=$work/copy/scripts/check/check.sh
FIRST=1 "$check" tools >"$work/first" 2>&1 &
first=$!
read -r _ <"$work/begun"
"$check" tools >"$work/second" 2>&1 &
second=$!
until ! kill -0 $second 2>&- || grep -qs waiting "$work/second"; do
	sleep 0.1
done
echo >"$work/go"
wait $first $second
ends_with "the first run, which fails" "$work/first" "0 passed, 1 failed, 0 skipped"
ends_with "the second run, which passes" "$work/second" "1 passed, 0 failed, 0 skipped"
[ $failures = 0 ]
