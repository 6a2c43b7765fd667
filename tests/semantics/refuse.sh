#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: bad table lines, messages and sysfs values are refused with one clear line, and change nothing
# lane: uml-debug

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The lists below: what is refused | what the refusal must contain. @ is the origin.

bad_tables() {
	local long

	printf -v long '%0260d' 0
	long=${long//0/9}
	cat <<-TABLES
		0 32768 ssdcache | usage: <origin> <#args> dram <size>
		0 32768 ssdcache @ | usage: <origin> <#args> dram <size>
		0 32768 ssdcache @ 0 | dram: missing: give the size of the DRAM tier
		0 32768 ssdcache @ x dram 1m | #args: "x" is not the even number of words that follow (2 do)
		0 32768 ssdcache @ -2 dram 1m | #args: "-2" is not
		0 32768 ssdcache @ 4 dram 1m | #args: "4" is not the even number of words that follow (2 do)
		0 32768 ssdcache @ 1 dram | #args: "1" is not
		0 32768 ssdcache @ 3 dram 1m page | #args: "3" is not
		0 32768 ssdcache @ 99999999999999999999 dram 1m | #args: "99999999999999999999" is not
		0 32768 ssdcache @ 2 page 4k | dram: missing
		0 32768 ssdcache @ 2 dram 0 | dram: 0 is not from 64k (16 pages) to 128g
		0 32768 ssdcache @ 4 dram 0 shards 2 | dram: 0 is not from 64k (16 pages) to 128g
		0 32768 ssdcache @ 2 dram x | dram: "x" is not a size: a number of bytes, or one with k, m, g or t
		0 32768 ssdcache @ 2 dram 1q | dram: "1q" is not a size
		0 32768 ssdcache @ 2 dram 1mm | dram: "1mm" is not a size
		0 32768 ssdcache @ 2 dram m | dram: "m" is not a size
		0 32768 ssdcache @ 2 dram -1m | dram: "-1m" is not a size
		0 32768 ssdcache @ 2 dram 1.5m | dram: "1.5m" is not a size
		0 32768 ssdcache @ 2 dram 0x1000 | dram: "0x1000" is not a size
		0 32768 ssdcache @ 2 dram 99999999999999999999 | dram: "99999999999999999999" is not a size
		0 32768 ssdcache @ 2 dram 17179869184g | dram: "17179869184g" is not a size
		0 32768 ssdcache @ 2 dram 60k | dram: 60k is not from 64k (16 pages) to
		0 32768 ssdcache @ 2 dram 1 | dram: 1 is not from 64k (16 pages) to
		0 32768 ssdcache @ 2 dram 8192t | dram: 8192t is not from 64k
		0 32768 ssdcache @ 4 dram 512k page 64k | dram: 512k is not from 1m (16 pages)
		0 32768 ssdcache @ 4 dram 1m page 2k | page: 2k is not a power of two from 4k to 64k
		0 32768 ssdcache @ 4 dram 8m page 128k | page: 128k is not a power of two from 4k to 64k
		0 32768 ssdcache @ 4 dram 1m page 5000 | page: 5000 is not a power of two from 4k to 64k
		0 32768 ssdcache @ 4 dram 1m page 0 | page: 0 is not a power of two
		0 32768 ssdcache @ 4 dram 1m page k | page: "k" is not a size
		0 32768 ssdcache @ 4 dram 1m pages 4k | "pages" is not one of dram page shards numa replacement admission prefetch dram_mode
		0 32768 ssdcache @ 4 dram 1m numa near | numa: "near" is not one of interleave, local
		0 32768 ssdcache @ 4 dram 1m numa 0 | numa: "0" is not one of interleave, local
		0 32768 ssdcache @ 4 dram 1m DRAM 1m | "DRAM" is not one of dram page
		0 32768 ssdcache @ 4 dram 1m 1m dram | "1m" is not one of dram page
		0 32768 ssdcache @ 4 dram 1m replacement auto: | auto: '' is not one of candidates= period= memory= hysteresis= goal= change=
		0 32768 ssdcache @ 4 dram 1m replacement auto:perod=3 | auto: 'perod=3' is not one of candidates= period=
		0 32768 ssdcache @ 4 dram 1m replacement auto:period=5 | period: "5" is not a number from 10 to 100000000
		0 32768 ssdcache @ 4 dram 1m replacement auto:goal=hits | goal: "hits" is not one of latency, p99, flash-writes
		0 32768 ssdcache @ 4 dram 1m replacement auto:region=48 | auto: region: 48 is not a power of two
		0 32768 ssdcache @ 4 dram 1m replacement auto:candidates=lru+ | auto: candidates: one has no name
		0 32768 ssdcache @ 4 dram 1m replacement auto:candidates=lru+nosuch | replacement: "nosuch" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement auto:candidates=lru/nosuch | admission: "nosuch" is not one of
		0 32768 ssdcache @ 6 dram 1m admission nosuch replacement auto:candidates=lru/read-write | admission: "nosuch" is not one of
		0 32768 ssdcache @ 6 dram 1m admission nosuch replacement auto | corw-8 auto
		0 32768 ssdcache @ 6 dram 1m admission auto replacement nosuch | freeboard auto
		0 32768 ssdcache @ 4 dram 1m replacement auto:candidates=cflru:window=101 | window: "101" is not a number from
		0 32768 ssdcache @ 4 dram 1m replacement automatic | replacement: "automatic" is not one of
		0 32768 ssdcache @ 4 dram 1m admission auto: | auto: '' is not one of candidates= period= memory= hysteresis= goal= change=
		0 32768 ssdcache @ 4 dram 1m admission auto:candidates=read-write+nosuch | admission: "nosuch" is not one of
		0 32768 ssdcache @ 4 dram 1m admission auto:candidates=read-write/lru | auto: candidates: 'read-write/lru' is not a scheme
		0 32768 ssdcache @ 6 dram 1m admission auto:candidates=read-write replacement nosuch | replacement: "nosuch" is not one of
		0 32768 ssdcache @ 6 dram 1m admission auto:period=20 replacement auto:period=20 | auto: period: given for replacement and for admission
		0 32768 ssdcache @ 4 dram 1m admission automatic | admission: "automatic" is not one of
		0 32768 ssdcache @ 4 dram 1m admission automatic | corw-8 auto
		0 32768 ssdcache @ 4 dram 1m prefetch auto | prefetch: "auto" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement lruu | replacement: "lruu" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement lruu | freeboard auto
		0 32768 ssdcache @ 4 dram 1m replacement LRU | replacement: "LRU" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement lr | replacement: "lr" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement : | replacement: "" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement lru: | lru: "": lru has no keys
		0 32768 ssdcache @ 4 dram 1m replacement lru:window=1 | lru: "window=1": lru has no keys
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window | cflru: "window" is not key=value with a key of window
		0 32768 ssdcache @ 4 dram 1m replacement cflru:=5 | cflru: "=5" is not key=value with a key of window
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window=5, | cflru: "" is not key=value with a key of window
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window=5,x=1 | cflru: "x=1" is not key=value with a key of window
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window= | window: "" is not a number from
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window=101 | window: "101" is not a number from
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window=-1 | window: "-1" is not a number from
		0 32768 ssdcache @ 4 dram 1m replacement cflru:window=4294967297 | window: "4294967297" is not a number from
		0 32768 ssdcache @ 4 dram 1m replacement cflru-ef:adapt=maybe | adapt: "maybe" is not one of off, on
		0 32768 ssdcache @ 4 dram 1m replacement cflru-ef:step=0 | step: "0" is not a number from 1 to
		0 32768 ssdcache @ 4 dram 1m replacement read-write | replacement: "read-write" is not one of
		0 32768 ssdcache @ 4 dram 1m replacement $long | replacement: longer than 255 characters
		0 32768 ssdcache @ 4 dram 1m admission lru | admission: "lru" is not one of write-buffer read-write
		0 32768 ssdcache @ 4 dram 1m admission write-buffer:x=1 | write-buffer: "x=1": write-buffer has no keys
		0 32768 ssdcache @ 4 dram 1m admission corw | admission: "corw" is not one of write-buffer read-write l-corw corw-1
		0 32768 ssdcache @ 4 dram 1m admission corw-9 | admission: "corw-9" is not one of
		0 32768 ssdcache @ 4 dram 1m admission corw-1:tt=5 | corw-1: "tt=5" is not key=value with a key of period_ms rar_window cold wt_sync
		0 32768 ssdcache @ 4 dram 1m admission l-corw:gamma=91 | gamma: "91" is not a number from 0 to 90 percent
		0 32768 ssdcache @ 4 dram 1m admission l-corw:period_ms=0 | period_ms: "0" is not a number from 1 to 60000 ms
		0 32768 ssdcache @ 4 dram 1m admission $long | admission: longer than 255 characters
		0 32768 ssdcache @ 4 dram 1m prefetch all | prefetch: "all" is not one of none
		0 32768 ssdcache @ 4 dram 1m prefetch $long | prefetch: longer than 255 characters
		0 32768 ssdcache @ 4 dram 1m dram_mode safe | dram_mode: "safe" is not one of volatile, protected
		0 32768 ssdcache @ 4 dram 1m dram_mode 1 | dram_mode: "1" is not one of volatile, protected
		0 32768 ssdcache @ 4 dram 1m idle_us -1 | idle_us: "-1" is not a number from 0 to 60000000 us
		0 32768 ssdcache @ 4 dram 1m idle_us 60000001 | idle_us: "60000001" is not a number from 0 to 60000000 us
		0 32768 ssdcache @ 4 dram 1m idle_us 1k | idle_us: "1k" is not a number
		0 32768 ssdcache @ 4 dram 1m flush_interval_s 86401 | flush_interval_s: "86401" is not a number from 0 to 86400 s
		0 32768 ssdcache @ 4 dram 1m retry_ms 0 | retry_ms: "0" is not a number from 1 to 60000 ms
		0 32768 ssdcache @ 4 dram 1m channels 0 | channels: "0" is not a number from 1 to 1024
		0 32768 ssdcache @ 4 dram 1m channels 18446744073709551617 | channels: "18446744073709551617" is not a number
		0 32768 ssdcache @ 4 dram 1m dies 65 | dies: "65" is not a number from 1 to 64
		0 32768 ssdcache /dev/nowhere 2 dram 1m | origin: "/dev/nowhere" cannot be opened
		0 32768 ssdcache /dev/null 2 dram 1m | origin: "/dev/null" cannot be opened
		0 32768 ssdcache 254 2 dram 1m | origin: "254" cannot be opened
		0 32760 ssdcache @ 2 dram 1m | length: start and length are 0 32760, but must cover the origin: 0 32768
		0 8 ssdcache @ 2 dram 1m | length: start and length are 0 8, but must cover the origin: 0 32768
		0 32776 ssdcache @ 2 dram 1m | length: start and length are 0 32776, but must cover the origin: 0 32768
	TABLES
}

# words | what the refusal must contain
bad_messages() {
	local long

	printf -v long '%0260d' 0
	long=${long//0/9}
	cat <<-MESSAGES
		x | "x" is not one of help replacement admission prefetch set flush drop_clean reset_stats
		flush now | flush: usage: flush, without further words
		drop_clean 1 | drop_clean: usage: drop_clean, without further words
		reset_stats all | reset_stats: usage:
		nothing at all | "nothing" is not one of help replacement admission prefetch set flush drop_clean reset_stats
		replacement | replacement: usage: replacement NAME
		replacement lru fifo | replacement: usage: replacement NAME
		replacement x | replacement: "x" is not one of
		replacement x | freeboard auto
		replacement auto:period=5 | period: "5" is not a number from 10
		replacement auto:perod=5 | auto: 'perod=5' is not one of candidates= period=
		replacement auto:candidates=lru+x | replacement: "x" is not one of
		replacement cflru:window=200 | window: "200" is not a number from
		replacement cflru:window=1,window | cflru: "window" is not key=value with a key of window
		replacement lru:x=1 | lru: "x=1": lru has no keys
		replacement write-buffer | replacement: "write-buffer" is not one of
		replacement $long | replacement: longer than 255 characters
		admission | admission: usage: admission NAME
		admission x | admission: "x" is not one of write-buffer read-write
		admission read-write:a=b | read-write: "a=b": read-write has no keys
		admission l-corw:seed=x | seed: "x" is not a number from
		prefetch | prefetch: usage: prefetch NAME
		prefetch x | prefetch: "x" is not one of none
		set | set: usage: set KEY VALUE
		set idle_us | set: usage: set KEY VALUE
		set idle_us 1 2 | set: usage: set KEY VALUE
		set x 1 | set: "x" is not one of dram_mode idle_us flush_interval_s
		set dram 1m | set: "dram" is not one of
		set page 8k | set: "page" is not one of
		set replacement fifo | set: "replacement" is a message of its own: replacement NAME[:key=value,...]
		set prefetch none | set: "prefetch" is a message of its own: prefetch NAME
		set idle_us x | idle_us: "x" is not a number from 0 to 60000000 us
		set idle_us 60000001 | idle_us: "60000001" is not a number from 0 to 60000000 us
		set dram_mode none | dram_mode: "none" is not one of volatile, protected
		set retry_ms 0 | retry_ms: "0" is not a number from 1 to 60000 ms
		set window 101 | window: "101" is not a number from
		set replacement.window x | window: "x" is not a number from
		set replacement.x 1 | set: "replacement.x" is not one of
		set admission.window 1 | set: "admission.window" is not one of
		set prefetch.idle_us 1 | set: "prefetch.idle_us" is not one of
		set replacement. 1 | set: "replacement." is not one of
		set . 1 | set: "." is not one of
		set threshold 10 | set: "threshold" is not one of
		set $long 1 | set: "9999
		set idle_us $long | idle_us: "9999
	MESSAGES
}

# file | value | what last_error must contain
bad_values() {
	cat <<-VALUES
		replacement | x | replacement: "x" is not one of
		replacement | cflru:window=200 | window: "200" is not a number from
		admission | x | admission: "x" is not one of write-buffer
		prefetch | x | prefetch: "x" is not one of none
		actions | x | "x" is not one of
		actions | replacement lru | "replacement lru" is not one of
		params/idle_us | x | idle_us: "x" is not a number from 0 to 60000000 us
		params/idle_us | -1 | idle_us: "-1" is not a number
		params/idle_us | 1 2 | idle_us: "1 2" is not a number
		params/dram_mode | on | dram_mode: "on" is not one of volatile, protected
		params/retry_ms | 0 | retry_ms: "0" is not a number from 1 to 60000 ms
		params/channels | 2000 | channels: "2000" is not a number from 1 to 1024
		params/dies | 0 | dies: "0" is not a number from 1 to 64
		params/flush_interval_s | 1s | flush_interval_s: "1s" is not a number from 0 to 86400 s
		params/replacement/window | 101 | window: "101" is not a number from
		params/replacement/window | cflru | window: "cflru" is not a number from
	VALUES
}

# compare ANSWERS: each line against the same one of ${wants[@]}
compare() {
	local error text i=0 bad=0

	while IFS=$'\t' read -r error text; do
		if [ "$error" = ok ]; then
			echo "accepted: ${lines[i]}"
			bad=1
		elif [[ $text != *"${wants[i]}"* ]]; then
			echo "refused: ${lines[i]}"
			echo "  with:  $error, $text"
			echo "  want:  ${wants[i]}"
			bad=1
		fi
		i=$((i + 1))
	done <"$1"
	expect_eq "answers" "$i" ${#lines[@]}
	expect_eq "wrong answers" "$bad" 0
}

# read_list: "WHAT | TEXT" from stdin, as ${lines[@]} and ${wants[@]}
read_list() {
	local line

	lines=()
	wants=()
	while read -r line; do
		lines+=("${line%% | *}")
		wants+=("${line#* | }")
	done
}

tables() {
	local verb=$1

	make_nullb 16
	[ "$verb" = try ] || make_cache c0 "$NULLB" dram 1m replacement fifo
	bad_tables >"$scratch/list"
	read_list <"$scratch/list"
	expect "tables to refuse" ${#lines[@]} -ge 60
	lines=("${lines[@]//@/$NULLB}")
	{
		[ "$verb" = try ] || printf 'table c0\nstatus c0\n'
		printf "$verb c0 %s\n" "${lines[@]}"
		[ "$verb" = try ] || printf 'table c0\nstatus c0\n'
	} >"$scratch/batch"
	dm-batch <"$scratch/batch" >"$scratch/answers"
	if [ "$verb" != try ]; then
		expect_eq "table and status after, and before" "$(tail -n 2 "$scratch/answers")" "$(head -n 2 "$scratch/answers")"
		sed -i '1,2d; $d' "$scratch/answers"
		sed -i '$d' "$scratch/answers"
	fi
	compare "$scratch/answers"
	# The origin has been closed.
	[ "$verb" != try ] || blkio write "$NULLB" 0 4k 1
}

messages() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru:window=40 idle_us 3 dram_mode protected
	blkio write /dev/mapper/c0 0 64k 1
	bad_messages >"$scratch/list"
	read_list <"$scratch/list"
	expect "messages to refuse" ${#lines[@]} -ge 35
	{
		printf 'table c0\nstatus c0\n'
		printf 'message c0 %s\n' "${lines[@]}"
		printf 'table c0\nstatus c0\n'
	} >"$scratch/batch"
	dm-batch <"$scratch/batch" >"$scratch/answers"
	expect_eq "table and status after, and before" "$(tail -n 2 "$scratch/answers")" "$(head -n 2 "$scratch/answers")"
	sed -i '1,2d; $d' "$scratch/answers"
	sed -i '$d' "$scratch/answers"
	compare "$scratch/answers"
	# The kernel log names the device; last_error has only the reason.
	grep -q 'device-mapper: ssdcache: [0-9]*:[0-9]*: ' "$scratch/answers"
	expect_fail message c0 set idle_us abc
	expect_value c0 last_error 'idle_us: "abc" is not a number from 0 to 60000000 us'
	message c0 set idle_us 4
	expect_value c0 params/idle_us 4
}

# put_at_once NAME FILE VALUE: as put, by one write; the shell would write what is left after an error
put_at_once() {
	target_dir "$1"
	printf '%s' "$3" | dd of="$TARGET_DIR/$2" bs=8k iflag=fullblock status=none
}

values() {
	local file value want count=0 before length

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru:window=40 idle_us 3
	before=$(dmsetup table c0)
	while IFS='|' read -r file value want; do
		read -r file <<<"$file"
		value=${value# }
		if put c0 "$file" "${value% }" 2>/dev/null; then
			fail "accepted: $file $value"
		fi
		get c0 last_error
		[[ $VALUE = *"${want# }"* ]] || fail "refused: $file $value, with: $VALUE, want: $want"
		count=$((count + 1))
	done < <(bad_values)
	expect "values to refuse" "$count" -ge 15
	expect_eq "table" "$(dmsetup table c0)" "$before"
	# Too long.
	printf -v value '%05000d' 0
	value=${value//0/9}
	for file in replacement admission prefetch actions params/idle_us params/dram_mode params/replacement/window; do
		for length in 300 5000; do
			# The reason before must not stay.
			expect_fail put c0 params/retry_ms 0
			log_mark
			expect_fail put_at_once c0 "$file" "${value:0:length}"
			expect_value c0 last_error "${file##*/}: \"${value:0:32}...\" is longer than 256 bytes"
			expect_log "ssdcache: [0-9:]*: ${file##*/}: .* is longer than 256 bytes"
		done
	done
	make_flash f0 "$NULLB" 16384 profile s002
	expect_fail put_at_once f0 actions "${value:0:300}"
	expect_value f0 last_error "actions: \"${value:0:32}...\" is longer than 256 bytes"
	# Read-only files.
	for file in schema frames stats/dirty stats/latency/read; do
		dm_dir c0
		expect_match "mode of $file" "$(stat -c %a "$DM_DIR/ssdcache/$file")" '^444$'
	done
	expect_eq "table" "$(dmsetup table c0)" "$before"
}

# Zones must be written in order, but a replacement policy writes in any order.
zoned() {
	make_nullb 64 zoned=1 zone_size=4
	log_mark
	expect_fail make_cache c0 "$NULLB" dram 1m
	expect_log 'origin: .* is a zoned device'
}

run_test "bad table lines are refused at create" tables try
run_test "bad table lines are refused at reload, the cache does not change" tables load
run_test "bad messages are refused, the cache does not change" messages
run_test "bad values in sysfs are refused, the cache does not change" values
run_test "a zoned origin is refused" zoned
