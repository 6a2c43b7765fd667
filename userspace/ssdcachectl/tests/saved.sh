# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Verbs that read, on a saved copy of sysfs: formats and arithmetic.

saved=$scratch/saved

# attribute DEVICE PATH TEXT...: a file in the device's ssdcache or $target folder, one line per TEXT.
attribute() {
	local file=$saved/block/$1/${target:-ssdcache}/$2

	shift 2
	[ -d "${file%/*}" ] || mkdir -p "${file%/*}"
	printf '%s\n' "$@" >"$file"
}

# device DEVICE NAME: with all attributes that do not matter to a test.
device() {
	local dev=$1 name value

	mkdir -p "$saved/block/$dev/dm"
	echo "$2" >"$saved/block/$dev/dm/name"
	attribute "$dev" schema 1
	attribute "$dev" origin /dev/nullb0
	attribute "$dev" dram_bytes 67108864
	attribute "$dev" page_bytes 4096
	attribute "$dev" frames 16384
	attribute "$dev" page_overhead_bytes 61
	attribute "$dev" state ok
	attribute "$dev" first_error 0
	attribute "$dev" last_error ''
	attribute "$dev" replacement cflru:window=30
	attribute "$dev" admission read-write
	attribute "$dev" prefetch none
	attribute "$dev" available_replacement \
		$'lru\ttextbook\tas published\tleast recently used page first' \
		$'cflru\tPark\tas published\tclean first' \
		$'mine\tmy thesis\tan experiment\tevicts what I like'
	attribute "$dev" available_admission $'read-write\tS002\tas published\tboth'
	attribute "$dev" available_prefetch $'none\tS001\tas published\tno prefetching'
	while read -r name value; do
		attribute "$dev" "$name" "$value"
	done <<-'TABLE'
		params/idle_us 0
		params/flush_interval_s 30
		params/dram_mode volatile
		params/brand_new 7
		params/replacement/window 30
		stats/reads 1000
		stats/writes 2000
		stats/flushes 3
		stats/read_pages 1000
		stats/read_hits 750
		stats/write_pages 4000
		stats/write_hits 1000
		stats/write_absorbed 3998
		stats/evictions 10
		stats/evicted_pages 45
		stats/batch_flushed 40
		stats/forced_flushed 1960
		stats/write_bytes 16384000
		stats/used 8192
		stats/dirty 4096
		stats/prefetched 1638
		stats/prefetched_pages 200
		stats/prefetch_hits 120
		stats/prefetch_late_hits 30
		stats/prefetch/mined_patterns 30
		stats/prefetch/mined_windows 4
		stats/brand_new_too 12
		stats/replacement/window_hits 5
	TABLE
	latencies "$dev"
}

# latencies DEVICE: of reads, none of the other operations.
latencies() {
	local dev=$1 op

	for op in read write flush discard; do
		attribute "$dev" "stats/latency/$op" 'count 0' 'mean_ns 0' 'p50_ns 0' 'p90_ns 0' \
			'p99_ns 0' 'p999_ns 0' 'max_ns 0' 'worst1_mean_ns 0'
		attribute "$dev" "stats/latency/${op}_histogram" ''
	done
	attribute "$dev" stats/latency/read 'count 1000' 'mean_ns 75200' 'p50_ns 73727' \
		'p90_ns 81919' 'p99_ns 98303' 'p999_ns 122879' 'max_ns 123456' 'worst1_mean_ns 110000'
	attribute "$dev" stats/latency/read_histogram '65536 73727 600' '73728 81919 399' \
		'4123168604160 18446744073709551615 1'
}

# flash_device DEVICE NAME: an ssdflash with twelve channels.
flash_device() {
	local dev=$1 target=ssdflash name value

	mkdir -p "$saved/block/$dev/dm"
	echo "$2" >"$saved/block/$dev/dm/name"
	while read -r name value; do
		attribute "$dev" "$name" "$value"
	done <<-'TABLE'
		schema 1
		origin /dev/nullb1
		profile s002
		memory_bytes 1234
		state ok
		last_error
		quiescent 1
		params/channels 12
		params/chips 1
		params/dies 2
		params/planes 2
		params/page_bytes 8192
		params/read_ns 45000
		params/allocation dynamic
		stats/host_bytes_read 8192000
		stats/host_reads 1000
		stats/host_programs 2000
		stats/gc_runs 10
		stats/gc_programs 500
		stats/blocked_reads 250
		stats/stalled_writes 20
		stats/write_amplification 1250
		stats/utilisation 125
		stats/inflight 3
		stats/brand_new_too 12
	TABLE
	for name in {0..11}; do
		attribute "$dev" "stats/channel_busy_ns/$name" "$((name * 1000))"
	done
	latencies "$dev"
}

device dm-0 c0
device dm-1 zebra
mkdir -p "$saved/block/dm-2/dm" "$saved/block/sda"
echo plain >"$saved/block/dm-2/dm/name"

# holds NAME LINE: a line of the last output, blanks squeezed. Reads all of the output: a writer to a
# closed pipe fails.
holds() {
	tr -s ' ' <<<"$out" | sed 's/^ //; s/ $//' | grep -xF -- "$2" >/dev/null
	result "$?" "$1" "wanted: $2
$(detail)"
}

# promtool_accepts WHAT: what the program has printed, without a remark on names, types or help
promtool_accepts() {
	if [ -z "$(type -P promtool)" ]; then
		skip "prometheus: promtool accepts $1" "no promtool"
		return
	fi
	[ -n "$out" ] && promtool check metrics <<<"$out" >"$scratch/wrong" 2>&1
	result $? "prometheus: promtool accepts $1" "$(<"$scratch/wrong")"
}

