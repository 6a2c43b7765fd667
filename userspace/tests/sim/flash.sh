# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Runs on the flash model, with a cache and without.

# 4 channels; a read takes 50 + 40.96 us, a program 40.96 + 500 us.
flash=custom:channels=4,chips=1,dies=1,planes=1,blocks=128,pages=16,page_bytes=4096,read_ns=50000,program_ns=500000
flash+=,erase_ns=2000000,transfer_ps=10000,over_provisioning=10,gc_threshold=0,gc_urgent=0,allocation=static

# Read misses past DRAM: 1 page; 4 pages, on 4 channels; page 0 and its neighbours on the same channel, 4 and 8.
trace R0 R:0+32 > "$scratch/trace"
is "flash: reads take array and transfer" "90960 90960" \
	"$("$sim" --json --closed --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys
l = json.load(sys.stdin)["latency"]["read"]; print(l["mean_ns"], l["max_ns"])')"
trace R:0+72 > "$scratch/trace"
is "flash: pages of a channel one after the other" "272880" \
	"$("$sim" --json --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["read"]["max_ns"])')"
trace W:0+8 W:8+8 > "$scratch/trace"
is "flash: quotients, in JSON and in text" "1000 1.0 write_amplification 1.000" \
	"$("$sim" --json --no-cache --flash $flash "$scratch/trace" | python3 -c 'import json, sys
f = json.load(sys.stdin)["flash"]; print(f["stats"]["write_amplification"], f["ratios"]["write_amplification"])') $(
	"$sim" --no-cache --flash $flash "$scratch/trace" | tr -s ' ' | sed -n 's/^ \(write_amplification .*\)/\1/p')"
# 16 frames: the 17th page has to wait for one that is written back.
is "flash: a victim takes a program" "540960" \
	"$(trace $(pages W 0 16) > "$scratch/trace"
		"$sim" --json --closed --dram 64k --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["write"]["max_ns"])')"
# 17 pages in three writes: page 0 makes room for 16, in a frame of its own; a sync pass goes by frames: 1 to 16 as one.
is "flash: what it did is reported" "17 1 1 2 dynamic" \
	"$(dynamic=${flash%,alloc*}
	"$sim" --json --flush-at-end --dram 64k --flash "${dynamic/erase_ns=2000000/erase_ns=5}" "$scratch/trace" |
		python3 -c 'import json, sys
f = json.load(sys.stdin)["flash"]; s = f["stats"]
print(s["host_programs"], s["write_amplification"] // 1000, len(f["channel_busy_ns"]) // 4, f["latency"]["write"]["count"],
      f["params"]["allocation"])')"
# A cache gives the device no hints. malloc() fills memory with 0x5a.
is "flash: writes of a cache are of stream 0" "[1, 0, 0, 0, 0, 0, 0, 0]" \
	"$(MALLOC_PERTURB_=165 "$sim" --json --closed --dram 64k --flash $flash,streams=4 "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["flash"]["stats"]["stream_programs"])')"
is "flash: policies see its state" "exact_views=1 estimated_views=0 exact_view=1" \
	"$(stats "exact_views estimated_views exact_view" --flash $flash -- $(pages W 0 16))"
is "no flash: policies get an estimate" "exact_views=0 estimated_views=1 exact_view=0" \
	"$(stats "exact_views estimated_views exact_view" -- $(pages W 0 16))"
# A read of 256 pages past DRAM keeps all units of the device busy for more than 1 ms.
is "--series: utilisation of the origin" "1000 1000" "$(
	trace R:0+2048 > "$scratch/trace"
	for origin in "--flash $flash" "--read-us 2000"; do
		# shellcheck disable=SC2086 # two words
		"$sim" --series "$scratch/series" --series-interval-ms 1 $origin "$scratch/trace" > /dev/null
		python3 -c 'import csv, sys
print(max(int(row["utilisation"]) for row in csv.DictReader(open(sys.argv[1]))))' "$scratch/series"
	done | paste -sd' ')"
is "flash: bad specs are refused" "1 2 3 4" "$(
	i=0
	for spec in s005 s002:channels=99 s002:colour=1 custom:blocks=12; do
		i=$((i + 1))
		"$sim" --flash $spec "$scratch/trace" 2> "$scratch/errors" > /dev/null
		[ $? = 2 ] && [ "$(wc -l < "$scratch/errors")" = 1 ] && grep -q -- "--flash: " "$scratch/errors" && echo $i
	done | paste -sd' ')"

# alone NAMES OPTION... -- WORD...: without a cache; mean_ns.OP or max_ns.OP, or a statistic.
alone() {
	local names=$1 options
	shift
	split_words "$@"
	"$sim" --no-cache --json --flash $flash "${options[@]}" "$scratch/trace" | python3 -c '
import json, sys
f = json.load(sys.stdin)["flash"]
print(*(f["latency"][word.split(".")[1]][word.split(".")[0]] if "." in word else f["stats"][word]
        for word in sys.argv[1:]))' $names
}
is "--no-cache: a write takes a program, a read array and transfer" "540960 90960" \
	"$(alone "mean_ns.write mean_ns.read" -- W0 R0)"
