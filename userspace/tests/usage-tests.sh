#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of what ssdcache-sim makes of its command line: what it refuses and how it says so, and that it destroys no
# file.
#
#	usage-tests.sh SSDCACHE-SIM
#
# Prints TAP; fails if any test does.
set -u -o pipefail

sim=$(realpath "${1:?usage: usage-tests.sh SSDCACHE-SIM}")
here=$(cd "$(dirname "$0")" && pwd -P)
demo=$here/../../traces/demo-ext4.csv.zst
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

# refuses NAME MESSAGE ARGUMENT...: exit code 2, one line that has the message, no output, no new file.
refuses() {
	local name=$1 message=$2 before status

	shift 2
	before=$(find . -type f ! -name 'std*' -exec cksum {} + | sort)
	"$sim" "$@" >stdout 2>stderr </dev/null
	status=$?
	[ $status = 2 ] && [ ! -s stdout ] && [ "$(wc -l <stderr)" = 1 ] && grep -qF -- "$message" stderr &&
		[ "$before" = "$(find . -type f ! -name 'std*' -exec cksum {} + | sort)" ]
	result $? "$name" "expected: exit 2 and a line with: $message
found:    exit $status and: $(cat stderr)
files:    $(find . -type f ! -name 'std*' | sort | paste -sd' ')"
}

# completions WORD...: candidates for the last word
completions() {
	"$sim" --complete "$@" | sort | paste -sd' '
}

head -n 1 <(zstdcat "$demo") >t.csv
zstdcat "$demo" | sed -n '2,400p' >>t.csv

# ---- completion ----

for verb in "" sweep advise; do
	# shellcheck disable=SC2086 # no word if there is no verb
	is "completion: ${verb:-a run} offers the options of --help" \
		"$("$sim" $verb --help | sed -nE 's/^  (-., )?(--[a-z_-]+).*/\2/p' | sort | paste -sd' ')" "$(completions $verb --)"
done

refuses "an error does not offer an option that --help hides" "advise: unknown option '--chek': 'ssdcache-sim advise --help' lists" \
	advise --chek t.csv

# ---- opt is no candidate ----

no_shadow="opt has no shadow: it knows the whole run, not a sample"
for candidates in opt opt+lru lru+opt lru+opt/read-write lru+opt:next=any; do
	for verb in "" sweep advise; do
		# shellcheck disable=SC2086 # no word if there is no verb
		refuses "auto: ${verb:-run}: no candidate $candidates" "auto: candidates: $no_shadow" \
			$verb --replacement "auto:candidates=$candidates" --dram 1m t.csv
	done
done
# The last value of a key would win; in a list, the writer may have meant two specs.
twice="'cflru:window=10,window=20': window is given twice"
two="$twice; for two values write cflru:window=10,cflru:window=20"
for option in replacement admission prefetch; do
	refuses "a key twice: --$option" "--$option: 'x:a=1,b=2,a=3': a is given twice" --$option x:a=1,b=2,a=3 t.csv
	for verb in sweep advise; do
		refuses "a key twice: $verb --$option" "--$option: 'x:a=1,b=2,a=3': a is given twice; for two values write x:a=1,x:a=3" \
			$verb --dram 1m,2m --$option x:a=1,b=2,a=3 t.csv
	done
done
refuses "a key twice: a run" "--replacement: $twice" --replacement cflru:window=10,window=20 t.csv
refuses "a key twice: a sweep" "--replacement: $two" sweep --replacement lru,cflru:window=10,window=20,fifo t.csv
refuses "a key twice: shadows" "--shadow: $two" --shadow lru,cflru:window=10,window=20 t.csv
refuses "a key twice: schemes of shadows" "--shadow-admission: 'l-corw:seed=1,seed=2': seed is given twice; for" --shadow lru \
	--shadow-admission l-corw:seed=1,seed=2 t.csv
