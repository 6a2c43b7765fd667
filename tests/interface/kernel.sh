#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: table, status, messages, every file in sysfs and its value are as recorded in kernel.txt
# lane: uml-time

# To record what the module shows now: UPDATE=1 tests/run.sh --lane uml-time interface/kernel. A change of kernel.txt is
# a change of the interface or of results, and belongs into CHANGELOG.md.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

recorded=$(cd "$(dirname "$0")" && pwd -P)/kernel.txt

# show NAME: table, status and files of a device. Left out: device numbers, sizes of structures, utilisation (a share of
# elapsed time), the prose in lists of plug-ins. Reading files without starting processes takes a twentieth of the time.
show() {
	local mode file lines

	echo "== table"
	dmsetup table "$1" | sed 's/ [0-9]*:[0-9]* / DEVICE /'
	echo "== status"
	dmsetup status "$1" | sed 's/utilisation [0-9]*/utilisation TIME/'
	target_dir "$1"
	while read -r mode file; do
		echo "== $mode ${file#"$DM_DIR/"}"
		case $file in
		*/actions | */origin | */memory_bytes | */ssdflash/stats/utilisation) ;;
		*)
			mapfile -t lines <"$file"
			case $file in
			*/available_*)
				# Adding a plug-in is no change of the interface.
				mapfile -t lines < <(cut -f 1 "$file" |
					if [ -n "${UPDATE-}" ]; then cat; else grep -xF -f "$recorded"; fi)
				;;
			*/profiles) lines=("${lines[@]%%$'\t'*}") ;;
			esac
			printf '%s\n' "${lines[@]}"
			;;
		esac
	done < <(find "$TARGET_DIR" -type f -printf '%m %p\n' | sort -k 2)
	echo "== first words of the answers to messages"
	message "$1" help | awk '{ print $1 }' | sort -u
}

same_as_recorded() {
	make_nullb 64
	make_flash f0 "$NULLB" 65536 profile s002 blocks 0
	make_cache c0 /dev/mapper/f0 dram 1m page 8k replacement cflru-ef-sc:threshold=20 admission l-corw \
		prefetch pattern-plus dram_mode protected
	make_cache c1 "$NULLB" dram 64k
	make_cache c2 "$NULLB" dram 64k replacement auto
	blkio write /dev/mapper/c0 0 2m 1
	blkio check /dev/mapper/c0 0 2m 1 2m 0
	dmsetup suspend c0
	dmsetup resume c0
	{
		echo "=== targets"
		dmsetup targets | grep '^ssd'
		for name in c0 c1 c2 f0; do
			echo "=== $name"
			show "$name"
		done
	} >"$scratch/shown"
	[ -z "${UPDATE-}" ] || cp "$scratch/shown" "$recorded"
	diff "$recorded" "$scratch/shown"
}

run_test "interfaces of the kernel are as recorded" same_as_recorded
