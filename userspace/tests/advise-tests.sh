#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of "ssdcache-sim advise": workloads for which the advice is known, what the advice says of itself, refusals.
#
#	advise-tests.sh SSDCACHE-SIM [SSDCACHECTL] [TRACE-FOLDER]
#
# With SSDC_LONG=1 and a folder of traces, the advice for each is compared with a full search. Prints TAP; fails if any
# test does.

set -u -o pipefail

sim=$(realpath "${1:?usage: advise-tests.sh SSDCACHE-SIM [SSDCACHECTL] [TRACE-FOLDER]}") || exit 2
ctl=${2-}
traces=${3-}
here=$(cd "$(dirname "$0")" && pwd -P)
demo=$here/../../traces/demo-ext4.csv.zst
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

# has NAME TEXT: the text that advise() has printed
has() {
	grep -qF -- "$2" "$scratch/text"
	result $? "$1" "no '$2' in
$(cat "$scratch/text" "$scratch/messages")"
}

# advise WORD...: the text is in $scratch/text, the same advice in $scratch/json, the exit code in $code
advise() {
	code=0
	"$sim" advise --json "$@" >"$scratch/json" 2>"$scratch/messages" || code=$?
	# The same exit code; what differs is seen in the text.
	"$sim" advise "$@" >"$scratch/text" 2>"$scratch/messages" || [ $? = "$code" ]
}

# json EXPRESSION: of Python, where a is the advice
json() {
	python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))
choice = a["advice"]["choice"]
print(eval("(" + sys.argv[2] + ")"))' "$scratch/json" "$1"
}

# make NAME PROGRAM: a capture with a request a millisecond; PROGRAM of Python calls read(page) and write(page)
make() {
	python3 -c 'import random, sys
random.seed(1)
ms = 0
def request(op, page):
    global ms
    print(f"{ms}000000,{op},{page * 8},8,")
    ms += 1
read = lambda page: request("R", page)
write = lambda page: request("W", page)
print("# ssdcache-trace 1")
exec(sys.argv[1])' "$2" >"$scratch/$1.csv"
}

flat=(--read-us 75 --write-us 75 --page 4k --prefetch none)

make tie 'for i in range(400): write(i % 40)'
advise "${flat[@]}" --dram 256k "$scratch/tie.csv"
is "writes that all fit: the simplest policy" "0 fifo write-buffer 0.0" \
	"$code $(json 'choice["replacement"], choice["admission"], choice["mean_ns"]' | tr -d "(),'")"
has "writes that all fit: others are as good" "As good, within 1 %: "
is "the help says what is searched, not the defaults of a run" "0 1 2" \
	"$("$sim" advise --help | grep -cE 'default (64m|4k|lru|write-buffer|none)'
	) $("$sim" advise --help | grep -c 'default: usual') $("$sim" advise --help | grep -c 'default: all;')"
is "all policies are compared, but for opt and those on request" "$("$sim" --describe | jq '([.replacement[] |
	select(.name != "opt" and (.on_request | not))] | length) * (.admission | length)')" "$(json 'a["search"]["combinations"]')"
advise "${flat[@]}" --dram 256k --replacement all --admission read-write,write-buffer "$scratch/tie.csv"
is "on request, too" "$("$sim" --describe=names | awk '$1 == "replacement" && $2 != "opt" { r++ } END { print r * 2 }')" \
	"$(json 'a["search"]["combinations"]')"

{ cat "$scratch/tie.csv"; echo bad; } >"$scratch/bad.csv"
advise "${flat[@]}" --dram 256k --replacement lru --skip-bad "$scratch/bad.csv"
is "the number of bad lines" 1 "$(json 'a["workload"]["skipped_lines"]')"

# 12 hot pages, and a scan that lru lets push them out of the 16.
make scan 'scan = 100
for turn in range(200):
    for hot in range(12): read(hot); read(hot)
    for i in range(16): scan += 1; read(scan)'
advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/scan.csv"
is "hot pages and scans: lfu, for sure" "lfu sure" "$(json 'choice["replacement"] + " " + choice["trust"]')"
has "hot pages and scans: both halves agree" "Sure: lru, read-write, the next best, is"

