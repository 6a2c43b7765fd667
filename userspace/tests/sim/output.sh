# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# JSON, descriptions and series; output that cannot be written.

trace $fill W16 R3 R20 > "$scratch/trace"
is "the same run gives the same output" "$("$sim" --dram 64k --json "$scratch/trace" | cksum)" \
	"$("$sim" --dram 64k --json "$scratch/trace" | cksum)"
if type python3 > /dev/null 2>&1; then
	is "JSON has what sysfs has" "1 65536 17 17 1 75000 lru 16 4" \
		"$("$sim" --dram 64k --json "$scratch/trace" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["schema"], r["config"]["dram_bytes"], r["stats"]["writes"], r["latency"]["write"]["count"],
      r["stats"]["evictions"], r["latency"]["write"]["max_ns"], r["replacement"]["name"],
      r["replacement"]["stats"]["lru_list"], r["params"]["channels"])')"
	cp "$scratch/trace" "$scratch/a trace"
	"$sim" --json --dram 1m --speed --replacement=lru --limit 20 --dram 64k --replacement cflru:window=30 "$scratch/a trace" \
		>"$scratch/report" 2>/dev/null
	report_of() {
		python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$scratch/report" "$1"
	}
	is "JSON names the release" "$(release)" "$(report_of version)"
	is "JSON names the command, as a sweep would" \
		"ssdcache-sim --dram=64k --replacement=cflru:window=30 --limit=20 -- '$scratch/a trace'" "$(report_of command)"
	ln -sf "$(realpath "$sim")" "$scratch/ssdcache-sim"
	is "that command repeats the report" "$(cksum <"$scratch/report")" \
		"$(env PATH="$scratch:$PATH" bash -c "$(report_of command | sed 's/ssdcache-sim /&--json /')" | cksum)"
	"$sim" sweep --dram 65536 --replacement cflru:window=30 --limit 20 --output "$scratch/row" "$scratch/a trace" >/dev/null 2>&1
	is "the row of a sweep has the same version and command" "$(report_of version) $(report_of command)" \
		"$(python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["version"], r["command"])' <"$scratch/row/cells.jsonl")"
	cp "$scratch/trace" "$scratch/$(printf 'latin\351')"
	cp "$scratch/trace" "$scratch/$(printf "it's \\ latin\351")"
	is "JSON names a trace whose name is not UTF-8" "['$scratch/latin?']" \
		"$("$sim" --json --dram 64k "$scratch/$(printf 'latin\351')" | python3 -c 'import json, sys; print(json.load(sys.stdin)["run"]["traces"])')"
	"$sim" --json --dram 64k "$scratch/$(printf "it's \\ latin\351")" >"$scratch/report" 2>/dev/null
	is "the command of a trace whose name is not UTF-8 repeats the report" "$(cksum <"$scratch/report")" \
		"$(env PATH="$scratch:$PATH" bash -c "$(report_of command | sed 's/ssdcache-sim /&--json /')" | cksum)"
	is "--describe has every tunable and statistic" \
		"$(names replacement | wc -l) $(names admission | wc -l) $(names prefetch | wc -l) window 50" \
		"$("$sim" --describe | python3 -c '
import json, sys
r = json.load(sys.stdin)
cflru = next(p for p in r["replacement"] if p["name"] == "cflru")["tunables"][0]
print(len(r["replacement"]), len(r["admission"]), len(r["prefetch"]), cflru["name"],
      cflru["default"])')"
	trace $fill W16 > "$scratch/trace"
	is "rows of numbers are arrays" "27 8 1 0 0" \
		"$("$sim" --json --admission l-corw "$scratch/trace" | python3 -c '
import json, sys
a = json.load(sys.stdin)["admission"]["stats"]
print(len(a["visits"]), len(a["q_222"]), a["visits"][0], a["q_000"][0], a["q_222"][7])')"
else
	skip "JSON" "there is no python3"
fi
is "--describe=rst is Documentation/reference.rst (make docs)" "" \
	"$("$sim" --describe=rst | diff "$tree/Documentation/reference.rst" -)"
is "--describe=rst has every tunable" 1 "$("$sim" --describe=rst | grep -c '``random_share``')"
# 17 requests, 1 ms apart, the last one at 16 ms takes 75 us: rows for 5, 10 and 15 ms, and the end.
"$sim" --dram 64k --series "$scratch/series" --series-interval-ms 5 "$scratch/trace" > /dev/null
is "--series: rows" "time_ms 5 10 15 16.075000" "$(cut -d, -f1 "$scratch/series" | paste -sd' ')"
# The row of 5 ms: the requests at 0 to 5 ms have written a page each.
is "--series: a gauge of a policy" "lru.lru_list 6 11 16 16" \
	"$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "lru.lru_list") at = i }
		    { print $at }' "$scratch/series" | paste -sd' ')"

# ---- output that cannot be written ----

# lost NAME PATTERN OPTION...: exit code 1 and one line with the pattern; standard output is full
lost() {
	local name=$1 pattern=$2 status
	shift 2
	"$sim" "$@" > /dev/full 2> "$scratch/err"
	status=$?
	[ $status = 1 ] && [ "$(wc -l < "$scratch/err")" = 1 ] && grep -qx -- "ssdcache-sim: $pattern" "$scratch/err"
	result $? "$name" "exit $status and: $(cat "$scratch/err")"
}
trace $fill W16 R3 R20 > "$scratch/trace"
full="cannot write the output: No space left on device"
lost "a full disk: report" "$full" "$scratch/trace"
lost "a full disk: --json" "$full" --json "$scratch/trace"
lost "a full disk: --help" "$full" --help
"$sim" sweep --dram 1m,2m --output "$scratch/full" "$scratch/trace" >/dev/full 2>"$scratch/err"
is "a full disk: the table of a sweep: exit code" 1 $?
is "a full disk: the table of a sweep" "ssdcache-sim: $full" "$(tail -n 1 "$scratch/err")"
lost "a full disk: --describe" "$full" --describe
# A run of all policies may take long enough to report progress.
lost "a full disk: advise" "$full" advise --dram 1m --replacement lru,fifo "$scratch/trace"
lost "a full disk: advise --json" "$full" advise --dram 1m --replacement lru,fifo --json "$scratch/trace"
lost "a full disk: --series" "/dev/full: No space left on device" --series /dev/full --series-interval-ms 1 "$scratch/trace"
lost "a full disk: --log-decisions" "/dev/full: No space left on device" --log-decisions /dev/full "$scratch/trace"
lost "a folder in place of a file: --series" "$scratch: Is a directory" --series "$scratch" "$scratch/trace"
lost "no folder: --log-decisions" "$scratch/none/log: No such file or directory" --log-decisions "$scratch/none/log" "$scratch/trace"
# Whoever read the report has gone, and the signal is ignored.
(
	trap '' PIPE
	exec 3> >(:)
	wait $!
	"$sim" "$scratch/trace" >&3 2> "$scratch/err"
)
is "no reader" "1 ssdcache-sim: cannot write the output: Broken pipe" "$? $(cat "$scratch/err")"
