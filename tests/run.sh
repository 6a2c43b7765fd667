#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the tests of the loaded module, tests/SUITE/NAME.sh, in guests, and prints their results (TAP). Comments at the top
# of a script say what it needs:
#
#	# what: one line for --list
#	# lane: one or more of uml uml-debug uml-time vm-6.1 vm-6.12 vm-newest vm-kcsan host
#	# long: further lanes, in which it runs if SSDC_LONG is set or --lane names the lane
#	# timeout: seconds (600) after which it is stopped; allow for a busy machine
#	# guests: for the lane host, lanes to build modules for; $SSDCACHE_KOS is a list of LANE=KO
#	# extra: directory of one more module to build; $SSDCACHE_EXTRA in the guest
#	# kmemleak: yes (uml-debug looks for leaks at the end, which takes 12 s)
#	# memory: of the guest, for lanes of User-Mode Linux: LANE=SIZE...
#
# A VM lane boots one guest for all its scripts, the lanes uml and uml-debug one for up to four; scripts that name memory or
# kmemleak, and those of uml-time, have a guest of their own. A script in the lane host runs on the host and boots guests itself.

set -euo pipefail
shopt -s inherit_errexit

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
tree=$(dirname "$tests")
# shellcheck source-path=SCRIPTDIR source=../scripts/lab/tap.sh
. "$tree/scripts/lab/tap.sh"
# Lanes with long guests come first; short guests then fill the gaps.
lanes=(vm-kcsan vm-6.1 vm-6.12 vm-newest host uml-time uml-debug uml)

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

wrong() {
	say "$1; '${0##*/} --help' shows the usage"
	exit 2
}

usage() {
	cat <<USAGE
usage: ${0##*/} [OPTION]... [PATTERN]...
  --lane LANE    only this lane: ${lanes[*]}
  --jobs N       guests at a time (1)
  --module KO    test this module instead of building it; needs --lane
  --cpus N       CPUs of a VM lane
  --keep         keep the guests' files even if all tests passed
  --list         print the scripts and what they test; run none
PATTERN: run the scripts whose SUITE/NAME contains this shell pattern (default: all)
Exit status: 0 all passed or were skipped, 1 some failed, 2 nothing to run.
USAGE
	exit
}

# group_lives PID: true if a process of the group is not dead. "kill -0" finds the dead, too, which stay if the first process of a container
# waits for none.
group_lives() {
	local file line state group

	for file in /proc/[0-9]*/stat; do
		read -r line 2>/dev/null <"$file" || continue
		read -r state _ group _ <<<"${line##*) }"
		if [ "$group" = "$1" ] && [ "$state" != Z ]; then
			return 0
		fi
	done
	return 1
}

# stop_groups PID...: end the process groups that these processes lead, and return when they are gone. A launcher ends its guest first.
stop_groups() {
	local pid tries

	for pid; do
		kill -TERM -- "-$pid" 2>/dev/null || :
	done
	for pid; do
		for ((tries = 0; tries < 100; tries++)); do
			group_lives "$pid" || continue 2
			sleep 0.1
		done
		kill -KILL -- "-$pid" 2>/dev/null || :
	done
}

# children_of PID: the processes that it has started, and those that these have started
children_of() {
	local file line parent pid

	for file in /proc/[0-9]*/stat; do
		read -r line 2>/dev/null <"$file" || continue
		read -r _ parent _ <<<"${line##*) }"
		pid=${line%% *}
		if [ "$parent" = "$1" ]; then
			echo "$pid"
			children_of "$pid"
		fi
	done
}

# In the guest (or on the host): run the scripts one after the other; their output goes to files in $SSDCACHE_OUT. A script
# that ended the previous guest (end_guest in lib.sh) comes first: those before it have a status.
if [ "${1-}" = --in-guest ]; then
	shift
	# The script is in a process group of its own, which a signal to this one does not reach.
	trap 'trap "" HUP INT TERM; stop_groups ${!-}; exit 130' HUP INT TERM
	for script; do
		name=${script#"$tests/"}
		out=$SSDCACHE_OUT/${name//\//.}
		[ ! -e "$out.status" ] || continue
		limit=$(sed -n 's/^# timeout: *//p' "$script")
		SSDCACHE_EXTRA=$SSDCACHE_BUILD/$(sed -n 's/^# extra: *//p' "$script")
		export SSDCACHE_EXTRA
		[ "$SSDCACHE_LANE" = host ] || echo "ssdcache-test: $name starts" >/dev/kmsg
		start=$SECONDS
		status=0
		set -m
		timeout -k 5 "${limit:-600}" bash "$script" </dev/null >>"$out.stdout" 2>>"$out.stderr" &
		set +m
		wait $! || status=$?
		echo "$status $((SECONDS - start))" >"$out.status"
		[ "$SSDCACHE_LANE" = host ] || echo "ssdcache-test: $name ends with status $status" >/dev/kmsg
	done
	exit 0
fi

only='' jobs=1 module='' cpus='' keep='' list='' patterns=()
while [ $# -gt 0 ]; do
	case $1 in
	--keep) keep=1 ;;
	--list) list=1 ;;
	--lane | --jobs | --module | --cpus)
		[ $# -ge 2 ] || wrong "$1 needs a value"
		case $1 in
		--lane) only=$2 ;;
		--module) module=$2 ;;
		--jobs | --cpus)
			if [[ ! $2 =~ ^[1-9][0-9]{0,2}$ ]]; then
				say "$1: '$2' is no number from 1 to 999"
				exit 2
			fi
			case $1 in
			--jobs) jobs=$2 ;;
			--cpus) cpus=$2 ;;
			esac
			;;
		esac
		shift
		;;
	--help) usage ;;
	-*) wrong "'$1': no such option" ;;
	*) patterns+=("$1") ;;
	esac
	shift
