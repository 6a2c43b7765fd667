#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Trace formats: detection, reading, compression, bad lines, transformations.
# usage: formats.sh SSDCACHE-TRACE [FOLDER with samples in their own formats]

title="trace formats"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
native=${2-}
native=${native:+$(realpath -m "$native")}
cd "$work"

# refuses STATUS REGEX COMMAND...: fails with one line on stderr
refuses() {
	local want=$1 regex=$2 status=0 text

	shift 2
	text=$("$@" 2>&1 >/dev/null) || status=$?
	[ "$status" = "$want" ] || { echo "status $status, want $want: $*: $text"; return 1; }
	[ "$(wc -l <<<"$text")" = 1 ] || { echo "more than a line: $text"; return 1; }
	[[ $text =~ $regex ]] || { echo "'$text' does not match '$regex'"; return 1; }
}

format_of() {
	"$tool" info --json --limit 9 "$@" 2>/dev/null | jq -r .format
}

# is_format NAME FILE
is_format() {
	local found

	found=$(format_of "${@:2}")
	[ "$found" = "$1" ] || { echo "detected as '$found', want '$1'"; return 1; }
}

# same FILE ARGUMENTS...: the capture of a trace is FILE
same() {
	cat "$1" >want.csv
	shift
	"$tool" convert "$@" -o out.csv 2>log || { cat log; return 1; }
	cmp want.csv out.csv || { diff want.csv out.csv | head -n 6; return 1; }
}

python3 "$here/make-samples.py" .
formats=(capture msr alibaba tencent systor spc ssdsim fiu fio blktrace blkparse oracleGeneral libcachesim-csv vscsi)
text=(capture msr alibaba tencent systor spc ssdsim fiu fio blkparse libcachesim-csv)

for format in "${formats[@]}"; do
	check "$format is detected" is_format "$format" "$format.sample"
	check "$format is read" same "$format.expected" "$format.sample"
	check "$format is read from a pipe" same "$format.expected" <(cat "$format.sample")
	check "$format is read with --format" same "$format.expected" --format "$format" "$format.sample"
done
check "ssdsim is read as mqsim" same ssdsim.expected --format mqsim ssdsim.sample

if [ -n "$(type -P blkparse)" ]; then
	# Its resolution is that of blktrace; disks have one name.
	cp blktrace.sample b.blktrace.0
	blkparse -i b >b.txt 2>/dev/null
	check "what blkparse makes of blktrace's output" same blktrace.expected --format blkparse <(sort -sk4,4n <(grep -E '^ +8,0 ' b.txt))
	check "blkparse's own output is detected" is_format blkparse b.txt
	check "two outputs of blkparse in a file, each with its summary" \
		[ "$("$tool" info --json <(cat b.txt b.txt) | jq .requests)" = $(($("$tool" info --json b.txt | jq .requests) * 2)) ]
else
	skip "trace formats: what blkparse makes of blktrace's output" "there is no program blkparse"
fi

# ---- compression ----

for format in msr oracleGeneral blktrace; do
	for suffix in gz xz bz2 zst; do
		case $suffix in
		gz) program=gzip ;;
		xz) program=xz ;;
		bz2) program=bzip2 ;;
		zst) program=zstd ;;
		esac
		if [ -z "$(type -P "$program")" ]; then
			skip "trace formats: $format, $suffix" "there is no program $program"
			continue
		fi
		$program -c "$format.sample" >"$format.$suffix"
		check "$format, $suffix" same "$format.expected" "$format.$suffix"
		cat "$format.$suffix" "$format.$suffix" >twice
		head -c -9 "$format.$suffix" >short
		lines=
		# bzip2 drops lines that it has.
		[ "$format" != msr ] || [ $suffix = bz2 ] || lines=$({ $program -dc <short 2>/dev/null || true; } | wc -l)
		# As BGZF ends, and as logs that were empty when they were rotated are compressed.
		{ $program -c </dev/null; head -c 2400 "$format.sample" | $program -c; $program -c </dev/null; tail -c +2401 "$format.sample" | $program -c; } >empty
		check "$format, $suffix with empty streams among others" same "$format.expected" empty
		check "$format, $suffix that is cut off" refuses 2 "short: damaged compressed data after (line ${lines:-[0-9]+|byte [0-9]+}): " "$tool" info short
	done