refuses "a key twice: auto" "--replacement: 'auto:period=100,period=200': period is given twice" --replacement auto:period=100,period=200 t.csv
refuses "a key twice: the same value" "--replacement: 'cflru:window=10,window=10': window is given twice" --replacement cflru:window=10,window=10 t.csv
is "a key twice: of a flash device the last value counts" 2 \
	"$("$sim" --json --dram 1m --flash lin22:seed=1,seed=2 t.csv 2>/dev/null | jq .flash.params.seed)"
refuses "a key twice: not if another begins with it" "seed2: ssdflash has no such parameter" --flash lin22:seed=1,seed2=2 t.csv

refuses "auto: a wrong candidate: the error does not offer opt" 'replacement: "nosuch" is not one of' \
	--replacement auto:candidates=lru+nosuch t.csv
is "auto: a wrong candidate: the error does not offer opt" 0 "$(grep -cw opt stderr)"
is "auto: a wrong candidate: the error does not offer auto" 0 "$(grep -cw auto stderr)"
refuses "auto: a wrong policy: the error offers it" " freeboard opt auto" --replacement nosuch t.csv
refuses "auto: a wrong scheme: the error offers it" " corw-8 auto" --admission nosuch t.csv
refuses "auto: a wrong candidate of admission" 'admission: "nosuch" is not one of' --admission auto:candidates=read-write+nosuch t.csv
is "auto: a wrong candidate of admission: the error does not offer auto" 0 "$(grep -cw auto stderr)"
refuses "auto: a policy is no scheme" "auto: candidates: 'read-write/lru' is not a scheme" --admission auto:candidates=read-write/lru t.csv
refuses "auto: one period" "auto: period: given for replacement and for admission" \
	--replacement auto:period=20 --admission auto:period=20 t.csv
refuses "auto: opt has no shadow" "auto: candidates: $no_shadow" --replacement opt --admission auto t.csv
refuses "auto: a wrong policy: the error offers it, sweep" " freeboard opt auto" sweep --dram 1m --replacement lru,nosuch t.csv
refuses "shadows: a wrong policy: the error does not offer opt" 'replacement: "nosuch" is not one of' --shadow nosuch t.csv
is "shadows: a wrong policy: the error does not offer opt" 0 "$(grep -cwE 'opt|auto' stderr)"
refuses "shadows: opt among others" "--shadow: $no_shadow" --shadow lru,opt t.csv
refuses "shadows: opt with a setting" "--shadow: $no_shadow" --shadow opt:next=any t.csv
is "shadows: all and usual leave opt out" "0 0" "$(for word in all usual; do
	"$sim" --json --dram 1m --shadow $word --shadow-sizes 100 t.csv | jq '[.shadow.candidates[] | select(.replacement == "opt")] | length'
done | paste -sd' ')"
is "usual: a sweep has what an advice compares" "$("$sim" advise --json --read-us 75 --dram 1m --prefetch none --admission read-write t.csv |
	jq -r '.cells[].replacement' | sort -u | paste -sd' ')" \
	"$("$sim" sweep --replacement usual --dram 1m --output usual t.csv >stdout 2>stderr
	jq -r .result.replacement.name usual/cells.jsonl | sort -u | paste -sd' ')"

# ---- outputs destroy no inputs ----

zstd -q t.csv -o t.zst
gzip -k t.csv
ln t.csv hard
ln -s t.csv soft
mkdir results folder
ln -s ../t.csv folder/linked
cp t.csv results/cells.csv
make -s -C "$here/../../samples/policy" BUILD="$scratch/policies" >stdout 2>&1
mru=policies/ssdcache-mru.so
is_trace="is a trace, which would be overwritten"
refuses "outputs: --series is the trace" "--series: 't.zst' $is_trace" --limit 10 t.zst --series t.zst
refuses "outputs: --log-decisions is the trace" "--log-decisions: 't.csv.gz' $is_trace" --log-decisions t.csv.gz t.csv.gz
refuses "outputs: the second trace" "--series: 't.zst' $is_trace" --series t.zst t.csv t.zst
for name in ./t.csv hard soft folder/linked folder/../t.csv "$scratch/t.csv"; do
	refuses "outputs: the trace by another name, $name" "--series: '$name' $is_trace" --series "$name" t.csv
