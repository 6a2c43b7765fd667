#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The papers' headlines on real traces, in the simulator: one table of the paper's figure, ours, and whether direction and
# order of magnitude agree. Results in results/headlines: headlines.md, headlines.json, cells.csv.
#
#	headlines.sh [--paper sha23|li22|shin23|zhou23|lin22] [--quick] [--limit N] [--jobs N] [FOLDER]
#
# FOLDER holds traces (*.csv, .gz, .zst: MSR Cambridge CSV or captures of this project); default: traces/ of this tree.
# --limit: page accesses (of 4 KiB) taken of each trace, default 500 000. --paper: only that paper's headlines, in files of
# that name; papers are listed in Documentation/papers.md. --quick: one cache size only, in proportion to each trace.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

papers="sha23 li22 shin23 zhou23 lin22"
folder=$SSDCACHE_TREE/traces
options=()
while [ $# -gt 0 ]; do
	case $1 in
	--quick) options+=("$1") ;;
	--paper)
		[[ " $papers " == *" ${2:?--paper needs a value: one of $papers} "* ]] || die "--paper $2: not one of $papers"
		options+=("$1" "$2")
		shift
		;;
	--jobs | --limit) options+=("$1" "${2:?$1 needs a value}"); shift ;;
	--help) sed -n '4,11s/^#[ 	]\{0,1\}//p' "$0"; exit ;;
	-*) die "unknown option \"$1\"; see --help" ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -d "$folder" ] || die "$folder: no such folder"

"$SSDCACHE_LAB/python.sh" "$SSDCACHE_TREE/scripts/studies/headlines/headlines.py" "$SSDCACHE_TREE/results/headlines" \
	--traces "$folder" "${options[@]}"