done
for suffix in gz xz bz2 zst; do
	[ -e msr.$suffix ] || continue
	cat msr.$suffix msr.$suffix >twice
	"$tool" info --json msr.$suffix >one.json
	check "two $suffix streams in a file" [ "$("$tool" info --json twice | jq .requests)" = $(($(jq .requests one.json) * 2)) ]
done
if [ -e msr.zst ]; then
	# A frame that readers skip, as pzstd writes before each of its own.
	{ printf 'P*M\030\004\0\0\0size'; cat msr.zst; } >skippable
	check "a skippable frame of Zstandard before others, as of pzstd" same msr.expected skippable
fi

# ---- bad lines ----

for format in "${text[@]}"; do
	# The third line is behind all headers but those of fio, which has three.
	sed '4i?!?' "$format.sample" >bad
	if [ "$format" = capture ]; then
		sed '4i?,R,0,8,' "$format.sample" >bad
	fi
	check "$format: a bad line is named" refuses 2 "bad:4: expected " "$tool" info bad
	check "$format: a bad line is skipped" same "$format.expected" --skip-bad bad
	check "$format: a skipped line is counted" [ "$("$tool" info --json --skip-bad bad 2>/dev/null | jq .skipped_lines)" = 1 ]
done
# Each line has a format, and what makes the size in its fourth line 0.
while read -r format edit; do
	sed "4$edit" "$format.sample" >bad
	check "$format: a size of 0 is named" refuses 2 'bad:4: expected a (size|number of sectors) from 1 to [^"]*, found "0' "$tool" info bad
done <<'SIZES'
capture s/,[0-9]*,$/,0,/
msr s/,[0-9]*,\([0-9]*\)$/,0,\1/
alibaba s/,[0-9]*,\([0-9]*\)$/,0,\1/
tencent s/,[0-9]*\(,.,.\)$/,0\1/
systor s/,[0-9]*$/,0/
spc s/,[0-9]*,r/,0,r/
ssdsim s/ [0-9]* \(.\)$/ 0 \1/
fiu s/ [0-9]* R / 0 R /
fio s/ [0-9]*$/ 0/
libcachesim-csv s/,[0-9]*,\([0-9]*\)$/,0,\1/
SIZES
# The last fields of msr and fiu, and what follows the sectors of blkparse, are not read.
for format in capture alibaba tencent systor spc ssdsim fio libcachesim-csv; do
	sed '4s/$/ 7/' "$format.sample" >bad
	check "$format: words behind a request are named" refuses 2 'bad:4: expected .*, found ".* 7"' "$tool" info bad
done
# Zeroes in a file that was being written when the machine crashed: what the line says in front of them may be a part of a field.
for format in "${text[@]}"; do
	sed '4s/.$/&\x00/' "$format.sample" >bad
	check "$format: a null character in a line is named" refuses 2 'bad:4: expected text, found a null character at column [0-9]+' "$tool" info --format "$format" bad
	check "$format: a line with a null character is skipped" [ "$("$tool" info --json --format "$format" --skip-bad bad 2>/dev/null | jq .skipped_lines)" = 1 ]
done
# Published traces often come in archives.
tar -cf msr.tar msr.sample
check "a tar archive is named" refuses 2 'msr.tar:1: expected .*\(a tar archive: unpack it first; --skip-bad' "$tool" info msr.tar
check "a tar archive: its headers are skipped, each with the line behind it" \
	[ "$("$tool" info --json --skip-bad msr.tar 2>/dev/null | jq .requests)" = $(($("$tool" info --json msr.sample | jq .requests) - 1)) ]
tar -cf packed.tar oracleGeneral.sample
check "a tar archive with no lines in it is named" refuses 2 'packed.tar: a tar archive: unpack it first$' "$tool" info packed.tar
printf 'PK\003\004%01000d' 0 >msr.zip
check "a zip archive is named" refuses 2 'msr.zip: a zip archive: unpack it first$' "$tool" info msr.zip
head -c 9000 /dev/zero >zeroes
{ printf 'a\nb\n'; cat zeroes; } >binary
for name in zeroes binary; do
	check "binary data that are no trace: $name" refuses 2 "$name: binary data of no known trace: --format insists on one of capture, " "$tool" info $name