# lru is within 1 % of lfu, and fifo within 1 % of lru, but not of lfu: turns in which lru and lfu keep the hot page, others in which only lfu does.
make chain 'scan = 100
def more(n):
    global scan
    for _ in range(n): scan += 1; read(scan)
for i in range(20): read(0)
for turn in range(20): read(0); more(7)
for turn in range(5): read(0); more(16)
more(500)'
advise "${flat[@]}" --dram 64k --replacement fifo,lru,lfu --admission read-write "$scratch/chain.csv"
is "within 1 % of the choice, not of the best: the figures are so" "True True True" "$(json '[(lambda f: "%s %s %s" % (
	f["lru"] < 1.008 * f["lfu"], f["fifo"] < 1.009 * f["lru"], f["fifo"] > 1.011 * f["lfu"]))(
	{c["replacement"]: c["mean_ns"] for c in a["cells"]})][0]')"
is "within 1 % of the choice, not of the best: not as good" "lru lfu fifo close" \
	"$(json '" ".join([choice["replacement"], *(c["replacement"] for c in choice["equal"]), choice["rival"]["replacement"], choice["trust"]])')"
has "within 1 % of the choice, not of the best: not named as good" "As good, within 1 %: lfu, read-write. The simplest is chosen."
has "within 1 % of the choice, not of the best: behind" "Close: fifo, read-write is 0.8 % behind."

# In the second half, the pages that were hot before are never used.
make halves 'scan = 1000
for turn in range(100):
    for hot in range(12): read(hot); read(hot)
    for i in range(16): scan += 1; read(scan)
for turn in range(330):
    for hot in range(100, 112): read(hot)'
advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/halves.csv"
is "halves that differ: not sure" "close True" \
	"$(json 'choice["trust"] + " " + str(choice["margin_of_halves"][0] * choice["margin_of_halves"][1] < 0)')"
has "halves that differ: the advice says so" "the halves of the workload disagree"

# A loop over 200 pages: with 256 it fits, with 128 lru keeps nothing.
make loop 'for i in range(4000): read(i % 200)'
advise "${flat[@]}" --dram 256k..2m --replacement lru --admission read-write "$scratch/loop.csv"
is "a loop: the least DRAM is that which holds the loop" 1048576 "$(json 'a["advice"]["least_dram_bytes"]')"
has "a loop: the curve has all sizes" "      512k               75.0     0.0000"
advise "${flat[@]}" --dram 256k..2m --replacement lru --admission read-write --latency 10us "$scratch/loop.csv"
is "the least DRAM for a latency" "0 1048576" "$code $(json 'a["advice"]["latency_dram_bytes"]')"
has "the least DRAM for a latency, as text" "1m is the least DRAM for 10.0 us."
advise "${flat[@]}" --dram 256k..512k --replacement lru --admission read-write --latency 10us "$scratch/loop.csv"
is "a latency out of reach: exit code 1" "1 None" "$code $(json 'a["advice"]["latency_dram_bytes"]')"
has "a latency out of reach: the advice says so" "No size reaches 10.0 us: the best figure is 75.0 us"

# 2000 pages on a device of 512
make wide 'for i in range(2000): write(i)'
advise "${flat[@]}" --replacement lru --admission read-write --fold --origin-sectors 4096 "$scratch/wide.csv"
is "--fold: the requests touch what the device has, and DRAM is no larger" "2097152 2097152" \
	"$(json '"%d %d" % (a["workload"]["footprint_bytes"], max(cell["dram_bytes"] for cell in a["cells"]))')"

make one 'write(5)'
advise "${flat[@]}" "$scratch/one.csv"
is "one request" "0 fifo" "$code $(json 'choice["replacement"]')"

# Traces whose times tell nothing
make once 'for i in range(400): ms = 0; write(i % 80)'
advise --flash custom:channels=1,chips=1,dies=1,planes=1,pages=32,blocks=100,page_bytes=4096 --dram 64k --prefetch none "$scratch/once.csv"
has "all at one time: the advice says what to do" "--depth 16 keeps 16 in flight instead."
advise --flash custom:channels=1,chips=1,dies=1,planes=1,pages=32,blocks=100,page_bytes=4096 --dram 64k --prefetch none --depth 16 \
	"$scratch/once.csv"
