#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The papers' headlines on real traces, in the simulator: runs, verdicts, and one page. Results in results/headlines: cells.csv has every
# number, results.md and results.html have the page.
#
#	headlines.sh [--paper sha23|li22|shin23|zhou23|lin22] [--quick] [--limit N] [--only PART,...] [--jobs N]
#		     [--scheduler ADDRESS] [--dry-run] [FOLDER]
#	headlines.sh --publish [OPTION]... FOLDER	also write Documentation/results.md and its data
#	headlines.sh --page				write Documentation/results.md and results/headlines/results.html again from
#							Documentation/results, without a run
#	headlines.sh --describe FOLDER			describe the traces again in Documentation/results/traces.csv, without a run
#
# FOLDER holds traces (*.csv, .gz, .zst: MSR Cambridge CSV or captures of this project); default: traces/ of this tree.
# The name of a trace is that of its file up to .csv, and each name may be there once.
# --limit: page accesses (of 4 KiB) taken of each trace, default 2 500 000. --paper: that paper only (papers are listed in
# Documentation/papers.md). --quick: one cache size only, in proportion to each trace, and 100 000 accesses. --only: traces whose names have
# one of these parts. Runs that were done before, of the same simulator, are not done again: after an interruption the same command
# goes on. --jobs: runs at a time, default: all CPUs. --scheduler: of a Dask cluster that does the runs; its workers need this tree at the
# same place (Documentation/large-sweeps.md). --dry-run: how many runs there are, and how long they take.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

papers="sha23 li22 shin23 zhou23 lin22"
folder=$SSDCACHE_TREE/traces
results=$SSDCACHE_TREE/results/headlines
documents=$SSDCACHE_TREE/Documentation
programs=$SSDCACHE_TREE/scripts/studies/headlines
options=()
publish=
describe=
while [ $# -gt 0 ]; do
	case $1 in
	--quick | --dry-run) options+=("$1") ;;
	--publish) publish=1 ;;
	--describe) describe=1 options+=("$1") ;;
	--page)
		python3 "$programs/page.py" --publish "$documents/results" "$documents"
		mkdir -p "$results"
		"$SSDCACHE_LAB/python.sh" "$programs/page.py" --html "$documents/results" "$results"
		say "the page: $documents/results.md, $results/results.html"
		exit
		;;
	--paper)
		[[ " $papers " == *" ${2:?--paper needs a value: one of $papers} "* ]] || die "--paper $2: not one of $papers"
		options+=("$1" "$2")
		shift
		;;
	--jobs | --limit | --only | --scheduler) options+=("$1" "${2:?$1 needs a value}"); shift ;;
	--help) sed -n '4,21s/^#[ 	]\{0,1\}//p' "$0"; exit ;;
	-*) die "unknown option \"$1\"; see --help" ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -d "$folder" ] || die "$folder: no such folder"
if [ -n "$publish" ] && [ ${#options[@]} -gt 0 ] && [[ " ${options[*]} " =~ " --"(quick|paper|only|limit|dry-run|describe)" " ]]; then
	die "--publish needs a whole study: no --quick, --paper, --only, --limit, --dry-run, --describe"
fi
if [ -n "$describe" ] && { [ ${#options[@]} -gt 1 ] || [ "$folder" = "$SSDCACHE_TREE/traces" ]; }; then
	die "--describe needs the folder of the published study, and no other option"
fi

mkdir -p "$results"
"$SSDCACHE_LAB/python.sh" "$programs/study.py" "$results" --traces "$folder" "${options[@]}"
[[ " ${options[*]} " != *" --dry-run "* ]] || exit 0
if [ -n "$describe" ]; then
	cp "$results/traces.csv" "$documents/results/traces.csv"
	exit 0
fi
"$SSDCACHE_LAB/python.sh" "$programs/page.py" ${publish:+--published} "$results" "$results"
[ -z "$publish" ] || "$SSDCACHE_LAB/python.sh" "$programs/page.py" --publish "$results" "$documents"
say "the page: $results/results.html, $results/results.md"