# What node_exporter reads: the samples of a metric follow its help and type, and neither a metric nor a sample comes twice.
prometheus_reads() {
	awk '
		/^# HELP [a-z][a-z0-9_]* [^ ]/ { at = $3; next }
		/^# TYPE / { type = $4; if ($3 != at || seen[at]++ || type !~ /^(counter|gauge|histogram)$/) bad("type"); next }
		{
			name = $0
			sub(/[{].*/, "", name)
			if (type == "histogram")
				sub(/_(bucket|sum|count)$/, "", name)
			if (name != at || (type == "counter") != (name ~ /_total$/))
				bad("name")
			if ($0 !~ /^[a-z0-9_]+[{]device="[^"]*"(,[a-z_]+="([^"\\\\]|\\\\.)*")*[}] [0-9.e+-]+$/)
				bad("sample")
			if (lines[substr($0, 1, index($0, "} "))]++)
				bad("twice")
		}
		function bad(what) { print what ": " $0; wrong = 1 }
		END { exit wrong || NR < 50 }' <<<"$out" >"$scratch/wrong"
	result $? "$1" "$(<"$scratch/wrong")"
}
run stats --prometheus --sysfs "$saved"
prometheus_reads "stats: the text format of Prometheus"
promtool_accepts "two caches"
holds "prometheus: a counter" 'ssdcache_reads_total{device="c0"} 1000'
holds "prometheus: a gauge" 'ssdcache_used{device="c0"} 8192'
holds "prometheus: a statistic of a policy" 'ssdcache_replacement_window_hits{device="c0",policy="cflru"} 5'
holds "prometheus: buckets add up" 'ssdcache_request_duration_seconds_bucket{device="c0",op="read",le="0.000131072"} 999'
holds "prometheus: the last bucket" 'ssdcache_request_duration_seconds_bucket{device="c0",op="read",le="+Inf"} 1000'
holds "prometheus: the sum" 'ssdcache_request_duration_seconds_sum{device="c0",op="read"} 0.075200000'
attribute dm-0 stats/latency/read 'count 1000' 'mean_ns 75200' 'max_ns 123456' 'sum_ns 75200999'
run stats c0 --prometheus --sysfs "$saved"
holds "prometheus: the sum, where the kernel gives it" 'ssdcache_request_duration_seconds_sum{device="c0",op="read"} 0.075200999'
latencies dm-0

# Every file that a kernel has: three caches and a flash device, as tests/interface/kernel.sh has recorded them.
awk -v root="$scratch/recorded/block" '
	/^=== / { use(""); block = root "/dm-" nr++; use(block "/dm/name"); print $2 >file; use(""); next }
	/^== [0-9]+ ssd/ { use(block "/" $3); next }
	/^== / { use(""); next }
	file { print >file }
	function use(path) {
		if (file)
			close(file)
		file = path
		sub(/\/[^\/]*$/, "", path)
		if (path && !made[path]++)
			system("mkdir -p \"" path "\"")
	}' "$tests/../../../tests/interface/kernel.txt"
run stats --prometheus --sysfs "$scratch/recorded"
prometheus_reads "stats: the text format of Prometheus, with every statistic"
[ "$(grep -o '_info{device="[^"]*"' <<<"$out" | cut -d'"' -f2 | xargs)" = "c0 c1 c2 f0" ]
result $? "stats: all recorded devices are there" "$(detail)"
run stats zebra --prometheus --sysfs "$saved"
[[ $out = *'{device="zebra"}'* && $out != *'{device="c0"}'* ]]
result $? "prometheus: one device" "$(detail)"
expect "stats: --prometheus and --json" 2 "only one of --json, --csv and --prometheus" stats --json --prometheus
expect "stats: --prometheus and --watch" 2 "--prometheus cannot go with --watch" stats --prometheus --watch

run list --sysfs "$saved"
holds 'saved: list, header' 'NAME ORIGIN DRAM USED DIRTY STATE REPLACEMENT ADMISSION PREFETCH'
holds 'saved: list, row' 'c0 /dev/nullb0 64m 50.0% 25.0% ok cflru:window=30 read-write none'
[ "$(wc -l <<<"$out")" = 3 ]
result "$?" 'saved: list shows ssdcache devices only' "$(detail)"

attribute dm-1 origin 259:3
expect 'saved: an origin without a name' 0 '  259:3  ' list --sysfs "$saved"
mkdir -p "$saved/dev/block" "$saved/devices/nullb7"
ln -s ../../devices/nullb7 "$saved/dev/block/259:3"
expect 'saved: an origin by its number' 0 '  /dev/nullb7  ' list --sysfs "$saved"
mkdir "$saved/devices/nullb7/dm"
echo below >"$saved/devices/nullb7/dm/name"
expect 'saved: an origin of device-mapper' 0 '  /dev/mapper/below  ' list --sysfs "$saved"

for verb in list policies "stats --prometheus" "get c0"; do
	# shellcheck disable=SC2086 # several words
	expect "saved: $verb: no such folder" 1 "${verb%% *}: --sysfs: $scratch/nowhere: No such file or directory" \
		$verb --sysfs "$scratch/nowhere"
	# shellcheck disable=SC2086
	expect "saved: $verb: a file instead of the folder" 1 "${verb%% *}: --sysfs: $tests/saved.sh: Not a directory" \
		$verb --sysfs "$tests/saved.sh"
done
run list --sysfs "$scratch"
[ "$code" = 0 ] && [ -z "$out$err" ]
result "$?" 'saved: list without devices is empty' "$(detail)"

expect 'saved: no such device' 1 "there is no device 'c9': there are c0, zebra" \
	stats c9 --sysfs "$saved"
expect 'saved: no device at all' 1 "'ssdcachectl create' makes one" stats c0 --sysfs "$scratch"
expect 'saved: another target' 1 \
	'plain is a device-mapper device but neither an ssdcache nor an ssdflash' \
	stats plain --sysfs "$saved"
for word in /dev/mapper/c0 dm-0 /dev/dm-0; do
	expect "saved: $word is c0" 0 30 get "$word" flush_interval_s --sysfs "$saved"
done

# A device may have the kernel's name of another one as its name.
device dm-4 dm-0
attribute dm-4 params/flush_interval_s 44
for word in dm-0 /dev/mapper/dm-0 /dev/ssdcache/dm-0 dm-4 /dev/dm-4; do
	expect "saved: $word is the device of that name" 0 44 get "$word" flush_interval_s --sysfs "$saved"
done
for word in c0 /dev/dm-0 /dev/mapper/c0; do
	expect "saved: $word is still c0" 0 30 get "$word" flush_interval_s --sysfs "$saved"
done
for word in /dev/mapper/dm-4 /dev/c0; do
	expect "saved: $word is no device" 1 "there is no device '$word'" get "$word" flush_interval_s --sysfs "$saved"
done
rm -r "$saved/block/dm-4"

run stats c0 --sysfs "$saved"
holds 'saved: stats, head' 'c0 (dm-0): 64m of DRAM over /dev/nullb0, 16384 pages of 4k, state ok'
holds 'saved: stats, spec' 'replacement cflru:window=30'
holds 'saved: stats, thousands' 'write_bytes 16,384,000 bytes written by the host'
holds 'saved: stats, read hits' 'page reads that hit 75.00%'
holds 'saved: stats, write hits' 'page writes that hit 25.00%'
holds 'saved: stats, absorbed' 'page writes absorbed without an eviction 99.95%'
holds 'saved: stats, pages per eviction' 'pages per eviction 4.50'
holds 'saved: stats, share of prefetched pages' 'DRAM that prefetched pages hold 10.00%'
holds 'saved: stats, patterns per window' 'patterns per mined window 7.50'
holds 'saved: stats, flushed per written' 'pages flushed per page written 0.50'
holds 'saved: stats, latency' 'read 1000 75.2 73.7 81.9 98.3 122.9 123.5 110.0'
holds 'saved: stats, no latency' 'write 0 - - - - - - -'
holds 'saved: stats, one that this tool does not know' 'brand_new_too 12'
holds 'saved: stats, of a policy' 'Replacement cflru:window=30'
[ -z "$err" ] && [[ $out != *$'\033'* ]]
result "$?" 'saved: stats to a file has no escapes'

run get c0 --sysfs "$saved"
holds 'saved: get, a core key' \
	'flush_interval_s 30 s 0 0..86400 flush all dirty pages this often; 0: never'
holds 'saved: get, a policy key' \
	'replacement.window 30 percent 50 1..100 DRAM share, at the cold end, in which clean pages leave first'
holds 'saved: get, a key that this tool does not know' 'brand_new 7'
holds 'saved: get, a spec' 'admission read-write'
for key in window replacement.window; do
	expect "saved: get $key" 0 30 get c0 "$key" --sysfs "$saved"
done
expect 'saved: get replacement' 0 cflru:window=30 get c0 replacement --sysfs "$saved"
for key in dram dram_bytes frames state; do
	expect "saved: get: $key is no setting" 2 "get: $key is no setting: 'ssdcachectl list' shows sizes" get c0 "$key" --sysfs "$saved"
done
expect 'saved: get, near miss' 2 "c0 has no key 'windw': did you mean 'window'?" \
	get c0 windw --sysfs "$saved"
expect 'saved: get, far miss' 2 "c0 has no key 'x': there are replacement, admission, prefetch, " \
	get c0 x --sysfs "$saved"
expect 'saved: get, wrong kind' 2 "has no key 'admission.window'" \
	get c0 admission.window --sysfs "$saved"

run policies --sysfs "$saved"
holds 'saved: policies, from another module' 'mine evicts what I like'
holds 'saved: policies, only there' '[only in the running kernel]'
holds 'saved: policies, not there' '[not in the running kernel]'
expect 'saved: a spec that only the kernel knows' 0 'replacement mine:depth=3' \
	create c0 --origin /dev/x --size 1m --dry-run --unchecked --replacement mine:depth=3

# json NAME EXPRESSION: the last output is JSON (d) for which the expression holds.
json() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval("(" + sys.argv[2] + ")"))' "$scratch/out" "$2" 2>"$scratch/err"
	result "$?" "$1" "$2
$(<"$scratch/out")
$(<"$scratch/err")"
}

