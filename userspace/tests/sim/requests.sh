# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Parts of pages, waits and their times, durability.

# ---- the reserve ----

# 16 frames, and by default 16 of the reserve. 48 writes within 48 ms evict 32 pages, and so wait for 32
# flushes, which take a second; 16 of the writes find no frame first.
is "reserve: a write waits for its victim, and first for a frame" "frame_waits=48 reserve_bytes=65536" \
	"$(stats "frame_waits reserve_bytes" --write-us 1000000 -- $(pages W 0 47))"
is "reserve: with a larger one, it waits for its victim only" "frame_waits=32 reserve_bytes=131072" \
	"$(stats "frame_waits reserve_bytes" --write-us 1000000 --reserve 128k -- $(pages W 0 47))"

# ---- parts of pages, several pages ----

is "a partly written page is completed before its flush" "fills=1 forced_flushed=1" \
	"$(stats "fills forced_flushed" -- W:3+1)"
is "two halves make a page" "write_hits=1 fills=0" "$(stats "write_hits fills" -- W:0+4 W:4+4)"
# Sector 3 is in DRAM; 0 to 2 and 4 to 7 are read from the origin.
is "a read around a written sector" "read_hits=0 bypassed_reads=2" \
	"$(stats "read_hits bypassed_reads" -- W:3+1 R0)"
# Page 0 has one valid sector. R0 uses it, so that W16 evicts page 1, and W0 hits. The last sector that R0
# reads is not valid.
is "a read of a partly valid page is a hit for the policy" "read_hits=0 write_hits=1 evictions=1" \
	"$(stats "read_hits write_hits evictions" --replacement lru -- W:3+1 $(pages W 1 15) R0 W16 W0)"
is "a read of a written sector" "read_hits=1 bypassed_reads=0" \
	"$(stats "read_hits bypassed_reads" -- W:3+1 R:3+1)"
is "the short page at the end of the origin is whole" "fills=0 forced_flushed=1" \
	"$(stats "fills forced_flushed" --origin-sectors 12 -- W:8+4)"
# Sectors 4 to 27 are half of page 0, pages 1 and 2, half of page 3.
is "a write across pages" "writes=1 write_pages=4 fills=2 forced_flushed=4" \
	"$(stats "writes write_pages fills forced_flushed" -- W:4+24)"
# Pages 2 and 3 are cached; 0, 1 and 4 are read in two pieces.
is "a read across cached and missing pages" "read_pages=5 read_hits=2 bypassed_reads=2" \
	"$(stats "read_pages read_hits bypassed_reads" -- W2 W3 R:0+40)"
# 3 MiB from sector 2000, to the middle of page 1018.
is "a request of 3 MiB is one request" "writes=1 write_pages=768 write_bytes=3145728" \
	"$(stats "writes write_pages write_bytes" -- W:2000+6144)"
is "and has one latency" 1 "$(latency write 2 -- W:2000+6144)"
# Sector 2048 is the first beyond 1 MiB. The write fills 8 of 16 frames with one request block; W252
# hits that block of 8 pages, more than delta, and splits. Two blocks of 4 would be small.
is "req-block: a request across 1 MiB is one block" "writes=2 write_pages=9 splits=1 upgrades=0" \
	"$(stats "writes write_pages splits upgrades" --replacement req-block -- W:2016+64 W252)"
# 8 pages are more than a block of 4, so sequential; two halves would be random.
is "vbbms: a request across 1 MiB is sequential" "random_writes=0 sequential_writes=1" \
	"$(stats "random_writes sequential_writes" --replacement vbbms -- W:2016+64)"
is "a read across 1 MiB is one read of the origin" "reads=1 bypassed_reads=1" \
	"$(stats "reads bypassed_reads" -- R:2016+64)"
# Of 5000 sectors each: 2048, 2048 and 904.
is "the engine reads at most 1 MiB at once" "reads=1 bypassed_reads=3" \
	"$(stats "reads bypassed_reads" -- R:2016+5000)"
is "a FUA write of 3 MiB is written, once" "writes=1 fua_writes=1 write_pages=768" \
	"$(stats "writes fua_writes write_pages" --dram 8m -- W:0+6144F)"
is "pages of 64k" "write_pages=2 fills=2 forced_flushed=2" \
	"$(stats "write_pages fills forced_flushed" --dram 1m --page 64k -- W:120+16)"

# ---- time ----

is "a read takes as long as the origin" 20.000 "$(latency read 8 --read-us 20 -- R0)"
is "a write does not" 0.000 "$(latency write 8 -- W0)"
is "unless all pages are dirty" 300.000 "$(latency write 8 --write-us 300 -- $fill W16)"
# The victim, page 0, is completed first: 20 us, then 300.
is "a partly written victim takes longer" 320.000 \
	"$(latency write 8 --read-us 20 --write-us 300 -- W:3+1 $(pages W 1 15) W16)"