done
case " ${lanes[*]} " in
*" ${only:-uml} "*) ;;
*) wrong "--lane: '$only' is not one of ${lanes[*]}" ;;
esac
[ -z "$module" ] || [ -n "$only" ] || wrong "--module needs --lane"
[ ${#patterns[@]} -gt 0 ] || patterns=('')

# build COMMAND...: run a command that builds something. Bash handles no signal before a command in the foreground has ended, so the
# command runs in the background, but in the same process group: sudo may ask the terminal for a password.
builder=''
build() {
	"$@" <&0 &
	builder=$!
	wait "$builder"
}

# stop_build: end what build() runs. A signal to the group may not: bash has what it starts in the background ignore SIGINT.
stop_build() {
	local pids pid tries state

	mapfile -t pids < <(children_of $$)
	[[ " ${pids[*]} " == *" ${builder:-none} "* ]] || return 0
	mapfile -t pids < <(echo "$builder"; children_of "$builder")
	kill -TERM "${pids[@]}" 2>/dev/null || :
	for pid in "${pids[@]}"; do
		for ((tries = 0; tries < 100; tries++)); do
			state=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) || continue 2
			[[ $state != Z* ]] || continue 2
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null || :
	done
}

# header SCRIPT KEY: the value of KEY at the top of SCRIPT
header() {
	sed -n "/^#/!q; s/^# $2: *//p" "$1"
}

# wanted SUITE/NAME: true if a pattern matches
wanted() {
	local pattern name=$1

	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ ${name%.sh} != *$pattern* ]] || return 0
	done
	return 1
}

# scripts_of LANE: one per line
scripts_of() {
	local lane=$1 script of

	for script in "$tests"/*/*.sh; do
		of=$(header "$script" lane)
		[ -z "${SSDC_LONG-}$only" ] || of+=" $(header "$script" long)"
		case " $of " in
		*" $lane "*) ! wanted "${script#"$tests/"}" || printf '%s\n' "$script" ;;
		esac
	done
}

# kernel_of LANE: the directory to build modules with
kernel_of() {
	case $1 in
	uml-debug) "$tree/scripts/lab/kernel.sh" uml --debug ;;
	uml*) "$tree/scripts/lab/kernel.sh" uml ;;
	vm-*) "$tree/scripts/lab/kernel.sh" headers "${1#vm-}" ;;
	esac
}

# module_of LANE: builds the module and prints its path
module_of() {
	local kernel words=()

	if [ -n "$module" ]; then
		realpath -e "$module"
		return
	fi
	kernel=$(kernel_of "$1")
	# W=1, so that what check-build.sh has built can be used.
	case $1 in
	uml*) words=(ARCH=um) ;;
	*) words=(W=1) ;;
	esac
	make -s -C "$tree" module KDIR="$kernel" "${words[@]}" >&2
	realpath -e "$tree/build/${kernel##*/}/dm-ssdcache/dm-ssdcache.ko"
}

