#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the patch series for drivers/md applies to the newest kernel's source and builds there
# long: host
# timeout: 2400

set -euo pipefail
shopt -s inherit_errexit
tree=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
# shellcheck source-path=SCRIPTDIR source=../../scripts/lab/lib.sh
. "$tree/scripts/lab/lib.sh"

work=$(mktemp -d -p "${SSDCACHE_OUT:-/tmp}" series.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work"/{upper,work,tree}

# in_tree COMMAND: in a copy of the source
in_tree() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -ec '
		mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" overlay "$2/tree"
		cd "$2/tree"
		eval "$3"' - "$source" "$work" "$1"
}

# result NAME STATUS LOG
result() {
	if [ "$2" = 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		tail -n 40 "$3" | sed 's/^/    /'
		echo "# done"
		exit 1
	fi
}

status=0
source=$("$SSDCACHE_LAB/kernel.sh" source newest 2>"$work/log") || status=$?
if [ $status = 3 ]; then
	for name in "the guides are reStructuredText" "the series is made" "its patches apply" "the kernel builds with it, without warnings" "checkpatch finds no error"; do
		echo "skip - $name # no newer Debian suite can be reached"
	done
	echo "# done"
	exit 0
fi
status=0
# Tables, fences and links of Markdown that the converter has not seen
for file in admin-guide ssdflash; do
	python3 "$tree/packaging/rst.py" "$tree/Documentation/$file.md" >"$work/rst"
	# shellcheck disable=SC2016 # fences
	! grep -nE '^ *\||^```|``\w+``\w|\]\(' "$work/rst" >>"$work/log" || status=1
done
result "the guides are reStructuredText" $status "$work/log"
"$tree/packaging/kernel-series.sh" "$source" "$work/series" >"$work/log" 2>&1 || status=$?
result "the series is made" $status "$work/log"
# shellcheck disable=SC2016 # for in_tree
in_tree 'for patch in ../series/*.patch; do patch -p1 --no-backup-if-mismatch <"$patch"; done' >"$work/log" 2>&1 || status=$?
grep -q -E 'fuzz|FAILED' "$work/log" && status=1
result "its patches apply" $status "$work/log"
in_tree 'make -s defconfig
	scripts/config -e MODULES -e MD -e BLK_DEV_DM -m DM_SSDCACHE -e BLK_DEV_ZONED
	make -s olddefconfig
	grep -qx CONFIG_DM_SSDCACHE=m .config
	make -s -j2 W=1 drivers/md/dm-ssdcache/
	make -s clean' >"$work/log" 2>&1 || status=$?
! grep -q 'warning:' "$work/log" || status=1
result "the kernel builds with it, without warnings" $status "$work/log"
# The lists of plug-ins are macros that the rule does not fit.
# It ends with 1 if it has found something, warnings included.
# shellcheck disable=SC2016 # for in_tree
in_tree './scripts/checkpatch.pl --no-tree --terse --no-summary --ignore COMPLEX_MACRO ../series/*.patch || [ $? = 1 ]' >"$work/log" 2>&1 ||
	status=1
! grep -q ': ERROR:' "$work/log" || status=1
result "checkpatch finds no error" $status "$work/log"
echo "# done"