run list --json --sysfs "$saved"
json 'saved: list --json' 'd["schema"] == 1 and [x["name"] for x in d["devices"]] == ["c0", "zebra"]
	and d["devices"][0]["dirty"] == 4096 and d["devices"][0]["dram_bytes"] == 67108864'
run list --json --sysfs "$scratch"
json 'saved: list --json without devices' 'd == {"schema": 1, "devices": []}'
run policies --json --sysfs "$saved"
json 'saved: policies --json' 'd["schema"] == 1 and {p["name"]: (p["built_in"], p["in_kernel"])
	for p in d["policies"] if p["name"] in ("lru", "lfu", "mine")} ==
	{"lru": (True, True), "lfu": (True, False), "mine": (False, True)}'
json 'saved: policies --json, tunables' '[t for p in d["policies"] if p["name"] == "cflru"
	for t in p["tunables"]][0]["max"] == 100'
run policies --json --sysfs "$scratch"
json 'saved: policies --json without devices' \
	'len(d["policies"]) >= 9 and all(p["in_kernel"] is None for p in d["policies"])'

run stats c0 --json --sysfs "$saved"
json 'saved: stats --json, facts' 'd["schema"] == 1 and d["name"] == "c0" and d["device"] == "dm-0"
	and d["frames"] == 16384 and d["replacement"] == "cflru:window=30"'
json 'saved: stats --json, params' 'd["params"]["flush_interval_s"] == 30 and
	d["params"]["dram_mode"] == "volatile" and d["params"]["replacement"] == {"window": 30}'
json 'saved: stats --json, stats' 'd["stats"]["write_pages"] == 4000 and
	d["stats"]["replacement"]["window_hits"] == 5 and d["stats"]["brand_new_too"] == 12'
json 'saved: stats --json, ratios' 'd["ratios"]["read_hit"] == 0.75 and
	d["ratios"]["pages_per_eviction"] == 4.5 and d["ratios"]["hits_per_prefetch"] == 0.75 and
	d["ratios"]["patterns_per_window"] == 7.5'
json 'saved: stats --json, latency' 'd["latency"]["read"]["p999_ns"] == 122879 and
	d["latency"]["read"]["histogram"] == [[65536, 73727, 600], [73728, 81919, 399],
	[4123168604160, None, 1]] and d["latency"]["write"]["histogram"] == []'
run stats c0 --json --watch 0.1 --count 3 --sysfs "$saved"
[ "$(wc -l <"$scratch/out")" = 3 ] && python3 -c 'import json, sys
[json.loads(line) for line in open(sys.argv[1])]' "$scratch/out"
result "$?" 'saved: stats --json --watch is one object a line' "$(detail)"