# need_module LANE: builds the module once. Guests use a copy, which another run in this tree cannot replace.
need_module() {
	local built

	[ -z "${ko[$1]-}" ] || return 0
	build module_of "$1" >"$work/module"
	built=$(<"$work/module")
	built_in[$1]=$(dirname "$(dirname "$built")")
	ko[$1]=$modules/$1/dm-ssdcache/${built##*/}
	install -D -m 644 -t "${ko[$1]%/*}" "$built"
}

# build_extra LANE DIRECTORY: builds one more module, and copies it
build_extra() {
	local kernel arch=() base=${built_in[$1]}

	kernel=$(kernel_of "$1")
	[[ $1 != uml* ]] || arch=(ARCH=um)
	mkdir -p "$base/$2"
	cp -rsf "$tree/$2/." "$base/$2"
	make -s -C "$kernel" "${arch[@]}" M="$base/$2" SSDCACHE="$base" modules >&2
	install -D -m 644 -t "$modules/$1/$2" "$base/$2"/*.ko
}

# build_tools: builds the C programs of the tests. Static programs start twice as fast.
build_tools() {
	local source tool

	for source in "$tests"/*/*.c; do
		tool=$tools/$(basename "$source" .c)
		# A program of an older version of this script, which did not ask for the headers
		[ -e "$tool.d" ] || rm -f "$tool"
		make -s -f - "$tool" <<-RULES
			.DELETE_ON_ERROR:
			-include $tool.d
			$tool: $source ; gcc -O2 -Wall -Wextra -static -MMD -MP -MF $tool.d -MT $tool -o $tool $source
		RULES
	done
}

# build_userspace: the tools of userspace/, if a script that runs has their path
build_userspace() {
	local guest words

	for guest in "${plan[@]}"; do
		read -ra words <<<"$guest"
		if grep -qF 'userspace/build/bin' "${words[@]:1}"; then
			make -s -C "$tree" -j"$(nproc)" userspace >&2
			return
		fi
	done
}

# boot LANE OUT SCRIPT...: runs one guest; its results go to files in OUT. If a script ends the guest, another guest follows.
boot() {
	local lane=$1 out=$2 script limit sum=0 command=() options=() status log boots=0 of kos=''

	shift 2
	for script; do
		limit=$(header "$script" timeout)
		sum=$((sum + ${limit:-600}))
	done
	options=(--out "$out" --timeout $((sum + 60)))
	case $lane in
	uml*) command=("$tree/scripts/lab/uml.sh") ;;
	vm-*) command=("$tree/scripts/lab/vm.sh" --kernel "${lane#vm-}") ;;
	host)
		for of in $(header "$1" guests); do
			kos+="$of=${ko[$of]} "
		done
		command=(env "SSDCACHE_KOS=$kos" "SSDCACHE_OUT=$out") options=()
		;;
	esac
	for of in $(header "$1" memory); do
		[ "${of%=*}" != "$lane" ] || options+=(--memory "${of#*=}")
	done
	case $lane in
	uml-debug) options+=(--debug) ;;
	uml-time) options+=(--time-travel) ;;
	# Tests of races need CPUs that run at the same time. Tests of tracing crash those under emulation: they use vm-6.12.
	vm-6.1) options+=(--parallel) ;;
	vm-6.12)
		options+=(--nodes 2)
		[ -z "${SSDC_LONG-}" ] || options+=(--cpus 4)
		;;
	# Races of rarely executed code need more watchpoints than the kernel's configuration sets.
	vm-kcsan) options+=(--parallel --cpus 4 --append kcsan.skip_watch=50) ;;
	esac
	[[ -z $cpus || $lane != vm-* ]] || options+=(--cpus "$cpus")
	# kmemleak takes a third of the guest's time: only scripts that ask for it get it.
	case $lane.$(header "$1" kmemleak) in
	uml-debug.yes) export KMEMLEAK=1 ;;
	uml-debug.) options+=(--append kmemleak=off) ;;
	esac
	[ "$lane" = host ] || options+=(--)
	# The distribution's programs come first: a wrapper such as pyenv's takes ten seconds to start in a guest.
	{
		TIMEFORMAT='%U %S'
		time while :; do
			status=0
			SSDCACHE_LANE=$lane SSDCACHE_KO=${ko[$lane]} SSDCACHE_BUILD=$modules/$lane \
				PATH=$tools:/usr/sbin:/usr/bin:/sbin:/bin:$PATH \
				"${command[@]}" "${options[@]}" bash "$tests/run.sh" --in-guest "$@" \
				>"$out/guest.stdout" 2>"$out/guest.stderr" || status=$?
			# 98: the guest ended before the command did.
			if [ "$status" != 98 ] || [ ! -e "$out/boot" ] || [ $((++boots)) = 8 ]; then
				break
			fi
			for log in "$out"/{dmesg,console}.txt; do
				[ ! -e "$log" ] || mv "$log" "$log.$boots"
			done
		done
	} 2>"$out/guest.time"
	echo "$status" >"$out/guest.status"
}

