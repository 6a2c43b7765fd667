# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Numbers at the ends of their ranges.

# A write at the end of each of N disks of 2^53 sectors.
disks() {
	awk -v "n=$1" 'BEGIN { for (i = 0; i < n; i++) print 1000 + i ",h," i ",Write,4611686018427383808,4096,0" }'
}
# 2^11 such disks have 2^64 sectors. Unchecked, the requests were beyond an origin of 1 MiB.
disks 2048 > "$scratch/bad"
refuses "refused: disks of more than 2^54 sectors in all" \
	"$scratch/bad:3: the request makes the disks 27021597764222976 sectors in all: expected at most 18014398509481984" \
	"$scratch/bad"
disks 3 > "$scratch/bad"
disks 1 > "$scratch/c"
refuses "refused: disks of several files, the last line is one too many" "$scratch/bad:3: the request makes" \
	"$scratch/c" "$scratch/bad"
disks 2 > "$scratch/a"
is "2^54 sectors are accepted" 18014398509481984 "$("$sim" --dram 64k --verify --json "$scratch/a" | jq .config.origin_sectors)"
bad "capture beyond sector 2^54" "2: the request makes the disks 18014398509484032 sectors in all: expected at most 18014398509481984" \
	"$head" 0,W,18014398509481984,8,
bad "capture sector above 2^54" "2: expected a sector up to 18014398509481984 and a comma, found \"18014398509481985," \
	"$head" 0,W,18014398509481985,8,
bad "capture sector above 2^64" "2: expected a sector up to 18014398509481984 and a comma, found \"18446744073709551616," \
	"$head" 0,W,18446744073709551616,8,
bad "capture length above 2^32" "2: expected a number of sectors from 1 to 4294967295 (0 for F), found \"4294967296,\"" \
	"$head" 0,W,0,4294967296,
bad "MSR offset above 2^62" "1: expected an offset of at most 4611686018427387904 bytes and a comma, found \"4611686018427387905," \
	1,h,0,Read,4611686018427387905,1,0
bad "a gap of more than 2^62 ns" "3: 4611686018427387905 ns after the first request: expected at most 4611686018427387904" \
	"$head" 5,W,0,8, 4611686018427387910,W,0,8,
# Unchecked, the run never ended: nothing can happen after the end of time.
printf '%s\n' "$head" 0,W,0,8, 18446744073709551605,W,0,8, > "$scratch/bad"
refuses "refused: the end of time" "expected a time in ns and a comma\|ns after the first request" "$scratch/bad"
printf '%s\n' "$head" 0,W,0,8, > "$scratch/a"
printf '%s\n' "$head" 4611686018427387905,W,0,8, > "$scratch/b"
refuses "refused: files that are more than 2^62 ns apart" \
	"$scratch/b: a request 4611686018427387905 ns after the first one of all files: expected at most 4611686018427387904" \
	"$scratch/a" "$scratch/b"
printf '%s\n' "$head" 0,W,0,8, 4000000000000000000,W,0,8, > "$scratch/a"
refuses "refused: a time that --time-scale makes too large" \
	"--time-scale: 1000000: a request would start 4e+24 ns after the first one: expected at most 4611686018427387904" \
	--time-scale 1000000 "$scratch/a"
is "a time below 2^62 ns" "2 requests in 4000000000.000000 s" \
	"$("$sim" "$scratch/a" | grep -o '^2 requests in [0-9.]* s')"
# 9e9 rows would fill the disk.
"$sim" --series "$scratch/series" --series-interval-ms 1 "$scratch/a" > /dev/null 2> "$scratch/err"
is "refused: a --series of more than 10 million rows" "2 ssdcache-sim: --series-interval-ms: 1 is too short: the file would have more than 10000000 rows" \
	"$? $(cat "$scratch/err")"
# The last request may start at 2^62 ns, but takes a while.
printf '%s\n' "$head" 0,R,0,8, 4611686018427387904,R,0,8, > "$scratch/a"
"$sim" "$scratch/a" > /dev/null 2> "$scratch/err"
is "a run that lasts longer than 2^62 ns" "1 ssdcache-sim: the simulated time exceeds 4611686018427387904 ns" \
	"$? $(cat "$scratch/err")"
refuses "refused: an option that is a number above 2^64" "--limit: '18446744073709551616' is not a number from 1 to 18446744073709551615" \
	--limit 18446744073709551616 "$msr"
refuses "refused: a size above 2^64" "--dram: '18446744073709551616' is too large: a size is less than 16777216t" --dram 18446744073709551616 "$msr"
refuses "refused: a size whose suffix makes it too large" "--dram: '16777216t' is too large" --dram 16777216t "$msr"
refuses "refused: the largest size" "dram: 16777215t is not from 64k" --dram 16777215t "$msr"
refuses "refused: a tunable above 2^32" "window: \"4294967297\" is not a number from 1 to 100 percent" \
	--replacement cflru:window=4294967297 "$msr"
refuses "refused: the largest flash" "the geometry has 72056494526300160 pages; at most 536870911 are possible" \
	--flash custom:channels=64,chips=64,dies=16,planes=16,pages=65535,blocks=1048576 "$msr"
refuses "refused: a flash for the largest origin" "the geometry has 19370321002291200 pages; at most 536870911 are possible" \
	--flash custom:channels=64,chips=16,dies=1,planes=1,pages=65535,page_bytes=512 --origin-sectors 18014398509481984 "$msr"
