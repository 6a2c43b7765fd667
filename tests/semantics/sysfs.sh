#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the directory in sysfs: files, modes, forms of values, reset_stats, histograms
# lane: uml
# long: uml-debug vm-6.12 vm-kcsan
# extra: tests/semantics/many-policies

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The files of the interface; plug-ins add more.
root_files="actions admission available_admission available_prefetch available_replacement dram_bytes first_error frames
	last_error node_bytes numa origin page_bytes page_overhead_bytes prefetch progress quiescent replacement schema state"
tunables="alpha_us beta_us channels dies dram_mode flush_interval_s idle_us retry_ms"
statistics="admitted_reads batch_flushed bypassed_reads device_inflight dirty discards dropped_pages early_flushed
	early_flushes evicted_clean evicted_pages evictions failed failed_requests fills flushes flushing forced_flushed
	frame_waits fua_writes host_inflight moved_writes pad_flushed padded_pages page_waits periodic_flushed plugin_step_ns
	read_bytes read_errors
	read_hits read_pages reads retry_flushed saved_us sync_passes through_flushed used waiting write_absorbed write_bytes write_errors write_hits write_pages writes"

# have DIR FILE...
have() {
	local dir=$1 file

	shift
	for file; do
		[ -e "$dir/$file" ] || fail "no file $file in ${dir#/sys/block/}"
	done
}

