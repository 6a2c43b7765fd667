#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Static checks of the source: kernel style, portable includes, floors, a probe for every compatibility shim.
# Files that a slow tool has passed are not checked by it again. Prints TAP.
#
#	check-source.sh [--cached]	--cached: download no kernel source; without one, skip checkpatch

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lab/tap.sh
. "$SSDCACHE_LAB/tap.sh"
cached=()
[ "${1-}" != --cached ] || { cached=("$1"); shift; }
[ $# = 0 ] || { say "'$1': expected nothing, or --cached alone"; exit 2; }
cd "$SSDCACHE_TREE"
need_git

out=$(mktemp)
trap 'rm -f "$out"' EXIT

# run_check NAME COMMAND...: a check that is a program of its own
run_check() {
	local status=0

	"${@:2}" >"$out" 2>&1 || status=$?
	tap_result "$1" $status "$out"
}

status=0
grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(|\bBUG(_ON)?\(' dm-ssdcache include/*.h kunit scripts/lab/feeder samples >"$out" && status=1
tap_result "source: no kernel version numbers, no BUG_ON" $status "$out"

# Kbuild uses each probe; each SSDC_HAVE_ has a probe, which names the kernel that brought the change, and a definition in Kbuild. Without
# one, the code for older kernels would be compiled for all.
status=0
: >"$out"
for probe in dm-ssdcache/compat/tests/*.c; do
	name=$(basename "$probe" .c)
	grep -q "probe,$name," dm-ssdcache/Kbuild || { echo "$probe is not used" >>"$out"; status=1; }
	[ "$name" = sanity ] || grep -q "Linux [0-9]" "$probe" || { echo "$probe cites no kernel" >>"$out"; status=1; }
done
while read -r macro; do
	name=$(echo "${macro#SSDC_HAVE_}" | tr '[:upper:]' '[:lower:]')
	[ -e "dm-ssdcache/compat/tests/$name.c" ] || { echo "$macro has no probe" >>"$out"; status=1; }
	grep -qE "probe,$name,.*-D$macro( |\$)" dm-ssdcache/Kbuild || { echo "$macro is not defined by its probe" >>"$out"; status=1; }
done < <(grep -rohE --include='*.[ch]' 'SSDC_HAVE_[A-Z0-9_]+' dm-ssdcache | sort -u)
tap_result "source: every shim has a probe and a citation" $status "$out"

# The later definition wins, so a test of the earlier one would run the wrong function.
status=0
git grep -oE '^[a-zA-Z0-9_-]+\(\)' -- '*.sh' | sort | uniq -d >"$out"
[ ! -s "$out" ] || status=1
tap_result "source: no script defines a function twice" $status "$out"

# grep -q ends at the first match. A command that prints more is then ended by SIGPIPE, and with pipefail, the pipe fails at times.
# A pipe may go on in the next line.
status=0
quiet='([A-Z_]+=[^ ]* |as_root |sudo )*[ef]?grep( -[^ ]+)* (-[a-zA-Z]*q|--quiet)'
{
	git grep -nIE "(^|[^|])\\|&?[[:space:]]*$quiet" -- . ':!*.md' || :
	{ git grep -nIE -B 1 "^[[:space:]]*$quiet" -- . ':!*.md' || :; } |
		awk '{ if (piped) print; piped = /[^|]\|&?[ \t]*\\?$/ }'
} >"$out"
[ ! -s "$out" ] || status=1
tap_result "source: no script pipes into grep -q, instead of grep -q ... <<<\"\$(COMMAND)\"" $status "$out"

# fio applies an option to the job before it. After several jobs, an option meant for all of them would be that of the last one.
status=0
# shellcheck disable=SC2016 # for perl
git ls-files -z '*.sh' | xargs -0 perl -0777 -ne 'while (/--name=\S+(?:\\\n|[^\n])*--name=\S+((?:\\\n|[^\n])*)/g) {
	print "$ARGV: $1\n" if $1 =~ /--(direct|ioengine|output|runtime|time_based|verify)\b/ }' >"$out"
[ ! -s "$out" ] || status=1
tap_result "source: options of all fio jobs come before the first job" $status "$out"

status=0
: >"$out"
for job in fio-jobs/*.fio; do
	if ! grep -qFx '# SPDX-License-Identifier: GPL-2.0' <(sed -n 1p "$job") || ! grep -q '^# [A-Z]' <(sed -n 2p "$job") ||
		! grep -qFx "filename=\${DEV}" "$job"; then
		echo "$job" >>"$out"
		status=1
	fi
done
tap_result "source: every fio job has a licence, says what it shows, and takes its device from DEV" $status "$out"

status=0
git ls-files --cached --ignored --exclude-standard >"$out"
[ ! -s "$out" ] || status=1
tap_result "source: no file that .gitignore names, such as a result, is in the repository" $status "$out"

status=0
while read -r file; do
	[[ -L $file || -s $file || $file = */py.typed ]] || echo "$file"
done < <(git ls-files) >"$out"
[ ! -s "$out" ] || status=1
tap_result "source: no file that is empty, such as an output left behind, is in the repository" $status "$out"

# The version is written for compilers, readers, packages and citations; a tag is of the version's release.
status=0
version=$(packaging/version.sh)
newest=$(sed -n 's/^## \[\([0-9].*\)$/\1/p' CHANGELOG.md | sed -n 1p)
{
	echo "CHANGELOG.md: ${newest%%]*}"
	echo "CITATION.cff: $(sed -n 's/^version: //p' CITATION.cff)"
	echo "debian/changelog: $(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)"
	echo "packaging/rpm/dm-ssdcache.spec: $(sed -n 's/.*global version_of_source \([0-9.]*\)}$/\1/p' packaging/rpm/dm-ssdcache.spec)"
	echo "packaging/rpm/dm-ssdcache.spec, newest change: $(awk '/^%changelog/ { getline; sub(/-[0-9]+$/, "", $NF); print $NF }' packaging/rpm/dm-ssdcache.spec)"
	for tag in $(git tag --points-at HEAD 'v*'); do
		echo "git tag: ${tag#v}"
	done
} | grep -v ": $version\$" >"$out" && status=1
released=$(sed -n 's/^date-released: //p' CITATION.cff)
[ "$released" = "${newest##* }" ] || { echo "CITATION.cff: $released, CHANGELOG.md: ${newest##* }" >>"$out"; status=1; }
[ $status = 0 ] || echo "dm-ssdcache/version.h: $version" >>"$out"
tap_result "source: the same version everywhere" $status "$out"

# check_style SOURCE: checkpatch of the kernel in SOURCE
check_style() {
	local source=$1 status=0 file files tool checkpatch unseen=()

	mapfile -t files < <(git ls-files 'dm-ssdcache/*.c' 'dm-ssdcache/*.h' 'scripts/lab/feeder/*.c' 'include/*.h' \
		':!include/shim' 'kunit/*.c' 'kunit/*.h' 'samples/*.c')
	# The MACRO_ types: rows of descriptor tables are made by macros. TRAILING_SEMICOLON: so are the declarations of
	# built-in plug-ins. Trace headers have a layout of their own.
	checkpatch=("$source/scripts/checkpatch.pl" --no-tree --strict --quiet --terse --show-types --max-line-length=100
		--ignore "MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE,COMPLEX_MACRO,TRAILING_SEMICOLON")
	tool="checkpatch $(contents_of "$source"/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch}) ${checkpatch[*]:1}"
	for file in "${files[@]}"; do
		has_passed "$tool $file $(contents_of "$file")" || unseen+=("$file")
	done
	: >"$out"
	[ ${#unseen[@]} -eq 0 ] || "${checkpatch[@]}" --file "${unseen[@]}" >"$out" 2>&1 || status=$?
	grep -vE '^total:|trace\.h:[0-9]+: CHECK:(PARENTHESIS_ALIGNMENT|OPEN_ENDED_LINE)' "$out" >"$out.lines" || :
	mv "$out.lines" "$out"
	# Status 1: it found something, all of which may have been dropped above. Other statuses: it did not finish.
	[ -s "$out" ] || [ "$status" -gt 1 ] || status=0
	tap_result "source: checkpatch --strict" $status "$out"
	[ "$status" -ne 0 ] || for file in "${unseen[@]}"; do
		set_passed "$tool $file $(contents_of "$file")"
	done
}

status=0
source=$(scripts/lab/kernel.sh source "${cached[@]}") || status=$?
case $status in
0) check_style "$source" ;;
3) tap_skip "source: checkpatch --strict" "no kernel source in the cache; scripts/check/check.sh source downloads it" ;;
*) tap_not_ok "source: checkpatch --strict: no kernel source" ;;
esac

