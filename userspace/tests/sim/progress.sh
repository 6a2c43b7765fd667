# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# The line of progress on a terminal.

# on_terminal WORDS: start a run on a terminal, with a pipe as trace; wait until it reads
on_terminal() {
	local looks=0

	: >"$scratch/terminal"
	TERM=xterm script -qefc "exec $sim $1 - <$scratch/requests" "$scratch/terminal" >/dev/null &
	exec 4<>"$scratch/requests"
	# A simulator that shows nothing would be waited for without end.
	until grep -q "reading the trace" "$scratch/terminal" || [ $((looks++)) -gt 1000 ]; do
		kill -0 $! 2>/dev/null || break
		sleep 0.01
	done
}

# The line appears while the trace, a pipe, gives nothing, and stays up to date.
mkfifo "$scratch/requests"
on_terminal "--dram 1m"
trace W0 R1 R2 >&4
exec 4>&-
wait $!
# On a busy machine, a line for each second may follow the first one.
is "a terminal shows progress, which is gone at the end" "0 reading the trace| 0.0 % of 3 requests|dram 1m page 4k" \
	"$? $(sed -n 's/\r\x1b\[K/|/g; s/\(| *0\.0 % of 3 requests\)\(| *[0-9.]* % of 3 requests[^|]*\)*/\1/
		/reading the trace/s/^.*|\(reading.*\): 256 frames.*/\1/p' "$scratch/terminal" | tr -s ' ')"
on_terminal "--dram 1m"
echo nonsense >&4
exec 4>&-
wait $!
is "an error replaces the line of progress" 1 "$(grep -c $'reading the trace\r\e\[Kssdcache-sim: ' "$scratch/terminal")"
# To make this flash takes longer than the 0.2 s between two ticks of the timer.
slow_flash="--fold --dram 1m --flash s002:blocks=2048,aged=steady,over_provisioning=20"
on_terminal "$slow_flash"
trace W0 R1 R2 >&4
exec 4>&-
wait $!
is "a terminal shows that the flash is prepared" "reading the trace|preparing the flash" \
	"$(sed -n 's/\r\x1b\[K/|/g; s/^.*|\(reading the trace|[a-z ]*\)|.*/\1/p' "$scratch/terminal" | head -n 1)"
trace W0 >"$scratch/one.csv"
for kind in "TERM=dumb" "TERM=" "-u TERM"; do
	env $kind script -qec "$sim $slow_flash $scratch/one.csv" /dev/null >"$scratch/terminal"
	is "no control sequences on a terminal that has none: $kind" "0 0" "$? $(grep -c $'\e' "$scratch/terminal")"
	env $kind script -qec "$sim sweep --dram 1m,2m --output $scratch/dumb $scratch/one.csv" /dev/null >"$scratch/terminal"
	is "none by a sweep: $kind" "0 0" "$? $(grep -c $'\e' "$scratch/terminal")"
done
is "no progress without a terminal" "" "$("$sim" --dram 1m "$scratch/one.csv" 2>&1 >/dev/null)"