done
refuses "outputs: both are one new file" "--log-decisions: './new' is the file of --series, too" --series new --log-decisions ./new t.csv
refuses "outputs: both are one file" "--log-decisions: 'old' is the file of --series, too" --series old --log-decisions old \
	"$(touch old; echo t.csv)"
refuses "outputs: a plug-in" "--series: '$mru' is a file of --plugin, which would be overwritten" --plugin "$mru" --series "$mru" t.csv
for option in series log-decisions; do
	refuses "outputs: --$option -" "--$option: '-' is no file" --$option - t.csv
done
"$sim" --dram 1m --series from-stdin - <t.csv --log-decisions /dev/null >stdout 2>stderr
is "outputs: standard input is another file" 0 $?
cp t.csv standard
# That is what is tested.
# shellcheck disable=SC2094
"$sim" --series standard - <standard >stdout 2>stderr
is "outputs: standard input is the file" "2 1 same" "$? $(grep -cF -- "--series: 'standard' $is_trace" stderr) $(cmp t.csv standard && echo same)"
# shellcheck disable=SC2094
"$sim" --series both t.csv >both 2>stderr
is "outputs: standard output is the file" "2 1" "$? $(grep -cF -- "--series: 'both' is standard output, which is for the report" stderr)"
"$sim" --dram 1m --series /dev/null --log-decisions /dev/null t.csv >stdout 2>stderr
is "outputs: two may be /dev/null" 0 $?
refuses "outputs: --plot of a sweep is the trace" "--plot: 't.zst' $is_trace" sweep --dram 1m,2m t.zst --plot t.zst
refuses "outputs: --plot of an advice is the trace" "--plot: './t.zst' $is_trace" advise --dram 1m t.zst --plot ./t.zst
refuses "outputs: the table of a sweep is the trace" "--output: 'results/cells.csv' $is_trace" sweep --dram 1m,2m --output results results/cells.csv
refuses "outputs: --plot is the table of the sweep" "--plot: 'results/../results/cells.csv' is the file of --output, too" \
	sweep --dram 1m,2m --output results --plot results/../results/cells.csv t.csv
refuses "outputs: --plot is the journal of a sweep whose folder is not there" "--plot: 'none/cells.jsonl' is the file of --output, too" \
	sweep --dram 1m,2m --output none --plot none/cells.jsonl t.csv
mkdir empty
ln -s empty/cells.jsonl to-journal
ln -s not-there to-nothing
refuses "outputs: --plot is a link to the journal to be" "--plot: 'to-journal' is the file of --output, too" \
	sweep --dram 1m,2m --output empty --plot to-journal t.csv
refuses "outputs: one is a link to the other to be" "--log-decisions: 'to-nothing' is the file of --series, too" --series not-there \
	--log-decisions to-nothing t.csv
refuses "outputs: --plot of a sweep is a plug-in" "--plot: '$mru' is a file of --plugin" sweep --dram 1m,2m --plugin "$mru" --plot "$mru" t.csv

# ---- options that would do nothing ----

for option in read-us write-us flush-us; do
	message="--$option has no meaning with --flash, whose parameters have times"
	refuses "times of an origin and a flash device: --$option" "$message" --flash s002 --$option 5 t.csv
	refuses "in a sweep: --$option" "$message" sweep --flash s002 --$option 5 --dram 1m,2m t.csv
	refuses "in a sweep of devices: --$option" "$message" sweep --flash s002,s003 --$option 5 t.csv
	refuses "in an advice: --$option" "$message" advise --flash s002 --$option 5 --dram 1m t.csv
