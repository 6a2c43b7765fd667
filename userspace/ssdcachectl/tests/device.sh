# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# The life of real devices. Root, device-mapper and one of null_blk and brd are needed; the
# module is loaded from $MODULE if it is not there yet.

name=ctltest
low=ctltest-low
path=/dev/mapper/$name

need_device() {
	[ "$(id -u)" = 0 ] || { echo "run.sh: --device needs root" >&2; exit 2; }
	[ -n "$(type -P dmsetup)" ] || { echo "run.sh: dmsetup is missing" >&2; exit 2; }
	driver dm-mod
	[ ! -e "$path" ] || { echo "run.sh: $path exists: remove it first" >&2; exit 2; }
}

# driver NAME [PARAMETERS]: is it built in or loaded, or can it be loaded?
driver() {
	[ -d "/sys/module/$1" ] || modprobe -q "$@"
}

# A RAM disk of 64 MiB that keeps its data: its path in $origin.
make_origin() {
	local nullb=/sys/kernel/config/nullb/ctltest

	if driver null_blk nr_devices=0 && { mountpoint -q /sys/kernel/config ||
		mount -t configfs none /sys/kernel/config; } && mkdir "$nullb"; then
		echo 64 >"$nullb/size"
		echo 1 >"$nullb/memory_backed"
		echo 1 >"$nullb/power"
		origin=/dev/$([ -e /dev/ctltest ] && echo ctltest || echo "nullb$(<"$nullb/index")")
	elif driver brd rd_nr=1 rd_size=65536; then
		origin=/dev/ram0
	else
		echo "run.sh: neither null_blk nor brd can be loaded" >&2
		exit 2
	fi
	[ -b "$origin" ] || { echo "run.sh: $origin did not appear" >&2; exit 2; }
}

clean_up() {
	local dev

	for dev in "$name" "$name-2" "$name-flash" "$low"; do
		[ ! -e "/dev/mapper/$dev" ] || dmsetup remove --retry "$dev"
	done
	for dev in ctltest "ssdc-$name"; do
		[ ! -d "/sys/kernel/config/nullb/$dev" ] || rmdir "/sys/kernel/config/nullb/$dev"
	done
	rm -rf "$scratch"
}

no_device() {
	! grep -qx "$1" <<<"$(dmsetup info -c --noheadings -o name)"
}

# udev reads every device after a write; it must not hang in a suspended one.
settle() {
	[ ! -e /run/udev/control ] || udevadm settle
}

# said NAME TEXT: the last run printed this.
said() {
	[[ $out$err == *"$2"* ]]
	result "$?" "$1" "wanted: $2
$(detail)"
}

# write FROM COUNT [FLAGS]: pages of random data by direct I/O to the device.
write_pages() {
	dd if="$scratch/random" of="$path" bs=4k seek="$1" skip="$1" count="$2" oflag=direct \
		conv=notrunc status=none
}

same() {
	cmp -n "$1" "$scratch/random" "$2"
}

# low_table TARGET ARGS...: change the table of the layer between cache and RAM disk.
low_table() {
	dmsetup suspend --noflush --nolockfs "$low" &&
		dmsetup load "$low" --table "0 $sectors $*" && dmsetup resume "$low"
}

# interrupted SIGNAL VERB ARGS...: send a signal during the flush to the whole process group, as a
# terminal does.
interrupted() {
	local start pid bad=0

	write_pages 0 1024
	set -m
	"$ctl" "$2" "$name" "${@:3}" 2>"$scratch/err" &
	pid=$!
	set +m
	# The child waits in the kernel.
	until pgrep -P "$pid" >"$scratch/child" || [ ! -d "/proc/$pid" ]; do sleep 0.05; done
	sleep 0.2
	start=$SECONDS
	kill -"$1" -- -"$pid"
	wait "$pid"
	code=$?
	[ "$code" = 1 ] && [ $((SECONDS - start)) -lt 5 ] &&
		[[ $(<"$scratch/err") == "ssdcachectl: $2: "*'interrupted, '*' dirty pages are left'* ]] &&
		[[ $(dmsetup table "$name") == *' dram 8m' ]] || bad=1
	result "$bad" "device: $2 can be interrupted by $1" "code $code: $(<"$scratch/err")"
}

need_device
make_origin
trap clean_up EXIT
sectors=$(blockdev --getsz "$origin")
dd if=/dev/urandom of="$scratch/random" bs=1M count=16 status=none

### Making devices ###

if ! grep -q '^ssdcache ' <<<"$(dmsetup targets)"; then
	if ! modprobe -qn dm-ssdcache; then
		expect 'device: no module' 1 "'modprobe dm-ssdcache' failed: install the module" \
			create "$name" --origin "$origin"
		check 'device: nothing is left without the module' no_device "$name"
	fi
	check 'device: the module can be loaded' insmod "${MODULE:?names the module file}"