# diagnose FILE...: their last lines, as diagnostics
diagnose() {
	tail -n 30 "$@" | sed 's/^/#   /'
}

# report OUT GUEST-STATUS NR-SCRIPTS LANE SCRIPT: results of one script, without numbers
report() {
	local out=$1 guest=$2 name=${5#"$tests/"} prefix status seconds results

	results=$out/${name//\//.}
	prefix=$4/${name%.sh}
	if [ ! -s "$results.status" ]; then
		echo "not ok - $prefix: did not end"
		[ ! -e "$results.stdout" ] || diagnose "$results.stdout" "$results.stderr"
		diagnose "$out/guest.stderr"
		return
	fi
	awk -v "prefix=$prefix" '
		/^(ok|not ok|skip) - / {
			sub(/ - /, " - " prefix ": ")
			if (sub(/^skip/, "ok"))
				sub(/ # (SKIP )?/, " # SKIP ")
			print
			shown = /^not ok/
			next
		}
		shown && /^    / { sub(/^    /, "#   "); print }' "$results.stdout"
	read -r status seconds <"$results.status"
	if ! grep -q '^# done$' "$results.stdout"; then
		echo "not ok - $prefix: ended early, with status $status"
		diagnose "$results.stdout" "$results.stderr"
	elif [ "$status" = 124 ]; then
		echo "not ok - $prefix: did not end in time, stopped after:"
		diagnose "$results.stdout"
	elif [ "$status" != 0 ]; then
		grep -q '^not ok - ' "$results.stdout" || echo "not ok - $prefix: ended with status $status"
		[ ! -s "$results.stderr" ] || diagnose "$results.stderr"
	# lib.sh prints the result of cleaning up, also if no test has run.
	elif ! awk '/^(ok|skip) - / && !/^ok - all devices are removed and the module is unloaded$/ { any = 1 } END { exit !any }' \
		"$results.stdout"; then
		echo "not ok - $prefix: ran no test"
	fi
	echo "# $prefix: $seconds s"
	if [ "$guest" != 0 ] && [ "$3" = 1 ]; then
		echo "not ok - $prefix: guest ended with status $guest"
		diagnose "$out/guest.stderr"
	fi
}

# finish_guest LANE OUT SCRIPT...: prints the results of all scripts of a guest
finish_guest() {
	local lane=$1 out=$2 guest script

	shift 2
	guest=$(<"$out/guest.status")
	for script; do
		report "$out" "$guest" $# "$lane" "$script"
	done >"$out/results"
	awk -v lane="$lane" '{ printf "# %s: %.0f s of CPU\n", lane, $1 + $2 }' "$out/guest.time" >>"$out/results"
	if [ "$guest" != 0 ] && [ $# -gt 1 ]; then
		echo "not ok - $lane: guest ended with status $guest"
		diagnose "$out/guest.stderr"
	fi >>"$out/results"
	tap_merge $(($(grep -cE '^(not )?ok ' "$work/results" || :) + 1)) <"$out/results" | tee -a "$work/results"
	if [ -n "$keep" ] || grep -q '^not ok' "$out/results"; then
		say "the guest's files: $out"
	else
		rm -rf "$out"
	fi
}

# group_scripts LANE SCRIPT...: adds their guests to $plan
group_scripts() {
	local lane=$1 script group=()

	shift
	for script; do
		if [ -n "$(header "$script" memory)$(header "$script" kmemleak)" ]; then
			plan+=("$lane $script")
			continue
		fi
		group+=("$script")
		[ ${#group[@]} -lt 4 ] || { plan+=("$lane ${group[*]}"); group=(); }
	done
	[ ${#group[@]} -eq 0 ] || plan+=("$lane ${group[*]}")
}

# A line "LANE SCRIPT..." for each guest.
plan=()
for lane in "${lanes[@]}"; do
	[ "${only:-$lane}" = "$lane" ] || continue
	mapfile -t scripts < <(scripts_of "$lane")
	[ ${#scripts[@]} -gt 0 ] || continue
	case $lane in
	uml | uml-debug) group_scripts "$lane" "${scripts[@]}" ;;
	uml-time | host)
		for script in "${scripts[@]}"; do
			plan+=("$lane $script")
		done
		;;
	*) plan+=("$lane ${scripts[*]}") ;;
	esac
done
if [ ${#plan[@]} -eq 0 ]; then
	say "no script matches"
	exit 2
fi
if [ -n "$list" ]; then
	for guest in "${plan[@]}"; do
		read -ra words <<<"$guest"
		for script in "${words[@]:1}"; do
			name=${script#"$tests/"}
			printf '%-10s %-30s %s\n' "${words[0]}" "${name%.sh}" "$(header "$script" what)"
		done
	done
	exit 0
fi

mkdir -p "$tree/build/tests"
work=$(mktemp -d "$tree/build/tests/run.XXXXXX")
modules=$work/modules
tools=$tree/build/tests
: >"$work/results"
cleanup() {
	local out

	trap - EXIT
	trap '' HUP INT TERM
	stop_build
	# shellcheck disable=SC2046 # numbers
	stop_groups $(jobs -p)
	# Of guests that did not end
	for out in "$work"/[0-9]*; do
		[ -n "$keep" ] || [ -e "$out/results" ] || rm -rf "$out"
	done
	rm -rf "$work"/{results,module,version} "$modules"
	rmdir --ignore-fail-on-non-empty "$work"
}
trap cleanup EXIT
trap 'say interrupted; exit 130' HUP INT TERM

# Without a network, or elsewhere than on Debian, a lane may have no kernel.
runnable=()
for guest in "${plan[@]}"; do
	lane=${guest%% *}
	status=0
	case $lane in
	vm-newest | vm-kcsan) build "$tree/scripts/lab/kernel.sh" image-version "${lane#vm-}" >"$work/version" || status=$? ;;
	*) : >"$work/version" ;;
	esac
	version=$(<"$work/version")
	if [ "$status" = 0 ]; then
		runnable+=("$guest")
		[ -z "$version" ] || echo "# $lane: Linux $version"
	elif [ "$status" = 3 ]; then
		echo "skip - $lane # no newer suite of the Debian archive can be reached" |
			tap_merge $(($(grep -cE '^(not )?ok ' "$work/results" || :) + 1)) | tee -a "$work/results"
	else
		echo "not ok - $lane: there is no kernel" |
			tap_merge $(($(grep -cE '^(not )?ok ' "$work/results" || :) + 1)) | tee -a "$work/results"
	fi
done
plan=("${runnable[@]}")

# Two runs in one tree build in the same folders, one after the other.
exec {building}>"$tree/build/tests/.lock-modules"
if ! flock -n "$building"; then
	say "waiting for another run in this tree, which builds modules"
	flock "$building"
fi
declare -A ko built_in
for guest in "${plan[@]}"; do
	lane=${guest%% *}
	read -ra words <<<"$guest"
	if [ "$lane" = host ]; then
		for of in $(header "${words[1]}" guests); do
			need_module "$of"
		done
		ko[host]=''
		continue
	fi
	need_module "$lane"
	for script in "${words[@]:1}"; do
		extra=$(header "$script" extra)
		[ -z "$extra" ] || build build_extra "$lane" "$extra"
	done
done
# Afterwards, because what builds modules refuses a path of the tree that no program can be built in.
build build_tools
build build_userspace
exec {building}>&-

# Up to $jobs guests run at a time, each in a process group of its own, so that an interrupt ends all of it. finish_one waits for one and
# prints its results.
declare -A guests=()
finish_one() {
	local pid i

	wait -n -p pid "${!guests[@]}" || :
	i=${guests[$pid]}
	unset "guests[$pid]"
	read -ra words <<<"${plan[i]}"
	finish_guest "${words[0]}" "$work/$i" "${words[@]:1}"
}
for ((i = 0; i < ${#plan[@]}; i++)); do
	[ ${#guests[@]} -lt "$jobs" ] || finish_one
	read -ra words <<<"${plan[i]}"
	mkdir "$work/$i"
	set -m
	boot "${words[0]}" "$work/$i" "${words[@]:1}" </dev/null &
	set +m
	guests[$!]=$i
done
while [ ${#guests[@]} -gt 0 ]; do
	finish_one
done

read -r passed failed skipped < <(tap_counts <"$work/results")
echo "1..$((passed + failed + skipped))"
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