! grep -q "have one time" "$scratch/text"
result $? "all at one time, and --depth: nothing to say"
make pairs 'for i in range(400): ms = i // 2; write(i % 80)'
advise "${flat[@]}" --dram 64k --prefetch none "$scratch/pairs.csv"
has "two at a time: the advice says that their order is chance" "50 % of the requests come at the same moment as the one before."
make few 'for i in range(400): ms = i // 40 + i; write(i % 80)'
advise "${flat[@]}" --dram 64k --prefetch none "$scratch/few.csv"
! grep -q "same moment" "$scratch/text"
result $? "each at a time of its own: nothing to say"
"$sim" advise "${flat[@]}" --dram 64k --replacement lru,lfu "$scratch/scan.csv" | tail -n 1 >"$scratch/text"
has "the advice ends with the commands" "ssdcache-sim --dram=64k"

# Goals
make goals 'for turn in range(600):
    write(turn % 20); read(1000 + turn)'
for goal in latency reads writes p99 hits flash-writes; do
	advise "${flat[@]}" --dram 64k,128k --replacement lru,fifo --goal $goal "$scratch/goals.csv"
	is "--goal $goal: the figure that is compared" "0 True" "$code $(json "abs(choice['value'] - choice[
		{'latency': 'mean_ns', 'reads': 'read_mean_ns', 'writes': 'write_mean_ns', 'p99': 'p99_ns',
		 'flash-writes': 'flash_bytes_written', 'hits': 'hit_ratio'}['$goal']]) < 1e-9")"
	is "--goal $goal: the figure of lru is in the same unit" "True" "$(json "[abs(choice['lru'] - c['estimate']) < 1e-9 for c in a['cells']
		if c['dram_bytes'] == choice['dram_bytes'] and (c['replacement'], c['admission']) == ('lru', 'write-buffer')][0]")"
done
is "--goal flash-writes: what is dirty at the end counts" 81920 \
	"$(json '[int(c["value"]) for c in a["choices"] if c["dram_bytes"] == 131072][0]')"

advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write --goal hits "$scratch/scan.csv"
is "--goal hits: the most hits, not the fewest" "0 lfu True" \
	"$code $(json 'choice["replacement"], choice["value"] > choice["rival"]["hit_ratio"]' | tr -d "(),'")"
has "--goal hits: the figure is the hit ratio" "$(json '"lfu, read-write, %.1f %%" % (100 * choice["hit_ratio"])')"

# The default grid of sizes, with a flash device.
advise --flash custom:channels=1,chips=1,dies=1,planes=1,pages=32,blocks=200 --fold --limit 500 --replacement lru,cflru \
	--admission read-write --prefetch none "$demo"
is "sizes end at what is touched, and pages are those of the flash" "True 4 8k" \
	"$(json 'a["choices"][-1]["dram_bytes"] >= a["workload"]["footprint_bytes"] > a["choices"][-2]["dram_bytes"], len(a["choices"]),
		choice["page"]' | tr -d "(),'")"