fi
expect 'device: list is empty' 0 '' list
expect 'device: policies without a device' 0 cflru-ef-sc policies

run create "$name" --origin "$origin" --dram 8M --admission read-write
[ "$code" = 0 ] && [ "$out" = "$path" ] && [ -z "$err" ]
result "$?" 'device: create prints the path' "$(detail)"
check 'device: the node is there' test -b "$path"
check 'device: it has the size of the origin' \
	test "$(blockdev --getsz "$path")" = "$sectors"
table=$(dmsetup table "$name")
[[ $table == "0 $sectors ssdcache "*' 4 dram 8m admission read-write' ]]
result "$?" 'device: its table leaves out the defaults' "$table"
expect 'device: the name is taken' 1 "there is a device $name already: choose another name" \
	create "$name" --origin "$origin"
expect 'device: the origin has a cache already' 1 "the origin $origin is already in use by $name" \
	create "$name-2" --origin "$origin" --dram 8M
if unshare -m sh -c 'mount -t tmpfs none /sys' 2>/dev/null; then
	# Without sysfs, the cache over the origin is out of sight.
	unshare -m sh -c 'mount -t tmpfs none /sys; exec "$@"' sh "$ctl" create "$name-2" --origin "$origin" --dram 8M >"$scratch/out" 2>&1
	grep -q 'create: cannot tell what uses the origin: /sys/dev/block/' "$scratch/out"
	result "$?" 'device: create without sysfs makes no second cache over an origin' "$(<"$scratch/out")"
	check 'device: nothing is left of that without sysfs' no_device "$name-2"
	no_device "$name-2" || dmsetup remove --retry "$name-2"
else
	skip 'device: create without sysfs makes no second cache over an origin' 'no namespaces'
fi
truncate -s 16M "$scratch/file"
driver loop
if spare=$(losetup -f --show "$scratch/file"); then
	python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
print("open", flush=True)
time.sleep(60)' "$spare" >"$scratch/holder" &
	holder=$!
	until [ -s "$scratch/holder" ]; do sleep 0.1; done
	expect 'device: the origin is in use' 1 \
		": it is in use" \
		create "$name-2" --origin "$spare" --dram 8M
	expect 'device: the origin of a flash device is in use' 1 \
		"the kernel refused $name-2-flash: origin: \"$spare\" cannot be opened: it is in use" \
		create "$name-2" --origin "$spare" --dram 8M --profile s002:blocks=0,page_bytes=4096
	kill "$holder"
	wait "$holder" 2>/dev/null
	check 'device: nothing is left of that' no_device "$name-2"
	expect 'device: too much DRAM for this machine' 1 "the kernel refused $name-2: " \
		create "$name-2" --origin "$spare" --dram 100g
	check 'device: nothing is left of that one' no_device "$name-2"
	expect 'device: a policy that the kernel lacks' 1 \
		'replacement: "mine" is not one of' \
		create "$name-2" --origin "$spare" --unchecked --replacement mine
	losetup -d "$spare"
	spare=$(losetup -r -f --show "$scratch/file")
	expect 'device: a read-only origin' 1 "the kernel refused $name-2: origin: \"$spare\" is read-only" \
		create "$name-2" --origin "$spare" --dram 8M
	expect 'device: a read-only origin, with --readonly' 0 "/dev/mapper/$name-2" \
		create "$name-2" --origin "$spare" --dram 8M --readonly
	expect 'device: remove that' 0 '' remove "$name-2"
	expect 'device: a flash device on a read-only origin' 1 "the kernel refused $name-2-flash: origin: \"$spare\" is read-only" \
		create "$name-2" --origin "$spare" --dram 8M --profile s002:blocks=0,page_bytes=4096
	expect 'device: a flash device on a read-only origin, with --readonly' 0 "/dev/mapper/$name-2" \
		create "$name-2" --origin "$spare" --dram 8M --profile s002:blocks=0,page_bytes=4096 --readonly
	check 'device: that flash device is read-only' [ "$(blockdev --getro "/dev/mapper/$name-2-flash")" = 1 ]
	expect 'device: remove both' 0 '' remove "$name-2"
	losetup -d "$spare"
else
	result 1 'device: a loop device as another origin'