# Every file except "actions" is readable, and its value has the form that the ABI promises.
all_files() {
	local dir file line name

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement "$1" admission "$2"
	blkio write /dev/mapper/c0 0 64k 1
	blkio check /dev/mapper/c0 0 64k 1 64k 0
	dm_dir c0
	dir=$DM_DIR/ssdcache
	# shellcheck disable=SC2086 # lists of words
	{
		have "$dir" $root_files
		have "$dir/params" $tunables
		have "$dir/stats" $statistics
	}
	have "$dir/stats/latency" {read,write,flush,discard}{,_histogram}
	find "$dir" -type f ! -name actions >"$scratch/files"
	expect "files" "$(wc -l <"$scratch/files")" -ge 70
	while read -r file; do
		mapfile -t lines <"$file"
		name=${file#"$dir/"}
		case $name in
		stats/latency/*_histogram)
			for line in "${lines[@]}"; do
				expect_match "$name" "$line" '^[0-9]+ [0-9]+ [1-9][0-9]*$'
			done
			;;
		stats/latency/*)
			expect_eq "lines of $name" ${#lines[@]} 9
			for line in "${lines[@]}"; do
				expect_match "$name" "$line" '^(count|mean_ns|p50_ns|p90_ns|p99_ns|p999_ns|max_ns|worst1_mean_ns|sum_ns) [0-9]+$'
			done
			;;
		stats/holds/longest) expect_match "$name" "${lines[*]}" '^[0-9]+ [a-z_]+$' ;;
		stats/*)
			expect_eq "lines of $name" ${#lines[@]} 1
			expect_match "$name" "${lines[0]}" '^[0-9]+( [0-9]+)*$'
			;;
		params/*)
			expect_eq "lines of $name" ${#lines[@]} 1
			expect_match "$name" "${lines[0]}" '^([0-9]+|[a-z]+)$'
			;;
		available_*)
			for line in "${lines[@]}"; do
				# A list that exceeds a page has no descriptions.
				expect_match "$name" "$line" $'^[a-z0-9-]+\t[^\t]+\t[^\t]+\t[^\t]*$'
			done
			;;
		*) expect_eq "lines of $name" ${#lines[@]} 1 ;;
		esac
	done <"$scratch/files"
	find "$dir" -path '*/params/*' -type f ! -perm 644 >"$scratch/modes"
	find "$dir" -path '*/stats/*' -type f ! -perm 444 >>"$scratch/modes"
	find "$dir" -name actions ! -perm 200 >>"$scratch/modes"
	expect_eq "files of the wrong mode" "$(<"$scratch/modes")" ""
}

root_values() {
	local number

	make_nullb 16
	read -r number <"/sys/block/${NULLB#/dev/}/dev"
	make_cache c0 "$NULLB" dram 200000 page 8k dram_mode protected
	expect_value c0 schema 1
	expect_value c0 origin "$number"
	expect_value c0 dram_bytes 196608
	expect_value c0 page_bytes 8192
	expect_value c0 frames 24
	expect_value c0 state ok
	expect_value c0 first_error 0
	expect_value c0 last_error ""
	expect_value c0 progress "0 dirty 0 flushing"
	expect_value c0 replacement lru
	expect_value c0 admission write-buffer
	expect_value c0 prefetch none
	get c0 page_overhead_bytes
	expect "bytes of metadata per page" "$VALUE" -gt 32
	expect "bytes of metadata per page" "$VALUE" -lt 160
}

# Messages may contain what only root knows.
last_error_is_private() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	make_flash f0 "$NULLB" 16384 profile s002
	for name in c0 f0; do
		target_dir "$name"
		expect_eq "mode of last_error of $name" "$(stat -c %a "$TARGET_DIR/last_error")" 400
	done
}

# A list of plug-ins that does not fit a page loses its descriptions; if that is not enough, it cannot be read.
long_lists() {
	local nr list

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	dm_dir c0
	list=$DM_DIR/ssdcache/available_admission
	expect_eq "descriptions" "$(cut -f 4 "$list" | grep -c .)" "$(wc -l <"$list")"
	list=$DM_DIR/ssdcache/available_replacement
	for nr in 1 40; do
		insmod "$SSDCACHE_EXTRA/many-policies.ko" nr="$nr"
		expect_eq "names that were added" "$(grep -c '^many-[0-9]*	a test	a test	' "$list")" "$nr"
		grep -q "^lru	" "$list"
		rmmod many_policies
	done
	insmod "$SSDCACHE_EXTRA/many-policies.ko" nr=128
	expect_fail cat "$list"
	expect_match "failure" "$OUTPUT" "File too large"
	message c0 replacement many-127
	expect_value c0 replacement many-127
	message c0 replacement lru
	rmmod many_policies
}

# Values that were written are read back; a value out of range is refused and changes nothing.
params() {
	local name

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru-ef-sc
	for name in channels dies idle_us flush_interval_s retry_ms replacement/{threshold,ef_batch,period,step}; do
		put c0 "params/$name" 3
		expect_value c0 "params/$name" 3
		expect_fail put c0 "params/$name" 4294967296
		expect_fail put c0 "params/$name" ""
		expect_fail put c0 "params/$name" three
		expect_value c0 "params/$name" 3
	done
	put c0 params/dram_mode protected
	expect_value c0 params/dram_mode protected
	put c0 params/replacement/adapt off
	expect_value c0 params/replacement/adapt off
	expect_fail put c0 params/replacement/adapt 2
	expect_value c0 replacement cflru-ef-sc:threshold=3,adapt=off,ef_batch=3,period=3,step=3
}

# The files of a plug-in appear and disappear with it.
plugin_files() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	dm_dir c0
	have "$DM_DIR/ssdcache" stats/replacement/lru_list
	put c0 replacement cflru
	have "$DM_DIR/ssdcache" stats/replacement params/replacement/window
	[ ! -e "$DM_DIR/ssdcache/stats/replacement/lru_list" ] || fail "a file of lru is left"
	put c0 replacement lru
	[ ! -e "$DM_DIR/ssdcache/params/replacement/window" ] || fail "a file of cflru is left"
	have "$DM_DIR/ssdcache" stats/replacement/lru_list
	blkio write /dev/mapper/c0 0 64k 1
	expect_value c0 stats/replacement/lru_list 16
}

# Counters become zero, gauges and tunables stay, histograms become empty.
reset_stats() {
	local dir name before after

	make_nullb 16
	make_cache c0 "$NULLB" dram 64k replacement cflru-ef:threshold=50,adapt=off idle_us 3
	blkio write /dev/mapper/c0 0 128k 1 4k
	blkio check /dev/mapper/c0 0 128k 1 4k
	blkio flush /dev/mapper/c0
	blkio write /dev/mapper/c0 0 16k 2
	wait_quiescent c0
	dm_dir c0
	dir=$DM_DIR/ssdcache
	for name in used dirty flushing failed replacement/threshold_now; do
		get c0 "stats/$name"
		before+=" $VALUE"
	done
	expect_stat c0 used -gt 0
	expect_stat c0 dirty -eq 4
	expect_stat c0 writes -eq 33
	expect_stat c0 early_flushed -gt 0
	expect_match "histogram" "$(<"$dir/stats/latency/write_histogram")" '[1-9]'
	case $1 in
	message) message c0 reset_stats ;;
	sysfs) put c0 actions reset_stats ;;
	esac
	for name in used dirty flushing failed replacement/threshold_now; do
		get c0 "stats/$name"
		after+=" $VALUE"
	done
	expect_eq "levels" "$after" "$before"
	for name in reads writes flushes read_bytes write_bytes read_pages read_hits write_pages write_hits write_absorbed \
		evictions evicted_pages evicted_clean early_flushes batch_flushed early_flushed forced_flushed bypassed_reads \
		sync_passes frame_waits page_waits replacement/dirty_victims; do
		expect_stat c0 "$name" -eq 0
	done
	expect_eq "histogram" "$(<"$dir/stats/latency/write_histogram")" ""
	expect_value c0 stats/latency/write "count 0"
	expect_value c0 params/idle_us 3
	blkio check /dev/mapper/c0 0 16k 2 112k 1
}

# A histogram has an entry per request, in ascending order, and agrees with the summary.
latency() {
	local low high count sum=0 last=-1 line max mean=0 total=0

	make_nullb 16 irqmode=2 completion_nsec=20000000
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 160k 1 4k
	blkio check /dev/mapper/c0 1m 20k 0 4k
	blkio flush /dev/mapper/c0
	expect_value c0 stats/latency/write "count 40"
	expect_value c0 stats/latency/read "count 5"
	expect_value c0 stats/latency/flush "count 1"
	expect_value c0 stats/latency/discard "count 0"
	while read -r low high count; do
		expect "low" "$low" -gt "$last"
		expect "high" "$high" -ge "$low"
		last=$high
		sum=$((sum + count))
	done < <(show c0 stats/latency/write_histogram)
	expect_eq "writes in the histogram" "$sum" 40
	# These reads bypass DRAM and take the time of the origin. Percentiles are only as exact as a bucket.
	while read -r line count; do
		case $line in
		mean_ns | max_ns) expect "$line" "$count" -ge 20000000 ;;
		p50_ns | worst1_mean_ns) expect "$line" "$count" -ge 19000000 ;;
		esac
		[ "$line" != mean_ns ] || mean=$count
		[ "$line" != sum_ns ] || total=$count
	done < <(show c0 stats/latency/read)
	expect "sum of latencies" "$total" -ge $((5 * mean))
	expect "sum of latencies" "$total" -lt $((5 * mean + 5))
	max=$(show c0 stats/latency/write | sed -n 's/^p50_ns //p')
	expect "median of writes in ns" "$max" -lt 20000000
}

# Latencies are counted per CPU.
latency_of_all_cpus() {
	local cpu nr=0 busy=()

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu dd if=/dev/zero of=/dev/mapper/c0 bs=4k count=$((10 + cpu)) oflag=direct status=none
		nr=$((nr + 10 + cpu))
	done
	expect_value c0 stats/latency/write "count $nr"
	# A reset while all CPUs add to their numbers leaves nothing of what was before.
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu dd if=/dev/zero of=/dev/mapper/c0 bs=4k count=2000 seek=$((cpu * 100)) oflag=direct status=none &
		busy+=($!)
	done
	while kill -0 "${busy[@]}" 2>/dev/null; do
		message c0 reset_stats
	done
	wait
	message c0 reset_stats
	expect_value c0 stats/latency/write "count 0"
	expect_eq "histogram" "$(show c0 stats/latency/write_histogram)" ""
	taskset -c 0 dd if=/dev/zero of=/dev/mapper/c0 bs=4k count=7 oflag=direct status=none
	expect_value c0 stats/latency/write "count 7"
}

# A directory shows its own device, and disappears with it.
two_devices() {
	make_nullb 16
	first=$NULLB
	make_nullb 16
	make_cache c0 "$first" dram 1m
	make_cache c1 "$NULLB" dram 2m replacement fifo
	expect_value c0 dram_bytes 1048576
	expect_value c1 dram_bytes 2097152
	blkio write /dev/mapper/c1 0 64k 1
	expect_stat c0 dirty -eq 0
	expect_stat c1 dirty -eq 16
	put c1 replacement cflru
	expect_value c0 replacement lru
	dm_dir c1
	dmsetup remove c1
	[ ! -e "$DM_DIR" ] || fail "$DM_DIR is left"
	expect_value c0 replacement lru
}

# There is no directory before the first resume.
not_resumed() {
	make_nullb 16
	table "$NULLB" dram 1m
	dmsetup create c0 --notable
	dmsetup reload c0 --table "$TABLE"
	dm_dir c0
	[ ! -e "$DM_DIR/ssdcache" ] || fail "there already is a directory"
	dmsetup resume c0
	expect_value c0 state ok
}

run_test "all files: lru, write-buffer" all_files lru write-buffer
run_test "all files: fifo, read-write" all_files fifo read-write
run_test "all files: lfu, read-write" all_files lfu read-write
run_test "all files: cflru, write-buffer" all_files cflru write-buffer
run_test "all files: cflru-ef, write-buffer" all_files cflru-ef write-buffer
run_test "all files: cflru-ef-sc, read-write" all_files cflru-ef-sc read-write
run_test "all files: lru, l-corw" all_files lru l-corw
run_test "all files: lru, corw-1" all_files lru corw-1
run_test "values of the files in the root directory" root_values
run_test "params are read back, bad values are refused" params
run_test "the files of a plug-in appear and disappear with it" plugin_files
run_test "reset_stats by message zeroes counters only" reset_stats message
run_test "reset_stats by sysfs zeroes counters only" reset_stats sysfs
run_test "latency histograms" latency
run_test "latencies of all CPUs are added up, and reset" latency_of_all_cpus
run_test "each device has its own directory" two_devices
run_test "no directory before the first resume" not_resumed
run_test "last_error is readable by root only" last_error_is_private
run_test "lists of plug-ins that exceed a page" long_lists