done
refuses "with shadows" "--read-us has no meaning with --flash" --flash s002 --read-us 5 --shadow lru t.csv
refuses "with a choice" "--write-us has no meaning with --flash" --flash s002 --write-us 5 --replacement auto t.csv
refuses "an interval of no series" "--series-interval-ms has no meaning without --series" --series-interval-ms 5 t.csv
for mode in closed depth=2; do
	message="--time-scale has no meaning with --${mode%=*}, which ignores arrival times"
	refuses "a scale of times: --$mode" "$message" --$mode --time-scale 2 t.csv
	refuses "a scale of times, in a sweep: --$mode" "$message" sweep --dram 1m,2m --time-scale 2 --$mode t.csv
	refuses "a scale of times, in an advice: --$mode" "$message" advise --dram 1m --time-scale 2 --$mode t.csv
done

# ---- what a bad line says ----

# bad FORMAT LINE FOUND: the message quotes FOUND
bad() {
	local header=

	case $1 in
	capture) header="# ssdcache-trace 1" ;;
	fio) header="fio version 3 iolog" ;;
	esac
	printf '%s\n' ${header:+"$header"} "$2" >bad
	refuses "$1: '$2': the message quotes '$3'" ", found \"$3\"" --format "$1" bad
}
bad capture "0,F,0,8," "8,"
bad capture "0,W,0,0," "0,"
bad capture "0,W,5;8," "5;8,"
bad capture "0;W,5,8," "0;W,5,8,"
bad capture "0,W,5,8x" "8x"
bad msr "1;h,0,Read,0,512" "1;h,0,Read,0,512"
bad msr "1,h,x0,Read,0,512" "x0,Read,0,512"
bad msr "1,h,0x,Read,0,512" "0x,Read,0,512"
bad msr "1,h,0,Read,0;512" "0;512"
bad msr "1,h,0,Read,0,0" "0"
bad alibaba "1x,R,0,512,1" "1x,R,0,512,1"
bad alibaba "1,R,0x,512,1" "0x,512,1"
bad alibaba "1,R,0,0,1" "0,1"
bad alibaba "1,R,0,512,1x" "1x"
bad tencent "1x,0,8,0,1" "1x,0,8,0,1"
bad tencent "1,0x,8,0,1" "0x,8,0,1"
bad tencent "1,0,0,0,1" "0,0,1"
bad tencent "1,0,8,0,1x" "1x"
bad systor "1x,0,R,1,0,512" "1x,0,R,1,0,512"
bad systor "1,0,R,1x,0,512" "1x,0,512"
bad systor "1,0,R,1,0x,512" "0x,512"
bad systor "1,0,R,1,0,0" "0"
bad spc "0x,0,512,R,1" "0x,0,512,R,1"
bad spc "0,0x,512,R,1" "0x,512,R,1"
bad spc "0,0,0,R,1" "0,R,1"
bad spc "0,0,512,R,1x" "1x"
bad ssdsim "1x 0 0 8 1" "1x 0 0 8 1"
bad ssdsim "1 0 0x 8 1" "0x 8 1"
bad ssdsim "1 0 0 0 1" "0 1"
bad fiu "1x 2 name 0 8 R 8 1" "1x 2 name 0 8 R 8 1"
bad fiu "1 2 name 0 0 R 8 1" "0 R 8 1"
bad fio "1x file read 0 512" "1x file read 0 512"
bad fio "1 file read 0x 512" "0x 512"
bad fio "1 file read 0 0" "0"

# ---- too little memory ----

# with_little WORD...: with 600 MB of address space; a simulator with sanitizers needs more, and refuses large pieces instead
with_little() {
	(
		ulimit -v 600000
		if ! "$sim" --version >stdout 2>stderr; then
			exit 99
		fi
		"$sim" "$@" >stdout 2>stderr
	) 2>/dev/null # the shell tells of a program that aborts
	local status=$?

	[ $status = 99 ] || return $status
	ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=8 "$sim" "$@" >stdout 2>stderr
}
for words in "--dram 64g" "--dram 8g --shadow all" "--dram 64g --replacement auto"; do
	# shellcheck disable=SC2086 # several words
	with_little $words t.csv
	is "too little memory: exit code 1, $words" "1 1" "$? $(grep -c "no memory" stderr)"
done

# ---- empty names ----

