#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: modules of Python that an interrupted run has left are not taken for installed, and of two runs the second waits for apt.
# Programs that stand in for those of the distribution install nothing. Prints a line for each case that went wrong.

set -u
lab=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/bin" "$work/python"
mkfifo "$work/begun" "$work/go"

# Each package of the distribution but $MISSING is installed.
cat >"$work/bin/dpkg-query" <<'STUB'
#!/bin/bash
for word; do
	case $word in
	-W | -f | *Status* | "${MISSING-}") ;;
	*) echo "ii $word" ;;
	esac
done
STUB
# As apt, which refuses a second update at the same time. The first one with a package to install waits.
cat >"$work/bin/apt-get" <<'STUB'
#!/bin/bash
echo "apt-get $*" >>"$WORK/calls"
[ -n "${MISSING-}" ] || exit 1
[[ $* = *update ]] || exit 0
mkdir "$WORK/updating" || { echo "E: Could not get lock"; exit 100; }
[ -e "$WORK/was-first" ] || { touch "$WORK/was-first"; echo >"$WORK/begun"; read -r _ <"$WORK/go"; }
rmdir "$WORK/updating"
STUB
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\nprintf "%%s:\\n  Candidate: 1\\n" "$MISSING"\n' >"$work/bin/apt-cache"
# As "python3 -m venv --clear DIR": DIR with this pip, which makes a folder for each module. If it is to be interrupted, the last one
# is empty.
cat >"$work/python/venv.py" <<'STUB'
import os, shutil, sys
venv = sys.argv[-1]
shutil.rmtree(venv, ignore_errors=True)
os.makedirs(venv + "/bin")
os.makedirs(venv + "/lib/python3.1/site-packages")
os.symlink("/usr/bin/python3", venv + "/bin/python3")
shutil.copy(os.environ["WORK"] + "/pip", venv + "/bin/pip")
STUB
cat >"$work/pip" <<'STUB'
#!/bin/bash
site=${0%/bin/pip}/lib/python3.1/site-packages
echo "pip ${!#}" >>"$WORK/calls"
names=()
for word; do
	[[ $word = [-:0-9]* || $word = install ]] || names+=("${word%%[<>=]*}")
done
for name in "${names[@]}"; do
	mkdir -p "$site/$name"
	[ "$name" != "${STOP_AT-}" ] || { echo >"$WORK/begun"; sleep 1000; }
	touch "$site/$name/__init__.py"
done
STUB
chmod +x "$work/pip" "$work/bin"/*

program=(env "WORK=$work" "SSDCACHE_CACHE=$work/cache" "PATH=$work/bin:$PATH" "PYTHONPATH=$work/python")

# interrupted MODULE GROUP: deps.sh GROUP, with an empty cache, interrupted while pip installs MODULE
interrupted() {
	rm -rf "$work/cache"
	"${program[@]}" "STOP_AT=$1" "$lab/deps.sh" "$2" >/dev/null 2>&1 &
	read -r _ <"$work/begun"
	kill -TERM $!
	wait $!
}

# completes MODULE GROUP: after that, deps.sh GROUP installs MODULE, and a further one has nothing to do.
completes() {
	interrupted "$@"
	"${program[@]}" "$lab/deps.sh" "$2" >"$work/said" 2>&1 || { echo "$*: deps.sh failed: $(<"$work/said")"; failures=$((failures + 1)); }
	[ -e "$work/cache/venv-python/lib/python3.1/site-packages/$1/__init__.py" ] ||
		{ echo "$2, interrupted at $1: is taken for installed"; failures=$((failures + 1)); }
	: >"$work/calls"
	"${program[@]}" "$lab/deps.sh" "$2" >"$work/said" 2>&1
	[ ! -s "$work/calls" ] || { echo "$2, after that: installs again: $(<"$work/calls")"; failures=$((failures + 1)); }
}

completes setuptools demo
completes plotly demo
completes distributed python
completes libcachesim python
completes markdown python

# The package lists are old in both runs.
printf '#!/bin/sh\nexit 0\n' >"$work/bin/find"
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\n[ "$1" != -u ] || { echo 0; exit; }\nexec /usr/bin/id "$@"\n' >"$work/bin/id"
chmod +x "$work/bin"/*
"${program[@]}" MISSING=make "$lab/deps.sh" build >"$work/first" 2>&1 &
first=$!
read -r _ <"$work/begun"
"${program[@]}" MISSING=make "$lab/deps.sh" build >"$work/second" 2>&1 &
second=$!
until ! kill -0 $second 2>&- || grep -qs waiting "$work/second"; do
	sleep 0.1
done
echo >"$work/go"
wait $first || { echo "two runs with old package lists, the first: $(<"$work/first")"; failures=$((failures + 1)); }
wait $second || { echo "two runs with old package lists, the second: $(<"$work/second")"; failures=$((failures + 1)); }
[ $failures = 0 ]
