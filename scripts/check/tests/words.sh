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
(cd "$tree" && cp -r --parents scripts/check scripts/lab/*.sh scripts/studies tests/run.sh packaging fio-jobs dm-ssdcache/version.h "$work/copy")
cp -r "$work/copy" "$work/whole"
# Each program that would do something says that it was called, and fails.
for program in "$work/bin"/{apt-get,fio,make,python3,qemu-system-x86_64,shellcheck} "$work/copy/scripts/lab"/{deps,kernel,vm}.sh; do
	# shellcheck disable=SC2016 # for the program
	printf '#!/bin/sh\necho "${0##*/}" >>"$WORK/begun"\nexit 1\n' >"$program"
	chmod +x "$program"
done
printf '#!/bin/sh\necho Makefile\n' >"$work/bin/git"
chmod +x "$work/bin/git"

# refuses TEXT SCRIPT [WORD]...: SCRIPT of the copy, or of $of, fails with one line that has TEXT, and has called nothing
of=copy
refuses() {
	local status=0

	rm -f "$work/begun"
	"$work/$of/$2" "${@:3}" </dev/null >"$work/said" 2>&1 || status=$?
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

# With the scripts that have stand-ins above
of=whole
for launcher in vm uml; do
	refuses "'--cpu': no such option" scripts/lab/$launcher.sh --cpu 2 -- true
	refuses "--timeout needs a value" scripts/lab/$launcher.sh --timeout
	refuses "no command" scripts/lab/$launcher.sh --timeout 5 --
done
refuses "--disk needs a value" scripts/lab/vm.sh --disk
refuses "--disk-log needs a --disk before it" scripts/lab/vm.sh --disk-log "$work/log" -- true
refuses "'vms' is not one of build uml vm " scripts/lab/deps.sh build vms
refuses "'uml vm' is not one of build uml vm " scripts/lab/deps.sh "uml vm"
refuses "'6.2' is not one of 6.1 6.12 newest" scripts/lab/kernel.sh headers 6.2
refuses "'--new' is not one of --cached newest" scripts/lab/kernel.sh source --new
refuses "'--cached' is not one of --debug --net" scripts/lab/kernel.sh uml --cached
refuses "'build 6.1': no such verb" scripts/lab/kernel.sh build 6.1
refuses "no verb" scripts/lab/kernel.sh
refuses "'--old': expected one of --debug --newest" scripts/lab/kunit.sh --old
refuses "'guests' is not one of tools source " scripts/check/check.sh guests
refuses "'tools': --quick stands alone" scripts/check/check.sh --quick tools
refuses "no FOLDER" scripts/studies/capture.sh
refuses "'--flush': no such option" scripts/studies/capture.sh --flush s002
refuses "'gitt' is not one of " scripts/studies/capture.sh "$work/captures" git gitt
refuses "--flash needs a value" scripts/studies/capture.sh --flash
refuses "'--lock': no such option" scripts/studies/many-cpus.sh --lock
refuses "--out needs a value" scripts/studies/many-cpus.sh --out
refuses "'--trace': no such option" scripts/studies/demo.sh --trace
refuses "$work/absent: cannot be read" scripts/studies/demo.sh "$work/absent"
refuses "--lane: 'umll' is not one of vm-kcsan " tests/run.sh --lane umll
refuses "'--lanes': no such option" tests/run.sh --lanes uml
refuses "--jobs needs a value" tests/run.sh --jobs
refuses "--module needs --lane" tests/run.sh --module x.ko

for script in scripts/lab/{vm,uml,deps,kernel,kunit}.sh scripts/check/check.sh scripts/studies/{capture,many-cpus}.sh tests/run.sh; do
	"$work/whole/$script" --help >"$work/said" 2>/dev/null && grep -q "^usage: ${script##*/}" "$work/said" && continue
	echo "$script --help does not show the usage"
	failures=$((failures + 1))
done
"$work/whole/scripts/lab/deps.sh" --help >"$work/said"
grep -qF '[build|uml|vm|' "$work/said" || { echo "deps.sh --help does not show the groups"; failures=$((failures + 1)); }
[ $failures = 0 ]