done
{ head -n 5 msr.sample; head -c 2000000 /dev/zero | tr '\0' x; echo; tail -n +6 msr.sample; } >long
check "a very long line is named" refuses 2 'long:6: a line of more than 4096 characters' "$tool" info long
check "a very long line is skipped" same msr.expected --skip-bad long

# Numbers of 1 to 19 digits, the longest that the format has for each field.
{
	echo "# ssdcache-trace 1"
	echo 0,W,0,1,
	digits=1234567890123456789
	for length in {1..19}; do
		sector=${digits:0:$length} nr=${digits:0:$length}
		echo "${digits:0:$length},R,${sector:0:17},${nr:0:10},"
	done
} >lengths.csv
check "numbers of any length" same lengths.csv lengths.csv
for format in oracleGeneral vscsi blktrace; do
	head -c -5 "$format.sample" >short
	[ "$format" = oracleGeneral ] || check "$format: a record that is cut off" refuses 2 'short: a record that is cut off.* before byte' "$tool" info short
	check "$format: a record that is cut off, insisting" refuses 2 'short: a record that is cut off.* before byte' "$tool" info --format "$format" short
	# The requests of blktrace are sorted, so the last one may be anywhere.
	check "$format: a record that is cut off is skipped" \
		[ "$("$tool" convert --skip-bad --format "$format" short -o - 2>/dev/null | grep -cxFf "$format.expected")" = 300 ]
done
{ echo garbage; cat blktrace.sample; } >junk
check "blktrace: garbage is skipped" same blktrace.expected --skip-bad --format blktrace junk

# fio appends to a log that exists; the times of each run count from 0.
time=([3]="7 ")
for version in 2 3; do
	printf '%s\n' "fio version $version iolog" "${time[version]-}/dev/sdb read 0 4096" >once.log
	cat once.log once.log >twice.log
	check "fio, version $version: a second log in the file is named" refuses 2 \
		'twice.log:3: another log begins, as fio appends to a file that exists, .*: give each log as a file of its own$' "$tool" info twice.log
	check "fio, version $version: its first line is skipped" \
		[ "$("$tool" convert --skip-bad twice.log -o - 2>/dev/null | grep -c R,0,8)" = 2 ]
done

# Two jobs, as numjobs=2 has them write
printf '%s\n' 'fio version 3 iolog' '7 j.0.0 read 0 4096' '9 j.0.fio version 3 iolog' '8 j.1.0 read 0 4096' '0 read 4096 4096' >torn.log
check "fio: a log of several jobs is named" refuses 2 'torn.log:3: another log begins, .*, and jobs that share one \(numjobs\) tear its lines: ' \
	"$tool" info torn.log

# What refuses a trace is said alone: nothing is read on without the bad lines.
printf '%s\n' '# ssdcache-trace 1' 0,R,40,8, rubbish >early.csv
printf '%s\n' '# ssdcache-trace 1' 1,R,40,8, 4611686018427387905,R,40,8, >late.csv
check "skipped lines, and a request that is too late: one message" refuses 2 \
	'late.csv: a request 4611686018427387905 ns after the first one of all files: expected at most 4611686018427387904' \
	"$tool" info --skip-bad early.csv late.csv

# ---- objects ----

# oracle TIME,OBJECT,SIZE...: records of oracleGeneral
oracle() {
	python3 -c 'import struct, sys
for word in sys.argv[1:]:
    sys.stdout.buffer.write(struct.pack("<IQIq", *map(int, word.split(",")), -1))' "$@"
}
printf '%s\n' '# ssdcache-trace 1' 0,R,40,1, 0,R,8,2, 1000000000,R,9,8, 1000000000,R,40,16, 2000000000,R,18014398509481976,8, >objects.csv
oracle 7,40,1 7,8,513 8,9,4096 8,40,8192 9,18014398509481976,4096 >objects
check "oracleGeneral: an object is a sector, its size is rounded up, and may change" same objects.csv objects
oracle 7,40,512 7,18014398509481985,512 >hashes
check "oracleGeneral: an object that is no sector is refused" refuses 2 'hashes: expected a sector up to 18014398509481984, found 18014398509481985' \
	"$tool" info --format oracleGeneral hashes