# What the advice prints is what its commands do.
command=$(json 'a["advice"]["simulate"]')
is "the command that simulates the choice finds the same figure" "$(json 'int(choice["read_mean_ns"])')" \
	"$(eval "${command/#ssdcache-sim/\"\$sim\" --json}" 2>/dev/null |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["read"]["mean_ns"])')"
is "the table line counts its words" True "$(json 'int(a["advice"]["table"].split(" ssdcache /dev/ORIGIN ")[1].split()[0]) ==
	len(a["advice"]["table"].split(" ssdcache /dev/ORIGIN ")[1].split()) - 1')"
same() {
	local text

	for text in "$(json 'a["advice"]["create"]')" "$(json 'a["advice"]["table"]')" "$(json 'a["advice"]["simulate"]')" \
		"$(json '"%.1f" % (choice["value"] / 1e3)')" "$(json '"%.4f" % choice["hit_ratio"]')"; do
		grep -qF -- "$text" "$scratch/text" || { echo "no $text"; return 1; }
	done
}
differs=$(same)
result $? "text and JSON agree" "$differs
$(cat "$scratch/text")"

# The search
search=("${flat[@]}" --limit 8000 --dram 256k..4m --admission "write-buffer,read-write")
regret=$("$here/advise-regret.py" --limit 8000 "$sim" "$demo" -- "${flat[@]}" --dram 256k..4m --admission "write-buffer,read-write")
result $? "a search finds what a full search finds, at a fifth of the cost" "$regret"
# With hot pages, a part of the time needs more DRAM than its part: only a part of the pages tells how good they are kept.
"$here/advise-traces.py" --requests 8000 --only readmost "$scratch" >"$scratch/names"
regret=$("$here/advise-regret.py" --goals latency,hits "$sim" "$scratch/readmost.csv" -- "${flat[@]}" --dram 1m..8m \
	--admission write-buffer,read-write)
result $? "a search finds what a full search finds, if hot pages are used all the time" "$regret"
"$sim" advise --json --jobs 1 "${search[@]}" "$demo" >"$scratch/first"
"$sim" advise --json --jobs 3 "${search[@]}" "$demo" >"$scratch/second"
cmp "$scratch/first" "$scratch/second" >"$scratch/differs" 2>&1
result $? "the number of processes makes no difference" "$(cat "$scratch/differs")"
cp "$scratch/first" "$scratch/json"
"$sim" advise "${search[@]}" "$demo" >"$scratch/text" 2>"$scratch/messages"
is "the cost is that of the runs" True "$(json '0.05 < a["search"]["cost"] <= 0.2 and
	abs(a["search"]["cost"] * a["search"]["cells"] * a["workload"]["requests"] - a["search"]["requests_simulated"]) < 1')"
is "samples with the same DRAM are run once: that of 256k, 512k and 1m is the least one" "True True" \
	"$(json 'a["search"]["sampled_runs"] == 3 * a["search"]["combinations"], all(c["whole"] or c["share"] for c in a["cells"])' | tr -d "(),")"
has "the cost, and what was left out, are printed" "of the requests of a full search."
is "runs that fell behind are known, and marked" "True True" "$(json 'sum(c["stopped"] for c in a["cells"]) == a["search"]["stopped_runs"] > 0') $(
	grep -q ' >[0-9]' "$scratch/text" && echo True)"
advise --effort 3 "${search[@]}" "$demo"
is "a little effort: samples of all, and few whole runs" "0 True" "$code $(json 'a["search"]["cost"] <= 0.12')"
is "a little effort: not sure, as others were only sampled and seem as good" "close True" \
	"$(json 'choice["trust"], any(not c["whole"] and c["dram_bytes"] == choice["dram_bytes"] and c["estimate"] <= 1.05 * choice["value"]
		for c in a["cells"])' | tr -d "(),'")"
has "a little effort: the advice says so" "a larger --effort tells."

# What another state of the same aged drive changes is chance, which the advice measures.
small=custom:channels=2,chips=1,dies=1,planes=2,pages=32,blocks=80,page_bytes=4096,aged=steady
advise --flash $small --fold --limit 3000 --dram 256k --prefetch none --admission write-buffer --replacement lru,fifo,lfu "$demo"
is "states of the drive: the choice was run with three, the first as given" "3 True" \
	"$(json 'len(choice["in_states"]), choice["in_states"][0] == choice["value"]' | tr -d "(),")"
command=$(json 'a["advice"]["simulate"]')
command=${command/"$small"/"$small,seed=3"}
is "states of the drive: they are its seeds" "$(json 'int(choice["in_states"][2] / 1000)')" \
	"$(eval "${command/#ssdcache-sim/\"\$sim\" --json}" 2>/dev/null | python3 -c 'import json, sys
ops = [of for of in json.load(sys.stdin)["latency"].values() if isinstance(of, dict) and of.get("count")]
print(int(sum(of["mean_ns"] * of["count"] for of in ops) / sum(of["count"] for of in ops) / 1000))')"
advise --flash $small --dram 256k --prefetch none --admission read-write,write-buffer --replacement lfu,cflru,lru,fifo "$scratch/tie.csv"
is "states of the drive: the simplest of those that are equal, however they are given" "fifo write-buffer 3" \
	"$(json 'choice["replacement"], choice["admission"], len(choice["in_states"])' | tr -d "(),'")"
advise --flash $small --fold --limit 3000 --dram 256k --prefetch none --admission write-buffer --replacement lru,fifo,lfu "$demo"
is "states of the drive: the mean decides" True "$(json 'all(sum(choice["in_states"]) <= 1.01 * sum(c["in_states"])
	for c in [choice["rival"]] if "in_states" in c)')"