run_check "source: portable folders include only what the shim has" userspace/tests/portable-includes.sh
run_check "source: calls go downwards only" scripts/check/check-floors.sh
run_check "source: calls go downwards only: the check can fail" scripts/check/tests/floors.sh
run_check "source: each of these checks can fail" scripts/check/tests/source.sh
run_check "source: checks fail where git lists no files" scripts/check/tests/git.sh
run_check "source: scripts refuse words that they cannot use before they do anything" scripts/check/tests/words.sh
run_check "source: two runs of check.sh report their own results" scripts/check/tests/two-runs.sh
run_check "source: a script of tests/run.sh that runs no test, or does not end as it should, fails" scripts/check/tests/guest-results.sh
run_check "source: only a cache of the lab that nobody uses is removed" scripts/lab/tests/clean-cache.sh
run_check "source: the lab finds its cache from everywhere, and says so if it cannot write there" scripts/lab/tests/cache.sh
run_check "source: a script of the lab that is interrupted leaves nothing behind" scripts/lab/tests/interrupt.sh
run_check "source: errors in the log of a guest's kernel are noticed" scripts/lab/tests/reports.sh
run_check "source: modules of Python that an interrupted deps.sh has left are installed anew" scripts/lab/tests/deps.sh

# check_scripts: shellcheck. A script that others source is part of what each of them passed.
check_scripts() {
	local scripts names shared tool file unseen=() status=0

	# By name, or by the shell that the first line names
	mapfile -t scripts < <({
		git ls-files '*.sh' '*.bash'
		git grep -nIE '^#!(.*[/ ])?(ba|da)?sh$' | sed -n 's/:1:#!.*//p'
	} | sort -u)
	names=$(sed -n 's/^[ \t]*# shellcheck .*source=\(.*\/\)\{0,1\}//p' "${scripts[@]}" | sort -u)
	mapfile -t shared < <(printf '%s\n' "${scripts[@]}" | awk -F/ -v names="$names" '
		BEGIN { split(names, list, "\n"); for (i in list) wanted[list[i]] } $NF in wanted')
	tool="shellcheck $(shellcheck --version | sed -n 's/^version: //p') $(contents_of "${shared[@]}")"
	for file in "${scripts[@]}"; do
		has_passed "$tool $file $(contents_of "$file")" || unseen+=("$file")
	done
	: >"$out"
	[ ${#unseen[@]} -eq 0 ] ||
		printf '%s\0' "${unseen[@]}" | xargs -0 -n 4 -P "$(nproc)" shellcheck -x >"$out" 2>&1 || status=1
	tap_result "source: shellcheck" $status "$out"
	[ "$status" -ne 0 ] || for file in "${unseen[@]}"; do
		set_passed "$tool $file $(contents_of "$file")"
	done
}

check_scripts

tap_end