oracle 7,40,512 7,48,0 7,56,512 >nothing
check "oracleGeneral: a size of 0 is refused" refuses 2 'nothing: expected a size from 1 to 4294967295 bytes, found 0' \
	"$tool" info --format oracleGeneral nothing
check "oracleGeneral: a size of 0 is skipped, as by libCacheSim" \
	[ "$("$tool" convert --format oracleGeneral --skip-bad nothing -o - 2>/dev/null | tail -n +2 | cut -d, -f3,4 | tr '\n' ' ')" = "40,1 56,1 " ]

# ---- what was taken for MSR Cambridge CSV ----

check "a line of Alibaba's is no MSR" is_format alibaba <(echo 3,R,4096,4096,1577808000000626)
check "a line of SPC is no MSR" is_format spc <(echo 0,303567,3584,w,0.000000)
check "MSR read as alibaba is refused" refuses 2 'msr.sample:1: expected a number of a device' "$tool" info --format alibaba msr.sample
check "Alibaba read as msr is refused" refuses 2 'alibaba.sample:1: expected ' "$tool" info --format msr alibaba.sample
check "a text that is no trace" refuses 2 ':1: no known trace, found "hello": --format insists on one of capture, msr' "$tool" info <(echo hello)
# Heimdall's "time_ms device offset size op" looks like SSDsim's.
for ((i = 1; i < 30; i++)); do echo "$i 0 $((i * 40960)) 4096 1"; done >bytes
check "bytes where sectors should be" refuses 2 'all addresses and sizes are multiples of 512' "$tool" info bytes
check "bytes where sectors should be, insisting" is_format ssdsim bytes --format ssdsim

# ---- transformations ----

printf '%s\n' '# ssdcache-trace 1' 0,R,0,8, 1000000000,W,100,8, 2000000000,W,200,8, 3000000000,R,300,16, >t.csv
# gives WANT OPTIONS...: times and sectors of what is left of t.csv
gives() {
	local found

	found=$("$tool" convert "${@:2}" t.csv -o - | tail -n +2 | cut -d, -f1,3,4 | tr '\n' ' ')
	[ "$found" = "$1" ] || { echo "found '$found', want '$1'"; return 1; }
}
# equals TEXT COMMAND...
equals() {
	local found

	found=$("${@:2}")
	[ "$found" = "$1" ] || { echo "found '$found', want '$1'"; return 1; }
}
check "--after" gives '0,100,8 1000000000,200,8 2000000000,300,16 ' --after 1
check "--after, a fraction" gives '500000000,200,8 1500000000,300,16 ' --after 1.5
check "--before" gives '0,0,8 1000000000,100,8 ' --before 2
check "--skip" gives '2000000000,200,8 3000000000,300,16 ' --skip 2
check "--skip and --limit" gives '1000000000,100,8 ' --skip 1 --limit 1
check "--time-scale" gives '0,0,8 500000000,100,8 1000000000,200,8 1500000000,300,16 ' --time-scale 0.5
printf '%s\n' '# ssdcache-trace 1' 0,R,0,8, 4000000000000000000,R,0,8, >years.csv
check "--time-scale that makes a request too late is named" refuses 2 'time-scale: 1.5: a request would start 6e\+18 ns after the first one' \
	"$tool" convert --time-scale 1.5 years.csv -o -