fi
check 'device: nothing is left of a refused one' no_device "$name-2"
if [ -n "$(type -P setpriv)" ]; then
	setpriv --reuid=65534 --clear-groups "$ctl" flush "$name" 2>"$scratch/err"
	grep -q 'flush: only root may do this: run it with sudo' "$scratch/err"
	result "$?" 'device: others may not change it' "$(<"$scratch/err")"
	for words in "flush $name" "resize $name --dram 4m" "set $name idle_us 5" "remove $name" "create $name-2 --origin $origin --dram 1m"; do
		# shellcheck disable=SC2086 # words
		setpriv --bounding-set=-sys_admin "$ctl" $words 2>"$scratch/err"
		grep -qx "ssdcachectl: ${words%% *}: only a full root (CAP_SYS_ADMIN) may use device-mapper" "$scratch/err"
		result "$?" "device: ${words%% *} by root without the capability" "$(<"$scratch/err")"
	done
	setpriv --reuid=65534 --clear-groups "$ctl" stats "$name" >"$scratch/out" 2>&1
	result "$?" 'device: others may read its statistics' "$(<"$scratch/out")"
else
	skip 'device: others may not change it' 'setpriv is missing'
fi

### Reading ###

run list
said 'device: list has it' "$name"
check 'device: writing' write_pages 0 1024
run list --json
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["devices"][0]
assert d["name"] == sys.argv[2] and d["dram_bytes"] == 8 << 20 and d["state"] == "ok", d
assert d["used"] >= d["dirty"] == 1024, d' "$scratch/out" "$name" 2>"$scratch/err"
result "$?" 'device: list --json' "$(<"$scratch/out")
$(<"$scratch/err")"
run stats "$name" --json
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == 1 and d["admission"] == "read-write", d
assert d["stats"]["writes"] == d["stats"]["write_pages"] == 1024, d["stats"]
assert d["ratios"]["absorbed"] == 1, d["ratios"]
latency = d["latency"]["write"]
assert latency["count"] == 1024 == sum(b[2] for b in latency["histogram"]), latency
assert 0 < latency["p50_ns"] <= latency["p99_ns"] <= latency["max_ns"], latency
policy = [p for p in json.load(open(sys.argv[2]))["policies"]
          if p["kind"] == "replacement" and p["name"] == "lru"][0]
assert set(d["stats"]["replacement"]) == {s["name"] for s in policy["stats"]}, d["stats"]
assert policy["in_kernel"] is True, policy' "$scratch/out" \
	<("$ctl" policies --json) 2>"$scratch/err"
result "$?" 'device: stats --json' "$(<"$scratch/out")
$(<"$scratch/err")"
run policies
[[ $out != *'running kernel]'* ]]
result "$?" 'device: the kernel offers exactly what is linked in' "$(detail)"
run stats "$name"
[[ $out != *Others* && $out == *' write_pages '*' 1,024 pages '* ]]
result "$?" 'device: stats as text; every statistic has a group' "$(detail)"
run stats "$name" --csv --watch 0.2 --count 3
[ "$(wc -l <"$scratch/out")" = 4 ]
result "$?" 'device: stats --csv --watch' "$(detail)"

### Settings ###

expect 'device: get all' 0 flush_interval_s get "$name"
expect 'device: set a core key' 0 '' set "$name" idle_us 2500
expect 'device: get it back' 0 2500 get "$name" idle_us
expect 'device: set, range' 2 'dies: "0" is not a number from 1 to 64' set "$name" dies 0
expect 'device: set, unknown key' 2 "has no key 'idle_ms': did you mean 'idle_us'?" \
	set "$name" idle_ms 1
expect 'device: set, a negative number' 2 'idle_us: "-1" is not a number from 0 to' set "$name" idle_us -1
expect 'device: set auto' 2 "after 'ssdcachectl set $name replacement auto' or 'auto:" set "$name" auto lru
expect 'device: set dram' 2 "'ssdcachectl resize $name --dram SIZE' changes" set "$name" dram 16m
expect 'device: set page' 2 "page of $name is chosen when the cache is created" set "$name" page 8k
for key in state used last_error; do
	expect "device: set $key" 2 "$key of $name can only be read" set "$name" "$key" 1
done
expect 'device: set, no guess that cannot be set' 2 "has no key 'auto2': there are replacement" set "$name" auto2 1
expect 'device: switch the policy' 0 '' set "$name" replacement cflru-ef-sc:ef_batch=4
expect 'device: its spec' 0 cflru-ef-sc:ef_batch=4 get "$name" replacement
expect 'device: set a key of the policy' 0 '' set "$name" threshold 70
expect 'device: the spec follows' 0 cflru-ef-sc:threshold=70,ef_batch=4 get "$name" replacement
expect 'device: set KIND.KEY' 0 '' set "$name" replacement.adapt off
expect 'device: get KIND.KEY' 0 off get "$name" replacement.adapt
expect 'device: a key of another policy' 2 "has no key 'window'" set "$name" window 5
expect 'device: switch to nonsense' 2 'is not one of' set "$name" replacement nosuch
expect 'device: still the same' 0 cflru-ef-sc get "$name" replacement
expect 'device: switch the admission' 0 '' set "$name" admission write-buffer
expect 'device: set idle_us back' 0 '' set "$name" idle_us 0
expect 'device: switch back' 0 '' set "$name" replacement lru