run stats c0 --csv --watch 0.1 --count 3 --sysfs "$saved"
python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 3
for row in rows:
    assert None not in row and None not in row.values()
    assert row["name"] == "c0" and row["replacement"] == "cflru:window=30"
    assert row["reads"] == "1000" and row["replacement.window_hits"] == "5"
    assert row["read_hit"] == "0.750000" and row["read_p99_ns"] == "98303"
times = [float(row["time"]) for row in rows]
# Looks are due every 0.1 s from the first one on; a late one does not delay the next.
assert times == sorted(times) and times[2] - times[0] > 0.15, times' "$scratch/out" 2>>"$scratch/err"
result "$?" 'saved: stats --csv --watch' "$(<"$scratch/out")
$(<"$scratch/err")"

# The statistics include the reserve, which is above the frames.
attribute dm-0 stats/used 16400
attribute dm-0 stats/dirty 16390
run list --sysfs "$saved"
holds 'saved: list, DRAM that is full' 'c0 /dev/nullb0 64m 100.0% 100.0% ok cflru:window=30 read-write none'
if [ -n "$(type -P script)" ]; then
	attribute dm-0 origin "/dev/mapper/$(printf 'x%.0s' {1..80})"
	attribute dm-0 state read-only
	TERM=xterm timeout 20 script -qec "stty cols 80 rows 24; $ctl stats c0 --watch 0.1 --count 1 --sysfs $saved" /dev/null </dev/null >"$scratch/screen"
	grep -q '=used 100.0%' "$scratch/screen" && grep -q '#dirty 100.0%' "$scratch/screen" && ! grep -q '100\.1%' "$scratch/screen"
	result "$?" 'saved: stats --watch on a terminal, DRAM that is full' "$(cat -v "$scratch/screen")"
	grep -q 'c0 (dm-0): state read-only, 64m of DRAM over /dev/mapper/x' "$scratch/screen"
	result "$?" 'saved: stats --watch on a terminal, the state before a long origin' "$(cat -v "$scratch/screen")"
	grep -q 'pages per eviction *- *4\.50' "$scratch/screen"
	result "$?" 'saved: stats --watch on a terminal, quotients have two decimals' "$(cat -v "$scratch/screen")"
	attribute dm-0 origin /dev/nullb0
	attribute dm-0 state ok
else
	skip "saved: stats --watch on a terminal, full DRAM and a long origin" "no script"
fi
attribute dm-0 stats/used 8192
attribute dm-0 stats/dirty 4096

# With a prefetcher, its statistics come first, so that a live view shows them.
attribute dm-1 prefetch pattern
run stats zebra --watch 0.1 --count 2 --sysfs "$saved"
before=${out%%Now*}
[[ $before == *"Prefetch pattern"*mined_patterns* && $before == *"DRAM that prefetched pages hold"*10.00%* ]]
result "$?" 'saved: stats --watch with a prefetcher' "$(detail)"
attribute dm-1 prefetch none
run stats zebra --sysfs "$saved"
[[ ${out%%Now*} != *mined_patterns* && $out == *mined_patterns* ]]
result "$?" 'saved: stats without a prefetcher' "$(detail)"

# An ssdflash besides the caches.
flash_device dm-3 f0
run list --sysfs "$saved"
holds 'saved: list, header of caches' 'NAME ORIGIN DRAM USED DIRTY STATE REPLACEMENT ADMISSION PREFETCH'
holds 'saved: list, header of flash devices' \
	'NAME ORIGIN PROFILE CHANNELS DIES PAGE AMPLIFICATION BUSY STATE'
holds 'saved: list, a flash device' 'f0 /dev/nullb1 s002 12 24 8k 1.25 12.5% ok'
[ "$(wc -l <<<"$out")" = 6 ] && [ -z "$(sed -n 4p <<<"$out")" ]
result "$?" 'saved: list has a table for each target' "$(detail)"
target=ssdflash attribute dm-3 stats/write_amplification 0
run list --sysfs "$saved"
holds 'saved: list, a flash device that is not used' 'f0 /dev/nullb1 s002 12 24 8k - 12.5% ok'
target=ssdflash attribute dm-3 stats/write_amplification 1250
run list --json --sysfs "$saved"
json 'saved: list --json, both targets' '[(x["name"], x["target"]) for x in d["devices"]] == [
	("c0", "ssdcache"), ("f0", "ssdflash"), ("zebra", "ssdcache")]'
json 'saved: list --json, a flash device' 'd["devices"][1] == {"name": "f0", "device": "dm-3",
	"target": "ssdflash", "origin": "/dev/nullb1", "origin_number": "/dev/nullb1", "state": "ok",
	"memory_bytes": 1234, "last_error": "", "profile": "s002", "inflight": 3,
	"write_amplification": 1250, "utilisation": 125}'

run stats f0 --prometheus --sysfs "$saved"
promtool_accepts "a flash device"
holds "saved: stats of flash --prometheus, a time" 'ssdflash_channel_busy_seconds_total{device="f0",channel="11"} 0.000011000'
holds "saved: stats of flash --prometheus, a quotient" 'ssdflash_write_amplification{device="f0"} 1.250'
run stats f0 --sysfs "$saved"
holds 'saved: stats of flash, head' \
	'f0 (dm-3): flash of 12 channels, 24 dies over /dev/nullb1, pages of 8k, state ok'
holds 'saved: stats of flash, profile' 'profile s002'
holds 'saved: stats of flash, amplification' \
	'write amplification: programs per host page 1.25'
holds 'saved: stats of flash, a quotient' \
	'write_amplification 1.250 flash pages programmed per page programmed for the host'
holds 'saved: stats of flash, moved pages' 'pages moved per block collected 50.00'
holds 'saved: stats of flash, blocked reads' 'page reads that met a program, erase or GC 25.00%'
holds 'saved: stats of flash, stalled writes' 'page writes that waited for a free block 1.00%'
holds 'saved: stats of flash, latency' 'read 1000 75.2 73.7 81.9 98.3 122.9 123.5 110.0'
holds 'saved: stats of flash, a counter' 'host_bytes_read 8,192,000 bytes read by the host'
holds 'saved: stats of flash, a group' 'Garbage collection'
holds 'saved: stats of flash, one that this tool does not know' 'brand_new_too 12'
holds 'saved: stats of flash, a channel' '11 11,000 ns time in which it transferred'
[[ $out != *DRAM* && $out != *Replacement* ]]
result "$?" 'saved: stats of flash has nothing of a cache' "$(detail)"
run stats f0 --json --sysfs "$saved"
json 'saved: stats of flash --json' 'd["target"] == "ssdflash" and d["schema"] == 1 and
	d["profile"] == "s002" and "replacement" not in d and "dram_bytes" not in d and
	d["params"] == {"channels": 12, "chips": 1, "dies": 2, "planes": 2, "page_bytes": 8192,
	"read_ns": 45000, "allocation": "dynamic"} and d["stats"]["host_reads"] == 1000 and
	d["latency"]["read"]["p999_ns"] == 122879'
