# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# What a run says of a trace whose times cannot be those of one recording.

# ---- times that go back ----

# goes_back MS: a trace of four requests, as of two captures in one file; the second one begins so much before the end of the first
goes_back() {
	printf '%s\n' '# ssdcache-trace 1' 0,W,0,8, "$((3000000000 + $1 * 1000000)),W,8,8," 3000000000,W,16,8, 3000000001,W,24,8, >"$scratch/back"
}
# remarks WORD...: what a run says of times
remarks() {
	"$sim" "$@" "$scratch/back" 2>&1 >/dev/null | grep 'time goes back'
}
remark="ssdcache-sim: time goes back before 2 requests, by up to 2.500 s: they get the time of the request before; if a file is several traces joined, give each as a file of its own"
goes_back 2500
is "times go back far: a run says so" "$remark" "$(remarks --dram 1m)"
is "times go back far: a sweep says so once" "$remark" "$(remarks sweep --dram 1m,2m --output "$scratch/back.d")"
is "times go back far: an advice says so once" "$remark" "$(remarks advise --dram 1m --replacement lru,fifo)"
is "times go back far, but do not count" "" "$(remarks --closed --dram 1m; remarks --depth 2 --dram 1m; remarks sweep --dram 1m,2m --depth 2 --output "$scratch/back.d")"
is "times go back far, and select requests" "$remark" "$(remarks --closed --before 9 --dram 1m)"
trace W0 > "$scratch/trace"
is "times go back far, and merge traces" "$remark" "$(remarks --closed --dram 1m "$scratch/trace")"
goes_back 1000
is "times go back by a second: nothing to say" "" "$(remarks --dram 1m)"

# ---- all requests at one time ----

# one_time WORD...: what a run says of it
one_time() {
	"$sim" "$@" "$scratch/once" 2>&1 >/dev/null | grep 'one time'
}
remark="ssdcache-sim: all requests of the trace have one time, so each waits for those before it; --depth 16 keeps 16 in flight instead"
printf '%s\n' '# ssdcache-trace 1' 5,W,0,8, 5,W,8,8, 5,W,16,8, >"$scratch/once"
is "one time: a run says so" "$remark" "$(one_time --dram 1m)"
is "one time: a sweep says so once" "$remark" "$(one_time sweep --dram 1m,2m --output "$scratch/once.d")"
is "one time: an advice says so in its text" " All requests of the trace have one time" \
	"$(one_time advise --dram 1m --replacement lru,fifo) $("$sim" advise --dram 1m --replacement lru,fifo "$scratch/once" 2>&1 | grep -o 'All requests of the trace have one time')"
is "one time, and only the order counts" "" "$(one_time --closed --dram 1m; one_time --depth 2 --dram 1m; one_time --closed --before 9 --dram 1m)"
is "one time, but one request" "" "$(one_time --limit 1 --dram 1m)"
