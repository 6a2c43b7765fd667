#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# freeboard against the schemes of five papers, each by its own headline, on the paper's device and traces like the paper's, and against
# every other scheme. Results in results/champion.
#
#	champion.sh [--held-out] [--known] [--core] [--jobs N] [--limit N] [--scheduler ADDRESS] [--dry-run] FOLDER
#	champion.sh --publish [OPTION]... FOLDER	also write Documentation/policies/freeboard.md and its data
#	champion.sh --page				write the page again from its data, without a run
#
# FOLDER holds traces, as for headlines.sh. The traces that freeboard was made with are named in champion/champion_plan.py; with --held-out all
# others of FOLDER are taken instead. What was run before, of the same simulator, is not run again. --known: FOLDER is that of the published
# study of headlines, and what this has of the papers' schemes is not run again. --core: without the policies that the papers do not compare.
# The other options are those of headlines.sh.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

programs=$SSDCACHE_TREE/scripts/studies/champion
results=$SSDCACHE_TREE/results/champion
part=development
options=()
publish=
folder=
while [ $# -gt 0 ]; do
	case $1 in
	--held-out) part=held-out ;;
	--publish) publish=1 ;;
	--page) exec python3 "$programs/champion_page.py" "$SSDCACHE_TREE" ;;
	--dry-run | --core) options+=("$1") ;;
	--known) options+=("$1" "$SSDCACHE_TREE/Documentation/results/cells.csv.xz") ;;
	--jobs | --limit | --scheduler) options+=("$1" "${2:?$1 needs a value}"); shift ;;
	--help) sed -n '4,16s/^#[ 	]\{0,1\}//p' "$0"; exit ;;
	-*) die "unknown option \"$1\"; see --help" ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -n "$folder" ] || die "name a folder of traces; see --help"
[ -d "$folder" ] || die "$folder: no such folder"
if [ -n "$publish" ] && [[ " ${options[*]} " =~ " --"(limit|dry-run)" " ]]; then
	die "--publish needs a whole study: no --limit, --dry-run"
fi

mkdir -p "$results/$part"
"$SSDCACHE_LAB/python.sh" "$programs/champion_study.py" "$results/$part" --part "$part" --traces "$folder" "${options[@]}"
[[ " ${options[*]} " != *" --dry-run "* ]] || exit 0
[ -z "$publish" ] || "$SSDCACHE_LAB/python.sh" "$programs/champion_page.py" --publish "$part" "$results/$part" "$SSDCACHE_TREE"
"$SSDCACHE_LAB/python.sh" "$programs/champion_page.py" --show "$part" "$results/$part" "$SSDCACHE_TREE"
