#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ssdcache beside dm-cache, dm-writecache and bcache, in virtual time: the same requests on the same ssdflash, caches of the same size.
# Results in results/peers: cells.csv has every number.
#
#	peers.sh [--only WORD,...] [--list] [FOLDER]
#	peers.sh --publish FOLDER	also write Documentation/peers.md, its data, and the table in the README
#	peers.sh --page			write these again from the data, without a run
#
# FOLDER has traces (default: traces of other kinds than the demo's are left out). --only: cells whose names have one of these words;
# --list prints the names. Cells that were done before, by the same scripts, are not done again: after an interruption the same command
# goes on. Remove results/peers/cells after a change of the module. A cell takes 5 to 10 s, on one CPU.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

programs=$SSDCACHE_TREE/scripts/studies/peers
results=$SSDCACHE_TREE/results/peers
folder=$SSDCACHE_TREE/traces
options=() publish=
while [ $# -gt 0 ]; do
	case $1 in
	--publish) publish=1 ;;
	--page) exec python3 "$programs/peers_page.py" "$SSDCACHE_TREE" ;;
	--list) options+=("$1") ;;
	--only) options+=("$1" "${2:?--only needs words}"); shift ;;
	--help) sed -n '4,15s/^#[ 	]\{0,1\}//p' "$0"; exit ;;
	-*) die "unknown option \"$1\"; see --help" ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -d "$folder" ] || die "$folder: no such folder"
[ -z "$publish" ] || [ ${#options[@]} = 0 ] || die "--publish needs a whole study"

"$SSDCACHE_LAB/deps.sh" build uml
kernel=$("$SSDCACHE_LAB/kernel.sh" uml)
[[ " ${options[*]} " = *" --list "* ]] ||
	step "build of the module and the tools" make -s -C "$SSDCACHE_TREE" module feeder userspace KDIR="$kernel" ARCH=um
mkdir -p "$results"
python3 "$programs/peers_study.py" "$SSDCACHE_TREE" "$results" "$folder" "${options[@]}"
[ -z "$publish" ] || python3 "$programs/peers_page.py" --publish "$results/cells.csv" "$SSDCACHE_TREE"
