# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by deb.sh and rpm.sh.

# shellcheck source-path=SCRIPTDIR source=../scripts/lab/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lab/lib.sh"
cd "$SSDCACHE_TREE"
# Before anything is installed
need_git

# shellcheck disable=SC2034 # for the script that sources this one
version=$(packaging/version.sh)
# shellcheck disable=SC2034
out=$SSDCACHE_TREE/build/packages

# export_source DIR: the files that git knows, with their changes
export_source() {
	local file

	rm -rf "$1"
	mkdir -p "$1"
	git ls-files -z | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | tar -c --null -T - | tar -x -C "$1"
}