### Flush, reset, drop ###

check 'device: writing again' write_pages 0 1024
expect 'device: flush' 0 '' flush "$name"
check 'device: nothing is dirty' test "$("$ctl" list --json |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["devices"][0]["dirty"])')" = 0
check 'device: the data is on the origin' same $((1024 * 4096)) "$origin"
expect 'device: reset' 0 '' reset "$name"
run stats "$name" --json
grep -q '"writes": 0,' "$scratch/out"
result "$?" 'device: the counters are zero' "$out"
expect 'device: drop-clean' 0 '' drop-clean "$name"
check 'device: nothing is cached' test "$("$ctl" list --json |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["devices"][0]["used"])')" = 0

### Resize ###

check 'device: writing before resize' write_pages 1024 1024
expect 'device: resize, grow' 0 '' resize "$name" --dram 16M
check 'device: it has grown' grep -q ' dram 16m' <(dmsetup table "$name")
expect 'device: resize, shrink' 0 '' resize "$name" --dram 1M
check 'device: it has shrunk' grep -q ' dram 1m' <(dmsetup table "$name")
check 'device: the data is still there' same $((2048 * 4096)) "$path"
expect 'device: resize, far too much' 1 "keeps its old size" resize "$name" --dram 100g
expect 'device: resize, too little' 2 'is not from 64k to ' resize "$name" --dram 4k
check 'device: no second table is left' grep -qx 'Tables present: *LIVE' <(dmsetup info "$name")
dmsetup load "$name" --table "$(dmsetup table "$name" | sed 's/ dram 1m/ dram 2m/')"
expect 'device: resize, with a table that somebody has loaded' 1 "'dmsetup clear $name' drops it" resize "$name" --dram 4m
check 'device: that table is kept' grep -qx 'Tables present: *LIVE & INACTIVE' <(dmsetup info "$name")
dmsetup clear "$name"
check 'device: it still works' write_pages 0 64

### Removing ###

exec 8<"$path"
expect 'device: remove, open' 1 "$name is in use (open count 1: open in bash (process $BASHPID)): end that first" remove "$name"
exec 8<&-
# As in a container
mknod /dev/ctltest-other b "0x$(stat -L -c %t "$path")" "0x$(stat -L -c %T "$path")"
exec 8</dev/ctltest-other
expect 'device: remove, open under another name' 1 "(open count 1: open in bash (process $BASHPID)): end that first" remove "$name"
exec 8<&-
rm /dev/ctltest-other
many=()
exec 8<"$path"
for ((i = 0; i < 30; i++)); do
	sleep 1000 &
	many+=($!)
done
exec 8<&-
expect 'device: remove, open in many processes' 1 "(process ${many[7]}), and 22 more): end that first" remove "$name"
kill "${many[@]}"
wait "${many[@]}"
dmsetup create "$low" --table "0 $sectors linear $path 0"
expect 'device: remove, under another device' 1 "$name is in use (open count 1: under $low): end that first" remove "$name"
dmsetup remove --retry "$low"
if driver loop && loop=$(losetup -f --show "$path"); then
	expect 'device: remove, with a loop device' 1 '(open count 1); no mount, swap, device or process has it open' remove "$name"
	losetup -d "$loop"
else
	skip 'device: remove, with a loop device' 'no loop devices here'
fi
mkdir "$scratch/my mount"
if [ -n "$(type -P mkfs.ext4)" ] && mkfs.ext4 -q -F "$path" >"$scratch/mkfs" 2>&1 &&
	mount "$path" "$scratch/my mount" 2>>"$scratch/mkfs"; then
	expect 'device: remove, mounted' 1 \
		"(open count 1: mounted on $scratch/my mount): end that first" remove "$name"
	mkfifo "$scratch/begun" "$scratch/end"
	# shellcheck disable=SC2016 # for the other shell
	unshare --mount bash -c 'echo >"$1"; read -r <"$2"' bash "$scratch/begun" "$scratch/end" &
	other=$!
	read -r <"$scratch/begun"
	umount "$scratch/my mount"
	expect 'device: remove, mounted for another process' 1 \
		"(open count 1: mounted on $scratch/my mount as bash (process $other) sees it): end that first" remove "$name"
	echo >"$scratch/end"
	wait "$other"
else
	skip 'device: remove, mounted' 'no ext4 here'
fi
expect 'device: remove' 0 '' remove "$name"
check 'device: it is gone' no_device "$name"
expect 'device: remove it again' 1 "there is no device '$name'" remove "$name"

run create "$name" --origin "$origin" --readonly --page 8k --dram 1M
[ "$code" = 0 ] && [ "$(blockdev --getro "$path")" = 1 ]
result "$?" 'device: create --readonly' "$(detail)"
expect 'device: remove the read-only one' 0 '' remove "$name"