json 'saved: stats of flash --json, ratios' 'd["ratios"] == {"programs_per_write": 1.25,
	"moved_per_collected": 50, "blocked_read": 0.25, "stalled_write": 0.01,
	"write_amplification": 1.25, "utilisation": 0.125}'
json 'saved: stats of flash --json, channels in order' \
	'list(d["stats"]["channel_busy_ns"].items()) == [(str(n), 1000 * n) for n in range(12)]'
run stats f0 --csv --sysfs "$saved"
python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 1
row = rows[0]
assert None not in row and None not in row.values() and len(row) == len(set(row))
assert row["name"] == "f0" and row["profile"] == "s002" and row["host_reads"] == "1000"
assert row["channel_busy_ns.11"] == "11000" and row["programs_per_write"] == "1.250000"
assert row["write_amplification"] == "1.250" and row["utilisation"] == "0.125"
assert row["read_p99_ns"] == "98303" and "replacement" not in row' "$scratch/out" 2>>"$scratch/err"
result "$?" 'saved: stats of flash --csv' "$(<"$scratch/out")
$(<"$scratch/err")"
flash_device dm-4 a0
expect 'saved: policies asks an ssdcache, not an ssdflash' 0 'evicts what I like' policies --sysfs "$saved"
rm -r "$saved/block/dm-4"
run get f0 --sysfs "$saved"
holds 'saved: get, of flash' 'read_ns 45000 ns 75000 1..1000000000 array read of a page (of the first page type, if there are several)'
holds 'saved: get, profile' 'profile s002'
expect 'saved: get, one of flash' 0 dynamic get f0 allocation --sysfs "$saved"
expect 'saved: get profile' 0 s002 get f0 profile --sysfs "$saved"
expect 'saved: get, a key that only a cache has' 2 "f0 has no key 'replacement': there are profile, " \
	get f0 replacement --sysfs "$saved"

# watch DEVICE CHANGE: two looks at statistics, between which CHANGE is called.
watch() {
	local waits=0

	: >"$scratch/out"
	started=$EPOCHREALTIME
	"$ctl" stats "$1" --watch 2 --count 2 --sysfs "$saved" >"$scratch/out" &
	watcher=$!
	until [ -s "$scratch/out" ] || [ $((waits++)) = 200 ]; do
		sleep 0.05
	done
	"$2"
	wait "$watcher"
	code=$?
	took="$EPOCHREALTIME - $started"
	out=$(<"$scratch/out")
}

# is_rate RATE GREW: the looks are at least two seconds apart, and less than the command took.
is_rate() {
	awk -v rate="$1" -v grew="$2" -v took="$took" 'BEGIN {
		split(took, at, " - ")
		exit !(rate <= grew / 2 + 0.05 && rate >= grew / (at[1] - at[2]) - 0.05)
	}'
}

transfer() {
	local target=ssdflash

	attribute dm-3 stats/channel_busy_ns/3 100003000
	attribute dm-3 stats/gc_programs 1500
	attribute dm-3 stats/host_programs 3000
}
watch f0 transfer
is_rate "$(sed -n 's/^  3 *100,003,000 ns *\([0-9.]*\)\/s$/\1/p' <<<"$out")" 100000000
result "$?" 'saved: stats --watch shows how busy a channel is' "$(detail)"
grep -qE '^  write amplification: programs per host page +2\.00 +1\.50$' <<<"$out"
result "$?" 'saved: stats --watch shows write amplification of the interval' "$(detail)"

# Rows of numbers.
attribute dm-0 admission l-corw
attribute dm-0 stats/admission/q_000 '1 2 3 4 5 6 7 800000000000'
run stats c0 --json --sysfs "$saved"
json 'saved: stats --json, a row of numbers' \
	'd["stats"]["admission"] == {"q_000": [1, 2, 3, 4, 5, 6, 7, 800000000000]}'
run stats c0 --sysfs "$saved"
holds 'saved: stats, a row of numbers' \
	'q_000 1 2 3 4 5 6 7 800000000000 ps/MiB -Q of actions 1 to 8 in state 000'
run policies --json --sysfs "$saved"
json 'saved: policies --json, a row of numbers' '[s["numbers"] for p in d["policies"]
	if p["name"] == "l-corw" for s in p["stats"] if s["name"] in ("state", "q_000")] == [1, 8]'
attribute dm-0 admission read-write
rm -r "$saved/block/dm-0/ssdcache/stats/admission"

write_more() {
	attribute dm-0 stats/writes 2500
	attribute dm-0 stats/write_pages 4500
	attribute dm-0 stats/write_hits 1500
}
watch c0 write_more
is_rate "$(sed -n 's/^  writes *2,500 requests *\([0-9.]*\)\/s$/\1/p' <<<"$out")" 500
result "$?" 'saved: stats --watch shows rates' "$(detail)"
grep -qE '^  page writes that hit +100\.00% +33\.33%$' <<<"$out"
result "$?" 'saved: stats --watch shows ratios of the interval and of all' "$(detail)"

