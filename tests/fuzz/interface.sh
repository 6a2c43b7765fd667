#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: random tables, messages and sysfs values: each refusal has a reason, no change is partial, nothing leaks
# lane: uml-debug
# long: vm-kcsan
# kmemleak: yes

# SEED=n in the environment gives other lines; the same seed gives the same. long.sh is the same with more lines.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seed=${SEED:-1}
: "${nr_tables:=700}" "${nr_messages:=1500}" "${nr_under_io:=600}" "${nr_values:=400}"

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
	local count=$nr_tables good bad

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

# consistent ANSWERS: pairs of a change and the status after it. The status is consistent, and a refused change has not
# changed it.
consistent() {
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
				bad = "changed by a refused change, from " last " to " setting($2)
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
		}' "$1"
}

messages() {
	local count=$nr_messages good

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
	consistent "$scratch/answers"
	blkio check /dev/mapper/c0 0 128k 1
}

# The same under I/O. At the end the printed table line is loaded again.
messages_under_io() {
	local writer i table rounds=$((nr_under_io / 100))

	make_nullb 16
	make_cache c0 "$NULLB" dram 128k
	for ((i = 1; i <= rounds; i++)); do
		blkio write /dev/mapper/c0 0 1m "$i" 12k
		blkio check /dev/mapper/c0 0 1m "$i"
	done &
	writer=$!
	dm-fuzz messages $((seed + 1)) "$nr_under_io" c0 | dm-batch >"$scratch/answers"
	wait "$writer"
	expect_stat c0 failed_requests -eq 0
	table=$(dmsetup table c0)
	dmsetup remove c0
	dmsetup create c0 --table "$table"
	expect_eq "table" "$(dmsetup table c0)" "$table"
	blkio check /dev/mapper/c0 0 1m "$rounds"
}

# Writes to sysfs are parsed by other code than messages. A missing file and a value of more than 256 characters have no reason.
values() {
	local count=$nr_values good

	make_nullb 16
	make_cache c0 "$NULLB" dram 256k replacement cflru-ef
	dm_dir c0
	blkio write /dev/mapper/c0 0 128k 1
	dm-fuzz values "$seed" "$count" c0 "$DM_DIR/ssdcache" >"$scratch/lines"
	dm-batch <"$scratch/lines" >"$scratch/answers"
	expect_eq "answers" "$(wc -l <"$scratch/answers")" $((2 * count))
	paste -d '\n' "$scratch/lines" "$scratch/answers" |
		awk 'NR % 4 == 1 { long = length($0) - length($2) - 7 > 256 } NR % 4 == 2 && !/^ENOENT\t$/ && !long' >"$scratch/of-values"
	reasons "$scratch/of-values"
	good=$(sed -n 'p; n' "$scratch/answers" | grep -ac '^ok')
	echo "$good accepted, $((count - good)) refused"
	expect "values accepted" "$good" -ge $((count / 8))
	expect "values refused" $((count - good)) -ge $((count / 4))
	consistent "$scratch/answers"
	blkio check /dev/mapper/c0 0 128k 1
}

run_test "random tables (SEED=$seed)" tables
run_test "random messages (SEED=$seed)" messages
run_test "random messages under I/O (SEED=$seed)" messages_under_io
run_test "random values in sysfs (SEED=$seed)" values
