#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a cache under memory pressure: swap on it, a file system larger than memory, swap on an origin that dies
# lane: uml
# long: uml-debug uml-time
# memory: uml=84M uml-debug=120M uml-time=512M
# timeout: 5400

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cache=/dev/mapper/c0
pids=()

# available: free or reclaimable memory, as $MIB
available() {
	meminfo MemAvailable
	MIB=$((KIB / 1024))
}

# make_disk SIZE_MB: a RAM disk whose memory is allocated now: swapping must not need memory. Each
# request takes 1 ms, so that many wait. As $NULLB.
make_disk() {
	make_nullb "$1" irqmode=2 completion_nsec=1000000
	dd if=/dev/zero of="$NULLB" bs=1M count="$1" oflag=direct status=none
}

# use NAME OPTION...: use memory in the background, until $scratch/stop.NAME; its pid is $!. The kernel kills these first.
use() {
	local name=$1

	shift
	: >"$scratch/said.$name"
	{
		echo 1000 >/proc/self/oom_score_adj
		exec use-memory "$@" "$scratch/stop.$name"
	} >"$scratch/said.$name" &
	pids+=($!)
}

# said NAME PHASE PID: has the program said so, or ended? This starts no process, which would need memory.
said() {
	local lines

	mapfile -t lines <"$scratch/said.$1"
	[[ " ${lines[*]-} " != *" $2 "* ]] && kill -0 "$3" || return 0
	pause 0.1
	return 1
}

# wait_said NAME PID PHASE: wait until the program has said that a phase ended
wait_said() {
	poll 600 "$1 has $3" said "$1" "$3" "$2"
	grep -qx "$3" "$scratch/said.$1" || fail "$1 died before it had $3"
}

# ended PID: wait for this program, with its status. Another process may get its PID, which leave() must not kill then.
ended() {
	local pid status=0 others=()

	wait "$1" || status=$?
	for pid in "${pids[@]}"; do
		[ "$pid" = "$1" ] || others+=("$pid")
	done
	pids=("${others[@]}")
	return "$status"
}

# end NAME PID: all its data must be right
end() {
	touch "$scratch/stop.$1"
	ended "$2"
	rm "$scratch/stop.$1"
}

# vmstat KEY: a count of /proc/vmstat, as $COUNT
vmstat() {
	local key value

	while read -r key value; do
		[ "$key" != "$1" ] || COUNT=$value
	done </proc/vmstat
}

# swapped: what is in swap, as $KIB
swapped() {
	local total

	meminfo SwapTotal
	total=$KIB
	meminfo SwapFree
	KIB=$((total - KIB))
}

# written_kib DEVICE: written to it so far, as $KIB
written_kib() {
	local fields

	read -ra fields <"/sys/block/${1#/dev/}/stat"
	KIB=$((fields[6] / 2))
}

swap_on() {
	# A UUID of its own would wait for random numbers.
	mkswap -U clear "$cache" >/dev/null
	swapon "$cache"
	trap leave EXIT
}

# At the end of a test that failed, nothing may use the cache, and no file be left on the host.
leave() {
	local pid

	for pid in "${pids[@]}"; do
		! kill -KILL "$pid" 2>/dev/null || wait "$pid" || :
	done
	swapoff -a || :
	! mountpoint -q "$scratch/mnt" || umount "$scratch/mnt" || :
	rm -f "$SSDCACHE_OUT/image"
}

# Nothing of what a kernel that lacks memory, or waits too long, says.
expect_quiet() {
	! log_since | grep -E 'page allocation failure|blocked for more than|Out of memory|-error on swap-device|I/O error' ||
		fail "the kernel log has these lines"
}