# On a terminal of 80 columns and 24 rows, all of it fits: in lines that are not wrapped, and without the last row, which would scroll.
on_terminal() {
	TERM=xterm timeout 20 script -qec "stty cols 80 rows 24; $ctl stats $* --watch 0.2 --count 2 --sysfs $saved" /dev/null </dev/null |
		sed 's/\r$//'
}
if [ -n "$(type -P script)" ]; then
	for name in c0 f0; do
		on_terminal "$name" >"$scratch/screen"
		awk '{ sub(/.*\033\[J/, ""); if (length($0) > 79) wide++ } END { exit !(NR > 30 && NR <= 46 && !wide) }' "$scratch/screen"
		result "$?" "saved: stats --watch of $name fits into 80 x 24" "$(cat -v "$scratch/screen")"
	done
	on_terminal c0 >"$scratch/screen"
	out=$(<"$scratch/screen")
	grep -qE '^DRAM \[[#=.]{40}\] #dirty [0-9.]+% =used [0-9.]+%$' "$scratch/screen" && grep -qE '^reads +[0-9.]+ +1000 +read hits ' "$scratch/screen"
	result "$?" "saved: stats --watch on a terminal shows rates, ratios and DRAM" "$(cat -v "$scratch/screen")"
	TERM=xterm timeout 20 script -qec "stty cols 40 rows 10; $ctl stats c0 --watch 0.1 --count 1 --sysfs $saved" /dev/null </dev/null |
		sed $'s/\033\\[[HJK]//g' | tr -d '\r' >"$scratch/screen"
	[ "$(wc -l <"$scratch/screen")" = 9 ] && [ "$(wc -L <"$scratch/screen")" = 40 ]
	result "$?" "saved: stats --watch on a narrow terminal wraps no line" "$(cat -v "$scratch/screen")"
else
	skip "saved: stats --watch on a terminal" "no script"
fi

# until_lines FILE LINES: until FILE has so many, or the watcher has ended
until_lines() {
	until [ "$(wc -l <"$1")" -ge "$2" ] || ! kill -0 "$watcher" 2>/dev/null; do
		sleep 0.02
	done
}

# csv_of_change FILE COMMAND...: rows of zebra from before COMMAND, and at least one that began afterwards
csv_of_change() {
	local file=$1 lines

	shift
	: >"$scratch/rows"
	"$ctl" stats zebra --csv --watch 0.1 --sysfs "$saved" >"$scratch/rows" &
	watcher=$!
	until_lines "$scratch/rows" 2
	"$@"
	lines=$(($(wc -l <"$scratch/rows") + 2))
	until_lines "$scratch/rows" $lines
	kill "$watcher"
	wait "$watcher" 2>/dev/null
	head -n $lines "$scratch/rows" >"$file"
}

# A switched policy: its columns become empty, the others stay.
csv_of_change "$scratch/out" rm -r "$saved/block/dm-1/ssdcache/stats/replacement"
python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [rows[i]["replacement.window_hits"] for i in (0, -1)] == ["5", ""], rows
assert {row["reads"] for row in rows} == {"1000"}' "$scratch/out" 2>"$scratch/err"
result "$?" 'saved: stats --csv --watch when a policy is switched' "$(<"$scratch/err")"

# A cache that begins to choose its policies: the columns stay.
rm -f "$saved/block/dm-1/ssdcache/auto"
csv_of_change "$scratch/out" attribute dm-1 auto auto
csv_of_change "$scratch/auto" rm "$saved/block/dm-1/ssdcache/auto"
python3 -c 'import csv, sys
for name, column in zip(sys.argv[1:], (False, True)):
    rows = list(csv.reader(open(name)))
    assert len(rows) > 3 and {len(row) for row in rows} == {len(rows[0])}, [len(row) for row in rows]
    assert ("auto" in rows[0]) is column, rows[0]
    assert not column or [rows[i][rows[0].index("auto")] for i in (1, -1)] == ["auto", ""], rows' \
	"$scratch/out" "$scratch/auto" 2>"$scratch/err"
result "$?" 'saved: stats --csv --watch when the cache begins or ends to choose' "$(<"$scratch/err")"

# A watcher that is stopped goes on at its pace: rows come one at a time.
"$ctl" stats zebra --csv --watch 0.1 --count 10 --sysfs "$saved" >"$scratch/out" &
watcher=$!
until [ "$(wc -l <"$scratch/out")" -ge 2 ]; do sleep 0.01; done
kill -STOP "$watcher"
sleep 2
kill -CONT "$watcher"
wait "$watcher"
python3 -c 'import csv, sys
times = [float(row["time"]) for row in csv.DictReader(open(sys.argv[1]))]
assert len(times) == 10 and times[-1] - times[2] >= 0.45, times' "$scratch/out" 2>"$scratch/err"
result "$?" 'saved: stats --watch after a stop leaves out what it missed' "$(<"$scratch/err")"

# Another device that got the number of the one that went away.
: >"$scratch/out"
"$ctl" stats zebra --csv --watch 0.2 --sysfs "$saved" >"$scratch/out" 2>"$scratch/err" &
watcher=$!
until_lines "$scratch/out" 2
echo other >"$saved/block/dm-1/dm/name"
for ((i = 0; i < 100; i++)); do
	kill -0 "$watcher" 2>/dev/null || break
	sleep 0.1
done
kill "$watcher" 2>/dev/null
wait "$watcher"
code=$?
[ "$code" = 1 ] && [ "$(<"$scratch/err")" = 'ssdcachectl: stats: zebra is gone' ]
result "$?" 'saved: stats --watch when another device has got the number' "$(<"$scratch/err")"
echo zebra >"$saved/block/dm-1/dm/name"

# A device that goes away.
: >"$scratch/out"
"$ctl" stats zebra --csv --watch 0.2 --sysfs "$saved" >"$scratch/out" 2>"$scratch/err" &
watcher=$!
until_lines "$scratch/out" 2
rm -r "$saved/block/dm-1"
wait "$watcher"
code=$?
[ "$code" = 1 ] && [ "$(<"$scratch/err")" = 'ssdcachectl: stats: zebra is gone' ]
result "$?" 'saved: stats --watch when the device goes' "$(<"$scratch/err")"

# The lock is shown once it has been measured.
for row in "count 0" "sum_ns 0" "longest 0 none" "write 0 0" "page_ended 0 0" "histogram 0 0 0 0"; do
	attribute dm-0 "stats/holds/${row%% *}" "${row#* }"
done
run stats c0 --sysfs "$saved"
[[ $code = 0 && $out != *"Holds of the lock"* ]]
result "$?" 'saved: stats without holds' "$(detail)"
for row in "count 1203" "sum_ns 3500" "longest 6 page_ended" "write 1200 5" "page_ended 3 6" "histogram 0 0 3 1200"; do
	attribute dm-0 "stats/holds/${row%% *}" "${row#* }"
