#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-source.sh: each check of its own passes a copy of the tree as it is, and fails where something is planted. Programs that are
# checks of their own, and checkpatch, find nothing here. Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export SSDCACHE_CACHE=$work/cache PATH=$work/bin:$PATH GIT_CEILING_DIRECTORIES=$work

# A stand-in for shellcheck: it refuses scripts with the word "planted-script".
mkdir -p "$work/bin" "$work/copy"
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\n[ "$1" != -x ] || shift\n! grep -l planted-script "$@"\n' >"$work/bin/shellcheck"
chmod +x "$work/bin/shellcheck"
cd "$tree" || exit
git ls-files -z .ci .gitignore Makefile CHANGELOG.md CITATION.cff debian dm-ssdcache fio-jobs include kunit packaging samples scripts/check \
	scripts/lab tests userspace/boot userspace/completion | while IFS= read -r -d '' file; do
	[ ! -e "$file" ] || printf '%s\0' "$file"
done | tar -c --null -T - | tar -x -C "$work/copy"
cd "$work/copy" || exit
printf '#!/bin/sh\nexit 3\n' >scripts/lab/kernel.sh
mkdir -p userspace/tests
for program in userspace/tests/portable-includes.sh scripts/check/check-floors.sh scripts/check/tests/{source,*}.sh scripts/lab/tests/*.sh; do
	printf '#!/bin/sh\nexit 0\n' >"$program"
	chmod +x "$program"
done
git init -q .
git add -A

# results FILE: runs the checks
results() {
	scripts/check/check-source.sh --cached </dev/null >"$1" 2>&1
	grep -q '^1\.\.[0-9]' "$1" || {
		echo "check-source.sh did not end: $(tail -n 3 "$1")"
		failures=$((failures + 1))
	}
}

wanted=()
# plant NAME LINE FILE TEXT: with TEXT at the end of FILE, NAME fails and shows LINE
plant() {
	mkdir -p "$(dirname "$3")"
	printf '%b\n' "$4" >>"$3"
	git add -Af "$3"
	wanted+=("$1=$2")
}

# A variable, so that check-source.sh finds no pipe into grep -q in this script
q="grep -q x"
printf '%b\n' "#!/bin/sh" "a || $q" "a ||" "\t$q" "\t$q" >packaging/good
git add packaging/good
results "$work/good"
failed=$(grep '^not ok' "$work/good")
[ -z "$failed" ] || {
	echo "without a defect: $failed"
	failures=$((failures + 1))
}

for file in dm-ssdcache/driver/ssdcache/io.c scripts/lab/feeder/ssdcache-feeder.c samples/policy/ssdcache-mru.c kunit/base/planted.c; do
	plant "no kernel version numbers" "$file:" "$file" "#if LINUX_VERSION_CODE"
done
plant "no kernel version numbers" "evict.c:" dm-ssdcache/engine/evict.c "\tBUG_ON(true);"
plant "every shim has a probe" "planted.c is not used" dm-ssdcache/compat/tests/planted.c "/* Linux 6.1 */"
plant "every shim has a probe" "SSDC_HAVE_ONE has no probe" dm-ssdcache/compat/compat.h "#ifdef SSDC_HAVE_ONE"
plant "every shim has a probe" "SSDC_HAVE_TWO has no probe" dm-ssdcache/driver/ssdcache/io.c "#ifdef SSDC_HAVE_TWO"
plant "every shim has a probe" "SSDC_HAVE_SANITY is not defined" dm-ssdcache/driver/ssdcache/io.c "#ifdef SSDC_HAVE_SANITY"
plant "no script defines a function twice" "twice()" packaging/twice.sh "twice() {\n}\ntwice()\n{\n}"
for text in "a | $q" "a |& $q" "a | LC_ALL=C $q" "a | e$q" "a | as_root $q" "a | grep -E${q#grep -}" "a | ${q% -q x} --quiet x" "a |\n\t$q" "a | \\\\\n\t$q"; do
	plant "no script pipes into grep -q" "pipe-${#wanted[@]}" "packaging/pipe-${#wanted[@]}" "$text"
done
plant "every fio job" fio-jobs/planted.fio fio-jobs/planted.fio "[job]"
plant "no file that .gitignore names" results/planted results/planted figures
plant "the same version everywhere" "CITATION.cff: " dm-ssdcache/version.h "#define SSDC_VERSION_PATCH 7"
for file in .ci/run debian/dm-ssdcache-tools.prerm scripts/lab/vm/init scripts/lab/vm/initramfs-init userspace/boot/ssdcache-generator.in \
	userspace/completion/ssdcache.bash tests/blktests/ssdcache/001 packaging/rpm.sh; do
	plant shellcheck "$file" "$file" "# planted-script"
done
results "$work/bad"
for line in "${wanted[@]}"; do
	awk -v name="source: ${line%%=*}" '/^(not )?ok/ { shown = /^not ok/ && index($0, name) } shown' "$work/bad" | grep -F -- "${line#*=}" >"$work/found" || {
		echo "no line with ${line#*=} of the check '${line%%=*}'"
		failures=$((failures + 1))
	}
done
[ $failures = 0 ]