for words in "--series --series FILE" "--log-decisions --log-decisions FILE" "--plugin --plugin FILE" "sweep --output --output DIRECTORY" \
	"sweep --plot --plot FILE" "advise --plot --plot FILE"; do
	option=--${words##* --}
	verb=${words%%--*}
	# shellcheck disable=SC2086 # no word or one
	refuses "empty name: $verb${option% *}" "${option% *}: the name is empty: $option" $verb ${option% *} '' --dram 1m t.csv
	# shellcheck disable=SC2086
	refuses "empty name: $verb${option% *}=" "${option% *}: the name is empty: $option" $verb --dram 1m ${option% *}= t.csv
done

# ---- the reserve ----

for size in 0 1 4k 1048575; do
	refuses "reserve: --reserve $size" "--reserve: $size is not from 1m to 131008m" --reserve $size t.csv
	refuses "reserve: in a sweep: --reserve $size" "--reserve: $size is not from 1m to" sweep --replacement lru,fifo --reserve $size t.csv
done
refuses "reserve: less than the least of all shards" "--reserve: 1m is not from 4m to" --shards 4 --reserve 1m t.csv
refuses "reserve: a small tier needs as much as it has" "--reserve: 4k is not from 256k to" --dram 256k --reserve 4k t.csv
is "reserve: what is given is used" "1048576 262144 4194304" "$(for words in "--reserve 1m" "--dram 256k --reserve 256k" "--shards 4 --reserve 4m"; do
	# shellcheck disable=SC2086 # several words
	"$sim" --json $words t.csv | jq .stats.reserve_bytes
done | paste -sd' ')"

# ---- latencies ----

is "one request: all its latencies are the same" "75.000 75.000 75.000 75.000 75.000 75.000 75.000" \
	"$("$sim" --limit 1 --admission read-write "$demo" | awk '/^latency/ { on = 1 } on && $1 == "read" { print $3, $4, $5, $6, $7, $8, $9 }')"
is "the worst are between the 99th percentile and the maximum" true "$(for policy in lru fifo cflru; do
	for limit in 3 99 100 101 250 1000; do
		"$sim" --json --dram 1m --admission read-write --replacement $policy --limit $limit "$demo"
	done
done | jq -s 'all(.[].latency[] | objects; .p99_ns <= .worst1_mean_ns and .worst1_mean_ns <= .max_ns)')"

# ---- values over time ----

printf '# ssdcache-trace 1\n0,W,0,8,\n40000000000000,R,800,8,\n' >gap.csv
refuses "series: rows without end are refused before the file is there" "the file would have more than 10000000 rows" \
	--series rows --series-interval-ms 1 gap.csv
cp t.csv rows
refuses "series: and an old file stays" "the file would have more than 10000000 rows" --series rows --series-interval-ms 1 gap.csv
rm rows
# The requests arrive within an instant; what they take fills more rows.
printf '# ssdcache-trace 1\n0,R,0,8,\n0,R,8,8,\n' >slow.csv
refuses "series: nor is it there if the run takes long" "the file would have more than 10000000 rows" \
	--closed --read-us 1000000000 --series rows --series-interval-ms 1 --repeat 20 slow.csv
end=$("$sim" --json --dram 1m --series rows --series-interval-ms 100 t.csv | jq .run.simulated_ns)
is "series: the last row is of the end of the run" "$end" "$(tail -n 1 rows | jq -R 'split(",")[0] | tonumber * 1000000 | round')"
is "series: a run that ends with an interval" "time_ms 1 2 3" "$(printf '# ssdcache-trace 1\n0,R,0,8,\n2000000,R,8,8,\n' >ends.csv
	"$sim" --dram 1m --read-us 1000 --series rows --series-interval-ms 1 ends.csv >stdout 2>stderr; cut -d, -f1 rows | paste -sd' ')"

