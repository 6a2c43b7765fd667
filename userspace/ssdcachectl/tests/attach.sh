# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Tables of caches: ssdcachectl attach.

# tab LINE...: a table with these lines
tab() {
	printf '%s\n' "$@" >"$scratch/tab"
}

# attaches NAME CODE TEXT LINE...: the outcome for a table
attaches() {
	local name=$1 code=$2 text=$3

	shift 3
	tab "$@"
	expect "attach: $name" "$code" "$text" attach --tab "$scratch/tab" --dry-run
}

attaches "an empty table" 0 "" "" "# comment" "	  # another"
attaches "options are those of create" 0 "0 2097152 ssdcache /dev/x 6 dram 64m replacement cflru:window=30 admission read-write" \
	"fast	/dev/x dram=64m replacement=cflru:window=30  admission=read-write size=1g # 1"
attaches "no newline at the end" 0 "/dev/x 2 dram 64m" "$(printf 'fast /dev/x dram=64m size=1g')"
attaches "an origin by partition" 0 "/dev/disk/by-partuuid/5c-02 2 dram 1g" "fast PARTUUID=5c-02 dram=1g size=8g"
attaches "a flash device without an origin" 0 "0 2097152 ssdflash /dev/ssdc-lab 2 profile shin23" "lab - profile=shin23 size=1g"
for tag in UUID=12 LABEL=fast; do
	attaches "$tag names the cache, too" 2 "line 2: '$tag' is the file system's" "" "fast $tag dram=1g"
done
attaches "no origin" 2 "line 1: the origin is missing" fast
attaches "a relative origin" 2 "line 1: 'sda1' is not an origin" "fast sda1"
attaches "a typo" 2 "line 3: create: unknown option '--dran': did you mean '--dram'?" "" "" "fast /dev/x dran=1g"
attaches "a wrong value" 2 "line 1: create: --dram: '12q' is not a size" "fast /dev/x dram=12q"
attaches "dashes" 2 "line 1: '--dram=1g' is not an option" "fast /dev/x --dram=1g"
attaches "the origin twice" 2 "line 1: 'origin=/dev/y': the origin is the second word" "fast /dev/x origin=/dev/y"
attaches "help is no option" 2 "line 1: 'help' is not an option" "fast /dev/x help"
attaches "a name with a slash" 2 "line 1: create: 'a/b' is not a name" "a/b /dev/x size=1g"
attaches "a name with dashes" 2 "line 1: create: '--force' is not a name" "--force /dev/x size=1g"
attaches "too many options" 2 "line 1: more than 64 options" "fast /dev/x $(printf 'set=idle_us=%s ' {1..99})"

tab "one /dev/x size=1g" "two /dev/y dran=1" "three /dev/z size=1g noauto" "four /dev/v size=1g"
run attach --tab "$scratch/tab" --dry-run
[[ $code = 2 && $out = *"ssdcache /dev/x "*"ssdcache /dev/v "* && $out != *"/dev/z"* ]]
result $? "attach: a line that fails does not keep the others out; noauto does" "$(detail)"
expect "attach: one that is named, with noauto" 0 "ssdcache /dev/z " attach three --tab "$scratch/tab" --dry-run
expect "attach: others are not looked at" 0 "ssdcache /dev/x " attach one --tab "$scratch/tab" --dry-run
expect "attach: a name that the table lacks" 1 "has no line about five" attach five --tab "$scratch/tab"
tab "one /dev/x size=1g" "one /dev/y size=1g"
expect "attach: a name twice" 2 "lines 1 and 2: both are about one" attach one --tab "$scratch/tab" --dry-run
attaches "a name twice, without naming it" 2 "lines 1 and 2: both are about one" "one /dev/x size=1g" "one /dev/y size=1g noauto"
# Neither is attached, all others are; each later line is named.
tab "one /dev/x size=1g" "two /dev/y size=1g" "" "one /dev/z size=1g" "three /dev/v size=1g" "one /dev/x size=1g"
run attach --tab "$scratch/tab" --dry-run
[ "$code" = 2 ] && [ "$out" = $'0 2097152 ssdcache /dev/y 2 dram 64M\n0 2097152 ssdcache /dev/v 2 dram 64M' ] &&
	[ "$(grep -o 'lines .*' <<<"$err")" = $'lines 1 and 4: both are about one\nlines 1 and 6: both are about one' ]