# swap MIB CACHE-WORDS...: a program of 8 MiB is swapped out. If MIB is not 0, another one then needs that much more memory than
# there is. At the end swapoff brings the pages of the first one back.
swap() {
	local more=$1 holder user before

	make_disk 28
	make_cache c0 "$NULLB" "${@:2}"
	swap_on
	log_mark
	vmstat pswpout
	before=$COUNT
	written_kib "$NULLB"
	WRITTEN=$KIB
	use holder -m 8 -o -a 128
	holder=$!
	wait_said holder "$holder" accessed
	if [ "$more" != 0 ]; then
		available
		use user -m $((MIB + more)) -a 256
		user=$!
		wait_said user "$user" accessed
		end user "$user"
	fi
	swapped
	expect "KiB in swap" "$KIB" -ge 4096
	timeout 600 swapoff "$cache"
	end holder "$holder"
	vmstat pswpout
	SWAPPED=$(((COUNT - before) * 4))
	written_kib "$NULLB"
	WRITTEN=$((KIB - WRITTEN))
	expect_quiet
	expect_stat c0 failed_requests -eq 0
	expect_stat c0 waiting -eq 0
}

# Each page of 64k takes 16 swapped pages, and must not be written for each of them.
swap_large_pages() {
	swap 4 dram 1m page 64k
	expect "KiB swapped out" "$SWAPPED" -ge 12288
	expect "KiB written for $SWAPPED KiB swapped" "$WRITTEN" -le $((SWAPPED * 2))
	dmsetup remove c0
}

# A page that leaves takes the other pages of its block along, 4 MiB in all. These must not be padded for each swapped page.
swap_padded() {
	local padded

	swap 0 dram 2m page 64k replacement bplru:padding=on prefetch rop
	get c0 stats/padded_pages
	padded=$VALUE
	get c0 stats/evicted_pages
	expect "pages padded" "$padded" -ge 1
	expect "pages padded for $VALUE evicted" "$padded" -le $((VALUE * 6))
	expect "KiB written for $SWAPPED KiB swapped" "$WRITTEN" -le $((SWAPPED * 16))
	dmsetup remove c0
}

swap_eagerly() {
	swap 4 dram 2m replacement cflru-ef-sc admission read-write prefetch pattern-plus
	dmsetup remove c0
}

# write_files NR MIB: programs that map files and write all of them
write_files() {
	local i users=()

	for ((i = 0; i < $1; i++)); do
		use "file$i" -m "$2" -f "$scratch/mnt/file$i" "${@:3}"
		users+=($!)
	done
	for ((i = 0; i < $1; i++)); do
		wait_said "file$i" "${users[i]}" accessed
	done
	for ((i = 0; i < $1; i++)); do
		end "file$i" "${users[i]}"
	done
}

# check_files NR MIB OPTION...: the data of these files, written with these options, must be right
check_files() {
	local i

	for ((i = 0; i < $1; i++)); do
		use-memory -c -m "$2" -f "$scratch/mnt/file$i" "${@:3}" "$scratch/stop" >/dev/null
	done
}

# Half of the memory is the RAM disk, half of the rest the tier; the files are larger than what then remains.
file_system() {
	local disk mib

	available
	disk=$((MIB / 2))
	make_disk "$disk"
	available
	make_cache c0 "$NULLB" dram "$((MIB / 2))m" "$@"
	mkfs.ext4 -q "$cache"
	mkdir -p "$scratch/mnt"
	mount "$cache" "$scratch/mnt"
	trap leave EXIT
	log_mark
	available
	mib=$((disk * 35 / 100))
	expect "MiB in two files" $((2 * mib)) -gt "$MIB"
	write_files 2 "$mib" -a 128
	umount "$scratch/mnt"
	mount "$cache" "$scratch/mnt"
	check_files 2 "$mib" -a 128
	umount "$scratch/mnt"
	expect_quiet
	expect_stat c0 failed_requests -eq 0
	dmsetup remove c0
	e2fsck -fn "$NULLB"
	mount -o ro "$NULLB" "$scratch/mnt"
	check_files 2 "$mib" -a 128
	umount "$scratch/mnt"
}

# The end of a program that may have lost its pages: all data right, a bus error, or killed for want of memory.
ends_somehow() {
	local status=0

	touch "$scratch/stop.$1"
	ended "$2" || status=$?
	case $status in
	0 | 7 | 137) ;;
	*) fail "$1 ended with status $status: wrong data, or an error of its own" ;;
	esac
}