# Page 4 is being programmed for 41 us when its die gets a read of page 0: 5 + 90.96 us, and 2 us to go on.
is "--no-cache: a read interrupts a program" "95960 638920 1" \
	"$(alone "max_ns.read max_ns.write suspended_programs" --time-scale 0.082 \
		--flash "$flash,suspend=program,suspend_ns=5000,resume_ns=2000" -- W4 R0)"
# Pages 0, 4, 8 lie on one die. At once: 90.96, 181.92 and 272.88 us; one after the other: 90.96.
is "--no-cache: requests wait for each other at their times of arrival" "181920 272880" \
	"$(alone "mean_ns.read max_ns.read" --time-scale 0 -- R0 R4 R8)"
is "--no-cache --closed: they do not" "90960 90960" \
	"$(alone "mean_ns.read max_ns.read" --closed -- R0 R4 R8)"
# Twelve reads of one die, 90.96 us each.
is "--no-cache --depth: N requests in flight" "90960 181920 363840" "$(
	for depth in 1 2 4; do
		alone "max_ns.read" --depth $depth -- R0 R4 R8 R12 R16 R20 R24 R28 R32 R36 R40 R44
	done | paste -sd' ')"
is "--depth: N requests in flight" "90960 181920 363840" "$(
	for depth in 1 2 4; do
		trace R0 R4 R8 R12 R16 R20 R24 R28 R32 R36 R40 R44 > "$scratch/trace"
		"$sim" --json --depth $depth --flash $flash "$scratch/trace" |
			python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["read"]["max_ns"])'
	done | paste -sd' ')"
is "IOPS and MB/s" "10993.8 IOPS, 45.031 MB/s" \
	"$(trace R0 R4 > "$scratch/trace"; "$sim" --no-cache --closed --flash $flash "$scratch/trace" | grep IOPS)"
# A page of 8 sectors, of which the host writes 2.
is "both kinds of write amplification" "1000 4000" \
	"$(alone "write_amplification byte_amplification" -- W:0+2 W:8+2)"
# The flash device has 7372 pages of 8 sectors, not a multiple of 1 MiB.
is "a trace that fits is accepted" "2" "$(alone "count.read" -- R0 R:58968+8)"
refuses "refused: a trace that ends beyond the flash device" "a request ends at sector 58984" --no-cache --flash $flash \
	<(trace R0 R:58976+8)
is "--fold: addresses modulo the size" "1" "$(alone "trimmed_pages" --fold -- W:16+8 D:58992+8)"
is "--fold: a request across the end moves in front of the end" "1 0" \
	"$(alone "host_programs merge_reads" --fold -- W:58972+8)"
refuses "refused: --fold without a size" "--fold needs a size" --fold "$scratch/trace"
refuses "refused: --depth with --closed" "--depth has no meaning with --closed" --depth 2 --closed "$scratch/trace"
is "--no-cache: requests are not cut; FLUSH and discard arrive" "1 600 1 1" \
	"$(alone "count.read host_reads count.flush trimmed_pages" -- W0 R:0+4800 F D0)"
is "--no-cache: no cache in the report" "command flash run schema version" \
	"$("$sim" --no-cache --json --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; r = json.load(sys.stdin); print(*sorted(r.keys()))')"
refuses "refused: --no-cache without a flash device" "--no-cache needs a flash device" --no-cache \
	"$scratch/trace"
for option in --dram=1m --replacement=lru --read-us=5 --dram_mode=protected --verify \
	      --series="$scratch/series"; do
	refuses "refused: --no-cache ${option%%=*}" "${option%%=*} has no meaning with --no-cache" \
		--no-cache --flash s002 $option "$scratch/trace"
done
nr=0
for spec in s000 s001 s002 s003:blocks=256 s004 femu nvmevirt:blocks=256 siau19:blocks=64 huh20:blocks=64; do
	for policy in lru cflru-ef-sc; do
		# In turn, or both.
		[ -n "${SSDC_LONG-}" ] || [ $((++nr % 4 / 2)) = 0 ] || continue
		"$sim" --verify --dram 1m --page 8k --replacement $policy --admission read-write --flash $spec \
			--limit 1500 "$demo" > /dev/null
	done
done 2> "$scratch/errors"
is "flash: all profiles, data checked" "" "$(grep -v "gc_threshold \(10\|25\)" "$scratch/errors")"
is "flash: a threshold as large as the spare area raises a warning" "$([ -n "${SSDC_LONG-}" ] && echo 10 || echo 5)" "$(grep -c "cannot stay free" "$scratch/errors")"