is "copies take --dram-ns each" 2.500 "$(latency write 8 --dram-ns 1250 -- W:0+16)"
# 16 writes are at once, one waits for 75 us.
is "the mean of them" 4.411 "$(latency write 3 -- $fill W16)"

# Writes to 300000 pages at once. The device writes them at a constant rate, so the mean is half of the longest latency; all latencies together
# are more than 2^64 ns.
awk 'BEGIN {
	print "# ssdcache-trace 1"
	for (i = 0; i < 300000; i++)
		printf "0,W,%d,8,\n", i * 8
}' > "$scratch/trace"
is "latency: the mean of a backlog of days, and of its shadow" "50 50" "$(
	"$sim" --json --dram 64k --write-us 10000000 --shadow lru --shadow-sizes 100 "$scratch/trace" |
		jq -r '[(.latency.write.mean_ns, .shadow.candidates[0].sizes[0].response_ns) / .latency.write.max_ns * 100 | round] | join(" ")')"

# ---- time that is saved, or taken by plug-ins ----

is "saved time" "read_hits=1 write_hits=2 saved_us=4072" "$(stats "read_hits write_hits saved_us" -- W0 W0 W0 R0)"
is "saved time, with other latencies" "saved_us=210" \
	"$(stats saved_us --alpha_us 10 --beta_us 100 -- W0 W0 W0 R0)"
steps_ns() { # OPTION...: was any time of passes with mining counted?
	"$sim" --speed --prefetch pattern:window=64,mined=32,transaction=8 "$@" "$scratch/trace" 2> /dev/null |
		awk '$1 == "plugin_step_ns" { print ($2 > 0 ? "some" : "none") }'
}
reads=()
for i in {0..199}; do reads+=("R$((i % 8 * 8))"); done
trace "${reads[@]}" > "$scratch/trace"
is "the time of plug-ins' steps is measured with --time-steps only" "none some" "$(steps_ns) $(steps_ns --time-steps)"
"$sim" --json --prefetch pattern:window=64,mined=32,transaction=8 --read-us 900 "$scratch/trace" > "$scratch/json"
is "hits per prefetched page, late ones among them" "True True" "$(python3 -c 'import json, sys
of = json.load(sys.stdin)
stats = of["stats"]
print(stats["prefetch_late_hits"] > 0, of["ratios"]["hits_per_prefetch"] ==
      (stats["prefetch_hits"] + stats["prefetch_late_hits"]) / stats["prefetched_pages"])' < "$scratch/json")"

# ---- durability ----

is "FLUSH writes what is dirty" "flushes=1 forced_flushed=2 sync_passes=2 dirty=0" \
	"$(stats "flushes forced_flushed sync_passes dirty" -- W0 W1 F)"
is "FLUSH waits for page writes and the origin" 85.000 "$(latency flush 8 --flush-us 10 -- W0 F)"
is "FLUSH in protected DRAM does not" 0.000 \
	"$(latency flush 8 --dram_mode protected --flush-us 10 -- W0 F)"
is "FUA waits for its page" 85.000 "$(latency write 8 --flush-us 10 -- W:0+8F)"
is "FUA in protected DRAM does not" 0.000 \
	"$(latency write 8 --dram_mode protected -- W:0+8F)"
is "a discarded page is gone" "discards=1 dropped_pages=1 used=0 forced_flushed=0" \
	"$(stats "discards dropped_pages used forced_flushed" -- W0 D0 R0)"
is "half a page discarded: the rest stays" "dropped_pages=0 used=1 fills=1 forced_flushed=1" \
	"$(stats "dropped_pages used fills forced_flushed" -- W0 D:0+4 R0)"
# Of pages 1 to 4 the flash, with pages of 8 KiB, can forget 2 and 3.
is "of a discard over flash, only whole pages of it" "discards=1 dropped_pages=2 used=3" \
	"$(stats "discards dropped_pages used" --flash s002 -- W1 W2 W3 W4 W6 D:8+32 D6)"
is "of discards over flash, those are counted of which something is left" "writes=1 discards=1" \
	"$(stats "writes discards" --flash s002 -- W0 D:0+1 D:8+1 D:0+64)"
# W0 at 0 ms; the sync pass at 1 s finds it.
printf '# ssdcache-trace 1\n0,W,0,8,\n1500000000,W,8,8,\n' > "$scratch/trace"
is "flush_interval_s" "periodic_flushed 1 dirty 1" \
	"$("$sim" --flush_interval_s 1 "$scratch/trace" |
		awk '$1 == "periodic_flushed" || $1 == "dirty" { print $1, $2 }' | paste -sd' ')"
is "nothing is flushed at the end unless asked" "0 1" \
	"$(trace W0 > "$scratch/trace"
	   "$sim" "$scratch/trace" | awk '$1 == "forced_flushed" { print $2 }' | tr '\n' ' '
	   "$sim" --flush-at-end "$scratch/trace" | awk '$1 == "forced_flushed" { print $2 }')"
