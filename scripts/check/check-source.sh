#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rules about the source that need no running: kernel style, portable includes,
# every compatibility shim with its probe. The slow tools look only at what they
# have not passed before.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
cd "$SSDCACHE_TREE"

result() { # result NAME STATUS [file with details]
	if [ "$2" -eq 0 ]; then
		echo "ok - source: $1"
	else
		echo "not ok - source: $1"
		[ $# -lt 3 ] || head -n 30 "$3" | sed 's/^/  /'
	fi
}

out=$(mktemp)
trap 'rm -f "$out"' EXIT

# LINUX_VERSION_CODE and friends belong nowhere; BUG_ON neither.
status=0
grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(|\bBUG(_ON)?\(' dm-ssdcache include/*.h kunit > "$out" && status=1
result "no kernel version numbers, no BUG_ON" $status "$out"

# Each probe is used by the Kbuild file, each SSDC_HAVE_ has a probe and is explained in compat.h.
status=0
for probe in dm-ssdcache/compat/tests/*.c; do
	name=$(basename "$probe" .c)
	grep -q "probe,$name," dm-ssdcache/Kbuild || { echo "$probe is not used" >> "$out"; status=1; }
	[ "$name" = sanity ] || grep -q "Linux [0-9]" "$probe" || { echo "$probe cites no kernel" >> "$out"; status=1; }
done
while read -r macro; do
	name=$(echo "${macro#SSDC_HAVE_}" | tr '[:upper:]' '[:lower:]')
	[ -e "dm-ssdcache/compat/tests/$name.c" ] || { echo "$macro has no probe" >> "$out"; status=1; }
done < <(grep -ohE 'SSDC_HAVE_[A-Z0-9_]+' dm-ssdcache/compat/compat.h | sort -u)
result "every shim has a probe and a citation" $status "$out"

status=0
for job in fio-jobs/*.fio; do
	if ! head -n 1 "$job" | grep -q '^# [A-Z]' || ! grep -qFx "filename=\${DEV}" "$job"; then
		echo "$job" >> "$out"
		status=1
	fi
done
result "every fio job starts with what it shows, and takes its device from DEV" $status "$out"

status=0
uml=$(scripts/lab/kernel.sh uml) || status=$?
if [ "$status" -eq 0 ]; then
	# The build tree of User-Mode Linux points at the kernel source it was made from.
	source=$(sed -n 's/^include \(.*\)\/Makefile$/\1/p' "$uml/Makefile")
	mapfile -t files < <(git ls-files 'dm-ssdcache/*.c' 'dm-ssdcache/*.h' 'scripts/lab/feeder/*.c' 'include/*.h' ':!include/shim' 'kunit/*.c' 'kunit/*.h' 'samples/*.c')
	# The MACRO_ types: rows of descriptor tables are made by macros. TRAILING_SEMICOLON: so are the declarations of
	# built-in plug-ins. Trace headers have a layout of their own.
	checkpatch=("$source/scripts/checkpatch.pl" --no-tree --strict --quiet --terse --show-types --max-line-length=100
		--ignore "MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE,COMPLEX_MACRO,TRAILING_SEMICOLON")
	tool="checkpatch $(contents_of "$source"/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch}) ${checkpatch[*]:1}"
	unseen=()
	for file in "${files[@]}"; do
		has_passed "$tool $file $(contents_of "$file")" || unseen+=("$file")
	done
	[ ${#unseen[@]} -eq 0 ] || "${checkpatch[@]}" --file "${unseen[@]}" > "$out" 2>&1 || status=$?
	grep -vE '^total:|trace\.h:[0-9]+: CHECK:(PARENTHESIS_ALIGNMENT|OPEN_ENDED_LINE)' "$out" > "$out.lines" || :
	mv "$out.lines" "$out"
	# 1: something was found, of which nothing may be left by now; more: it did not end.
	[ -s "$out" ] || [ "$status" -gt 1 ] || status=0
	[ "$status" -ne 0 ] || for file in "${unseen[@]}"; do
		set_passed "$tool $file $(contents_of "$file")"
	done
fi
result "checkpatch --strict" $status "$out"

status=0
userspace/tests/portable-includes.sh > "$out" 2>&1 || status=$?
result "portable folders include only what the shim has" $status "$out"

status=0
scripts/check/check-floors.sh > "$out" 2>&1 || status=$?
result "calls go downwards only" $status "$out"

status=0
scripts/check/tests/floors.sh > "$out" 2>&1 || status=$?
result "calls go downwards only: the check can fail" $status "$out"

status=0
mapfile -t scripts < <(git ls-files '*.sh' '.ci/run')
# All of them, if one is new, as they include each other.
tool="shellcheck $(shellcheck --version | sed -n 's/^version: //p') $(contents_of "${scripts[@]}")"
if ! has_passed "$tool"; then
	shellcheck -x "${scripts[@]}" > "$out" 2>&1 || status=1
	[ "$status" -ne 0 ] || set_passed "$tool"
fi
result "shellcheck" $status "$out"