has "states of the drive: the advice says how much is chance" \
	"$(json '"Chance: %s with the given state of the drive, and %s and %s with others" % tuple("%.1f us" % (x / 1e3) if x < 1e7 else
		"%.1f ms" % (x / 1e6) if x < 1e9 else "%.2f s" % (x / 1e9) for x in choice["in_states"])')"
advise --flash $small --fold --limit 3000 --dram 256k --prefetch none --admission write-buffer "$demo"
has "states of the drive: lru, run with one of them, is compared with the choice in that one" \
	"with the given state of the drive, in which the choice has $(json '"%.1f ms." % (choice["in_states"][0] / 1e6)')"
is "states of the drive: the mean is known" True "$(json 'abs(sum(choice["in_states"]) / 3 - choice["mean"]) < 1e-6 * choice["mean"]')"
# The figure of a size is that by which its policies were chosen, and nothing that was run with as many states has a smaller one.
advise --flash $small --fold --limit 3000 --dram 64k..256k --prefetch none --admission write-buffer,read-write \
	--replacement lru,fifo,lfu,cflru,clock "$demo"
curve() { # the figures of the first table
	awk '/best policies$/ { on = 1; next } on && NF == 0 { exit } on { print $2 }' "$scratch/text"
}
policies() { # the least figure of each size in the second table; $1: of those with all states only
	awk -v marks="$1" '/^each policy/ { on = 1; getline; n = NF; next } on && NF == 0 { exit }
		on { for (i = 1; i <= n; i++) if ($(i + 1) ~ marks) { v = $(i + 1) + 0; if (!(i in least) || v < least[i]) least[i] = v } }
		END { for (i = 1; i <= n; i++) print least[i] }' "$scratch/text"
}
is "states of the drive: the figure of a size is the mean that decides" \
	"$(json '" ".join("%.1f" % ((c["mean"] if "mean" in c else c["value"]) / 1e3) for c in a["choices"])')" "$(curve | tr -d '*' | paste -sd' ')"
is "states of the drive: no policy has a smaller one, within a tie" "" "$(paste <(curve) <(policies '^[0-9]') | awk '$1 > 1.011 * $2 { print }')"
is "states of the drive: what has one state only is marked" "True True" \
	"$(json 'any("mean" not in c for c in a["cells"])') $(grep -q ' [*][0-9]' "$scratch/text" && echo True)"
# Is the next best one behind by more than chance, by a t-test of the pairs, or as all its states are worse? Otherwise it may be as good, and the
# choice is not sure.
chance='[(lambda d: (sum(d) / 3 > math.log(1.01) and (sum(d) / 3 > 2.92 * statistics.stdev(d) / 3 ** 0.5 or
	max(choice["in_states"]) < min(choice["rival"]["in_states"]))))(
	[math.log((y + 1000) / (x + 1000)) for x, y in zip(choice["in_states"], choice["rival"]["in_states"])])
	for math, statistics in [(__import__("math"), __import__("statistics"))]][0]'
make writes 'for i in range(3000): ms += 10; write(random.randrange(2000))'
for policies in lru,fifo lru,lfu lru,freeboard; do
	for trace in "$demo" "$scratch/writes.csv"; do
		advise --flash $small --fold --limit 3000 --dram 64k --prefetch none --admission write-buffer --replacement $policies "$trace"
		name="states of the drive: $policies, ${trace##*/}"
		is "$name: as good is what may be chance" True \
			"$(json "($chance) == (choice['rival']['replacement'] not in [c['replacement'] for c in choice['equal']])")"
		is "$name: not sure if it may be chance" True "$(json "($chance) or choice['trust'] == 'close'")"
		json "$chance" >>"$scratch/ahead"
	done