done
run stats c0 --sysfs "$saved"
holds 'saved: stats: the longest hold' 'longest 6 page_ended'
holds 'saved: stats: buckets of holds' '2 3 holds'
holds 'saved: stats: buckets of holds, the last' '4 1,200 holds'
holds 'saved: stats: who held' 'write 1200 5 holds, ns by steps of host writes'
run stats c0 --json --sysfs "$saved"
json 'saved: stats --json: holds' 'd["stats"]["holds"] == {"write": [1200, 5], "page_ended": [3, 6], "count": 1203,
	"sum_ns": 3500, "histogram": [0, 0, 3, 1200], "longest": "6 page_ended"}'
run stats c0 --prometheus --sysfs "$saved"
promtool_accepts "how long the lock is held"
holds 'saved: stats --prometheus: holds' 'ssdcache_holds_write_total{device="c0",index="1"} 5'
holds 'saved: stats --prometheus: the longest hold' '# HELP ssdcache_holds_longest the longest hold of the lock; unit: ns'
[[ $(sed -n '/ssdcache_holds/s/^# HELP //p' "$scratch/out") != *'another version'* ]]
result "$?" 'saved: stats --prometheus: all of holds is known' "$(detail)"
holds 'saved: stats --prometheus: short holds' 'ssdcache_hold_seconds_bucket{device="c0",le="6.4e-08"} 1203'
holds 'saved: stats --prometheus: holds without an end' 'ssdcache_hold_seconds_bucket{device="c0",le="+Inf"} 1203'
holds 'saved: stats --prometheus: the sum of holds' 'ssdcache_hold_seconds_sum{device="c0"} 0.000003500'
holds 'saved: stats --prometheus: the number of holds' 'ssdcache_hold_seconds_count{device="c0"} 1203'

attribute dm-0 schema 2
expect 'saved: another schema' 1 \
	'interface is of schema 2, this tool knows 1: use the ssdcachectl that came with the module' \
	stats c0 --sysfs "$saved"
attribute dm-0 schema 1

# ---- a cache that chooses its policies ----

device dm-7 chooser
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,period=100,hysteresis=5
while read -r name value; do
	attribute dm-7 "stats/$name" "$value"
done <<-'TABLE'
	auto/requests 1234
	auto/periods 12
	auto/few 1
	auto/kept 9
	auto/switches 2
	auto/failed 0
	auto/records 400
	auto/known 1250
	auto/candidates lru/read-write cflru:window=30/read-write lru/write-buffer
	auto/live cflru:window=30/read-write
	auto/cost 20000 16000 10000
	auto/period_cost 30000 12000 11000
	auto/live_requests 200 1034 0
	shadow/sampled_ppm 500000 510000 450000
	shadow/rate_ppm 62500 62500 62500
TABLE
attribute dm-7 stats/auto/decisions "100 1 0 0 9 9 9" "200 1 0 1 20 10 30" "1100 2 1 1 20 10 30"
"$ctl" advise --live chooser --sysfs "$saved" >"$scratch/live" 2>&1
is "live: the answer" "With 64m of DRAM: lru, write-buffer, 10.0 us; cflru:window=30, read-write, which is live: 16.0 us." \
	"$(grep ^With "$scratch/live")"
is "live: goal" "goal: mean response of reads and writes" "$(grep ^goal "$scratch/live")"
is "live: a row of the table" "       64m               10.0     0.4500         1.60  lru, write-buffer" "$(grep '64m  ' "$scratch/live")"
is "live: a candidate" "cflru:window=30, read-write ~12.0 ~16.0 0.5100 live" "$(grep '^cflru' "$scratch/live" | xargs)"
is "live: a change" "at request 200: from lru, read-write to cflru:window=30, read-write" "$(grep 'at request' "$scratch/live" | xargs)"
is "live: the command" "ssdcachectl set chooser replacement lru" "$(grep 'set chooser replacement' "$scratch/live" | xargs)"
attribute dm-7 stats/auto/cost "20000 16000 0"
is "live: nothing is a multiple of a cost of 0" "64m 0.0 0.4500 - lru, write-buffer" \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep '64m  ' | xargs)"
attribute dm-7 stats/auto/cost "20000 16000 15000"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,change=off
is "live: auto does not change" \
	"The difference of 6.2 % may be chance: as the sample knows 1250 requests, auto would change, with change=on, for 52.5 % or more." \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep chance)"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer
is "live: auto changes" "The difference of 6.2 % may be chance: as the sample knows 1250 requests, auto changes for 52.5 % or more." \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep chance)"
attribute dm-7 stats/auto/known 200
is "live: at first auto asks for more" "for 84.5 % or more" "$("$ctl" advise --live chooser --sysfs "$saved" | grep -o 'for 8.* or more')"
attribute dm-7 stats/auto/known 50000
is "live: more than the memory makes nothing surer" "for 17.0 % or more" "$("$ctl" advise --live chooser --sysfs "$saved" | grep -o 'for 1.* or more')"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,goal=flash-writes
attribute dm-7 stats/auto/known 1
is "live: written pages are known, not requests" "as the sample knows 1 written page, auto changes for 100.0 % or more." \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep -o 'as the sample.*')"
attribute dm-7 stats/auto/known 1250
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer
attribute dm-7 stats/auto/cost "20000 16000 5000"
is "live: auto is not sure yet" "auto has not changed to it yet: more decisions must show the difference." \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep yet)"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,change=off
is "live: with change=off auto need not be sure" "" "$("$ctl" advise --live chooser --sysfs "$saved" | grep 'yet\|chance')"
attribute dm-7 stats/auto/cost "20000 16000 10000"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,period=100,hysteresis=5
is "live: the same with =" "" "$("$ctl" advise --live=chooser --sysfs "$saved" | diff - "$scratch/live")"
# What is not chosen stays as it is: a policy or a scheme may have been tuned since the choice began.
attribute dm-7 stats/auto/candidates "lru/read-write cflru:window=30/read-write mq-ssd/read-write"
is "live: the scheme stays" "ssdcachectl set chooser replacement mq-ssd" "$("$ctl" advise --live chooser --sysfs "$saved" | grep ' set ' | xargs)"
attribute dm-7 auto_admission auto
is "live: both are chosen" "ssdcachectl set chooser replacement mq-ssd ssdcachectl set chooser admission read-write" \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep ' set ' | xargs)"
attribute dm-7 auto off
attribute dm-7 stats/auto/candidates "cflru:window=30/read-write cflru:window=30/l-corw cflru:window=30/write-buffer"
is "live: the policy stays" "ssdcachectl set chooser admission write-buffer" "$("$ctl" advise --live chooser --sysfs "$saved" | grep ' set ' | xargs)"
attribute dm-7 stats/auto/candidates "lru/read-write cflru:window=30/read-write lru/write-buffer"
attribute dm-7 auto auto:candidates=lru+cflru:window=30+lru/write-buffer,period=100,hysteresis=5
rm "$saved/block/dm-7/ssdcache/auto_admission"
is "auto: in text" "1" "$("$ctl" stats chooser --sysfs "$saved" | grep -c '^  auto  *auto:candidates=')"
is "auto: in a list" "auto: cflru:window=30" "$("$ctl" list --sysfs "$saved" | grep ^chooser | awk '{ print $7, $8 }')"
is "auto: in a list as JSON" "auto:candidates=lru+cflru:window=30+lru/write-buffer,period=100,hysteresis=5 cflru:window=30" \
	"$("$ctl" list --json --sysfs "$saved" | jq -r '.devices[] | select(.name == "chooser") | "\(.auto) \(.replacement)"')"