code=0
"$ctl" create "$name" --origin "$origin" --dram 8M >/dev/full 2>"$scratch/err" || code=$?
[ "$code" = 1 ] && [ -b "$path" ] &&
	[ "$(<"$scratch/err")" = 'ssdcachectl: cannot write the output: No space left on device; what was created stays' ]
result "$?" 'device: create on a full disk' "$code: $(<"$scratch/err")"
expect 'device: remove what was created then' 0 '' remove "$name"

"$ctl" create "$name" --origin "$origin" --dram 8M >"$scratch/out"
write_pages 0 16
settle
dmsetup suspend "$name"
expect 'device: flush a suspended device' 1 "flush: $name: the device is suspended" flush "$name"
expect 'device: remove a suspended device' 0 '' remove "$name"
no_device "$name" || { dmsetup resume "$name" && dmsetup remove --retry "$name"; }
check 'device: its data is on the origin' same $((16 * 4096)) "$origin"

### One origin, several devices ###

dmsetup create "$low" --table "0 $sectors linear $origin 0"
expect 'device: the origin has a device that is no cache' 1 "the origin $origin is already in use by $low" \
	create "$name" --origin "$origin" --dram 8M
expect 'device: the origin of a flash device has one' 1 "the origin $origin is already in use by $low" \
	create "$name" --origin "$origin" --dram 8M --profile s002:blocks=0,page_bytes=4096
check 'device: nothing is left beside that device' no_device "$name"
check 'device: no flash device is left beside that device' no_device "$name-flash"
dmsetup remove --retry "$low"

# one_of_two NAME NAME: of two caches that are created at once over one origin, one is made
one_of_two() {
	local round dev made

	for round in {1..12}; do
		for dev; do
			"$ctl" create "$dev" --origin "$origin" --dram 1M &
		done
		wait
		settle
		made=0
		for dev; do
			no_device "$dev" || { made=$((made + 1)) && dmsetup remove --retry "$dev"; }
		done
		[ "$made" = 1 ] || { echo "round $round: $made" && return 1; }
	done
}
check 'device: of two caches created at once over one origin, one is made' one_of_two "$name" "$name-2"

# attach_twice: of two calls that attach a cache at once, one makes the cache, and the other finds it
attach_twice() {
	local round first second dev=attached

	echo "$dev $origin dram=1m" >"$scratch/tab"
	for round in {1..12}; do
		"$ctl" attach --tab "$scratch/tab" >"$scratch/first" 2>&1 &
		first=$!
		"$ctl" attach --tab "$scratch/tab" >"$scratch/second" 2>&1 &
		second=$!
		if ! wait "$first" || ! wait "$second" ||
			[ "$(sort "$scratch/first" "$scratch/second" | grep -cx "$dev is attached already")" != 1 ]; then
			echo "round $round"
			cat "$scratch/first" "$scratch/second"
			return 1
		fi
		settle
		"$ctl" remove "$dev" || return 1
	done
}
check 'device: of two calls that attach a cache at once, one makes it' attach_twice

### A device that goes, and signals ###

