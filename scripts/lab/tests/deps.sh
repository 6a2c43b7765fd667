#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh and modules of Python: what an interrupted run has left is not taken for installed. Programs that stand in for those of
# the distribution install nothing. Prints a line for each case that went wrong.

set -u
lab=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/bin" "$work/python"
mkfifo "$work/begun"

# Each package of the distribution is installed.
cat >"$work/bin/dpkg-query" <<'STUB'
#!/bin/bash
for word; do
	case $word in
	-W | -f | *Status*) ;;
	*) echo "ii $word" ;;
	esac
done
STUB
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\necho "apt-get $*" >>"$WORK/calls"\nexit 1\n' >"$work/bin/apt-get"
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
[ $failures = 0 ]
