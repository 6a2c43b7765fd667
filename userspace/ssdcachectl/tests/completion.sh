# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Completion: what the program offers, and the script for bash, called as bash would call it.

# shellcheck source=/dev/null
. "$tests/../../completion/ssdcache.bash"

# completes NAME WANTED WORDS...: the last word is being typed; WANTED is among the answers.
completes() {
	local name=$1 want=$2 word

	shift 2
	COMP_LINE="ssdcachectl $*"
	COMP_POINT=${#COMP_LINE}
	_ssdcache ssdcachectl
	for word in "${COMPREPLY[@]}"; do
		if [ "$word" = "$want" ]; then
			result 0 "completion: $name"
			return
		fi
	done
	result 1 "completion: $name" "wanted $want among: ${COMPREPLY[*]}"
}

"$ctl" help --words >"$scratch/words"
while read -r verb rest; do
	case $rest in
	--*) completes "$verb ${rest%% *}" "${rest%% *}" "$verb" --"${rest:2:2}" ;;
	*) completes "the verb $verb" "$verb" "${verb:0:3}" ;;
	esac
done <"$scratch/words"
completes 'help create' create help cr
completes 'a replacement' cflru-ef-sc create c0 --replacement cflru-
completes 'an admission' read-write create c0 --admission re
completes 'a prefetch' none create c0 --prefetch no
completes '--help' --help flush --he
# bash takes what follows the last = or : for the word.
completes 'a policy after =' lru create c0 --replacement=lr
completes 'a key' window= create c0 --replacement cflru:w
completes 'the value of a key' off create c0 --replacement cflru-ef-sc:adapt=o
completes 'the second key' off,threshold= create c0 --replacement cflru-ef-sc:adapt=off,thr
completes 'auto' auto create c0 --replacement au
completes 'a word of auto' hysteresis= create c0 --replacement auto:hys
completes 'a candidate' lru+mq-ssd create c0 --replacement auto:candidates=lru+mq-s
completes 'the scheme of a candidate' lru/l-corw create c0 --replacement auto:goal=p99,candidates=lru/l-
completes 'a goal' flash-writes create c0 --replacement auto:period=9,goal=fl
completes 'where memory is' interleave create c0 --numa in
completes 'a profile' shin23 create c0 --profile sh
completes 'a parameter of a profile' read_ns= create c0 --profile shin23:read_n
completes 'a core tunable' dram_mode= create c0 --set dram_
completes 'its value' protected create c0 --set dram_mode=p
completes 'a key to set' replacement set c0 repl
completes 'a value to set' vs-batch-plus set c0 replacement vs-b
completes 'the value of a core tunable' volatile set c0 dram_mode v

# Two caches and a flash device.
for device in ssdcache:fast ssdcache:slow ssdflash:drive; do
	mkdir -p "$scratch/sys/block/dm-${device#*:}/dm" "$scratch/sys/block/dm-${device#*:}/${device%:*}"
	echo "${device#*:}" >"$scratch/sys/block/dm-${device#*:}/dm/name"
done
[ "$("$ctl" --complete serve --sysfs="$scratch/sys" "")" = $'fast\nslow' ]
result $? 'completion: serve offers caches'
[ "$("$ctl" --complete stats --sysfs="$scratch/sys" "")" = $'drive\nfast\nslow' ]
result $? 'completion: stats offers all devices'
completes 'an option of serve' --port serve fast --po
completes 'a cache to advise on' slow advise "--sysfs=$scratch/sys" --live s
completes 'a cache to serve' fast serve "--sysfs=$scratch/sys" f
completes 'an option of report' --effort report --ef
completes 'the device of a report' shin23 report --flash shi
completes 'a policy of a report' lru,req-block report --replacement lru,req-
completes 'a core tunable of a report' protected report --dram_mode=pro

# Nothing runs while a line is completed.
for line in "--help " "--version " "advise --no-such" "report --no-such"; do
	read -ra words <<<"$line"
	[[ $line != *" " ]] || words+=("")
	offered=$("$ctl" --complete "${words[@]}" 2>/dev/null)
	[ -z "$offered" ]
	result $? "completion: nothing for $line" "$offered"
