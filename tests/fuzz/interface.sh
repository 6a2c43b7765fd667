#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: random tables, messages and sysfs values: each refusal has a reason, no change is partial, nothing leaks
# lane: uml-debug
# kmemleak: yes

# SEED=n in the environment gives other lines.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seed=${SEED:-1}

# reasons ANSWERS: each refusal has a reason
reasons() {
	grep -aE '^E' "$1" | cut -f 1 | sort | uniq -c
	if grep -anE $'^E[A-Z]*\t$|ssdcache: *(\\(|$)|Unknown error|ssdcache: [0-9]+:[0-9]+: *$' "$1"; then
		fail "seed $seed: a refusal without a reason"
	fi
	if grep -avnE '^(ok|EINVAL|ENOMEM|ENOENT|ENODEV|ENOTBLK|EBUSY|EEXIST)'$'\t' "$1"; then
		fail "seed $seed: an odd error"
	fi
}

tables() {
	local count=${SSDC_LONG:+5000} good bad

	count=${count:-700}
	make_nullb 16
	dm-fuzz tables "$seed" "$count" c0 "$NULLB" 32768 >"$scratch/lines"
	dm-batch <"$scratch/lines" >"$scratch/answers"
	expect_eq "answers" "$(wc -l <"$scratch/answers")" "$count"
	reasons "$scratch/answers"
	good=$(grep -ac '^ok' "$scratch/answers")
	bad=$((count - good))
	echo "$good accepted, $bad refused"
	expect "tables accepted" "$good" -ge $((count / 15))
	expect "tables refused" "$bad" -ge $((count / 4))
	blkio write "$NULLB" 0 4k 1
}

# After each message the status is consistent, and a refused message has not changed it.
messages() {
	local count=${SSDC_LONG:+10000} good

	count=${count:-1500}
	make_nullb 16
	make_cache c0 "$NULLB" dram 256k
	blkio write /dev/mapper/c0 0 128k 1
	dm-fuzz messages "$seed" "$count" c0 >"$scratch/lines"
	dm-batch <"$scratch/lines" >"$scratch/answers"
	expect_eq "answers" "$(wc -l <"$scratch/answers")" $((2 * count))
	sed -n 'p; n' "$scratch/answers" >"$scratch/of-messages"
	reasons "$scratch/of-messages"
	good=$(grep -ac '^ok' "$scratch/of-messages")
	echo "$good accepted, $((count - good)) refused"
	expect "messages accepted" "$good" -ge $((count / 5))
	expect "messages refused" $((count - good)) -ge $((count / 5))
	awk -F '\t' -v "seed=$seed" '
		NR % 2 { accepted = $1 == "ok"; next }
		{
			split($2, word, " ")
			for (i = 4; i < length(word); i += 2) {
				if (word[i] == "stats")
					i++
				value[word[i]] = word[i + 1]
			}
			bad = ""
			if ($1 != "ok" || word[5] != 1)
				bad = "no status"
			else if (value["state"] != "ok" || value["frames"] != 64)
				bad = "state or frames"
			else if (value["dirty"] > value["used"] || value["used"] > 64)
				bad = "pages"
			else if (value["failed"] + value["waiting"] + value["write_errors"] + value["read_errors"] > 0)
				bad = "failed or waiting"
			else if (!accepted && last != "" && setting($2) != last)
				bad = "changed by a refused message, from " last " to " setting($2)
			last = setting($2)
			if (bad != "") {
				print "seed " seed ", answer " NR ": " bad ": " $2
				exit 1
			}
		}
		function setting(line) {
			sub(/.* failed [0-9]* /, "", line)
			sub(/ stats .*/, "", line)
			return line
		}' "$scratch/answers"
	blkio check /dev/mapper/c0 0 128k 1
}

# The same under I/O. At the end the printed table line is loaded again.
messages_under_io() {
	local writer i table

	make_nullb 16
	make_cache c0 "$NULLB" dram 128k
	for i in 1 2 3 4 5 6; do
		blkio write /dev/mapper/c0 0 1m "$i" 12k
		blkio check /dev/mapper/c0 0 1m "$i"
	done &
	writer=$!
	dm-fuzz messages $((seed + 1)) 600 c0 | dm-batch >"$scratch/answers"
	wait "$writer"
	expect_stat c0 failed_requests -eq 0
	table=$(dmsetup table c0)
	dmsetup remove c0
	dmsetup create c0 --table "$table"
	expect_eq "table" "$(dmsetup table c0)" "$table"
	blkio check /dev/mapper/c0 0 1m 6
}

# Writes to sysfs are parsed by other code than messages.
sysfs() {
	local file value line files=() n=0 before after

	make_nullb 16
	make_cache c0 "$NULLB" dram 128k replacement cflru-ef
	dm_dir c0
	files=("$DM_DIR"/ssdcache/{replacement,admission,prefetch,actions,params/{idle_us,retry_ms,dram_mode,channels}})
	while read -r line; do
		value=${line#* * }
		for file in "${files[@]}"; do
			if ! printf '%s' "$value" 2>/dev/null >"$file"; then
				n=$((n + 1))
			fi
		done
	done < <(dm-fuzz messages "$seed" 25 c0 | grep -av ^status)
	expect "values refused" "$n" -ge 80
	read -r before <"$DM_DIR/ssdcache/replacement"
	after=$(dmsetup status c0)
	expect_match "status" "$after" " replacement ${before//./\\.} "
	blkio write /dev/mapper/c0 0 64k 1
	blkio check /dev/mapper/c0 0 64k 1
}

run_test "random tables" tables
run_test "random messages" messages
run_test "random messages under I/O" messages_under_io
run_test "random values in sysfs" sysfs
