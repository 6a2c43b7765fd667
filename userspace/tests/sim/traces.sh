# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Reading traces: MSR Cambridge, compression, merged files, bad lines.

report=$("$sim" "$msr")
# 3 requests; the second one is not in whole sectors: bytes 5000 to 5099 are in sector 9.
is "MSR: requests, blank lines, no response time" "reads 1 writes 2 read_bytes 512 write_bytes 8704" \
	"$(awk '$1 ~ /^(reads|writes|read_bytes|write_bytes)$/ { print $1, $2 }' <<< "$report" |
		paste -sd' ')"
is "MSR: times are in units of 100 ns" "3 requests in 1.000000 s" \
	"$(grep -o '^3 requests in [0-9.]* s' <<< "$report")"
is "--time-scale" "3 requests in 0.010000 s" \
	"$("$sim" --time-scale 0.01 "$msr" | grep -o '^3 requests in [0-9.]* s')"
is "--limit" 1 "$("$sim" --limit 1 "$msr" | awk '$1 == "writes" { print $2 }')"
is "CR LF" "$report" "$(sed 's/$/\r/' "$msr" > "$scratch/dos.csv"; "$sim" "$scratch/dos.csv")"
is "no line end at the end" "$report" \
	"$(head -c -1 "$msr" > "$scratch/cut.csv"; "$sim" "$scratch/cut.csv")"
is "standard input" "$report" "$("$sim" - < "$msr")"
gzip -c "$msr" > "$scratch/msr.csv.gz"
is "gzip" "$report" "$("$sim" "$scratch/msr.csv.gz")"
{ head -n 1 "$msr" | gzip -c; tail -n +2 "$msr" | gzip -c; } > "$scratch/members.gz"
is "gzip in several members" "$report" "$("$sim" "$scratch/members.gz")"
if type zstd > /dev/null 2>&1; then
	zstd -q "$msr" -o "$scratch/msr.csv.zst"
	is "zstd" "$report" "$("$sim" "$scratch/msr.csv.zst")"
	head -c 40 "$scratch/msr.csv.zst" > "$scratch/short.zst"
	refuses "zstd, cut off" "damaged compressed data" "$scratch/short.zst"
else
	skip "zstd" "there is no program zstd"
fi
head -c 40 "$scratch/msr.csv.gz" > "$scratch/short.gz"
refuses "gzip, cut off" "damaged compressed data" "$scratch/short.gz"

# Two disks: what is at 4096 bytes of the second one is behind the first one's MiB, page 257.
# Requests in order of time: 0 of a, 1 of b (of the second file), 2 of a.
printf '1000,a,0,Write,0,4096,0\n3000,a,0,Write,8192,4096,0\n' > "$scratch/a"
printf '2000,b,0,Write,4096,4096,0\n' > "$scratch/b"
"$sim" --log-decisions "$scratch/log" "$scratch/a" "$scratch/b" > /dev/null
is "several traces: merged by time, disks side by side" "0 257 2" \
	"$(awk '$1 == "I" { print $2 }' "$scratch/log" | paste -sd' ')"
# The time of the second request is before the first one's: it counts as the same.
printf '1000,a,0,Write,0,4096,0\n500,a,0,Write,4096,4096,0\n2000,a,0,Write,0,512,0\n' \
	> "$scratch/a"
is "times that go backwards" "3 requests in 0.000100 s" \
	"$("$sim" "$scratch/a" | grep -o '^3 requests in [0-9.]* s')"

# The formats are tested by ssdcache-trace/tests/formats.sh; here only that the options arrive.
printf '3,R,0,4096,1000000\n3,W,4096,4096,2000000\nx\n7,W,0,512,3000000\n' > "$scratch/alibaba"
refuses "--format: insists" "$scratch/alibaba:1: expected Read or Write and a comma, found \"4096,1000000\"" \
	--format msr "$scratch/alibaba"
refuses "--format: a name" "--format: 'cvs' is not one of any capture msr alibaba" --format cvs "$msr"
refuses "a bad line in another format" "$scratch/alibaba:3: expected a number of a device and a comma, found \"x\"" "$scratch/alibaba"
is "--skip-bad" "1 bad line skipped, the first: $scratch/alibaba:3: expected a number of a device and a comma, found \"x\"" \
	"$("$sim" --skip-bad "$scratch/alibaba" 2>&1 > /dev/null | sed 's/^ssdcache-sim: //')"