done

# offers NAME WANTED WORDS...: exactly these lines, without a shell
offers() {
	local name=$1 want=$2 offered

	shift 2
	offered=$("$ctl" --complete "$@")
	[ "$offered" = "$want" ]
	result $? "completion: $name" "$offered"
}

# The simulator knows the options of advise; it is beside the program, in PATH, or where this tree builds it.
PATH=$PATH:$tests/../../build/bin
if [ -n "$(type -P ssdcache-sim)" ]; then
	offers 'an option of advise' --live advise --liv
	offers 'advise has no option among the goals' $'latency\nreads\nwrites\np99\nflash-writes\nhits' advise --goal ""
	offers 'advise has no option among the values of an option' '' advise --goal --li
	offers 'advise has no option after an option with =' '' advise --goal=--li
	offers 'advise has no option among captures' '' advise ""
	offers 'advise has no option after --' '' advise -- --li
else
	skip 'completion: options of advise' 'no ssdcache-sim'
fi
mkdir "$scratch/alone"
cp "$ctl" "$scratch/alone"
[ "$(PATH=/nowhere "$scratch/alone/ssdcachectl" --complete advise --liv 2>/dev/null)" = --live ]
result $? 'completion: advise without the simulator'
offers 'after -- there are no options' '' create -- --or
offers 'words after -- count' replacement set -- fast repl
offers 'profiles and their other names, and nothing else' $'sha23\ns000\ns001\nshin23\ns002\ns003\ns004\nsiau19' create c0 --profile s

# in_fish LINE: what fish offers for its last word
in_fish() {
	fish -c "source '$tests/../../completion/ssdcache.fish'; complete -C '$1'"
}

# in_zsh LINE: the line after TAB
in_zsh() {
	rm -f "$scratch/line"
	# shellcheck disable=SC2016 # for zsh
	zsh -f -c '
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
		zpty -w shell "tell() { print -r -- \$BUFFER >$2.new; mv $2.new $2 }; zle -N tell; bindkey ^X tell"
		zpty -n -w shell "$3"$'"'\\t\\C-x'"'
		# The shell stops when nobody reads what it prints.
		for (( i = 0; i < 600; i++ )); do
			zpty -r -t shell text || :
			[[ ! -e $2 ]] || break
			sleep 0.05
		done
		zpty -d shell' - "$tests/../../completion" "$scratch/line" "$1"
	cat "$scratch/line"
}

# shell_completes NAME LINE FISH ZSH: what fish offers for the last word of LINE, and what LINE is after TAB in zsh
shell_completes() {
	local offered

	if [ -n "$(type -P fish)" ]; then
		offered=$(in_fish "$2")
		[ "$offered" = "$3" ]
		result $? "completion: in fish: $1" "$offered"
	else
		skip "completion: in fish: $1" "no fish"
	fi
	if [ -n "$(type -P zsh)" ]; then
		offered=$(in_zsh "$2")
		[ "$offered" = "$4" ]
		result $? "completion: in zsh: $1" "$offered"
	else
		skip "completion: in zsh: $1" "no zsh"
	fi
}

shell_completes 'a key' 'ssdcachectl create c0 --replacement cflru-ef-sc:ad' cflru-ef-sc:adapt= \
	'ssdcachectl create c0 --replacement cflru-ef-sc:adapt='
shell_completes 'a policy after =' 'ssdcachectl create c0 --replacement=vs-batch-p' --replacement=vs-batch-plus \
	'ssdcachectl create c0 --replacement=vs-batch-plus '
shell_completes 'a file' 'ssdcachectl create c0 --origin /dev/nul' /dev/null 'ssdcachectl create c0 --origin /dev/null '
shell_completes 'a file after =' 'ssdcachectl create c0 --origin=/dev/nul' --origin=/dev/null 'ssdcachectl create c0 --origin=/dev/null '