done
is "states of the drive: some policies are as good, and some are not" "False True" "$(sort -u "$scratch/ahead" | paste -sd' ')"
advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/scan.csv"
is "a drive without a state: no chance" "False 0 False" "$(json '"in_states" in choice, a["search"]["state_runs"], a["device"]["state_is_chance"]' | tr -d "(),")"

# A loop of single pages, where only read-write hits; then larger reads that nothing hits. Runs of write-buffer stop early, with more
# misses so far than the rest of the best run leaves room for.
make late 'for i in range(9600): read(i % 15)
for i in range(6400):
    print(f"{ms}000000,R,{800000 + 64 * i},64,")
    ms += 1'
advise "${flat[@]}" --dram 64k,128k --admission write-buffer,read-write --goal hits "$scratch/late.csv"
is "--goal hits: a run that was stopped promises no more than the best" "True True" \
	"$(json 'a["search"]["stopped_runs"] > 0, all(c["estimate"] <= max(b["hit_ratio"] for b in a["cells"] if b["whole"] and
		b["dram_bytes"] == c["dram_bytes"]) for c in a["cells"] if not c["whole"] and c["share"] > 0.06)' | tr -d "(),")"

# A combination that cannot run is left out, and named.
advise "${flat[@]:0:4}" --page 4k,64k --prefetch none --dram 128k --replacement lru --admission read-write "$scratch/loop.csv"
is "a combination that cannot run is left out" "0 1 4k" "$code $(json 'a["search"]["failed_runs"], choice["page"]' | tr -d "(),'")"
has "a combination that cannot run is named" "Left out: 1 run that failed; the first one: --dram=128k --page=64k"

advise "${flat[@]:0:4}" --page 4k,64k --prefetch none --dram 512k --admission write-buffer,read-write "$demo"
is "a sample that cannot run" "True True" "$(json 'a["search"]["sampled_runs"] > 0, a["search"]["failed_runs"] > 0' | tr -d "(),")"
has "a sample that cannot run is named" "that failed; the first one: --dram=512k --page=64k"
is "a sample that cannot run is no combination with a prefetcher" "" "$(grep "with prefetchers" "$scratch/text")"
# Six of 12 samples fail. The best 4 of the others are repeated with 2 prefetchers.
advise "${flat[@]:0:4}" --page 4k,64k --prefetch none,rop,c-miner --dram 512k --admission write-buffer,read-write --replacement lru,cflru,lfu "$demo"
has "combinations with prefetchers whose samples fail without one" \
	"Not tried with 512k: 12 combinations with prefetchers, whose runs without one failed."
has "combinations with prefetchers that are behind without one" \
	"Not tried with 512k: 4 combinations with prefetchers, whose policies were behind without one."

# An interrupted search leaves nothing.
mkdir "$scratch/empty"
(cd "$scratch/empty" && exec env --default-signal=INT,HUP,TERM,CHLD "$sim" advise --read-us 75 "$demo") \
	>"$scratch/text" 2>"$scratch/messages" &
pid=$!
child=
while [ -z "$child" ] && kill -0 $pid; do
	read -r child _ <"/proc/$pid/task/$pid/children"
done
kill -INT $pid
wait $pid
is "an interrupted search ends with status 1" "1 the search was interrupted" \
	"$? $(grep -o 'the search was interrupted' "$scratch/messages")"
is "an interrupted search leaves nothing" " " "$(ls "$scratch/empty") $(cat "$scratch/text")"
! kill -0 "${child:-$$}" 2>/dev/null
result $? "an interrupted search ends its processes"

