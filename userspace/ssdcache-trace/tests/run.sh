#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of ssdcache-trace that need no device: a file stands for one.
# usage: run.sh SSDCACHE-TRACE

set -Eeuo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "$0")" && pwd)
tool=$(realpath "$1")
# Not in /tmp: it may be a tmpfs, which has no direct I/O.
work=$(mktemp -d "$(dirname "$tool")/test.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
# shellcheck source-path=SCRIPTDIR source=../../tests/tap.sh
. "$here/../../tests/tap.sh"

# test_case NAME FUNCTION: the function runs with errexit, in a directory of its own.
test_case() {
	local status=0

	mkdir "$2"
	(cd "$2" && "$2") >log 2>&1 &
	wait $! || status=$?
	if [ $status = 77 ]; then
		skip "ssdcache-trace: $1" "$(tail -n 1 log)"
	else
		result $status "ssdcache-trace: $1" "$(tail -n 20 log)"
	fi
}

# refuses STATUS REGEX COMMAND...: fails with one line on stderr.
refuses() {
	local want=$1 regex=$2 status=0 text

	shift 2
	text=$("$@" 2>&1 >/dev/null) || status=$?
	[ "$status" = "$want" ] || { echo "status $status, want $want: $*: $text"; return 1; }
	[ "$(wc -l <<<"$text")" = 1 ] || { echo "more than a line: $text"; return 1; }
	[[ $text =~ $regex ]] || { echo "'$text' does not match '$regex'"; return 1; }
}

# field FILE EXPRESSION: of JSON
field() {
	python3 -c 'import json, sys; print(eval(sys.argv[2], {"j": json.load(open(sys.argv[1]))}))' "$1" "$2"
}

expect() {
	[ "$2" = "$3" ] || { echo "$1: is '$2', want '$3'"; return 1; }
}

completes_options() {
	local verb

	for verb in convert info replay; do
		expect "$verb" "$("$tool" --complete $verb -- | sort)" \
			"$("$tool" $verb --help | sed -nE 's/^  (-., )?(--[a-z_-]+).*/\2/p' | sort)"
	done
}

converted='# ssdcache-trace 1
0,R,64,8,
1000,F,0,0,
2000,W,128,16,
4000,F,0,0,
4000,W,512,8,F
5000,W,520,1,F
6000,D,256,2048,'

blktrace_all() {
	python3 "$here/make-blktrace.py" .
	expect "by prefix" "$("$tool" convert dm-0 -o -)" "$converted"
	expect "by files" "$("$tool" convert --from blktrace dm-0.blktrace.1 dm-0.blktrace.0 -o -)" "$converted"
	expect "limit" "$("$tool" convert --limit 4 dm-0 -o -)" "$(head -n 5 <<<"$converted")"
}

blktrace_bad() {
	python3 "$here/make-blktrace.py" . --other-device
	refuses 2 'device 8:1 after device 253:0' "$tool" convert dm-0 -o out
	python3 "$here/make-blktrace.py" . --swapped
	refuses 2 'other byte order' "$tool" convert dm-0 -o out
	python3 "$here/make-blktrace.py" . --cut
	refuses 2 'dm-0.blktrace.1: a record that is cut off' "$tool" convert dm-0 -o out
	head -c 100 /dev/zero >zeros
	refuses 2 'zeros: no record of blktrace' "$tool" convert --from blktrace zeros -o out
}

compressed() {
	local suffix

	python3 "$here/make-blktrace.py" .
	for suffix in csv csv.gz csv.zst csv.xz csv.bz2; do
		"$tool" convert dm-0 -o "a.$suffix"
		expect "$suffix" "$("$tool" convert "a.$suffix" -o -)" "$converted"
	done
	gzip -dc a.csv.gz | cmp - a.csv
	[ "$(head -c 4 a.csv.zst | od -An -tx1)" = " 28 b5 2f fd" ]
	[ "$(head -c 6 a.csv.xz | od -An -tx1)" = " fd 37 7a 58 5a 00" ]
	[ "$(head -c 3 a.csv.bz2)" = BZh ]
	"$tool" convert a.csv -o A.CSV.BZ2
	[ "$(head -c 3 A.CSV.BZ2)" = BZh ]
	for suffix in zip tar tgz lz4; do
		refuses 2 "a.$suffix: '.$suffix' cannot be written: .*.gz, .zst, .xz or .bz2" "$tool" convert a.csv -o "a.$suffix"
		[ ! -e "a.$suffix" ]
	done
}

cut() {
	printf '# ssdcache-trace 1\n0,W,2040,20,F\n1,R,2047,4098,\n2,D,0,9999,\n3,F,0,0,\n4,W,2048,2048,\n' >long.csv
	expect cut "$("$tool" convert --cut 2048 long.csv -o -)" '# ssdcache-trace 1
0,W,2040,8,F
0,W,2048,12,F
1,R,2047,1,
1,R,2048,2048,
1,R,4096,2048,
1,R,6144,1,
2,D,0,9999,
3,F,0,0,
4,W,2048,2048,'
}

large() {
	local suffix

	python3 - >big.csv <<-'PYTHON'
		print("# ssdcache-trace 1")
		for i in range(30000):
		    print(f"{i * 1000},W,{i * 37 % 9999 * 8},8,")
	PYTHON
	for suffix in gz zst xz bz2; do
		"$tool" convert big.csv -o "big.csv.$suffix"
		"$tool" convert "big.csv.$suffix" -o - | cmp - big.csv
	done
}

msr() {
	printf '128166372003061629,web,0,Read,4096,8192,100\n128166372003061729,web,0,Write,5000,100,100\n' >msr.csv
	expect "MSR" "$("$tool" convert --from msr msr.csv -o -)" '# ssdcache-trace 1
0,R,8,16,
10000,W,9,1,'
	refuses 2 'msr.csv:1: not a capture' "$tool" convert --from capture msr.csv -o -
	refuses 2 'is not one of any capture msr alibaba .* vscsi' "$tool" convert --from cvs msr.csv -o -
}

facts() {
	python3 "$here/make-blktrace.py" .
	"$tool" info --json dm-0 >info.json
	expect requests "$(field info.json 'j["requests"]')" 7
	expect reads "$(field info.json 'j["ops"]["read"]["bytes"]')" 4096
	expect writes "$(field info.json 'j["ops"]["write"]["requests"]')" 3
	expect flushes "$(field info.json 'j["ops"]["flush"]["requests"]')" 2
	expect discards "$(field info.json 'j["ops"]["discard"]["bytes"]')" 1048576
	expect FUA "$(field info.json 'j["fua_writes"]')" 2
	expect sequential "$(field info.json 'j["ops"]["write"]["sequential"]')" 1
	expect "no sequential FLUSHes, in JSON" "$(field info.json 'j["ops"]["flush"]["sequential"]')" 0
	# requests, share, MiB, sequential
	expect "no sequential FLUSHes" "$("$tool" info dm-0 | awk '$1 == "flush" { print $2, $5 }')" "2 -"
	expect "sequential writes" "$("$tool" info dm-0 | awk '$1 == "write" { print $5 }')" "33.3%"
	expect footprint "$(field info.json 'j["footprint_bytes"]["all"]')" $((5 * 4096))
	printf '# ssdcache-trace 1\n0,W,0,16,\n1,W,8,8,\n2,R,0,8,\n3,R,80,8,\n' >reuse.csv
	"$tool" info --json reuse.csv >info.json
	expect overwritten "$(field info.json 'j["reused_pages"]["overwritten"]')" 1
	expect "reads again" "$(field info.json 'j["reused_pages"]["read"]')" 1
	grep -q '60.0% of 5 page accesses\|40.0% of 5 page accesses' <<<"$("$tool" info reuse.csv)"
	printf '# ssdcache-trace 1\n' >empty.csv
	refuses 2 'empty.csv: no requests' "$tool" info empty.csv
}

nothing_left() {
	local verb options=("--after 99" "--skip 5" "--after 1 --skip 4")
	local option

	printf '# ssdcache-trace 1\n0,W,0,16,\n1,W,8,8,\n2,R,0,8,\n3,R,80,8,\n' >four.csv
	truncate -s 1m device
	echo precious >out
	for option in "${options[@]}"; do
		for verb in info "convert -o out" "convert -o new" "replay --speed max --device device"; do
			# shellcheck disable=SC2086 # several words
			refuses 2 "four.csv: no requests: none is left by --(after|skip)" "$tool" $verb $option four.csv
		done
	done
	printf 'bad\n' >>four.csv
	refuses 2 '^ssdcache-trace: four.csv: no requests: none is left by --skip-bad, --skip$' "$tool" info --skip-bad --skip 4 four.csv
	expect "the file that was there" "$(cat out)" precious
	[ ! -e new ]
}

# Windows' editors and PowerShell put a mark in front of UTF-8.
utf8_mark() {
	printf '# ssdcache-trace 1\n0,W,0,16,\n1,R,8,8,\n' >plain.csv
	{ printf '\357\273\277'; cat plain.csv; } >marked.csv
	gzip -k marked.csv
	expect "capture" "$("$tool" convert marked.csv -o -)" "$(cat plain.csv)"
	expect "compressed" "$("$tool" convert marked.csv.gz -o -)" "$(cat plain.csv)"
	expect "from a pipe" "$("$tool" convert - -o - <marked.csv)" "$(cat plain.csv)"
	expect "format given" "$("$tool" convert --format capture marked.csv -o -)" "$(cat plain.csv)"
	printf '\357\273\277128166372003061629,web,0,Read,4096,8192,100\n' >msr.csv
	expect "without a header" "$("$tool" convert msr.csv -o -)" '# ssdcache-trace 1
0,R,8,16,'
	printf '\357\273\277' >only.csv
	refuses 2 "only.csv: no requests" "$tool" info only.csv
	{ printf '\377\376'; iconv -t utf-16le plain.csv; } >wide.csv
	{ printf '\376\377'; iconv -t utf-16be plain.csv; } >be.csv
	for size in '' '--format capture' '--format msr' '--skip-bad --format capture'; do
		for name in wide.csv be.csv; do
			# shellcheck disable=SC2086 # words
			refuses 2 "$name: text in UTF-16: 'iconv -f UTF-16 -t UTF-8' makes it readable" "$tool" info $size "$name"
		done
	done
	# The first line is bad, and would be skipped; but it says what the file is.
	printf '\377\376\n1301,0,3\n1302,0,3\n1303,0,3\n' >mark.csv
	refuses 2 "mark.csv: text in UTF-16: 'iconv -f UTF-16 -t UTF-8' makes it readable" "$tool" info --skip-bad mark.csv
}

# queue_events FILE TIME,SECTOR,BYTES...: writes, as blktrace records them
queue_events() {
	python3 - "$@" <<-'PYTHON'
		import struct, sys
		with open(sys.argv[1], "wb") as out:
		    for word in sys.argv[2:]:
		        time, sector, size = map(int, word.split(","))
		        out.write(struct.pack("<IIQQIIIIIHH", 0x65617407, 0, time, sector, size, 18 << 16 | 1, 1, 253 << 20, 0, 0, 0))
	PYTHON
}

blktrace_ranges() {
	local most=18014398509481984

	queue_events b 5,0,4294967295 6,$((most - 8)),4096
	expect "4 GiB - 1" "$("$tool" convert b -o -)" "# ssdcache-trace 1
0,W,0,8388608,
1,W,$((most - 8)),8,"
	"$tool" convert b -o - | "$tool" convert --cut 1048576 /dev/stdin -o - | cmp - <("$tool" convert --cut 1048576 b -o -)
	queue_events b 0,0,4096 0,18446744073709551612,4096
	refuses 2 "^ssdcache-trace: b: 8 sectors from sector 18446744073709551612 on, expected an end of at most $most, before byte 96\$" \
		"$tool" convert --cut 8 b -o out
	queue_events b 0,$((most - 7)),4096
	refuses 2 "b: 8 sectors from sector $((most - 7)) on, .*before byte 48" "$tool" info b
	queue_events b 7,0,4096 18446744073709551615,0,4096
	refuses 2 '^ssdcache-trace: b: 18446744073709551608 ns after the first request: expected at most 4611686018427387904 before byte 96$' \
		"$tool" convert b -o out
	[ ! -e out ]
}

pipes() {
	python3 "$here/make-blktrace.py" .
	"$tool" convert dm-0 -o t.csv
	printf '128166372003061629,web,0,Read,4096,8192,100\n' >msr.csv
	expect "info" "$("$tool" info <(cat t.csv) | head -n 1)" "$("$tool" info t.csv | head -n 1)"
	expect "a capture" "$("$tool" convert --from capture <(cat t.csv) -o -)" "$converted"
	expect "MSR" "$("$tool" convert --from msr - -o - <msr.csv)" "$("$tool" convert msr.csv -o -)"
	expect "blktrace" "$("$tool" convert --from blktrace - -o - < <(cat dm-0.blktrace.0))" "$("$tool" convert dm-0.blktrace.0 -o -)"
	# A replay by --feeder reads its traces twice; a pipe has been kept.
	refuses 1 'nowhere: cannot open it' "$tool" replay --feeder --device nowhere <(cat t.csv)
}

odd_names() {
	local name=$'a[b]*?\\ \e[1m\n"x"'

	python3 "$here/make-blktrace.py" .
	mv dm-0.blktrace.0 "$name.blktrace.0"
	mv dm-0.blktrace.1 "$name.blktrace.1"
	# A name that the pattern of the first one would match.
	cp "$name.blktrace.0" 'abx.blktrace.2'
	expect "by prefix" "$("$tool" convert "$name" -o -)" "$converted"
	"$tool" convert "$name" -o "$name.zst"
	expect "a capture" "$("$tool" convert "$name.zst" -o -)" "$converted"
	refuses 2 'a\[b\]\*\?\\ \?\[1m\?"x".none: No such file' "$tool" info "$name.none"
	printf '# ssdcache-trace 1\n0,\033[2J,0,8,\n' >escape.csv
	refuses 2 'found "\?\[2J,0,8,"' "$tool" info escape.csv
}

write_errors() {
	local size

	python3 - >big.csv <<-'PYTHON'
		print("# ssdcache-trace 1")
		for i in range(30000):
		    print(f"{i * 1000},W,{i * i * 37 % 99991 * 8},8,")
	PYTHON
	for size in /dev/full - ; do
		refuses 1 'No space left on device' sh -c "'$tool' convert big.csv -o $size >/dev/full"
	done
	for size in info 'info --json'; do
		# shellcheck disable=SC2086 # two words
		refuses 1 'cannot write the output: No space left on device' sh -c "'$tool' $size big.csv >/dev/full"
		refuses 1 'cannot write the output: Broken pipe' bash -c "trap '' PIPE; exec 3> >(:); wait \$!; '$tool' $size big.csv >&3"
	done
	# A capture cut short would pass for a whole one.
	for size in csv csv.gz csv.zst csv.xz csv.bz2; do
		refuses 1 "out.$size: File too large" bash -c "trap '' XFSZ; ulimit -f 8; '$tool' convert big.csv -o out.$size"
		[ ! -e "out.$size" ] || { echo "out.$size is left"; return 1; }
	done
	mkdir gone
	refuses 1 'out.csv: No such file or directory' sh -c "cd gone; rmdir ../gone; '$tool' convert '$PWD/big.csv' -o out.csv"
	[ ! -e /out.csv ] || { rm /out.csv; echo "written to the root folder"; return 1; }
	refuses 1 'nowhere/out.csv: No such file or directory' "$tool" convert big.csv -o nowhere/out.csv
	refuses 1 'out: Is a directory' sh -c "mkdir out; '$tool' convert big.csv -o out"
}

# ended SIGNAL COMMAND...: the command writes some of a file, is ended by the signal, and all files are as before
ended() {
	python3 - "$@" <<-'PYTHON'
		import os, signal, subprocess, sys, time
		number = signal.Signals[sys.argv[1]]
		def files():
		    return {os.path.join(folder, name): os.path.getsize(os.path.join(folder, name))
		            for folder, _, names in os.walk(".") for name in names if os.path.exists(os.path.join(folder, name))}
		before = files()
		work = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
		while work.poll() is None and sum(files().values()) == sum(before.values()):
		    time.sleep(0.01)
		work.send_signal(number)
		if work.wait() != -number or files() != before:
		    sys.exit(f"{number.name}: status {work.returncode}, files: {files()}, before: {before}")
	PYTHON
}

interrupted() {
	local name

	printf '# ssdcache-trace 1\n0,W,0,8,\n1000,W,8,8,\n' >two.csv
	for name in SIG{HUP,INT,PIPE,QUIT,TERM,XCPU,XFSZ,USR1,USR2,ALRM,VTALRM,PROF,IO,PWR}; do
		ended "$name" "$tool" convert --repeat 1000000000 -o out.csv two.csv
	done
	ended SIGTERM "$tool" convert --repeat 1000000000 -o out.csv.gz two.csv
	mkdir behind
	ln -s behind/out.csv dangling
	ln -s ../two.csv behind/link
	# Onto itself, by its name and by others; and where a link leads, also if nothing is there yet.
	for name in two.csv ./two.csv behind/link dangling; do
		ended SIGINT "$tool" convert --cut 1 --repeat 10000000 -o "$name" two.csv
		[ "$(tail -n 1 two.csv)" = 1000,W,8,8, ]
	done
	[ -L dangling ]
	[ -L behind/link ]
	[ ! -e behind/out.csv ]
	# A whole one keeps links, and the mode of the file.
	chmod 640 two.csv
	for name in behind/link two.csv dangling; do
		"$tool" convert -o "$name" two.csv
		[ "$(tail -n 1 "$name")" = 1000,W,8,8, ]
	done
	[ -L dangling ]
	[ -L behind/link ]
	[ -f behind/out.csv ]
	[ "$(stat -c %a two.csv)" = 640 ]
	[ -z "$(find . -name '.ssdcache-trace-*')" ]
	printf '# ssdcache-trace 1\n0,W,0,8,\n4000000000000000,W,8,8,\n' >slow.csv
	refuses 2 'repeat: round .* would end more than .* expected at most 576$' "$tool" convert --repeat 100000 -o out.csv slow.csv
	[ ! -e out.csv ]
}

# The data of a capture reach the disk before it replaces another file, and its name before the program ends.
synced() {
	local error said

	command -v strace >/dev/null || { echo "no strace"; return 77; }
	printf '# ssdcache-trace 1\n0,W,0,8,\n' >two.csv
	strace -o calls -e trace=fsync,rename true || { echo "strace cannot trace here"; return 77; }
	# A leak sanitizer does not work under strace.
	export ASAN_OPTIONS=detect_leaks=0
	strace -y -o calls -e trace=fsync,rename,renameat,renameat2 "$tool" convert -o two.csv two.csv
	expect "calls" "$(grep -oE '^(fsync|rename)' calls | paste -sd ' ')" "fsync rename fsync"
	expect "what is synced last" "$(sed -n 's/^fsync([0-9]*<\(.*\)>) .*/\1/p' calls | tail -n 1)" "$(pwd -P)"
	# Some file systems cannot sync a folder.
	for error in EINVAL EIO; do
		said=$(strace -o calls -e trace=fsync -e inject=fsync:error=$error:when=2 "$tool" convert -o two.csv two.csv 2>&1) || said="status $?: $said"
		grep -q INJECTED calls
		echo "$said"
	done >said
	expect "errors of the last one" "$(<said)" \
		$'\nstatus 1: ssdcache-trace: two.csv: is written, but its folder cannot be synced: Input/output error'
	expect "the folder is left alone if nothing is replaced" "$(strace -o calls -e trace=fsync "$tool" convert -o new.csv two.csv; grep -c fsync calls)" 0
}

# A message does not become part of a capture that is written beside its output.
closed() {
	printf '# ssdcache-trace 1\n0,W,0,8,\nbad\n' >bad.csv
	"$tool" convert --skip-bad -o out.csv bad.csv 2>&-
	expect "the capture" "$(<out.csv)" $'# ssdcache-trace 1\n0,W,0,8,'
	! "$tool" convert --skip-bad -o - bad.csv >&- 2>/dev/null
}

# What cannot be replaced is written where it is.
kept_in_place() {
	local other=() owner mode status=0

	printf '# ssdcache-trace 1\n0,W,0,8,\n1000,W,8,8,\n' >two.csv
	ln -s /dev/stdout link
	{ "$tool" convert -o link two.csv; echo behind; } >>all
	expect "through a link to standard output" "$(<all)" "$(cat two.csv; echo behind)"
	mkdir fixed
	cp two.csv fixed/out.csv
	chmod 666 fixed/out.csv
	if [ "$(id -u)" = 0 ]; then
		owner=$(stat -c %u .)
		other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		"${other[@]}" test -x "$tool" -a -r two.csv || { echo "another user cannot run it"; return 77; }
	else
		chmod 555 fixed
	fi
	"${other[@]}" "$tool" convert --limit 1 -o fixed/out.csv two.csv
	expect "folder that cannot be written to" "$(tail -n 1 fixed/out.csv)" 0,W,0,8,
	# A part of a capture that cannot be removed is made empty.
	timeout --signal INT 0.5 "${other[@]}" "$tool" convert --repeat 1000000000 -o fixed/out.csv two.csv || status=$?
	expect "folder that cannot be written to: status of timeout" "$status" 124
	expect "folder that cannot be written to, interrupted" "$(stat -c %s fixed/out.csv)" 0
	printf '# ssdcache-trace 1\n0,W,0,8,\n4000000000000000,W,8,8,\n' >slow.csv
	refuses 2 'repeat: round .* would end more than' "${other[@]}" "$tool" convert --repeat 100000 -o fixed/out.csv slow.csv
	expect "folder that cannot be written to, refused" "$(stat -c %s fixed/out.csv)" 0
	[ ${#other[@]} != 0 ] || return 0
	# In a folder where anyone may make files, and only owners may replace theirs; and where they may.
	for mode in 1777 777; do
		mkdir "of-$mode"
		chmod "$mode" "of-$mode"
		cp two.csv "of-$mode/out.csv"
		chmod 666 "of-$mode/out.csv"
		"${other[@]}" "$tool" convert --limit 1 -o "of-$mode/out.csv" two.csv
		expect "mode $mode: content, owner" "$(tail -n 1 "of-$mode/out.csv") $(stat -c %u "of-$mode/out.csv")" "0,W,0,8, $owner"
	done
	touch mounted
	unshare -m sh -c 'mount --bind of-777/out.csv mounted' || { echo "no mounts here"; return 77; }
	unshare -m sh -c "mount --bind of-777/out.csv mounted && '$tool' convert -o mounted two.csv"
	expect "file that is a mount point" "$(tail -n 1 of-777/out.csv)" 1000,W,8,8,
}

broken_files() {
	local size length

	python3 "$here/make-blktrace.py" .
	for size in gz zst xz bz2; do
		"$tool" convert dm-0 -o "a.csv.$size"
		for length in 3 5 10 20 60; do
			head -c "$length" "a.csv.$size" >short.csv
			refuses 2 '^ssdcache-trace: short.csv(:1)?: ' "$tool" info short.csv
		done
		{ cat "a.csv.$size"; echo garbage; } >longer.csv
		refuses 2 '^ssdcache-trace: longer.csv: damaged compressed data' "$tool" info longer.csv
	done
	mkdir folder
	refuses 2 'folder: Is a directory' "$tool" info folder
	refuses 2 'folder: Is a directory' "$tool" convert --from blktrace folder -o out
	refuses 2 'folder: Is a directory' "$tool" convert --from msr folder -o out
	if [ "$(id -u)" != 0 ]; then
		chmod 0 a.csv.gz
		refuses 2 'a.csv.gz: Permission denied' "$tool" info a.csv.gz
	fi
}

# As gzip, bzip2 and xz ignore them, and Zstandard does not; the second number of zeroes is more than a buffer of raw data.
padded_files() {
	local size nr

	printf '# ssdcache-trace 1\n0,W,0,8,\n1000,R,0,8,\n' >a.csv
	for size in gz xz bz2 zst; do
		"$tool" convert -o "a.csv.$size" a.csv
		for nr in 512 200000; do
			{ cat "a.csv.$size"; head -c "$nr" /dev/zero; } >padded
			if [ "$size" = zst ]; then
				refuses 2 '^ssdcache-trace: padded: damaged compressed data' "$tool" info padded
				continue
			fi
			expect "$size, $nr zeroes" "$("$tool" convert -o - padded)" "$(<a.csv)"
			expect "$size, $nr zeroes, pipe" "$("$tool" convert -o - - < <(cat padded))" "$(<a.csv)"
			echo garbage >>padded
			refuses 2 '^ssdcache-trace: padded: damaged compressed data' "$tool" info padded
		done
		# Zeroes do not stand for an end that is missing.
		head -c -9 "a.csv.$size" >padded
		head -c 512 /dev/zero >>padded
		refuses 2 '^ssdcache-trace: padded: damaged compressed data' "$tool" info padded
	done
}

usage_errors() {
	refuses 2 'which verb' "$tool"
	refuses 2 "'play' is not a verb" "$tool" play
	refuses 2 'OUT is missing' "$tool" convert dm-0
	refuses 2 'FILE is missing' "$tool" info
	refuses 2 'DEV is missing' "$tool" replay x.csv
	refuses 2 '^ssdcache-trace: convert: --output: the name is empty: --output OUT$' "$tool" convert -o '' x.csv
	refuses 2 '^ssdcache-trace: replay: --device: the name is empty: --device DEV$' "$tool" replay --device= x.csv
	refuses 2 "--depth: 'many' is not a number from 1 to 4096" "$tool" replay --depth many
	refuses 2 "--speed: '0' is not max or a number from 0.001 to 1000000" "$tool" replay --speed 0
	refuses 2 'settle needs --closed' "$tool" replay --settle f --device d x.csv
	refuses 2 '--depth has no meaning with --closed' "$tool" replay --closed --depth 4 --device d x.csv
	for speed in 2 max; do
		refuses 2 '--speed has no meaning with --closed' "$tool" replay --closed --speed "$speed" --device d x.csv
	done
	refuses 2 'nowhere.csv: No such file' "$tool" info nowhere.csv
	printf '# ssdcache-trace 1\n0,W,0,8\n1,X,0,8,\n' >bad.csv
	refuses 2 'bad.csv:3: ' "$tool" info bad.csv
	printf '# ssdcache-trace 1\n0,W,0,8,\n1,F,99999999,0,\n' >bad.csv
	refuses 2 'bad.csv:3: expected sector 0 for F, found "99999999,0,"' "$tool" info bad.csv
	for verb in convert info replay; do
		grep -q "^Usage: ssdcache-trace $verb" <<<"$("$tool" "$verb" --help)"
		expect "version" "$("$tool" "$verb" --version)" "$("$tool" --version)"
	done
}

make_device() {
	local status=0

	truncate -s 16M device
	printf '# ssdcache-trace 1\n0,R,0,8,\n' >probe.csv
	"$tool" replay --device device probe.csv >probe.json 2>probe.err || status=$?
	if [ "$status" != 0 ] && grep -q 'io_uring is not available\|open it for direct I/O' probe.err; then
		cat probe.err
		exit 77
	fi
	expect "status of a first replay" "$status" 0
}

# Requests that overlap in place and time, of all kinds.
make_trace() {
	python3 - >t.csv <<-'PYTHON'
		import random
		random.seed(7)
		print("# ssdcache-trace 1")
		for i in range(4000):
		    op = random.choices("RWDF", (40, 50, 4, 6))[0]
		    sector, nr = random.randrange(0, 512) * 8, random.choice((8, 8, 8, 16, 64))
		    flags = "F" if op == "W" and random.random() < 0.1 else ""
		    print(f"{i * 20000},{op},{0 if op == 'F' else sector},{0 if op == 'F' else nr},{flags}")
	PYTHON
}

replay_modes() {
	local mode

	make_device
	make_trace
	for mode in '--speed 1' '--speed 8 --depth 8' '--speed max --depth 64' '--closed'; do
		# shellcheck disable=SC2086 # a list of words
		"$tool" replay --device device --verify $mode t.csv >r.json
		expect "$mode: errors" "$(field r.json 'j["errors"]')" 0
		expect "$mode: bad sectors" "$(field r.json 'j["bad_sectors"]')" 0
		expect "$mode: all counted" "$(field r.json 'sum(o["count"] for o in j["latency"].values())')" 4000
		[ "$(field r.json 'j["verified_sectors"]')" -gt 10000 ]
	done
}

# takes_at_least NS LESS_THAN OPTION...: no replay is shorter; a longer one is repeated, as the machine may be busy
takes_at_least() {
	local least=$1 limit=$2 try

	for try in 1 2 3 4 5; do
		"$tool" replay --device device "${@:3}" t.csv >r.json
		[ "$(field r.json "$least <= j[\"elapsed_ns\"]")" = True ] || return 1
		[ "$(field r.json "j[\"elapsed_ns\"] < $limit")" != True ] || return 0
		sleep "$try"
	done
	return 1
}

replay_times() {
	make_device
	printf '# ssdcache-trace 1\n0,W,0,8,\n100000000,W,8,8,\n400000000,R,0,8,\n' >t.csv
	takes_at_least 400_000_000 2_000_000_000
	takes_at_least 100_000_000 400_000_000 --speed 4
}

# All requests are due at once, and the kernel takes one at a time.
replay_counts_late() {
	make_device
	{ echo '# ssdcache-trace 1'; seq -f '0,W,%.0f,8,' 0 8 160; } >t.csv
	# The first one, too, if the program does not get the CPU in time
	"$tool" replay --device device --depth 1 t.csv >r.json
	expect "late" "$(field r.json 'j["late"] in (20, 21) and j["max_late_ns"] > 0')" True
	"$tool" replay --device device --depth 1 --verify t.csv >r.json
	expect "late, --verify" "$(field r.json '[j["late"], j["max_late_ns"] > 0]')" '[20, True]'
	"$tool" replay --device device --depth 21 --verify t.csv >r.json
	expect "late, a slot for each" "$(field r.json 'j["late"]')" 0
}

# remarks OPTION...: what a replay says of times
remarks() {
	"$tool" replay --device device "$@" back.csv 2>&1 >r.json | grep 'time goes back' || :
}

replay_remarks_times() {
	local remark="ssdcache-trace: time goes back before 1 request, by up to 1.500 s: it gets the time of the request before; if a file is several traces joined, give each as a file of its own"
	local mode

	make_device
	printf '%s\n' '# ssdcache-trace 1' 0,W,0,8, 2000000000,W,8,8, 500000000,W,16,8, >back.csv
	expect "recorded times" "$(remarks --speed 100)" "$remark"
	for mode in --closed '--speed max'; do
		# shellcheck disable=SC2086 # a list of words
		expect "$mode" "$(remarks $mode)" ""
		# shellcheck disable=SC2086
		expect "$mode --before" "$(remarks $mode --before 9)" "$remark"
	done
}

replay_verifies() {
	local status=0

	make_device
	# A sector read again after another program wrote there.
	printf '# ssdcache-trace 1\n0,W,0,8,\n1,F,0,0,\n2000000000,R,0,8,\n' >t.csv
	"$tool" replay --device device --verify t.csv >r.json 2>r.err &
	until [ "$(head -c 4096 device | tr -d '\0' | wc -c)" -gt 0 ]; do
		sleep 0.02
	done
	dd if=/dev/zero of=device bs=512 seek=3 count=1 conv=notrunc status=none oflag=sync
	wait $! || status=$?
	expect "status" "$status" 1
	expect "bad sectors" "$(field r.json 'j["bad_sectors"]')" 1
	grep -q 'request 3: sector 3 holds nothing that was written there' r.err
}

# The time to check a wrong sector does not grow with the trace: there are 5 * 10^11 pairs of wrong sectors and requests.
replay_verifies_many() {
	local mib=$((1 << 11)) status=0

	make_device
	truncate -s 64M device
	{
		printf '%s\n' '# ssdcache-trace 1' "0,W,0,$((64 * mib)),"
		for _ in 1 2 3 4; do
			echo "2000000000,R,0,$((64 * mib)),"
		done
		awk 'BEGIN { for (i = 0; i < 1000000; i++) print "3600000000000,W,0,8," }'
	} >t.csv
	"$tool" replay --device device --verify t.csv >r.json 2>r.err &
	until [ "$(tail -c 512 device | tr -d '\0' | wc -c)" -gt 0 ]; do
		sleep 0.02
	done
	dd if=/dev/zero of=device bs=1M count=64 conv=notrunc status=none oflag=direct
	# The reads have started together.
	until grep -q 'request 2: sector' r.err; do
		kill -0 $!
		sleep 0.02
	done
	kill -TERM $!
	wait $! || status=$?
	expect "status" "$status" 143
	expect "requests, bad sectors" "$(field r.json '[j["requests"], j["bad_sectors"]]')" "[5, $((4 * 64 * mib))]"
}

replay_fits() {
	make_device
	printf '# ssdcache-trace 1\n0,W,32768,8,\n' >beyond.csv
	refuses 2 'request 1: a write at sectors 32768 to 32775, but device has 32768: use a larger device, or --wrap' \
		"$tool" replay --device device beyond.csv
	"$tool" replay --device device --wrap --verify beyond.csv >r.json
	printf '# ssdcache-trace 1\n0,W,1,8,\n' >odd.csv
	refuses 2 'device has blocks of 8 sectors: use a device with smaller blocks, such as losetup\(8\) makes of a file$' "$tool" replay --device device odd.csv
	truncate -s $(((16 << 20) + 512)) part
	"$tool" replay --device part --wrap beyond.csv >r.json
	{ echo '# ssdcache-trace 1'; seq -f '%.0f,W,0,8,' 1000; } >victim.csv
	cp victim.csv before.csv
	ln -s victim.csv link.csv
	refuses 2 "device: 'victim.csv' is a trace, which would be overwritten" "$tool" replay --device victim.csv beyond.csv link.csv
	refuses 2 "device: 'link.csv' is a trace" "$tool" replay --device link.csv - <victim.csv
	cmp victim.csv before.csv
	: >empty
	printf '# ssdcache-trace 1\n0,F,0,0,\n' >flush.csv
	refuses 2 'empty: has no sectors' "$tool" replay --device empty --wrap flush.csv
	printf '# ssdcache-trace 1\n0,W,0,8,\n4611686018427387904,W,0,8,\n' >late.csv
	refuses 2 '--speed: 0.5: request 2 would start after 9.22337e\+18 ns: expected at most 4611686018427387904' \
		"$tool" replay --device device --speed 0.5 late.csv
	refuses 1 'nowhere: cannot open it for direct I/O' "$tool" replay --device nowhere beyond.csv
}

replay_settles() {
	make_device
	printf '# ssdcache-trace 1\n0,W,0,8,\n1,W,8,8,\n' >t.csv
	echo 0 >settled
	"$tool" replay --device device --closed --settle settled t.csv >r.json &
	sleep 0.5
	kill -0 $!
	echo 1 >settled
	wait $!
	expect "requests" "$(field r.json 'j["latency"]["write"]["count"]')" 2
}

# interrupted_replay SIGNALS SECTORS OPTION...: signals to a replay of t.csv on the device, which has stopped when they come, after it has
# written so many sectors; 0: when it catches SIGTERM. Prints how the replay ended; r.json has its output, r.err its messages.
interrupted_replay() {
	python3 - "$tool" "$@" <<-'PYTHON'
		import os, signal, subprocess, sys, time
		tool, signals, sectors, *options = sys.argv[1:]
		def unblock():
		    for name in signals.split(","):
		        signal.signal(signal.Signals[name], signal.SIG_DFL)
		def catches(number):
		    with open(f"/proc/{work.pid}/status") as status:
		        return any(line.startswith("SigCgt:") and int(line.split()[1], 16) >> number - 1 & 1 for line in status)
		def started():
		    if sectors == "0":
		        return catches(signal.SIGTERM)
		    with open("device", "rb") as device:
		        data = device.read()
		    return sum(any(data[at:at + 512]) for at in range(0, len(data), 512)) >= int(sectors)
		with open("device", "wb") as device:
		    device.truncate(1 << 20)
		with open("r.json", "w") as out, open("r.err", "w") as err:
		    work = subprocess.Popen([tool, "replay", "--device", "device", *options, "t.csv"], stdout=out, stderr=err, preexec_fn=unblock)
		while work.poll() is None and not started():
		    time.sleep(0.02)
		work.send_signal(signal.SIGSTOP)
		os.waitpid(work.pid, os.WUNTRACED)
		for name in signals.split(","):
		    work.send_signal(signal.Signals[name])
		work.send_signal(signal.SIGCONT)
		status = work.wait()
		print(signal.Signals(-status).name if status < 0 else status)
	PYTHON
}

# expect_partial DONE: the results of the interrupted replay are those of this many of its four requests
expect_partial() {
	expect "what is said" "$(<r.err)" "ssdcache-trace: the replay was interrupted after $1 of 4 requests"
	expect "result" "$(field r.json '[j["interrupted"], j["requests"], j["requests_left"], j["errors"]]')" "[True, $1, $((4 - $1)), 0]"
	expect "all counted" "$(field r.json 'sum(o["count"] for o in j["latency"].values())')" "$1"
}

replay_interrupted() {
	local hour=3600000000000 name last

	make_device
	# The request that waits for its time is in the kernel already, or in the thread for discards.
	for last in "W,16,8," "D,16,8,"; do
		printf '%s\n' '# ssdcache-trace 1' 0,W,0,8, 1000,W,8,8, "$hour,$last" "$hour,R,0,8," >t.csv
		for name in SIG{HUP,INT,TERM}; do
			for mode in '' --depth=3 --verify; do
				expect "$name $mode: end" "$(interrupted_replay "$name" 16 ${mode:+"$mode"})" "$name"
				expect_partial 2
			done
		done
	done
	# timeout(1) sends two signals: only one that comes later ends the program at once. SIGALRM says that a second is over.
	expect "two signals: end" "$(interrupted_replay SIGINT,SIGTERM 16)" SIGINT
	expect_partial 2
	expect "a later signal: end" "$(interrupted_replay SIGINT,SIGALRM,SIGTERM 16)" SIGTERM
	expect "a later signal: output" "$(cat r.json r.err)" ""
	# The alarm of whoever started the replay.
	expect "an alarm: end" "$(interrupted_replay SIGALRM,SIGTERM 16)" SIGALRM
	# Nothing has started.
	echo 0 >settled
	expect "--settle: end" "$(interrupted_replay SIGTERM 0 --closed --settle settled)" SIGTERM
	expect_partial 0
	# A replay that is not interrupted says nothing of interruptions.
	printf '# ssdcache-trace 1\n0,W,0,8,\n' >t.csv
	"$tool" replay --device device t.csv >r.json
	expect "interrupted" "$(field r.json '[j.get("interrupted"), j.get("requests_left"), j["requests"]]')" "[None, None, 1]"
}

manual() {
	local verb

	for verb in convert info replay; do
		"$tool" "$verb" --help | grep -o -- '--[a-z]*' | sort -u | while read -r option; do
			grep -q -- "${option//-/\\\\-}" "$here/../ssdcache-trace.8" || { echo "not in the manual: $option"; exit 1; }
		done
	done
}

test_case "blktrace: CPUs merged, queue events only, flags" blktrace_all
test_case "blktrace: bad files are refused" blktrace_bad
test_case "blktrace: sizes, sectors and times at the ends of their ranges" blktrace_ranges
test_case "pipes are read once" pipes
test_case "names with odd characters" odd_names
test_case "write errors are reported, and no part of a capture is left" write_errors
test_case "a conversion that is ended leaves no part of a capture" interrupted
test_case "a capture is on the disk before it replaces a file, and its name after that" synced
test_case "standard files that are closed stay so" closed
test_case "what cannot be replaced is written where it is" kept_in_place
test_case "truncated files, and folders" broken_files
test_case "zeroes behind compressed data are ignored as by the tools of each format" padded_files
test_case "captures are written plain, gz, zst, xz and bz2" compressed
test_case "convert cuts requests" cut
test_case "captures longer than a buffer" large
test_case "MSR Cambridge CSV" msr
test_case "info counts" facts
test_case "options that leave nothing are refused, and no file is touched" nothing_left
test_case "the mark of UTF-8 in front of text" utf8_mark
test_case "errors are one line" usage_errors
test_case "replay in all modes, verified" replay_modes
test_case "replay keeps the times" replay_times
test_case "replay counts requests that were due before the kernel took them" replay_counts_late
test_case "replay says so if times go back" replay_remarks_times
test_case "replay notices wrong data" replay_verifies
test_case "replay notices as much wrong data as there is" replay_verifies_many
test_case "replay refuses what does not fit" replay_fits
test_case "replay waits for the cache to settle" replay_settles
test_case "a replay that is interrupted shows the results so far" replay_interrupted
test_case "completion offers the options of --help" completes_options
test_case "the manual page has all options" manual
finish
