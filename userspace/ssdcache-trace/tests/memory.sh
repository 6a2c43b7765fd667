#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Traces that do not fit into what is kept of them: memory, output onto itself, changes while a trace is read.
# usage: memory.sh SSDCACHE-TRACE, which is built without sanitizers, as these need memory themselves

title="trace memory"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$work"

# peak FILE OUT [OPTION]...: the largest resident size of "convert", in MiB
peak() {
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$tool" convert "$1" -o "${@:2}"
}

# A trace of 3 million requests does not fit into what is kept. SSDC_LONG=1: of 1 GB.
make_long() {
	python3 - "$1" <<-'PYTHON'
		import sys
		lines = [f"{i % 7},{'RW'[i % 2]},{i * 40503 % 99999 * 4096},4096,{{}}\n" for i in range(1000)]
		at = 0
		for i in range(int(sys.argv[1]) // 1000):
		    sys.stdout.write("".join(lines).format(*range(at, at + 1000)))
		    at += 1000
	PYTHON
}
python3 "$here/make-samples.py" .
count=$([ -n "${SSDC_LONG-}" ] && echo 40 || echo 3)
make_long "${count}000000" >long.csv
mib=$(peak long.csv -)
check "memory does not grow with the trace: $(($(stat -c %s long.csv) >> 20)) MiB read with $mib MiB" [ "$mib" -lt 80 ]
printf '%s\n' '# ssdcache-trace 1' 0,W,{0,1,2,3,4,5,6,7}294967296,4294967295, >huge.csv
huge=$(peak huge.csv - --compact)
check "nor --compact with the length of requests: $huge MiB" [ "$huge" -lt 60 ]
check "a trace that is read twice" [ "$("$tool" convert long.csv -o - | md5sum)" = "$("$tool" convert - <long.csv -o - | md5sum)" ]
"$tool" convert long.csv -o same.csv
sum=$(md5sum <same.csv)
own=$(peak same.csv same.csv)
check "a capture is converted onto itself" [ "$(md5sum <same.csv)" = "$sum" ]
check "that takes no more memory: $own MiB" [ "$own" -lt $((mib + 10)) ]
"$tool" convert same.csv -o /dev/stdout 1<>same.csv || :
check "also one that is written where it is" [ "$(md5sum <same.csv)" = "$sum" ]
"$tool" convert --cut 7 same.csv -o cut.csv
"$tool" convert --cut 7 same.csv -o - 1<>same.csv || :
check "and standard output" cmp -s same.csv cut.csv
# shellcheck disable=SC2094  # that is the case
"$tool" convert same.csv -o - >>same.csv || :
check "and what is appended to a trace" cmp -s same.csv <(cat cut.csv cut.csv)
python3 -c 'import sys; sys.stdout.buffer.write(open("blktrace.sample", "rb").read() * 8000)' >many.blktrace.0
"$tool" convert many -o many.csv
"$tool" convert many -o /dev/stdout 1<>many.blktrace.0 || :
check "and a trace that was named by the start of its name" cmp -s many.csv <(head -c "$(stat -c %s many.csv)" many.blktrace.0)
mkfifo pipe
"$tool" convert long.csv pipe -o merged.csv 2>said &
# It opens the second trace after it has looked at the first.
exec 3>pipe
cp long.csv other.csv
mv other.csv long.csv
head -n 1 long.csv >&3
exec 3>&-
wait $! && status=0 || status=$?
check "a trace that has been replaced when it is read again" \
	[ "$status $(<said)" = "1 ssdcache-trace: long.csv: was replaced while it was read" ]
"$tool" convert long.csv pipe -o merged.csv 2>said &
exec 3>pipe
printf 9 | dd of=long.csv conv=notrunc status=none bs=1 seek=$(($(stat -c %s long.csv) - 2))
head -n 1 long.csv >&3
exec 3>&-
wait $! && status=0 || status=$?
check "a trace that has been written when it is read again" \
	[ "$status $(<said)" = "1 ssdcache-trace: long.csv: has changed while it was read" ]
"$tool" convert long.csv -o pipe 2>said &
# It opens the pipe after it has looked at the whole trace.
exec 3<pipe
truncate -s "$(head -n 1000000 long.csv | wc -c)" long.csv
cat <&3 >/dev/null
exec 3<&-
wait $! && status=0 || status=$?
check "a trace that has become shorter when it is read again" \
	[ "$status $(<said)" = "1 ssdcache-trace: long.csv: has changed while it was read: 1000000 requests, ${count}000000 before" ]

finish
