# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# What the kernel, other users and the machine may do: odd names, numbers that are none, devices that vanish
# while they are read, a full disk, no permission. After saved.sh, whose functions make the devices.

rm -rf "$saved"

# plain NAME: the output has no control characters but newlines, and $1 says so.
plain() {
	[ "$code" = 0 ] && ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$scratch/out"
	result "$?" "$1" "$(detail)"
}

# ---- names ----

odd=$'o,d"d\n\e[2J\xff'
device dm-0 "$odd"
device dm-1 plain
attribute dm-0 state $'ok\r\nfine'
attribute dm-0 last_error $'a\e[1mb'
attribute dm-0 $'stats/new,"\none' 5
attribute dm-0 stats/text 'a,b "c"'
run list --sysfs "$saved"
plain 'hostile: list shows no control characters'
[ "$(wc -l <"$scratch/out")" = 3 ]
result "$?" 'hostile: list has a line per device' "$(detail)"
run list --json --sysfs "$saved"
python3 -c 'import json, sys
names = [d["name"] for d in json.load(open(sys.argv[1]))["devices"]]
assert names == ["o,d\"d\n\x1b[2J?", "plain"], names' "$scratch/out" 2>"$scratch/err"
result "$?" 'hostile: list --json names a device whose name is not UTF-8' "$(<"$scratch/err")"
for format in '' --json --csv; do
	# shellcheck disable=SC2086 # perhaps no word
	run stats dm-0 $format --sysfs "$saved"
	plain "hostile: stats $format shows no control characters"
done
python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1], errors="replace")))
assert len(rows) == 2 and len(rows[0]) == len(rows[1]), rows
row = dict(zip(*rows))
assert row["text"] == "a,b \"c\"" and row["new,\"?one"] == "5" and row["state"] == "ok??fine", row' \
	"$scratch/out" 2>"$scratch/err"
result "$?" 'hostile: stats --csv quotes names and texts' "$(<"$scratch/err")"
run stats --prometheus --sysfs "$saved"
plain 'hostile: stats --prometheus shows no control characters'
python3 -c 'import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
names = set(re.findall(r"^[a-z_]+\{device=\"((?:[^\"\\]|\\.)*)\"", text, re.M))
assert names == {"o,d\\\"d??[2J?", "plain"}, names' "$scratch/out" 2>"$scratch/err"
result "$?" 'hostile: stats --prometheus is UTF-8, whatever the names' "$(<"$scratch/err")"
run get dm-0 --sysfs "$saved"
plain 'hostile: get shows no control characters'
device $'dm-\e[2J' folder
for words in list 'stats folder' 'stats folder --json' 'stats folder --csv' 'stats --prometheus'; do
	# shellcheck disable=SC2086 # words
	run $words --sysfs "$saved"
	plain "hostile: $words, of a folder with control characters"
done
rm -r "$saved/block/dm-"*J
expect 'hostile: an odd name in a message' 1 "there are o,d\"d??[2J" stats nosuch --sysfs "$saved"
attribute dm-0 available_replacement $'e\e[1mvil\tsource\rx\tstatus\a\tdoc\b'
run policies --sysfs "$saved"
plain 'hostile: policies shows no control characters'
rm -r "$saved/block/dm-0"
device dm-0 c0

# ---- numbers ----

for number in -1 +1 ' 1' 0x10 1e3 18446744073709551616 99999999999999999999999 ''; do
	attribute dm-0 stats/reads "$number"
	run stats c0 --json --sysfs "$saved"
	python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))["stats"]["reads"]
assert found == sys.argv[2], found' "$scratch/out" "$number" 2>"$scratch/err"
	result "$?" "hostile: '$number' is not a number" "$(tail -n 1 "$scratch/err")"
done
attribute dm-0 stats/reads 18446744073709551615
run stats c0 --csv --sysfs "$saved"
python3 -c 'import csv, sys
assert next(csv.DictReader(open(sys.argv[1])))["reads"] == "18446744073709551615"' "$scratch/out" 2>"$scratch/err"
result "$?" 'hostile: the largest number' "$(<"$scratch/err")"
attribute dm-0 stats/reads 1
attribute dm-0 dram_bytes -4096
attribute dm-0 frames 99999999999999999999
run stats c0 --json --sysfs "$saved"
json 'hostile: sizes that are no numbers' 'd["dram_bytes"] == 0 and d["frames"] == 0'
attribute dm-0 schema -1
expect 'hostile: a schema that is no number' 1 'cannot read' stats c0 --sysfs "$saved"
attribute dm-0 schema 1