# interrupted OPTION...: SIGINT as the file rows grows, which happens in more than one write; the exit code, and its last character
interrupted() {
	local pid

	rm -f rows
	env --default-signal=INT "$sim" "$@" >stdout 2>stderr &
	pid=$!
	until [ "$(stat -c %s rows 2>/dev/null || echo 0)" -gt 100000 ] || ! kill -0 $pid; do
		sleep 0.01
	done
	kill -INT $pid
	wait $pid
	echo "$? $(tail -c 1 rows | od -An -c | tr -d ' ')"
}
is "series: an interruption leaves whole rows" "130 \\n" \
	"$(interrupted --dram 1m --series rows --series-interval-ms 1 --repeat 100 "$demo")"
is "log of decisions: an interruption leaves whole lines" "130 \\n" \
	"$(interrupted --dram 1m --log-decisions rows --repeat 500 "$demo")"

# ---- text ----

is "one is no plural" "1 request in|2 requests in|0 of 1 cell in|0 of 2 cells in" "$(for limit in 1 2; do
	"$sim" --dram 1m --limit $limit t.csv 2>stderr | grep -o '^[0-9]* requests* in'
done | paste -sd'|')|$(for sizes in 1m 1m,2m; do
	"$sim" sweep --dram $sizes --flash s002:blocks=4 --output "none-$sizes" t.csv 2>&1 >stdout | grep -o '[0-9]* of [0-9]* cells* in'
done | paste -sd'|')"
# columns: how many lengths lines have
columns() {
	awk '{ print length($0) }' | sort -u | wc -l
}
long=lru,cflru-ef-sc:threshold=50,adapt=off,period=1000
is "columns are as wide as what is in them: a sweep" 1 "$("$sim" sweep --replacement "$long" --dram 1m --output wide t.csv 2>stderr | columns)"
is "columns are as wide as what is in them: shadows" 1 \
	"$("$sim" --dram 1m --shadow "$long" t.csv 2>stderr | sed -n '/^  replacement  /,$p' | columns)"
"$sim" --dram 1m --shadow lru t.csv >stdout 2>stderr
is "shadows: responses are of one size" 1 "$(grep -c "responses are not: compare these between policies of one size only" stdout)"

# ---- completion ----

has_words() { # LIST WORD...: which of the words are in the list
	local list=" $1 " word

	shift
	for word; do
		[[ $list != *" $word "* ]] || echo "$word"
	done | paste -sd' '
}
is "completion: --shadow has no opt and no auto" "lru all usual" \
	"$(has_words "$(completions --shadow "")" opt auto lru all usual)"
is "completion: a list of --shadow" "lru,lfu lru,all" "$(has_words "$(completions --shadow "lru,")" lru,opt lru,auto lru,lfu lru,all)"
is "completion: --shadow-admission" "read-write all usual" "$(has_words "$(completions --shadow-admission "")" auto read-write all usual)"
is "completion: a run takes one policy" "lru opt auto" "$(has_words "$(completions --replacement "")" lru opt auto all usual)"
is "completion: a sweep takes groups" "lru opt auto all usual" "$(has_words "$(completions sweep --replacement "")" lru opt auto all usual)"
is "completion: an advice takes groups" "lru auto all usual" "$(has_words "$(completions advise --replacement "")" lru opt auto all usual)"
is "completion: groups of schemes and prefetchers, and auto" "auto all usual all usual" \
	"$(for kind in admission prefetch; do has_words "$(completions sweep --$kind "")" auto all usual; done | paste -sd' ')"
is "completion: no candidate opt" "auto:candidates=lru+lfu" \
	"$(has_words "$(completions --replacement auto:candidates=lru+)" auto:candidates=lru+opt auto:candidates=lru+lfu)"
is "completion: schemes to choose among" "auto:candidates=read-write+write-buffer auto:period=" \
	"$(has_words "$(completions --admission auto:candidates=read-write+) $(completions --admission auto:p)" \
		auto:candidates=read-write+lru auto:candidates=read-write+write-buffer auto:period=)"
is "completion: what is offered for --format is taken" "any 0" \
	"$(has_words "$(completions --format "")" any) $("$sim" --dram 1m --format any t.csv >stdout 2>stderr; echo $?)"