is "--skip-bad: JSON has the number" 1 "$("$sim" --json --skip-bad "$scratch/alibaba" 2> /dev/null | jq .run.skipped_lines)"
is "--after, --skip, --repeat" "reads 0 writes 2 write_bytes 1024" \
	"$("$sim" --skip-bad --after 1 --skip 1 --repeat 2 "$scratch/alibaba" 2> /dev/null |
		awk '$1 ~ /^(reads|writes|write_bytes)$/ { print $1, $2 }' | paste -sd' ')"
# The first round tells.
printf '# ssdcache-trace 1\n0,R,0,8,\n1000000000000000,R,8,8,\n' >"$scratch/slow"
refuses "--repeat: rounds that end too late" "--repeat: round 2307 would end .* expected at most 2306$" --repeat 4294967295 "$scratch/slow"
refuses "--repeat: rounds that a factor of time makes too late" "--time-scale: 3: a request would start" --repeat 2000 --time-scale 3 "$scratch/slow"
awk 'BEGIN { print "# ssdcache-trace 1"; for (i = 0; i < 1000; i++) printf "%d,R,%d,8,\n", i, i * 8 }' >"$scratch/t"
timeout 60 "$sim" --repeat 4294967295 "$scratch/t" >/dev/null 2>"$scratch/errors"
is "--repeat: requests that the disk cannot hold" "1 1 line cannot hold a temporary file with 4294967295000 requests: " \
	"$? $(wc -l <"$scratch/errors") line $(grep -o 'cannot hold a temporary file with [0-9]* requests: ' "$scratch/errors")"
if [ -n "${SSDC_LONG-}" ]; then
	# 9 million requests have 206 MiB: too many for memory.
	awk 'BEGIN { print "# ssdcache-trace 1"; for (i = 0; i < 90000; i++) printf "%d,R,%d,8,\n", i * 1000, i % 1000 * 8 }' > "$scratch/t"
	is "requests that do not fit into memory" "reads 9000000 read_hits 8999000" \
		"$(ulimit -d 150000; "$sim" --admission read-write --repeat 100 "$scratch/t" | awk '$1 ~ /^(reads|read_hits)$/ { print $1, $2 }' | paste -sd' ')"
fi

good=128166372003061629,hm,1,Write,0,512,0
bad "not a trace" "1: no known trace, found \"hello\": --format insists on one of capture, msr, alibaba, " hello
bad "MSR time" "2: expected a time in units of 100 ns and a comma, found \"x\"" $good x
bad "MSR time too large" "2: the time 999999999999999999 is not below" $good \
	999999999999999999,h,0,Read,0,1,0
bad "MSR host" "2: expected a host name and a comma, found \"hm\"" $good 1,hm
bad "MSR disk" "2: expected a disk number" $good 1,hm,x,Write,0,512,0
bad "MSR type" "2: expected Read or Write and a comma, found \"Erase," $good 1,hm,1,Erase,0,512,0
bad "MSR offset" "2: expected an offset of at most 4611686018427387904 bytes and a comma, found \"-1," $good 1,hm,1,Read,-1,1,0
bad "MSR size 0" "2: expected a size from 1 to" $good 1,hm,1,Read,0,0,0
bad "MSR cut off" "3: expected an offset" $good $good 1,hm,1,Read,
bad "capture version" "1: expected the header \"# ssdcache-trace 1\", found \"# ssdcache-trace 2\"" \
	"# ssdcache-trace 2"
bad "capture time" "3: expected a time in ns" "$head" "# a comment" x,R,0,8,
bad "capture op" "2: expected R, W, D or F and a comma, found \"X," "$head" 0,X,0,8,
bad "capture sector" "2: expected a sector up to 18014398509481984 and a comma" "$head" 0,R,x,8,
bad "capture length 0" "2: expected a number of sectors from 1" "$head" 0,R,0,0,
bad "capture flags" "2: expected no flags, or F for a write, found \"F\"" "$head" 0,R,0,8,F
bad "a line that never ends" "1: a line of more than 4096 characters" "1,$(printf '%5000s' x)"
: > "$scratch/empty"
refuses "refused: an empty trace" "no requests" "$scratch/empty"
refuses "refused: a trace that is not there" "No such file" "$scratch/none"
refuses "refused: a folder" "Is a directory" "$scratch"
