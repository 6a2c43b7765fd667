#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Prints the folder of a built checkout of Open CAS, for the kernel with these headers: the one in $OPEN_CAS, or one that is fetched and
# built in the cache. Its configuration compiles a module for each question about the kernel, which takes minutes. If there is none,
# prints nothing and says so.

# shellcheck source-path=SCRIPTDIR source=../../lab/lib.sh
. "$(dirname "$0")/../../lab/lib.sh"

[ $# = 1 ] || die "usage: ${0##*/} HEADERS"
headers=$(realpath -e "$1")
url=https://github.com/Open-CAS/open-cas-linux.git
commit=44d3418b1c3ae5ec30657ac44fb9321346e50df8		# v26.03.2; it names the commit of OCF

# built DIR: has it what the study needs, for this kernel?
built() {
	[ -x "$1/casadm/casadm" ] && [ -r "$1/modules/cas_cache/cas_cache.ko" ] &&
		[[ ${headers##*/linux-headers-} = "$(modinfo -F vermagic "$1/modules/cas_cache/cas_cache.ko" | cut -d' ' -f1)" ]]
}

# Fetches and builds in $1; a copy without the tool is an earlier failure.
get_open_cas() {
	rm -rf "$1"
	timeout --foreground 300 git clone -q "$url" "$1" &&
		git -C "$1" checkout -q $commit &&
		timeout --foreground 300 git -C "$1" submodule -q update --init ocf &&
		(cd "$1" && ./configure) &&
		make -s -C "$1/modules" &&
		make -s -C "$1/casadm"
}

PATH=$PATH:/sbin:/usr/sbin
if [ -z "${OPEN_CAS:-}" ]; then
	OPEN_CAS=$SSDCACHE_CACHE/open-cas-${headers##*/linux-headers-}
	lock open-cas
	built "$OPEN_CAS" || KERNEL_DIR=$headers GIT_TERMINAL_PROMPT=0 try_step "fetch and build of Open CAS" get_open_cas "$OPEN_CAS" || :
	unlock open-cas
fi
built "$OPEN_CAS" || die "Open CAS is left out: $OPEN_CAS is not built for ${headers##*/}"
realpath "$OPEN_CAS"