is "auto: a row of candidates" "cost 20000 16000 10000" "$("$ctl" stats chooser --sysfs "$saved" | grep '^  cost ' | xargs | cut -d' ' -f1-4)"
is "auto: in JSON" "auto:candidates=lru+cflru:window=30+lru/write-buffer,period=100,hysteresis=5 2 62500" \
	"$("$ctl" stats chooser --json --sysfs "$saved" | jq -r '"\(.auto) \(.stats.auto.switches) \(.stats.shadow.rate_ppm[2])"')"
is "auto: for Prometheus" 'ssdcache_auto_live_requests_total{device="chooser",candidate="cflru:window=30/read-write"} 1034' \
	"$("$ctl" stats chooser --prometheus --sysfs "$saved" | grep 'live_requests_total.*1034')"
run stats chooser --prometheus --sysfs "$saved"
promtool_accepts "a cache that chooses its policies"
# Names that are long together, and names that are long.
before=$(<"$saved/block/dm-7/ssdcache/stats/auto/candidates")
printf -v long ',period_ms=%d' {1001..1016}
attribute dm-7 stats/auto/candidates "lru/corw-1:${long#,} cflru:window=30/read-write mine/corw-1:${long#,}"
is "auto: long names for Prometheus" \
	"ssdcache_auto_live_requests_total{device=\"chooser\",candidate=\"mine/corw-1:${long#,}\"} 0" \
	"$("$ctl" stats chooser --prometheus --sysfs "$saved" | grep 'live_requests_total.*mine')"
is "live: long names" "ssdcachectl set chooser admission corw-1:${long#,}" \
	"$("$ctl" advise --live chooser --sysfs "$saved" | grep 'set chooser admission' | xargs)"
# A kernel with pages of 64 KiB shows more than 4 KiB.
printf -v long ',period_ms=%d' {1..19}
printf -v names "replacement-%d/corw-1:${long#,} " {1..16}
attribute dm-7 stats/auto/candidates "${names% }"
attribute dm-7 stats/auto/cost "$(seq -s ' ' 16)"
is "auto: names of more than 4 KiB for Prometheus" "ssdcache_auto_cost{device=\"chooser\",candidate=\"replacement-16/corw-1:${long#,}\"} 16" \
	"$("$ctl" stats chooser --prometheus --sysfs "$saved" | grep '^ssdcache_auto_cost.*} 16$')"
attribute dm-7 stats/auto/cost "20000 16000 10000"
# Where the names cannot be read, as they exceed a page, or are too few: a policy was changed meanwhile.
rm "$saved/block/dm-7/ssdcache/stats/auto/candidates"
run stats --prometheus --sysfs "$saved"
prometheus_reads "prometheus: candidates without names"
holds "prometheus: a candidate without a name has its number" 'ssdcache_auto_cost{device="chooser",candidate="2"} 10000'
attribute dm-7 stats/auto/candidates "lru/read-write"
run stats --prometheus --sysfs "$saved"
prometheus_reads "prometheus: fewer names than candidates"
attribute dm-7 stats/auto/candidates "$before"
attribute dm-7 stats/auto/kept 0
attribute dm-7 stats/auto/switches 0
is "live: no decision yet, as the sample is too small" \
	"ssdcachectl: advise: chooser has decided nothing yet: of 1234 requests, the sample has too few reads and writes" \
	"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
attribute dm-7 auto auto:goal=flash-writes
is "live: no decision yet, as the sample has few writes" \
	"ssdcachectl: advise: chooser has decided nothing yet: of 1234 requests, the sample has too few writes" \
	"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
attribute dm-7 stats/auto/few 0
is "live: no decision yet, as the shadows are behind" \
	"ssdcachectl: advise: chooser has decided nothing yet: a period has ended, and the shadows are still at work on its sample" \
	"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
attribute dm-7 stats/auto/periods 0
attribute dm-7 stats/auto/requests 34
is "live: no decision yet, as no period has ended" "ssdcachectl: advise: chooser has decided nothing yet: 34 requests, and a period has 100" \
	"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
attribute dm-7 stats/auto/kept 1
attribute dm-7 stats/auto/cost "1 2"
grep -q "does not say what its shadows know" <<<"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
result $? "live: a row is too short"
attribute dm-7 auto off
grep -q "chooser has no shadows: 'ssdcachectl set chooser replacement auto'" <<<"$("$ctl" advise --live chooser --sysfs "$saved" 2>&1)"
result $? "live: no choice"
is "auto: off is not in a list" "cflru:window=30" "$("$ctl" list --sysfs "$saved" | awk '$1 == "chooser" { print $7 }')"
is "auto: off is not shown" "null" "$("$ctl" stats chooser --json --sysfs "$saved" | jq .auto)"
"$ctl" advise --live nosuch --sysfs "$saved" >/dev/null 2>&1
is "live: no such device" 1 $?
rm -r "$saved/block/dm-7"
