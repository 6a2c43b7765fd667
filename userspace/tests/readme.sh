#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# README.md's commands in ```sh blocks, and the commands of samples/policy/README, run as they are printed; the figures in README.md and
# traces/README.md are those that the programs print now.
#
#	readme.sh [BIN]		BIN: the folder of the tools (../build/bin)

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(realpath "$here/../..")
bin=$(realpath "${1:-$here/../build/bin}")
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# A tree in which commands may leave what they make. The tools are those under test.
ln -s "$tree"/* "$scratch/"
rm "$scratch/userspace"
mkdir -p "$scratch/userspace/build"
ln -s "$tree"/userspace/* "$scratch/userspace/" 2>/dev/null
rm -rf "$scratch/userspace/build"
mkdir "$scratch/userspace/build"
ln -s "$bin" "$scratch/userspace/build/bin"
cd "$scratch" || exit 2
# A trace of one's own
zstd -dc traces/demo-ext4.csv.zst | sed -n 1,1500p >my-trace.csv
unset MAKEFLAGS MFLAGS MAKELEVEL

# run_block NR TEXT: a block, in which "make userspace" is what the caller has done
run_block() {
	local status=0

	sed '/^make userspace$/d' <<<"$2" >block
	bash -euo pipefail block >"out.$1" 2>err || status=$?
	result "$status" "readme: $(grep -m 1 . block)" "$(tail -n 20 err)"
}

nr=0 block=''
# shellcheck disable=SC2016 # fences
while IFS= read -r line; do
	case $line in
	'```sh') block='' ;;
	'```')
		nr=$((nr + 1))
		run_block "$nr" "$block"
		;;
	*) block+=$line$'\n' ;;
	esac
done < <(sed -n '/^```sh$/,/^```$/p' README.md)
[ "$nr" -ge 5 ]
result $? "readme: there are blocks to run" "$nr"

# The README of the policies outside the tree, from its first block: without a kernel
block=$(sed -n '/^\t/!{ /./q }; p' < <(sed -n '/^\tcp /,$p' samples/policy/README) | sed "s|DIRECTORY|$PWD|g; s|TRACE\$|$PWD/my-trace.csv|")
[ "$(grep -c . <<<"$block")" = 5 ]
result $? "readme: samples/policy has five commands" "$block"
rm -rf my-policy
run_block policy "$block"
grep -q '^replacement mine ' out.policy
result $? "readme: samples/policy: the new policy runs" "$(cat out.policy)"

# What the examples write, those that are not run here, too, does not show in "git status".
left=$({
	find . -mindepth 1 -maxdepth 1 ! -type l ! -name userspace ! -name block ! -name err ! -name 'out.*' -printf '%P\n'
	grep ssdcache README.md | grep -oE ' (--output|--plot|-o) [^ -][^ ]*' | awk '$2 !~ /^\// { print $2 }'
} | sort -u | git -C "$tree" check-ignore --no-index --stdin --non-matching --verbose | sed -n 's/^::\t//p')
[ -z "$left" ]
result $? "readme: examples leave nothing that git shows" "$left"

# The table at the top is what the last block prints.
awk '
	$1 == "replacement" { policy = $2 }
	$1 == "hit" { hit = $2 } $1 == "absorbed" { absorbed = $2 }
	$1 == "read" && NF > 5 { read = $3 } $1 == "write" && NF > 5 { write = $3 }
	$1 == "host_programs" {
		printf "%s %.1f %.1f %.0f %.0f %d\n", policy, 100 * hit, 100 * absorbed, write, read, $2
	}' "out.$nr" >printed
awk -F '|' '/^\| `lru` \| [0-9]/ { rows = 1 } /^$/ { rows = 0 }
	rows { gsub(/`|\[[^]]*\]|%/, ""); gsub(/ +/, ""); print $2, $3, $4, $5, $6, $7 }' README.md >table
[ "$(wc -l <table)" = 6 ] && cmp -s printed table
result $? "readme: the table of policies is what its commands print" "$(diff printed table)"

# What traces/README.md says that "info" prints, up to the figures of papers
"$bin/ssdcache-trace" info traces/demo-ext4.csv.zst | sed '/^Figures of papers/,$d' >printed
sed -n '/ssdcache-trace info demo-ext4.csv.zst/,/^To use the trace/s/^    //p' traces/README.md >quoted
[ -s quoted ] && diff <(grep . quoted) <(grep . printed) >differences
result $? "readme: traces/README.md quotes what info prints" "$(cat differences)"

# "Of N directions ...", "Of the N that agree ...", "Of N main claims ...": the lines that answer in results.md, without their links
words=$(tr -s ' \n' ' ' <README.md)
lines=$(grep -E '^Of (the )?[0-9]+ (directions|that agree|main claims)' Documentation/results.md)
missing=$(while IFS= read -r line; do
	[[ $words == *"$line"* ]] || echo "$line"
done <<<"$lines")
[ "$(wc -l <<<"$lines")" = 3 ] && [ -z "$missing" ]
result $? "readme: the headlines' figures are those of results.md" "$missing"

# How many plug-ins there are. "opt" is counted apart, and "none" prefetches nothing.
counts=$("$bin/ssdcache-sim" --describe | jq -r '"\([.replacement[] | select(.name != "opt")] | length) replacement policies and OPT, " +
	"\(.admission | length) admission schemes, \([.prefetch[] | select(.name != "none")] | length) prefetchers"')
[[ $words == *"$counts"* ]]
result $? "readme: as many plug-ins as there are" "$counts"

# The figure has a line for each policy in each of three panels.
drawn=$(($(grep -c '<polyline' Documentation/images/demo.svg) / 3))
[[ $words == *"compares the $drawn policies that"* && $words == *" of $drawn policies, by size of DRAM]"* ]]
result $? "readme: the figure has as many policies as the text says" "$drawn"

# What "make demo" says before it begins
missing=$(for figure in "6 to 10" "400 MB" "0.8 GB"; do
	grep -qF "$figure" README.md && grep -qF "$figure" scripts/studies/demo.sh || echo "$figure"
done)
[ -z "$missing" ]
result $? "readme: durations and sizes of the demo are those that it announces" "$missing"

# Links to files
missing=$(grep -oE '\]\([^)#:]+[)#]' README.md | sed 's/^](//; s/[)#]$//' | sort -u | while read -r file; do
	[ -e "$file" ] || echo "$file"
done)
[ -z "$missing" ]
result $? "readme: what it links to is there" "$missing"

# dh_installdocs leaves the leading folders of a file out, but not those of the files in a folder.
missing=$(grep -oE '\]\([^)#:]+[)#]' README.md | sed 's/^](//; s/[)#]$//' | grep -v '^userspace/' | sort -u | while read -r file; do
	grep -qxF "${file%%/*}" debian/dm-ssdcache-tools.docs || echo "$file"
done)
[ -z "$missing" ]
result $? "readme: what it links to is in Debian's package, in the same place" "$missing"
finish