# writes_fail PID: has the kernel failed to swap out, or the program ended?
writes_fail() {
	grep -q 'Write-error on swap-device' <<<"$(log_since)" || ! kill -0 "$1"
}

# The origin fails everything while programs are swapped out to it. Two of them are paged out on request, so that the pages of
# nothing else are lost.
dead_origin() {
	local reader waiter user status=0

	make_disk 28
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 2m retry_ms 20
	swap_on
	use reader -m 4 -o -a 1
	reader=$!
	wait_said reader "$reader" accessed
	use waiter -m 4 -o
	waiter=$!
	wait_said waiter "$waiter" written
	swapped
	expect "KiB in swap" "$KIB" -ge 4096
	log_mark
	swap_table origin "0 $((28 * 2048)) error"
	# A program that needs its pages gets a bus error.
	touch "$scratch/stop.reader"
	ended "$reader" || status=$?
	expect_eq "exit status of the program that reads its pages" "$status" 7
	# One that needs more memory than there is keeps the kernel busy, which cannot swap it out; it can be killed.
	available
	use user -m $((MIB + 8))
	user=$!
	poll 600 "writes fail" writes_fail "$user"
	kill -KILL "$user" 2>/dev/null || :
	ends_somehow user "$user"
	# It may succeed: pages that could not be read then cause bus errors.
	status=0
	timeout 600 swapoff "$cache" || status=$?
	expect_ne "status of swapoff" "$status" 124
	ends_somehow waiter "$waiter"
	swapoff -a
	timeout 60 dmsetup remove c0
	expect_log 'dirty pages could not be written and are lost'
	! log_since | grep -E 'BUG|WARNING|blocked for more than' || fail "the kernel log has these lines"
}

# An hour in which programs swap, and rewrite a file that is larger than a tier of half of the guest's memory.
hour() {
	local user file end count

	make_disk 96
	make_cache c0 "$NULLB" dram 8m page 16k
	swap_on
	truncate -s 400M "$SSDCACHE_OUT/image"
	losetup /dev/loop0 "$SSDCACHE_OUT/image"
	make_cache c1 /dev/loop0 dram 256m replacement req-block admission l-corw prefetch pattern
	mkfs.ext4 -q /dev/mapper/c1
	mkdir -p "$scratch/mnt"
	mount /dev/mapper/c1 "$scratch/mnt"
	log_mark
	end=$((SECONDS + 3600))
	available
	use user -m $((MIB + 24)) -a 1000000000 -p 4000000
	user=$!
	use file -m 320 -f "$scratch/mnt/file" -a 1000000000 -p 4000000
	file=$!
	wait_said user "$user" written
	wait_said file "$file" written
	while [ "$SECONDS" -lt "$end" ]; do
		vmstat pswpin
		count=$COUNT
		pause 60
		kill -0 "$user" "$file"
		vmstat pswpin
		expect "pages swapped in within a minute" "$COUNT" -gt "$count"
	done
	end user "$user"
	end file "$file"
	echo "$COUNT pages swapped in"
	vmstat pswpout
	echo "$COUNT pages swapped out"
	umount "$scratch/mnt"
	e2fsck -fn /dev/mapper/c1
	swapoff "$cache"
	expect_quiet
	expect_stat c0 failed_requests -eq 0
	expect_stat c1 failed_requests -eq 0
	expect_stat c1 evicted_pages -gt 0
	echo "$VALUE pages evicted"
	dmsetup remove c1
	losetup -d /dev/loop0
	rm "$SSDCACHE_OUT/image"
}

if [ "$SSDCACHE_LANE" = uml-time ]; then
	run_test "an hour of swapping, and of rewriting a file" hour
	exit
fi
run_test "swap with pages larger than the kernel's" swap_large_pages
run_test "swap with blocks that are padded makes progress" swap_padded
run_test "files larger than memory on ext4" file_system
run_test "swap on an origin that fails" dead_origin
if [ -n "${SSDC_LONG-}" ]; then
	run_test "swap with reads that enter, early flushes and prefetching" swap_eagerly
fi
