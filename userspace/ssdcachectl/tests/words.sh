# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2086,SC2154
# Command lines, exit codes and messages. "-" runs the program without words.

long=$(printf 'x%.0s' {1..128})

while IFS='|' read -r want line text; do
	[ -n "$want" ] || continue
	line=${line//LONG/$long}
	for length in 26 27 113 114 127; do
		line=${line//NAME$length/${long:0:length}}
	done
	text=${text//VERSION/$(release)}
	[ "$line" != - ] || line=
	expect "words: ${line:-(none)}" "$want" "$text" $line
done <<'TABLE'
2|-|nothing to do: 'ssdcachectl help' lists the verbs
1|report --title x trace.csv|report: cannot run ssdcache-report: No such file or directory (install the package python3-ssdcache
2|crate|unknown verb 'crate': did you mean 'create'?
2|statz|did you mean 'stats'?
2|lsit|did you mean 'list'?
2|drop_clean|did you mean 'drop-clean'?
2|policy|did you mean 'policies'?
2|xyzzy|unknown verb 'xyzzy': 'ssdcachectl help' lists the verbs
2|--jsno|unknown option '--jsno': a verb comes first
2|help crate|did you mean 'create'?
2|help create stats|unexpected word 'stats': ssdcachectl help [VERB]
0|--version|ssdcachectl VERSION
0|--version|interface schema 1
0|-V|interface schema 1
0|create --version|ssdcachectl VERSION
0|stats -V|interface schema 1
2|crate --version|unknown verb 'crate': did you mean 'create'?
2|stats c0 --version|unknown option '--version'
0|--help|Verbs:
0|-h|Verbs:
0|help|Verbs:
2|create|create: NAME is missing: ssdcachectl create NAME --origin DEV
2|create c0 /dev/x|unexpected word '/dev/x': ssdcachectl create NAME --origin DEV
2|create c0|create: --origin DEV is missing, or --profile PROFILE
2|create c0 --profile s009|create: --profile: s009: no such profile; there are custom sha23 li22
2|create c0 --profile s002:channels=99|create: --profile: channels: "99" is not a number from 1 to 64
2|create c0 --profile s002:colour=1|create: --profile: colour: ssdflash has no such parameter
2|create c0 --profile s002 --size 100g|create: --profile: the flash has 120689280 sectors
2|create c0 --profile s002 --replacement nosuch|nosuch
2|create c0 --profile s002 --origin=|--origin: the name is empty: --origin DEV
0|create c0 --profile s002 --dram 8m --dry-run|0 120688640 ssdflash /dev/ssdc-c0 2 profile s002
0|create c0 --profile s002:channels=8,read_ns=5 --size 1g --dry-run|0 2097152 ssdflash /dev/ssdc-c0 6 profile s002 channels 8 read_ns 5
2|create c0 --profile s002 --size 1g --dry-run --origin /dev/LONG/LONG/LONG/LONG|create: --origin: longer than 511 characters
2|create c0 --profile s002 --zoned --origin /dev/x|create: --zoned is for --profile without --origin
2|create c0 --origin /dev/x --zoned|create: --zoned is for --profile without --origin
0|create c0 --profile s002 --size 1g --zoned --dry-run|0 2097152 ssdflash /dev/ssdc-c0 6 profile s002 pages 640 blocks 911
0|create c0 --profile custom:blocks=0,pages=100 --size 64m --zoned --dry-run|0 131072 ssdflash /dev/ssdc-c0 4 pages 128 blocks 72
0|create c0 --profile s002:blocks=100,chips=2 --size 64m --zoned --dry-run|0 131072 ssdflash /dev/ssdc-c0 8 profile s002 chips 2 pages 640 blocks 100
0|create c0 --profile s002:chips=4,channels=2,chips=8 --size 64m --dry-run|0 131072 ssdflash /dev/ssdc-c0 8 profile s002 chips 4 channels 2 chips 8
0|create c0 --profile custom:blocks=100 --size 1g --dry-run|0 2097152 ssdflash /dev/ssdc-c0 2 blocks 100
2|create c0 c1 --origin /dev/x|unexpected word 'c1': ssdcachectl create NAME --origin DEV
2|create c0 --orgin /dev/x|unknown option '--orgin': did you mean '--origin'?
2|create c0 --dran=64M --origin /dev/x|unknown option '--dran': did you mean '--dram'?
0|create c0 --orig /dev/x --siz 1g --dry-run|0 2097152 ssdcache /dev/x 2 dram 64M
2|create c0 --colour blue|unknown option '--colour': 'ssdcachectl create --help' lists the options
2|create c0 -o /dev/x|unknown option '-o': long options have two dashes
2|create c0 --origin|--origin needs a value: --origin DEV
2|create c0 --origin --dram 64M|--origin needs a value: --origin DEV
2|create c0 --origin /dev/x --origin /dev/y|--origin is given twice
2|create c0 --origin /dev/x --dry-run=yes|--dry-run takes no value
2|create -- -c0 --origin|unexpected word '--origin'
2|create -- --help|create: '--help' is not a name
2|create a/b --origin /dev/x|'a/b' is not a name: up to 127 letters, digits and
2|create .. --origin /dev/x|'..' is not a name
2|create control --origin /dev/x|'control' is not a name
2|create c%0 --origin /dev/x|'c%0' is not a name
2|create LONG --origin /dev/x|is not a name
0|create NAME127 --origin /dev/x --size 1g --dry-run|ssdcache /dev/x
0|create NAME26 --profile s002 --dry-run|ssdflash /dev/ssdc-xxxxxxxxxxxxxxxxxxxxxxxxxx 2 profile s002
2|create NAME27 --profile s002 --dry-run|create: NAME: at most 26 characters with --profile and without --origin
0|create NAME113 --profile s002 --origin /dev/x --size 1g --dry-run|ssdflash /dev/x 2 profile s002
2|create NAME114 --profile s002 --origin /dev/x --size 1g --dry-run|create: NAME: at most 113 characters with --profile
2|create c0 --origin /dev/x --dram 12q|--dram: '12q' is not a size: bytes, or with suffix k, m, g or t, such as 64M
2|create c0 --origin /dev/x --dram -5|'-5' is not a size
2|create c0 --origin /dev/x --dram 0|--dram: '0' is not from 64k to 128g (16 to 33554432 pages)
2|advise --live c0 foo.csv|advise: unexpected word 'foo.csv': ssdcachectl advise --live NAME
2|advise foo.csv --live=c0|advise: unexpected word 'foo.csv': ssdcachectl advise --live NAME
2|create -5 --origin /dev/x|create: '-5' is not a name
1|set c0 idle_us -1|there is no device 'c0'
1|set c0 -1k 5 --|there is no device 'c0'
1|get c0 -.5|there is no device 'c0'
2|create c0 -x1 --origin /dev/x|unknown option '-x1': long options have two dashes
2|stats c0 --watch -1|stats: --watch: '-1' is not
2|stats c0 --watch -1s|stats: --watch: '-1s' is not
2|create c0 --origin /dev/x --dram M|'M' is not a size
2|create c0 --origin /dev/x --dram 1.5G|'1.5G' is not a size
2|create c0 --origin /dev/x --dram 99999999999t|'99999999999t' is not a size
2|create c0 --origin /dev/x --dram 4k|--dram: '4k' is not from 64k to 
2|create c0 --origin /dev/x --dram 512k --page 64k|'512k' is not from 1m to 
2|create c0 --origin /dev/x --dram 5000t|'5000t' is not from 64k to 
2|create c0 --origin /dev/x --page 5k|--page: '5k' is not a power of two from 4k to 64k
2|create c0 --origin /dev/x --page 2k|'2k' is not a power of two from 4k to 64k
2|create c0 --origin /dev/x --page 128k|'128k' is not a power of two from 4k to 64k
2|create c0 --origin /dev/x --page big|--page: 'big' is not a size
2|create c0 --origin /dev/x --page 0|--page: '0' is not a power of two from 4k to 64k
2|create c0 --origin /dev/x --shards 0|--shards: 0 is not from 1 to 64
2|create c0 --origin /dev/x --shards 65|--shards: 65 is not from 1 to 64
2|create c0 --origin /dev/x --dram 1m --shards 17|--shards: 17 is not from 1 to 16: each needs 16 pages of dram
2|create c0 --origin /dev/x --shards four|--shards: 'four' is not a number from 1 to 64
2|create c0 --origin /dev/x --numa near|numa: "near" is not one of interleave, local
2|create c0 --origin /dev/x --numa=|numa: "" is not one of interleave, local
2|create c0 --origin /dev/x --replacement lur|replacement: "lur" is not one of
2|create c0 --origin /dev/x --replacement lur|: did you mean 'lru'?
2|create c0 --origin /dev/x --replacement nosuch|replacement: "nosuch" is not one of
2|create c0 --origin /dev/x --replacement nosuch|freeboard auto (--unchecked leaves a plug-in of another module to the kernel)
2|create c0 --origin /dev/x --prefetch nosuch|pattern-plus (--unchecked leaves a plug-in of another module to the kernel)
2|create c0 --origin /dev/x --replacement auto:candidates=auto|replacement: "auto" is not one of
2|create c0 --origin /dev/x --replacement opt|replacement: "opt" is only in the simulator, where the future is known
2|create c0 --origin /dev/x --replacement=|replacement: "" is not one of
2|create c0 --origin /dev/x --replacement cflru:window=0|window: "0" is not a number from 1 to 100 percent
2|create c0 --origin /dev/x --replacement cflru:window=101|window: "101" is not a number from 1 to 100 percent
2|create c0 --origin /dev/x --replacement cflru:window=half|window: "half" is not a number
2|create c0 --origin /dev/x --replacement cflru:window|"window" is not key=value with a key of window
2|create c0 --origin /dev/x --replacement cflru:|"" is not key=value
2|create c0 --origin /dev/x --replacement cflru:windw=3|cflru: "windw=3" is not key=value with a key of window: did you mean 'window'?
2|create c0 --origin /dev/x --set dram_mode=protcted|volatile, protected: did you mean 'protected'?
2|create c0 --origin /dev/x --set idle_u=5|(settings of a policy go into its SPEC): did you mean 'idle_us'?
2|create c0 --profile shin2 --size 1g --dram 4m|(aliases s000 s001 s002 s003 s004): did you mean 'shin23'?
2|create c0 --origin /dev/x --replacement lru:window=3|lru: "window=3": lru has no keys
2|create c0 --origin /dev/x --replacement cflru-ef-sc:adapt=maybe|adapt: "maybe" is not one of off, on
2|create c0 --origin /dev/x --replacement cflru-ef-sc:threshold=50,step=0|step: "0" is not a number from 1 to 50 percent
2|create c0 --origin /dev/x --replacement LONGLONGLONG|replacement: a spec has at most 255 characters
2|create c0 --origin /dev/x --admission readwrite|admission: "readwrite" is not one of write-buffer read-write l-corw corw-1
2|create c0 --origin /dev/x --admission readwrite|: did you mean 'read-write'?
2|create c0 --origin /dev/x --prefetch all|prefetch: "all" is not one of none
2|create c0 --origin /dev/x --set idle|--set: 'idle' is not KEY=VALUE with a KEY of dram_mode idle_us flush_interval_s retry_ms channels dies alpha_us beta_us
2|create c0 --origin /dev/x --set window=5|--set: 'window=5' is not KEY=VALUE with a KEY of
2|create c0 --origin /dev/x --set window=5|settings of a policy go into its SPEC
2|create c0 --origin /dev/x --set idle_us=|idle_us: "" is not a number from 0 to
2|create c0 --origin /dev/x --set dram=1m|create: --set: 'dram=1m': dram is an option of its own: --dram 1m
2|create c0 --origin /dev/x --set replacement|create: --set: 'replacement': replacement is an option of its own: --replacement VALUE
2|create c0 --origin /dev/x --set dram_mod=protected|did you mean 'dram_mode'?
2|create c0 --origin /dev/x --set dies=65|dies: "65" is not a number from 1 to 64
2|create c0 --origin /dev/x --set dram_mode=safe|dram_mode: "safe" is not one of volatile, protected
2|create c0 --origin /dev/x --set dies=2 --set dies=4|--set: dies is given twice
2|create c0 --origin /dev/x --size 1000 --dry-run|--size: '1000' is not a multiple of 512
2|create c0 --origin /dev/x --size 0 --dry-run|--size: at least 512
2|create c0 --profile lin22 --size 0|--size: at least 1m
2|create c0 --origin /dev/x --size much --dry-run|--size: 'much' is not a size
2|create c0 --origin /dev/x --size 1m|--size is only for --dry-run and --profile: a cache is as large as its origin
2|create c0 --origin= --size 1m --dry-run|--origin: the name is empty: --origin DEV
1|create c0 --origin /nowhere/x|cannot open the origin /nowhere/x: No such file or directory
1|create c0 --origin /dev/null|the origin /dev/null is not a block device
1|create c0 --origin /etc/passwd|is not a block device: 'losetup -f --show FILE' makes one of a file
0|create c0 --origin /dev/x --size 1g --dry-run|0 2097152 ssdcache /dev/x 2 dram 64M
0|create c0 --origin=/dev/x --size=512 --dram=1048576 --dry-run|0 1 ssdcache /dev/x 2 dram 1048576
0|create c0 --dry-run --size 1g --origin /dev/x --dram 1G --page 8k|0 2097152 ssdcache /dev/x 4 dram 1G page 8k
0|create c0 --dry-run --size 1g --origin /dev/x --shards 4 --dram 1G|0 2097152 ssdcache /dev/x 4 dram 1G shards 4
0|create c0 --dry-run --size 1g --origin /dev/x --numa local --dram 1G|0 2097152 ssdcache /dev/x 4 dram 1G numa local
0|create c0 --origin /dev/x --size 1t --dry-run --replacement cflru:window=30|0 2147483648 ssdcache /dev/x 4 dram 64M replacement cflru:window=30
0|create --origin /dev/x --size 1g --dry-run --admission read-write --prefetch none -- c0|6 dram 64M admission read-write prefetch none
0|create c0 --origin /dev/x --size 1g --dry-run --set dram_mode=protected --set idle_us=500|6 dram 64M dram_mode protected idle_us 500
0|create c0 --origin /dev/x --size 1g --dry-run --unchecked --replacement mine:depth=3|4 dram 64M replacement mine:depth=3
2|resize c0|resize: --dram SIZE is missing: ssdcachectl resize NAME --dram SIZE
2|resize c0 16m|resize: unexpected word '16m': ssdcachectl resize NAME --dram SIZE
2|resize c0 --dram|--dram needs a value: --dram SIZE
2|resize c0 --dram huge|--dram: 'huge' is not a size
2|resize --dram 64M|resize: NAME is missing: ssdcachectl resize NAME --dram SIZE
2|remove|remove: NAME is missing: ssdcachectl remove NAME
2|remove c0 --forced|did you mean '--force'?
2|get|get: NAME is missing: ssdcachectl get NAME [KEY]
2|get c0 idle_us 5|unexpected word '5': ssdcachectl get NAME [KEY]
2|set|set: NAME is missing
2|set c0|set: KEY is missing: ssdcachectl set NAME KEY VALUE
2|set c0 idle_us|set: VALUE is missing: ssdcachectl set NAME KEY VALUE
2|list c0|unexpected word 'c0'
2|list --csv|unknown option '--csv'
2|policies lru|unexpected word 'lru'
2|stats|stats: NAME is missing
2|stats c0 --json --csv|only one of --json, --csv and --prometheus
2|stats c0 --watch 0|--watch: '0' is not a number of seconds from 0.1 to 86400
2|stats c0 --watch 5s|--watch: '5s' is not a number of seconds from 0.1 to 86400
2|stats --watch 500ms c0|--watch: '500ms' is not a number of seconds
2|stats c0 --watch 5x|unexpected word '5x'
2|stats c0 --watch=fast|--watch: 'fast' is not a number of seconds
2|stats c0 --watch=nan|--watch: 'nan' is not a number of seconds
2|stats c0 --count 3|--count is only for --watch
2|stats c0 --watch 1 --count 0|--count: '0' is not a number from 1
2|stats c0 --watch 1 --count -1|--count: '-1' is not a number from 1
2|flush|flush: NAME is missing
2|flush c0 c1|unexpected word 'c1'
2|reset|reset: NAME is missing
2|drop-clean|drop-clean: NAME is missing
TABLE

spec='lru lru'
expect 'words: a spec with a space' 2 'a spec is one word' \
	create c0 --origin /dev/x --replacement "$spec"
expect 'words: an origin with a space' 2 'use a path without white space and backslash' \
	create c0 --origin '/dev/my disk' --size 1m --dry-run

# Remarks about a list are no words of it, and a word that is valid is not what is wrong.
for line in '--replacement lru:hs=3' '--replacement lru:non=3' '--replacement cflru:window' '--set idle_us' '--set policyy=1' \
	'--profile aliasess --size 1g'; do
	read -ra words <<<"$line"
	run create c0 --origin /dev/x "${words[@]}"
	[ "$code" = 2 ] && [[ $err != *"did you mean"* ]]
	result $? "words: no guess for $line" "$(detail)"
done

if [ -w /dev/full ]; then
	"$ctl" help >/dev/full 2>"$scratch/err"
	code=$?
	[ "$code" = 1 ] && grep -q 'cannot write the output: No space left' "$scratch/err"
	result "$?" 'words: a full disk is noticed' "$(<"$scratch/err")"
fi

# Other programs, beside this one.
mkdir "$scratch/beside"
cp "$ctl" "$scratch/beside/ssdcachectl"
cat >"$scratch/beside/ssdcache-report" <<'REPORT'
#!/bin/sh
echo "$0: $*"
exit 3
REPORT
chmod +x "$scratch/beside/ssdcache-report"
out=$("$scratch/beside/ssdcachectl" report --title "two words" trace.csv)
[ "$? $out" = "3 $scratch/beside/ssdcache-report: --title two words trace.csv" ]
result $? "words: report is the program beside this one" "$out"
cat >"$scratch/beside/ssdcache-serve" <<'SERVE'
#!/bin/sh
echo "${SSDCACHECTL##*/}: $*"
SERVE
chmod +x "$scratch/beside/ssdcache-serve"
out=$("$scratch/beside/ssdcachectl" serve fast --port 0)
[ "$? $out" = "0 ssdcachectl: fast --port 0" ]
result $? "words: serve is the program beside this one" "$out"

run list x
[ "$code" = 2 ] && [ "$err" = "ssdcachectl: list: unexpected word 'x': ssdcachectl list" ]
result $? "words: list x" "$(detail)"