# ---- files ----

python3 -c 'print("x" * 100000)' >"$saved/block/dm-0/ssdcache/last_error"
python3 -c 'for i in range(30000): print(i, i + 1, 1)' >"$saved/block/dm-0/ssdcache/stats/latency/read_histogram"
run stats c0 --json --sysfs "$saved"
json 'hostile: texts of 100000 characters' 'len(d["last_error"]) < 1000 and len(d["latency"]["read"]["histogram"]) > 100'
rm "$saved/block/dm-0/ssdcache/"{state,params/idle_us}
mkdir "$saved/block/dm-0/ssdcache/"{state,params/idle_us}
run stats c0 --json --sysfs "$saved"
json 'hostile: folders in place of files' 'd["state"] == "" and "idle_us" not in d["params"]'
rm -r "$saved/block/dm-0"
device dm-0 c0
: >"$saved/block/dm-1/dm/name"
expect 'hostile: a device with an empty name' 0 c0 list --sysfs "$saved"
rm -r "$saved/block/dm-1"

# ---- devices that vanish ----

# pause_at ATTRIBUTE COMMAND...: run the program up to its read of the attribute, whose text is what descriptor 3 gets
pause_at() {
	fifo=$saved/block/dm-0/ssdcache/$1
	shift
	rm -rf "$saved/block/dm-0"
	device dm-0 c0
	rm "$fifo"
	mkfifo "$fifo"
	"$ctl" "$@" --sysfs "$saved" >"$scratch/out" 2>"$scratch/err" &
	reader=$!
	# Opened once the program reads.
	exec 3>"$fifo"
}

# go_on: end the text, and wait for the program
go_on() {
	exec 3>&-
	code=0
	wait "$reader" || code=$?
	out=$(<"$scratch/out")
	err=$(<"$scratch/err")
}

# vanishing ATTRIBUTE COMMAND...: the device is removed while the attribute is read.
vanishing() {
	pause_at "$@"
	rm -r "$saved/block/dm-0"
	go_on
}
device dm-1 other
for attribute in schema state; do
	vanishing "$attribute" list
	[ "$code" = 0 ] && [[ $out == *other* && $out != *c0* && -z $err ]]
	result "$?" "hostile: list leaves out a device that vanishes ($attribute)" "$(detail)"
	vanishing "$attribute" list --json
	[ "$code" = 0 ] && [[ $out == *other* && $out != *c0* && -z $err ]]
	result "$?" "hostile: list --json leaves out a device that vanishes ($attribute)" "$(detail)"
	for words in 'get c0' 'get c0 idle_us' 'stats c0' 'stats c0 --json' 'stats c0 --csv --watch 1'; do
		# shellcheck disable=SC2086 # words
		vanishing "$attribute" $words
		[ "$code" = 1 ] && [[ -z $out && $err == 'ssdcachectl: '*'c0 is gone' ]]
		result "$?" "hostile: $words when the device vanishes ($attribute)" "$(detail)"
	done
done
rm -rf "$saved/block/dm-1"
device dm-0 c0

# ---- no sysfs ----

# In a namespace of its own, whose /sys is empty.
bare=(unshare -Urm sh -c 'mount -t tmpfs none /sys; exec "$@"' sh)
if "${bare[@]}" [ ! -e /sys/block ] 2>/dev/null; then
	# without_sysfs WORD...: run the program there
	without_sysfs() {
		code=0
		"${bare[@]}" "$ctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
		out=$(<"$scratch/out")
		err=$(<"$scratch/err")
	}
	for words in list 'list --json' 'stats --prometheus' 'stats c0' 'get c0' 'flush c0' 'set c0 idle_us 5' 'remove c0'; do
		# shellcheck disable=SC2086 # words
		without_sysfs $words
		[ "$code" = 1 ] && [ -z "$out" ] &&
			[ "$err" = "ssdcachectl: ${words%% *}: cannot read /sys/block: No such file or directory: is sysfs mounted on /sys?" ]
		result "$?" "hostile: $words without sysfs" "$(detail)"
	done
	without_sysfs policies
	[ "$code" = 0 ] && [[ $out == *cflru* && -z $err ]]
	result "$?" 'hostile: policies without sysfs' "$(detail)"