is "completion: --describe=" "json names rst" "$(completions --describe= | tr ' ' '\n' | sed 's/--describe=//' | paste -sd' ')"
# What is offered for a list is not refused.
for word in $(completions --shadow ""); do
	"$sim" --dram 1m --limit 1 --shadow "$word" t.csv >stdout 2>stderr || echo "$word"
done >refused
is "completion: all that is offered for --shadow is taken" "" "$(cat refused)"

# ---- clear words ----

for size in 99999999999999999999 16777216t; do
	large="'$size' is too large: a size is less than 16777216t"
	refuses "too large: --dram $size" "--dram: $large" --dram $size t.csv
	refuses "too large: in a sweep: --dram $size" "--dram: $large" sweep --dram 1m,$size t.csv
	refuses "too large: a range to $size" "--dram: $large" sweep --dram 1m..$size t.csv
	refuses "too large: another size, $size" "--shadow-region: $large" --shadow lru --shadow-region $size t.csv
done
for size in 0 3m 2g; do
	refuses "no region: $size" "--shadow-region: '$size' is not a power of two from the size of a page to 1g" \
		--shadow lru --shadow-region $size t.csv
done
for verb in "" sweep; do
	# shellcheck disable=SC2086 # no word if there is no verb
	refuses "no DRAM: ${verb:-run}" "dram: 0 is not from 64k (16 pages) to" $verb --dram 0 t.csv
	# shellcheck disable=SC2086
	refuses "no page: ${verb:-run}" "page: 0 is not a power of two from 4k to 64k" $verb --page 0 t.csv
done
refuses "no DRAM at the start of a range" "--dram: a range of sizes has no '0'" sweep --dram 0..1m t.csv
for list in "--replacement=cflru:window=3," "--dram=1m," "--dram=1m,,2m" "--dram_mode=volatile," "--shards=1,"; do
	for verb in "" sweep; do
		# shellcheck disable=SC2086 # no word if there is no verb
		refuses "a comma with nothing behind: ${verb:-run} $list" "${list%%=*}: '${list#*=}' has an empty value" $verb $list t.csv
	done
done
refuses "a sweep of what takes one value" "--read-us: '5,6' is more than one value: a sweep takes several of SPEC, SIZE and VALUE, of --shards and of --depth" \
	sweep --read-us 5,6 t.csv
for verb in sweep advise; do
	refuses "a verb that is not first: $verb" "'$verb' is no file, and as a verb it comes first: 'ssdcache-sim $verb [OPTION]... TRACE...'" --json $verb t.csv
done
cp t.csv advise
is "a file with the name of a verb is a trace" 0 "$("$sim" --dram 1m -- advise >stdout 2>stderr; echo $?)"
refuses "nothing is left: --skip" "t.csv: no requests: none is left by --skip" --skip 99999999 t.csv
refuses "nothing is left: --after" "t.csv: no requests: none is left by --after" --after 1000000 t.csv
refuses "nothing is left: of several files, by several options" "t.csv, …: no requests: none is left by --before, --skip" \
	--before 1 --skip 99999999 t.csv t.zst
printf '# ssdcache-trace 1\nnonsense\n' >bad
refuses "nothing is left: --skip-bad" "bad: no requests: none is left by --skip-bad" --skip-bad bad
printf '# ssdcache-trace 1\n0,D,0,8,\n1000,D,4096,8,\n' >discards.csv
for verb in "" sweep advise; do
	refuses "nothing is left: --compact, ${verb:-run}" "discards.csv: only discards, of which --compact leaves none" \
		$verb ${verb:+--replacement=lru,fifo} --compact discards.csv
done
refuses "nothing is left: --compact, of several files" "discards.csv, …: only discards, of which --compact leaves none" \
	--compact discards.csv discards.csv
refuses "nothing is left: --skip with --compact" "discards.csv: no requests: none is left by --skip" --skip 2 --compact discards.csv
refuses "an empty name: of a trace" "ssdcache-sim: '': No such file or directory" ""

finish
