#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Removes what the lab keeps outside the tree: kernels, virtual environments, logs.
# SSDCACHE_CACHE names the folder.

# No option removes the cache, neither --help nor one that does not exist, such as --dry-run.
if [ $# -gt 0 ]; then
	echo "usage: ${0##*/}: removes ~/.cache/dm-ssdcache, or the folder SSDCACHE_CACHE; takes no option" >&2
	exit 2
fi

# What lib.sh makes in a folder that is no cache
new=()
for name in log .lock-cache; do
	[ -z "${SSDCACHE_CACHE-}" ] || [ -e "$SSDCACHE_CACHE/$name" ] || new+=("$SSDCACHE_CACHE/$name")
done

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# What a symbolic link points to, not the link
SSDCACHE_CACHE=$(realpath "$SSDCACHE_CACHE")
# Nothing but a cache of this lab is removed, wherever SSDCACHE_CACHE points. Those of older versions have no tag.
if [ "${SSDCACHE_CACHE##*/}" != dm-ssdcache ] && ! grep -qs "dm-ssdcache" "$SSDCACHE_CACHE/CACHEDIR.TAG"; then
	rm -rf "${new[@]}"
	die "$SSDCACHE_CACHE was not made by the lab: it has no CACHEDIR.TAG that says so"
fi
for file in "$SSDCACHE_CACHE"/* "$SSDCACHE_CACHE"/.[!.]*; do
	case ${file##*/} in
	'*' | '.[!.]*' | CACHEDIR.TAG | kernels | kvm-* | log | passed | run | venv* | lock* | .lock* | mqsim | wheel* | smoke.* | virtual-test.*) ;;
	*) die "$SSDCACHE_CACHE has $file, which is not of the lab: remove by hand what is" ;;
	esac
done
flock -n "$cache_lock" || die "$SSDCACHE_CACHE is in use: wait until builds and guests have ended"
size=$(du -sh "$SSDCACHE_CACHE" | cut -f1)
# Sources and build trees hold files without write permission.
chmod -R u+w "$SSDCACHE_CACHE"
rm -rf "$SSDCACHE_CACHE"
say "removed $SSDCACHE_CACHE, $size"