else
	skip 'hostile: no sysfs' 'no namespaces'
fi

# ---- a policy that is switched meanwhile ----

# switched COMMAND...: after the name of the old policy has been read, and before its parameters and statistics are
switched() {
	pause_at prefetch "$@"
	rm -r "$fifo" "$saved/block/dm-0/ssdcache/"{params,stats}/replacement
	attribute dm-0 prefetch none
	attribute dm-0 replacement lfu
	attribute dm-0 stats/replacement/used_once 3
	echo none >&3
	go_on
}
switched stats c0 --json
json 'hostile: stats --json when a policy is switched' 'd["replacement"] == "lfu" and "replacement" in d["stats"] and
	d["stats"]["replacement"] == {"used_once": 3} and not d["params"].get("replacement")'
switched stats c0 --prometheus
[[ $out == *'ssdcache_replacement_used_once{device="c0",policy="lfu"} 3'* && $out != *another\ version*used_once* ]]
result "$?" 'hostile: stats --prometheus when a policy is switched' "$(detail)"
rm -rf "$saved/block/dm-0"
device dm-0 c0

# ---- output that cannot be written ----

for words in list 'list --json' 'stats c0' 'stats c0 --json' 'stats c0 --csv --watch 0.1' 'get c0' 'get c0 idle_us' \
	policies 'policies --json' help --version; do
	sysfs=(--sysfs "$saved")
	case $words in help | --version) sysfs=() ;; esac
	# shellcheck disable=SC2086 # words
	"$ctl" $words "${sysfs[@]}" >/dev/full 2>"$scratch/err"
	[ "$?" = 1 ] && [ "$(<"$scratch/err")" = 'ssdcachectl: cannot write the output: No space left on device' ]
	result "$?" "hostile: $words on a full disk" "$(<"$scratch/err")"
	# Whoever read the output has gone, and the signal is ignored.
	(
		trap '' PIPE
		exec 3> >(:)
		wait $!
		# shellcheck disable=SC2086 # words
		"$ctl" $words "${sysfs[@]}" >&3 2>"$scratch/err"
	)
	[ "$?" = 1 ] && [ "$(<"$scratch/err")" = 'ssdcachectl: cannot write the output: Broken pipe' ]
	result "$?" "hostile: $words with no reader" "$(<"$scratch/err")"
done

# ---- permission ----

# Somebody who may run the program, but neither read sysfs nor use device-mapper.
chmod 700 "$saved/block/dm-0/ssdcache"
if [ "$(id -u)" = 0 ]; then
	somebody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	cp "$ctl" "$scratch/ctl" && chmod 755 "$scratch" "$scratch/ctl"
else
	somebody=()
	cp "$ctl" "$scratch/ctl"
	chmod 0 "$saved/block/dm-0/ssdcache"
fi
if "${somebody[@]}" "$scratch/ctl" --version >/dev/null 2>&1; then
	"${somebody[@]}" "$scratch/ctl" stats c0 --sysfs "$saved" >"$scratch/out" 2>"$scratch/err"
	[ "$?" = 1 ] && grep -qx "ctl: c0: cannot read .*/schema: Permission denied" "$scratch/err"
	result "$?" 'hostile: stats without permission' "$(<"$scratch/err")"
	for words in 'create c0 --origin /dev/null --size 1m' 'remove c0' 'create c9 --origin /dev/null'; do
		code=0
		# shellcheck disable=SC2086 # words
		"${somebody[@]}" "$scratch/ctl" $words >"$scratch/out" 2>"$scratch/err" || code=$?
		[ "$code" != 0 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && [ ! -s "$scratch/out" ]
		result "$?" "hostile: $words without permission" "$(<"$scratch/err")"
	done
fi
chmod 755 "$saved/block/dm-0/ssdcache"