# refused "MESSAGE" WORD...
refused() {
	local want=$1 status

	shift
	"$sim" advise "$@" >"$scratch/text" 2>"$scratch/messages"
	status=$?
	[ $status = 2 ] && grep -qF -- "$want" "$scratch/messages" && [ "$(wc -l <"$scratch/messages")" = 1 ]
	result $? "refused: $want" "status $status: $(cat "$scratch/messages")"
}
refused "no trace given" --dram 1m
refused "--goal: 'speed' is not one of latency, reads, writes, p99, flash-writes, hits" --goal speed "$demo"
refused "--latency: '100' is not a time with its unit" --latency 100 "$demo"
refused "--latency: '1.2.3ms' is not a time with its unit" --latency 1.2.3ms "$demo"
refused "--latency has no meaning with --goal flash-writes" --latency 1ms --goal flash-writes "$demo"
refused "--latency has no meaning with --goal hits" --latency 1ms --goal hits "$demo"
refused "--effort: '0' is not a number from 1 to 100" --effort 0 "$demo"
refused "opt knows the rest of the trace" --replacement lru,opt "$demo"
[ "$("$sim" advise --help | grep -cw opt)" = 0 ]
result $? "the help does not offer opt"
is "completion does not offer opt" "" "$("$sim" --complete advise --replacement opt)"
refused "--flash: 'lin22,li22' is more than one value: 'ssdcache-sim sweep' takes them" --flash lin22,li22 "$demo"
refused "--flash: 'lin22,li22' is more than one value" --flash lin22 --flash li22 "$demo"
refused "--flash: 'lin22:gc_threshold=8,blocks=2000,li22' is more than one value" --flash lin22:gc_threshold=8,blocks=2000,li22 "$demo"
refused "--depth: '1,2,4' is more than one value: 'ssdcache-sim sweep' takes them" --depth 1,2,4 "$demo"
refused "--flash: 'lin22,li22,zhou23' is more than one value" --flash lin22,li22 --flash zhou23 "$demo"
refused "--flash: b: no such profile; there are custom " --flash lin22,b "$demo"
refused "--flash: b: no such profile; there are custom " --page 4k --flash lin22,b "$demo"
refused "nonsense" --replacement lru,nonsense "$demo"
refused "no such profile" --flash nonsense "$demo"
refused "no-cache" --no-cache "$demo"
refused "has no reads" --goal reads "$scratch/tie.csv"
refused "has no writes" --goal writes "$scratch/loop.csv"

# The page is made by another program, from the JSON.
cat >"$scratch/page" <<'PAGE'
#!/bin/bash
[ "$1" = --check ] || cp "${@: -1}" "$2"
PAGE
chmod +x "$scratch/page"
advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/scan.csv"
SSDCACHE_PAGE=$scratch/page "$sim" advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write \
	--plot "$scratch/page.html" "$scratch/scan.csv" >"$scratch/second" 2>&1
is "--plot: the page tool gets the JSON" "0 $(json 'a')" "$? $(cp "$scratch/page.html" "$scratch/json"; json 'a')"
is "--plot: the text is printed, too" "$(cat "$scratch/text")" "$(cat "$scratch/second")"
SSDCACHE_PAGE=$scratch/nowhere refused "install the package python3-ssdcache" --plot "$scratch/page.html" "$demo"

if [ -n "$ctl" ]; then
	mkdir "$scratch/bin"
	ln -s "$(realpath "$ctl")" "$scratch/bin/ssdcachectl"
	ln -s "$sim" "$scratch/bin/ssdcache-sim"
	advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/scan.csv"
	"$scratch/bin/ssdcachectl" advise "${flat[@]}" --dram 64k --replacement lru,lfu --admission read-write "$scratch/scan.csv" \
		>"$scratch/second" 2>&1
	is "ssdcachectl advise is the same" "$(cat "$scratch/text")" "$(cat "$scratch/second")"
	command=$(json 'a["advice"]["create"]')
	command=${command/#ssdcachectl create NAME/\"\$scratch\/bin\/ssdcachectl\" create c0 --size 1g --dry-run}
	is "ssdcachectl create accepts what the advice prints" \
		"0 2097152 ssdcache /dev/ORIGIN 8 dram 64k page 4k replacement lfu admission read-write" "$(eval "$command" 2>&1)"
fi

if [ "${SSDC_LONG:-}" = 1 ]; then
	mkdir "$scratch/kinds"
	mapfile -t names < <("$here/advise-traces.py" --requests 20000 "$scratch/kinds")
	[ ! -d "$traces" ] || names+=("$traces"/*.csv.gz)
	"$here/advise-regret.py" --limit 20000 --states 3 --goals latency,p99,hits,flash-writes "$sim" "$demo" "${names[@]}" -- \
		--admission write-buffer,read-write --prefetch none | sed 's/^/# /'
	result $? "SSDC_LONG: a search finds what a full search finds, for each trace and goal"
fi

finish