check "--repeat" gives '0,0,8 1000000000,100,8 2000000000,0,8 3000000000,100,8 ' --limit 2 --repeat 2
check "--repeat of what --skip leaves" gives '2000000000,200,8 3000000000,300,16 4000000000,200,8 5000000000,300,16 ' --skip 2 --repeat 2
check "--repeat of what --after leaves" gives '500000000,200,8 1500000000,300,16 2500000000,200,8 3500000000,300,16 ' --after 1.5 --repeat 2
check "--fold" gives '0,0,8 1000000000,100,8 2000000000,72,8 3000000000,44,16 ' --fold --origin-sectors 128
check "--fold, a request that would cross the end" gives '0,0,8 1000000000,4,8 2000000000,4,8 3000000000,0,12 ' --fold --origin-sectors 12
# Extents 0, 5, 6 and 9 are touched. The discard from the middle of 4 to the end of 5 keeps 5; that of 2 and 3 vanishes.
printf '%s\n' '# ssdcache-trace 1' 0,W,8,8, 1,R,12280,16, 2,D,9216,3072, 3,D,4096,4096, 4,F,0,0, 5,W,18432,8, 6,D,0,40960, >wide.csv
compacted() {
	"$tool" convert --compact "$@" wide.csv -o - | tail -n +2 | cut -d, -f1-4 | tr '\n' ' '
}
check "--compact" equals '0,W,8,8 1,R,4088,16 2,D,2048,2048 4,F,0,0 5,W,6144,8 6,D,0,8192 ' compacted
check "--compact takes what --skip leaves" equals '1,R,2040,16 2,D,0,2048 4,F,0,0 5,W,4096,8 6,D,0,6144 ' compacted --skip 1
check "--compact, then --fold" equals '0,W,8,8 1,R,4080,16 2,D,2048,2048 4,F,0,0 5,W,2048,8 6,D,0,4096 ' compacted --fold --origin-sectors 4096
check "--fold without a size" refuses 2 '--fold needs a size' "$tool" convert --fold t.csv -o -
check "--before that is not later than --after" refuses 2 '--before must be later than --after' "$tool" info --after 2 --before 2 t.csv
printf '%s\n' '# ssdcache-trace 1' 9000000000,R,0,8, 9500000000,R,8,8, >late.csv
check "merging: one clock" gives '0,0,8 1000000000,100,8 2000000000,200,8 3000000000,300,16 9000000000,0,8 9500000000,8,8 ' late.csv
check "merging: --align" gives '0,0,8 0,0,8 500000000,8,8 1000000000,100,8 2000000000,200,8 3000000000,300,16 ' --align late.csv

# ---- figures of papers ----

# Pages 0 (three times, written), 1 (three times, read), 9; 0 and 1 in seconds 0 and 1, by other requests; 9 in second 5.
printf '%s\n' '# ssdcache-trace 1' 0,W,0,8, 1,R,8,8, 2,W,0,8, 1000000000,R,0,8, 1000000001,R,8,8, 1000000002,R,8,8, 5000000000,W,72,8, >f.csv
figures=$("$tool" info --json f.csv | jq -c '.figures | [.freq_r_percent, .freq_r_write_percent, .temp_percent, .spat_percent, .write_ratio_percent, .interval_p60_ns, .interval_p100_ns] | map(. * 1000 | round)')
check "figures: Freq R, (Wr), Temp, Spat, Wr Ratio, intervals" [ "$figures" = "[66667,50000,40000,80000,42857,1000,3999999998000]" ]
# The pages of a request are examined from the lowest on. Both traces have an access to one of two pages, then one to both.
spat() {
	"$tool" info --json <(printf '%s\n' '# ssdcache-trace 1' "$@") | jq .figures.spat_percent
}
check "figures: Spat, the lower page first" equals 100 spat 0,R,8,8, 1,R,8,16,
check "figures: Spat, the higher page first" equals 100 spat 0,R,16,8, 1,R,8,16,
check "figures: Spat, both pages first" equals 100 spat 0,R,8,16, 1,R,8,8,
check "figures: Spat, one request" equals 0 spat 0,R,8,16,
check "figures: Spat, one request in each window" equals 0 spat 0,R,8,16, 1000000000,R,8,16,

# ---- gaps ----

# is_silent TEXT ARGUMENTS...: "info" does not print it
is_silent() {
	"$tool" info "${@:2}" >info.txt
	! grep -F -- "$1" info.txt
}

