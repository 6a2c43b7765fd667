#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The papers' headlines on real traces, in the simulator: a table of what they say, what is measured here, and whether
# direction and order of magnitude agree. Results in results/headlines (.md and .json).
#
#	headlines.sh [--paper H0|H1|H2|H3|H4] [--quick] [--limit N] [--jobs N] [FOLDER]
#
# FOLDER has traces (*.csv, .gz, .zst: MSR Cambridge CSV or captures of this project); default: traces/ of this tree.
# Of each trace the first N page accesses (of 4 KiB) are taken, 500 000 unless told otherwise by --limit. --paper: only that
# paper's headlines, in files of that name. --quick: only one size, in proportion to each trace.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

folder=$SSDCACHE_TREE/traces
options=()
while [ $# -gt 0 ]; do
	case $1 in
	--quick) options+=("$1") ;;
	--jobs | --limit | --paper) options+=("$1" "${2:?$1 wants a value}"); shift ;;
	--help) sed -n '4,11s/^#[ 	]\{0,1\}//p' "$0"; exit ;;
	-*) die "\"$1\" is not an option; --help tells" ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -d "$folder" ] || die "$folder: no such folder"

hint="the tools could not be built: see the lines above" step "build of the tools" make -s -C "$SSDCACHE_TREE" userspace
python3 "$SSDCACHE_TREE/scripts/studies/headlines/headlines.py" "$SSDCACHE_TREE/userspace/build/bin" "$SSDCACHE_TREE/results/headlines" \
	--traces "$folder" "${options[@]}"