# soon COMMAND...: it succeeds within 20 s
soon() {
	local i

	for ((i = 0; i < 400; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	return 1
}

# stopped COMMAND...: ssdcachectl waits for $path to be closed; meanwhile it is stopped, and the command run. Its errors are in $err.
stopped() {
	exec 8<"$path"
	"$ctl" remove "$name" 8<&- 2>"$scratch/err" &
	sleep 0.5
	kill -STOP $!
	exec 8<&-
	"$@"
	kill -CONT $!
	code=0
	wait $! || code=$?
	out='' err=$(<"$scratch/err")
}

"$ctl" create "$name" --origin "$origin" --dram 1M >/dev/null
stopped dmsetup remove --retry "$name"
[ "$code" = 1 ] && [ "$err" = "ssdcachectl: remove: $name is gone" ]
result "$?" 'device: remove, of a device that goes meanwhile' "$(detail)"

# One that goes between the look at sysfs and the message: a folder in place of sysfs still shows it.
mkdir -p "$scratch/sysfs/block/dm-99/dm" "$scratch/sysfs/block/dm-99/ssdcache"
echo "$name" >"$scratch/sysfs/block/dm-99/dm/name"
echo 1 >"$scratch/sysfs/block/dm-99/ssdcache/schema"
for verb in reset drop-clean; do
	# shellcheck disable=SC2016 # for the shell that is started
	code=0 out='' err=$(unshare -m sh -c 'mount --bind "$1" /sys && shift && exec "$@"' sh "$scratch/sysfs" "$ctl" "$verb" "$name" 2>&1) || code=$?
	[ "$code" = 1 ] && [ "$err" = "ssdcachectl: $verb: $name is gone" ]
	result "$?" "device: $verb, of a device that goes meanwhile, names it once" "$(detail)"
done

# The flash device is held open, so that there is time for a signal when the cache has gone.
small=custom:blocks=0,channels=2,chips=1,dies=1,planes=1
for signal in TERM HUP; do
	"$ctl" create "$name" --dram 1M --size 16m --profile "$small" >/dev/null
	settle
	exec 8<"$path-flash"
	"$ctl" remove "$name" 8<&- 2>"$scratch/err" &
	remover=$!
	soon no_device "$name"
	kill "-$signal" "$remover"
	result "$?" "device: $signal is sent within remove"
	exec 8<&-
	wait "$remover" 2>/dev/null
	check "device: $signal within remove leaves no flash device" no_device "$name-flash"
	check "device: $signal within remove leaves no memory" [ ! -e "/sys/kernel/config/nullb/ssdc-$name" ]
	no_device "$name-flash" || dmsetup remove --retry "$name-flash"
	[ ! -d "/sys/kernel/config/nullb/ssdc-$name" ] || rmdir "/sys/kernel/config/nullb/ssdc-$name"
done
mkdir "/sys/kernel/config/nullb/ssdc-$name"
expect 'device: create, memory of that name is there' 1 "if nothing uses it, 'rmdir /sys/kernel/config/nullb/ssdc-$name' removes it" \
	create "$name" --dram 1M --size 16m --profile "$small"
rmdir "/sys/kernel/config/nullb/ssdc-$name"

second_table() {
	[[ $(dmsetup info "$1") == *'LIVE & INACTIVE'* ]]
}

# hold_resize SIZE: begin a resize, which a read that waits for the origin keeps in its suspend
hold_resize() {
	dmsetup suspend --noflush --nolockfs "$low"
	dd if="$path" of=/dev/null bs=4k count=1 iflag=direct status=none &
	reader=$!
	sleep 0.5
	"$ctl" resize "$name" --dram "$1" 2>"$scratch/resize" &
	resizer=$!
	soon second_table "$name"
	sleep 0.5
}

# let_read_end: the origin serves the read, for which the suspend waits
let_read_end() {
	dmsetup resume "$low"
	wait "$reader"
}

# outcome: wait for the resize; how it ended is in $code and $err
outcome() {
	code=0
	wait "$resizer" 2>/dev/null || code=$?
	out='' err=$(<"$scratch/resize")
}

dmsetup create "$low" --table "0 $sectors linear $origin 0"
"$ctl" create "$name" --origin "/dev/mapper/$low" --dram 1M >/dev/null
settle
for signal in TERM HUP; do
	hold_resize 2M
	kill "-$signal" "$resizer"
	outcome
	let_read_end
	[ "$code" = 1 ] && [[ $err == *"interrupted; $name keeps its old size" ]]
	result "$?" "device: $signal within the suspend of resize" "$(detail)"
	check "device: $signal within resize leaves no second table" grep -qx 'Tables present: *LIVE' <(dmsetup info "$name")
done

# A setting that is changed while a resize waits would be undone by its table.
hold_resize 3M
expect 'device: set within the suspend of resize' 0 '' set "$name" replacement fifo
let_read_end
outcome
[ "$code" = 0 ] && [[ $(dmsetup table "$name") == *' dram 3m replacement fifo' ]]
result "$?" 'device: resize keeps what was set within its suspend' "$(dmsetup table "$name"): $(detail)"

# A resize whose table somebody drops must not end as if it had resized. A second resize keeps off.
hold_resize 4M
expect 'device: resize within the suspend of resize' 1 "another ssdcachectl is at work on $name: try again when it has ended" \
	resize "$name" --dram 5M
dmsetup clear "$name"
let_read_end
outcome
[ "$code" = 1 ] && [[ $err == *"resize: the table with the new size was dropped by another program; $name keeps its old size" ]]
result "$?" 'device: resize, with its table dropped within its suspend' "$(dmsetup table "$name"): $(detail)"
check 'device: it works after that, too' write_pages 0 16
expect 'device: resize after that' 0 '' resize "$name" --dram 2M
expect 'device: remove after that' 0 '' remove "$name"
dmsetup remove --retry "$low"

### An origin that is slow, and one that fails ###

dmsetup create "$low" --table "0 $sectors linear $origin 0"
run create "$name" --origin "/dev/mapper/$low" --dram 8M
if [ "$code" = 0 ] && { grep -q '^delay ' <<<"$(dmsetup targets)" || modprobe -q dm-delay; }; then
	low_table delay "$origin" 0 0 "$origin" 0 5000
	interrupted TERM flush
	interrupted INT flush
	interrupted INT remove
	interrupted INT resize --dram 16M
	# The same during its flush.
	write_pages 0 1024
	"$ctl" resize "$name" --dram 4m 2>"$scratch/resize" &
	resizer=$!
	until pgrep -P "$resizer" >"$scratch/child" || [ ! -d "/proc/$resizer" ]; do sleep 0.05; done
	expect 'device: set within the flush of resize' 0 '' set "$name" dram_mode protected
	low_table linear "$origin" 0
	wait "$resizer"
	[[ $(dmsetup table "$name") == *' dram 4m dram_mode protected' ]]
	result "$?" 'device: resize keeps what was set within its flush' "$(dmsetup table "$name"): $(<"$scratch/resize")"
	expect 'device: set dram_mode back' 0 '' set "$name" dram_mode volatile
	expect 'device: resize back' 0 '' resize "$name" --dram 8m
	check 'device: it works after that' write_pages 0 16
	expect 'device: and can be flushed' 0 '' flush "$name"
else
	skip 'device: flush can be interrupted' 'no dm-delay here'
fi

write_pages 0 256
low_table error
expect 'device: flush, failing origin' 1 "flush: $name: 256 dirty pages are left" flush "$name"
[[ $err == *" are left (-EIO)" || $err == *" are left: Input/output error" ]]
result "$?" 'device: flush, the error of the origin' "$(detail)"
expect 'device: remove, failing origin' 1 "'remove --force' would lose them" remove "$name"
expect 'device: resize, failing origin' 1 'keeps its old size' resize "$name" --dram 16M
run list
said 'device: it stays' "$name"
low_table linear "$origin" 0
expect 'device: flush, origin well again' 0 '' flush "$name"
check 'device: nothing was lost' same $((256 * 4096)) "$origin"
write_pages 0 256
low_table error
expect 'device: remove --force' 0 '' remove "$name" --force
check 'device: it is gone by force' no_device "$name"

### A flash device under the cache ###

expect 'device: stats of somebody else'"'"'s' 1 \
	"$low is a device-mapper device but neither an ssdcache nor an ssdflash" stats "$low"
dmsetup remove --retry "$low"
flash=$name-flash
expect 'device: create on flash' 0 "$path" create "$name" --origin "$origin" --dram 1M \
	--profile s002:blocks=0,page_bytes=4096
check 'device: writing to it' write_pages 0 256
expect 'device: flushing it' 0 '' flush "$name"
run list
said 'device: list has the flash device' "$flash  $origin  s002"
run stats "$flash" --json
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["target"] == "ssdflash" and d["profile"] == "s002" and d["state"] == "ok", d
assert d["params"]["channels"] == 4 and d["params"]["page_bytes"] == 4096, d["params"]
assert d["stats"]["host_programs"] == 256, d["stats"]
assert d["stats"]["host_bytes_written"] == 1 << 20, d["stats"]
assert d["latency"]["write"]["count"] == sum(b[2] for b in d["latency"]["write"]["histogram"]) > 0
assert list(d["stats"]["channel_busy_ns"]) == ["0", "1", "2", "3"], d["stats"]
assert min(d["stats"]["channel_busy_ns"].values()) > 0, d["stats"]' "$scratch/out" 2>"$scratch/err"
result "$?" 'device: stats --json of flash' "$(<"$scratch/out")
$(<"$scratch/err")"
run stats "$flash"
[[ $out != *Others* && $out == *' host_programs '* ]]
result "$?" 'device: stats of flash as text; every statistic has a group' "$(detail)"
run stats "$flash" --csv --watch 0.2 --count 3
[ "$(wc -l <"$scratch/out")" = 4 ]
result "$?" 'device: stats --csv --watch of flash' "$(detail)"
expect 'device: get of flash' 0 45000 get "$flash" read_ns
expect 'device: reset of flash' 0 '' reset "$flash"
run stats "$flash" --json
grep -q '"host_programs": 0,' "$scratch/out"
result "$?" 'device: the counters of flash are zero' "$out"
for words in "set $flash read_ns 5" "flush $flash" "drop-clean $flash" "remove $flash" \
	"resize $flash --dram 1m"; do
	# shellcheck disable=SC2086 # a list of words
	expect "device: ${words%% *} is not for flash" 1 \
		"$flash is an ssdflash: this verb is for an ssdcache only" $words
done
expect 'device: remove both' 0 '' remove "$name"
check 'device: the flash device is gone' no_device "$flash"

### Zones on memory ###

memory=ssdc-$name
expect 'device: create on zones' 0 "$path" create "$name" --dram 1M --size 16m --zoned \
	--profile custom:blocks=0,channels=2,chips=1,dies=1,planes=1
check 'device: they are zones' grep -q '^host-managed$' "/sys/block/$memory/queue/zoned"
check 'device: writing to zones' write_pages 0 256
expect 'device: flushing to zones' 0 '' flush "$name"
check 'device: the data are there' same $((256 * 4096)) "$path"
run stats "$flash" --json
grep -q '"state": "ok"' "$scratch/out"
result "$?" 'device: state of the flash on zones' "$out"
expect 'device: remove all three' 0 '' remove "$name"
check 'device: the memory is gone' [ ! -e "/sys/block/$memory" ]

### Renamed devices ###

expect 'device: create, to be renamed' 0 "$path" create "$name" --dram 1M --size 16m --profile "$small"
check 'device: writing before a rename' write_pages 0 256
dmsetup rename "$name" "$name-2"
dmsetup rename "$flash" "$low"
expect 'device: set by the new name' 0 '' set "$name-2" idle_us 5
expect 'device: get by the new name' 0 5 get "$name-2" idle_us
expect 'device: the old name is unknown' 1 "$name" flush "$name"
expect 'device: resize by the new name' 0 '' resize "$name-2" --dram 2m
expect 'device: flush by the new name' 0 '' flush "$name-2"
check 'device: the data are there after a rename' same $((256 * 4096)) "/dev/mapper/$low"
expect 'device: remove all three, renamed' 0 '' remove "$name-2"
check 'device: the renamed flash device is gone' no_device "$low"
check 'device: the memory of the renamed cache is gone' [ ! -e "/sys/block/$memory" ]

# A cache that was not made together with the flash device leaves the flash alone, whatever its name.
expect 'device: create, to be taken over' 0 "$path" create "$name" --dram 1M --size 16m --profile "$small"
dmsetup remove --retry "$name"
expect 'device: create on its flash device' 0 "$path-2" create "$name-2" --origin "/dev/mapper/$flash" --dram 1M
dmsetup rename "$name-2" "$low"
expect 'device: remove only the cache' 0 '' remove "$low"
check 'device: the flash device stays' [ -e "/dev/mapper/$flash" ]
expect 'device: create by the old name on its flash device' 0 "$path" create "$name" --origin "/dev/mapper/$flash" --dram 1M
check 'device: writing by the old name' write_pages 0 256
expect 'device: remove only the cache of the old name' 0 '' remove "$name"
check 'device: the flash device of another cache stays' [ -e "/dev/mapper/$flash" ]
check 'device: its memory stays' [ -e "/sys/block/$memory" ]
check 'device: its data stay' same $((256 * 4096)) "/dev/mapper/$flash"
[ ! -e "/dev/mapper/$flash" ] || dmsetup remove --retry "$flash"

# A null_blk is removed with the cache that it was made for only.
expect 'device: create on the memory of another cache' 0 "$path" create "$name" --dram 1M --origin "/dev/$memory" \
	--profile "$small"
expect 'device: remove the cache and its flash device' 0 '' remove "$name"
check 'device: that flash device is gone' no_device "$flash"
check 'device: the memory stays' [ -e "/sys/block/$memory" ]
rmdir "/sys/kernel/config/nullb/$memory"

# ssdcachectl 1.0 gave the cache no UUID, and the flash device this one.
old_pair() {
	local cache=${path##*/}

	"$ctl" create "$cache" --dram 1M --size 16m --profile "$small" >/dev/null && dmsetup remove --retry "$cache" &&
		dmsetup remove --retry "$flash" &&
		dmsetup create "$flash" --uuid "SSDCACHE-FLASH-$cache" \
			--table "0 32768 ssdflash /dev/$memory 10 blocks 0 channels 2 chips 1 dies 1 planes 1" &&
		dmsetup create "$cache" --table "0 32768 ssdcache /dev/mapper/$flash 2 dram 1m"
}
check 'device: devices as ssdcachectl 1.0 made them' old_pair
expect 'device: remove all three of ssdcachectl 1.0' 0 '' remove "$name"
check 'device: the flash device of ssdcachectl 1.0 is gone' no_device "$flash"
check 'device: the memory of ssdcachectl 1.0 is gone' [ ! -e "/sys/block/$memory" ]

### Long names ###

# long LENGTH: a name
long() {
	printf "%0$1d" 0
}

run create "$(long 26)" --dram 1M --size 16m --profile "$small"
result "$code" 'device: create with the longest name on memory' "$(detail)"
expect 'device: remove all three with the longest name' 0 '' remove "$(long 26)"
check 'device: the memory with the longest name is gone' [ ! -e "/sys/block/ssdc-$(long 26)" ]
run create "$(long 113)" --dram 1M --origin "$origin" --profile "$small"
result "$code" 'device: create with the longest name on flash' "$(detail)"
expect 'device: remove both with the longest name' 0 '' remove "$(long 113)"
check 'device: the flash device with the longest name is gone' no_device "$(long 113)-flash"
run create "$(long 127)" --dram 1M --origin "$origin"
result "$code" 'device: create with the longest name' "$(detail)"
expect 'device: remove the longest name' 0 '' remove "$(long 127)"