result $? "attach: a name on three lines keeps the others in" "$(detail)"
expect "attach: another name than the one on several lines" 0 "ssdcache /dev/y " attach two --tab "$scratch/tab" --dry-run
run attach one --tab "$scratch/tab" --dry-run
[ "$code" = 2 ] && [ -z "$out" ] && [ "$(grep -c '' <<<"$err")" = 2 ]
result $? "attach: a name on three lines that is named" "$(detail)"
expect "attach: a table that cannot be read" 1 "cannot read /: Is a directory" attach --tab /
expect "attach: no table" 1 "cannot read /nowhere/tab: No such file or directory" attach --tab /nowhere/tab
attaches "dry-run is no option of a line" 2 "line 1: 'dry-run' is not an option" "fast /dev/x dry-run"
attaches "noauto takes no value" 2 "unknown option '--noauto'" "fast /dev/x noauto=no"
attaches "lines that end as in DOS" 0 "/dev/x 2 dram 64m" $'fast /dev/x dram=64m size=1g\r'

# The generator for systemd reads the same lines. A line that fails keeps no other out.
generator=$tests/../../boot/ssdcache-generator.in
if [ -n "$(type -P systemd-escape)" ]; then
	tab $'dos /dev/sda dram=1g\r' "upper /dev/mapper/dos dram=1g noauto" "lab - profile=shin23" "bad /dev/disk/../x" "fa#st /dev/sde" \
		"with-dash PARTUUID=5c-02 # noauto" "with-dash /dev/sdb" 'we%ird /dev/x' "last /dev/sdf"
	SSDCACHE_TAB=$scratch/tab SSDCACHE_KMSG=$scratch/kmsg sh "$generator" "$scratch/units"
	result $? "generator: ends well"
	units=$(cd "$scratch/units" && echo ssdcache@*)
	[ "$units" = 'ssdcache@dos.service ssdcache@fa.service ssdcache@lab.service ssdcache@last.service ssdcache@upper.service ssdcache@with\x2ddash.service' ]
	result $? "generator: a unit for each good line" "$units"
	wants=$(cd "$scratch/units/sysinit.target.wants" && echo *)
	[ "$wants" = 'ssdcache@dos.service ssdcache@fa.service ssdcache@lab.service ssdcache@last.service ssdcache@with\x2ddash.service' ]
	result $? "generator: noauto" "$wants"
	grep -qx 'After=dev-mapper-dos.device blockdev@dev-mapper-dos.target' "$scratch/units/ssdcache@upper.service"
	result $? "generator: a cache on another is removed before that"
	grep -qx 'After=dev-sda.device blockdev@dev-sda.target' "$scratch/units/ssdcache@dos.service"
	result $? "generator: lines that end as in DOS"
	[ -L "$scratch/units/dev-mapper-with\\x2ddash.device.requires/ssdcache@with\\x2ddash.service" ]
	result $? "generator: who waits for the device gets it"
	grep -qx 'JobTimeoutSec=infinity' "$scratch/units/dev-mapper-with\\x2ddash.device.d/40-ssdcache.conf"
	result $? "generator: who waits for the device waits as long as the service takes"
	bad=$(grep -o "line [0-9]*: no service" "$scratch/kmsg" | grep -o '[0-9]*' | tr '\n' ' ')
	[ "$bad" = '4 7 8 ' ]
	result $? "generator: says which lines are bad" "$(<"$scratch/kmsg")"
else
	skip "generator" "no systemd-escape"
fi