# shows TEXT ARGUMENTS...: "info" prints it
shows() {
	"$tool" info "${@:2}" >info.txt
	grep -qF -- "$1" info.txt || { echo "no '$1' in"; head -n 5 info.txt; return 1; }
}
printf '%s\n' '# ssdcache-trace 1' 0,R,0,8, 1,R,8,8, 3700000000001,R,16,8, 3700000000002,R,16,8, >gap.csv
check "info: the longest gap, and the request that ends it" shows 'gap        3700.000 s before request 3 is the longest, more than an hour: --after' gap.csv
check "info: a gap of less than an hour" shows 'gap        3.700 s before request 3 is the longest' --time-scale 0.001 gap.csv
check "info: it is not called long" is_silent 'more than an hour' --time-scale 0.001 gap.csv
check "info: a gap that is left out" shows 'gap        0.001 us before request 2 is the longest' --before 1 gap.csv
check "info: no gap without intervals" is_silent 'gap ' --limit 1 gap.csv
check "info: times that do not go back" is_silent 'goes back' gap.csv
printf '%s\n' '# ssdcache-trace 1' 0,R,0,8, 9000000000,R,8,8, 8000000000,R,16,8, 6500000000,R,16,8, 9500000000,R,8,8, >back.csv
check "info: times that go back" shows 'time       goes back before 2 requests, by up to 2.500 s' back.csv
printf '%s\n' '# ssdcache-trace 1' 0,R,0,8, 77000,R,8,8, 76500,R,16,8, >quick.csv
check "info: times below a millisecond" shows 'requests   3 in 77 us' quick.csv
check "info: times that go back by less" shows 'time       goes back before 1 request, by up to 0.5 us' quick.csv
check "info: a millisecond" shows 'requests   3 in 0.077 s' --time-scale 1000 quick.csv
check "info: no time" shows 'requests   1 in 0.000 s' --limit 1 quick.csv
check "convert: times that go back far" [ "$("$tool" convert -o back.out back.csv 2>&1 | grep -c 'time goes back before 2 requests, by up to 2.500 s')" = 1 ]
check "convert: times that do not go back" [ "$("$tool" convert -o gap.out gap.csv 2>&1 | grep -c 'goes back')" = 0 ]
check "info: gaps and times that go back, as JSON" [ "$("$tool" info --json back.csv | jq -c '[.longest_gap.ns, .longest_gap.request, .early.requests, .early.most_ns]')" = \
	'[9000000000,2,2,2500000000]' ]

# ---- real traces ----

# equal FORMAT FILE OPTIONS...: the trace is detected, and equal to the same trace as MSR CSV, whose times have a resolution
# of 100 ns
equal() {
	local format=$1 file=$2

	shift 2
	is_format "$format" "$@" "$file"
	"$tool" convert "$@" "$file" -o a.csv 2>/dev/null
	python3 "$here/to-msr.py" "$format" "$file" >msr.csv
	is_format msr msr.csv
	"$tool" convert msr.csv -o b.csv
	python3 - a.csv b.csv <<-'PYTHON'
		import sys
		a, b = ([line.strip().split(",") for line in open(name)][1:] for name in sys.argv[1:])
		assert len(a) == len(b) > 900, f"{len(a)} and {len(b)} requests"
		for x, y in zip(a, b):
		    assert x[1:] == y[1:] and abs(int(x[0]) - int(y[0])) < 100, f"{x} and {y}"
	PYTHON
}

# file, format, options
while read -r file format options; do
	name="$file is $format, and equal to the same trace as MSR CSV"
	if [ ! -e "$native/$file" ]; then
		skip "trace formats: $name" "no such sample"
		continue
	fi
	# shellcheck disable=SC2086
	check "$name" equal "$format" "$native/$file" $options
done <<-'END'
	DTRS1K.trace.gz ssdsim
	Financial_mini.spc spc
	blkparse_ext4.txt.gz blkparse
	cheetah.cs.fiu.edu-110108-113008.1_sample_10000_lines fiu --skip-bad
	cloud_storage-sample.bz2 tencent
	example.ascii ssdsim
	systor17-additional-sample.csv.gz systor
	systor17-traces-sample.csv.gz systor
	tpcc-small.trace ssdsim
	wsrch-small.trace ssdsim
END
if [ -n "$native" ] && [ -e "$native/example.ascii" ]; then
	# The one is the start of the other, in another format; SSDsim's times are rounded otherwise.
	"$tool" convert --limit 949 "$native/example.ascii" -o a.csv
	"$tool" convert "$native/Financial_mini.spc" -o b.csv
	check "the same requests as SSDsim and as SPC" cmp <(cut -d, -f2- a.csv) <(cut -d, -f2- b.csv)
fi
finish
