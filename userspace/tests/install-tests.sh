#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make install" and "make uninstall" with folders whose names have blanks, and with a relative build folder. Prints TAP. The
# tools must have been built.

set -u
# Of a make that has called this script.
unset MAKEFLAGS MFLAGS DESTDIR PREFIX SBINDIR ZSH_DIR BUILD
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
tree=$here/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# make_in DESTDIR PREFIX TARGET [WORD]...
make_in() {
	local dest=$1 prefix=$2

	shift 2
	make -s -C "$tree" DESTDIR="$dest" PREFIX="$prefix" KVER=1.2.3 STRIP=0 "$@" >"$scratch/said" 2>&1
}

# files_in FOLDER: names, modes and links below it
files_in() {
	(cd "$1" && find . -type f -printf '%p %m\n' -o -type l -printf '%p -> %l\n' | sort)
}

# installed DESTDIR PREFIX: installs all, with a stand-in for the module
installed() {
	make_in "$1" "$2" install-tools && make_in "$1" "$2" install-source DKMS_SOURCE="$1/usr/src/dm-ssdcache" &&
		make_in "$1" "$2" -o module install-module MODULE="$scratch/build/dm-ssdcache.ko"
}

mkdir "$scratch/build"
touch "$scratch/build/dm-ssdcache.ko" "$scratch/build/Module.symvers"
installed "$scratch/plain" /opt/all
result $? "installs" "$(cat "$scratch/said")"
files_in "$scratch/plain" >"$scratch/want"
is "installs tools, man pages, headers and the module" "1 1 1 1" "$(
	for name in opt/all/bin/ssdcache-sim opt/all/share/man/man8/ssdcachectl.8 \
		opt/all/include/dm-ssdcache/include/dm-ssdcache-policy.h lib/modules/1.2.3/updates/dm-ssdcache.ko; do
		grep -c "^./$name " "$scratch/want"
	done | paste -sd ' ')"
installed "$scratch/de st" "/opt/al l"
result $? "installs below a folder with a blank" "$(cat "$scratch/said")"
is "the same files" "$(cat "$scratch/want")" "$(files_in "$scratch/de st" | sed 's,^\./opt/al l/,./opt/all/,')"
is "nothing beside that folder" "build de st plain said want" "$(cd "$scratch" && echo *)"
is "the generator names the program" "ExecStart=\"/opt/al l/sbin/ssdcachectl\"" \
	"$(grep -o '^ExecStart=.*ssdcachectl"*' "$scratch/de st/opt/al l/lib/systemd/system-generators/ssdcache-generator")"
make -s -C "$tree/userspace" BUILD=build DESTDIR="$scratch/relative" PREFIX=/opt/all STRIP=0 install >"$scratch/said" 2>&1
result $? "installs from a build folder relative to userspace/" "$(tail -n 3 "$scratch/said")"
is "the same tools" "$(files_in "$scratch/plain/opt/all/bin")" "$(files_in "$scratch/relative/opt/all/bin")"
# The first part of the name alone.
mkdir "$scratch/de" && touch "$scratch/de/mine"
make_in "$scratch/de st" "/opt/al l" uninstall
result $? "uninstalls" "$(cat "$scratch/said")"
rm -rf "$scratch/de st/usr/src"
is "nothing is left" "" "$(files_in "$scratch/de st")"
is "nothing else is removed" "mine" "$(ls "$scratch/de")"
finish
