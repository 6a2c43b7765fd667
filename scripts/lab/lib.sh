# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers of the scripts, to be sourced. Messages go to stderr: stdout of several scripts is a result, such as a
# directory or the output of a guest.

set -euo pipefail
shopt -s inherit_errexit

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# wrong TEXT: ends the script, whose words are wrong
wrong() {
	say "$1; '${0##*/} --help' shows the usage"
	exit 2
}

# need COMMAND PACKAGE: ends the script with one clear line if COMMAND is missing.
need() {
	[ -n "$(type -P "$1")" ] || die "$1 is missing: install the package $2 (scripts/lab/deps.sh installs everything needed)"
}

# need_value OPTION [VALUE]...: ends the script if nothing follows the option
need_value() {
	[ $# -gt 1 ] || wrong "$1 needs a value"
}

# takes_no_words "$@": ends the script if it was given words, such as --help, before it does all that it does without them
takes_no_words() {
	[ $# = 0 ] || {
		say "'$1': this script takes no words; its first lines say what it does"
		exit 2
	}
}

SSDCACHE_LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
SSDCACHE_TREE=$(cd "$SSDCACHE_LAB/../.." && pwd -P)
SSDCACHE_CACHE=${SSDCACHE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dm-ssdcache}
# Scripts change their directory.
[[ $SSDCACHE_CACHE = /* ]] || SSDCACHE_CACHE=$PWD/$SSDCACHE_CACHE
export SSDCACHE_CACHE

# kbuild and the kernel command line both split at white space. make and the shell read the other characters in their own ways: see Makefile.
unusable='[[:space:]()&;"`$|<>*?[{\%:#'"']"
if [[ $SSDCACHE_TREE$SSDCACHE_CACHE =~ $unusable ]]; then
	die "no ${BASH_REMATCH[0]/[[:space:]]/white space} allowed in the path of the tree ($SSDCACHE_TREE) or of the cache ($SSDCACHE_CACHE): set SSDCACHE_CACHE or move the tree"
fi
cannot_write="cannot write to $SSDCACHE_CACHE: set SSDCACHE_CACHE to a writable directory"
# A directory that the lab has made, or was given empty, says so. clean-cache.sh removes no other.
if [ -z "$(ls -A "$SSDCACHE_CACHE" 2>&-)" ]; then
	mkdir -p "$SSDCACHE_CACHE" || die "$cannot_write"
	printf '%s\n' "Signature: 8a477f597d28d172789f06886806bc55" "# Made by the lab of dm-ssdcache; see https://bford.info/cachedir/" \
		>"$SSDCACHE_CACHE/CACHEDIR.TAG" || {
		# On a full disk it would stay empty, and clean-cache.sh would refuse the directory.
		rm -f "$SSDCACHE_CACHE/CACHEDIR.TAG"
		die "$cannot_write"
	}
fi
mkdir -p "$SSDCACHE_CACHE/log" || die "$cannot_write"
# Shared by all scripts of the lab and by what they start; clean-cache.sh wants it for itself.
exec {cache_lock}>"$SSDCACHE_CACHE/.lock-cache" || die "$cannot_write"
need flock util-linux
flock -s -n "$cache_lock" || die "$SSDCACHE_CACHE is being removed"

# need_git: ends the script unless git lists the files of the tree. A check of no files would find nothing wrong.
need_git() {
	need git git
	[ -n "$(git -C "$SSDCACHE_TREE" ls-files Makefile || :)" ] ||
		die "git lists no files of $SSDCACHE_TREE: run this in a clone, as its owner, or say 'git init' and 'git add -A' there"
}

# as_root COMMAND...: directly or through sudo.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -n "$(type -P sudo)" ]; then
		sudo -- "$@"
	else
		die "root is needed to run '$*': run this as root or install sudo"
	fi
}

# start_group COMMAND...: runs it in the background, in its own process group, so that an interrupt ends all of it.
groups=()
start_group() {
	trap stop_groups HUP INT TERM
	set -m
	"$@" &
	groups+=($!)
	set +m
}

stop_groups() {
	trap - HUP INT TERM
	# An interrupt may come before start_group has noted the last one.
	[ -z "${!-}" ] || ! kill -0 -- "-$!" 2>&- || groups+=($!)
	kill -TERM -- "${groups[@]/#/-}" 2>&- || :
	# A launcher ends its guest, which writes to folders that this script may be about to remove.
	[ ${#groups[@]} = 0 ] || wait "${groups[@]}" || :
	die "interrupted"
}

# in_group COMMAND...: the same for one that the script waits for; returns its status. A signal to the script alone would not end a command
# in the foreground, such as the launcher of a guest.
in_group() {
	local status=0

	start_group "$@" </dev/null
	wait $! || status=$?
	unset "groups[-1]"
	return $status
}

step_pid=
step_stop() {
	trap - HUP INT TERM
	# A step runs in its own process group, so that a whole "make -j" dies with us. An interrupt may come before try_step has noted it.
	if [ -n "${step_pid:=${!-}}" ] && kill -TERM -- "-$step_pid" 2>&-; then
		wait "$step_pid" || :
	fi
	die "interrupted"
}

# try_step TEXT COMMAND...: runs a long command and returns its status. Its output goes to a log file, a heartbeat to
# stderr. In a condition COMMAND must not be a function: bash does not stop a function there at its first failure.
try_step() {
	local text=$1 log start now next=20 rc=0

	shift
	log=$(mktemp "$SSDCACHE_CACHE/log/$(date +%Y%m%d-%H%M%S)-$(printf %s "${text,,}" | tr -cs a-z0-9. -).XXXX")
	start=$SECONDS
	trap step_stop HUP INT TERM
	set -m
	("$@") >"$log" 2>&1 </dev/null &
	step_pid=$!
	set +m
	while kill -0 "$step_pid" 2>&-; do
		now=$((SECONDS - start))
		if [ -t 2 ]; then
			printf '\r%s: %s ... %d s ' "${0##*/}" "$text" "$now" >&2
		elif [ "$now" -ge "$next" ]; then
			say "$text ... $now s"
			next=$((now + 20))
		fi
		sleep 0.2
	done
	# An "if" would lose the status of the list; a failing "wait" must not end the script.
	wait "$step_pid" || rc=$?
	step_pid=
	trap - HUP INT TERM
	now=$((SECONDS - start))
	[ ! -t 2 ] || printf '\r\033[K' >&2
	if [ "$rc" -ne 0 ]; then
		tail -n 20 "$log" >&2
		say "$text: failed after $now s; the whole log: $log"
		return "$rc"
	fi
	say "$text: done in $now s"
}

# [hint=TEXT] step TEXT COMMAND...: the same, but a failure ends the script with a hint what to do about it. COMMAND may
# be a function, because a trap, not a condition, catches its failure.
step() {
	local hint=${hint:-see the lines above}

	trap 'trap - ERR; die "$hint"' ERR
	try_step "$@"
	trap - ERR
}

# The cache records what slow checks have passed, so that they skip it next time. CHECK is one line: the tool, its version
# and options, and contents_of the files it checked.
contents_of() {
	sha256sum -- "$@" | sha256sum | cut -d' ' -f1
}

has_passed() { # has_passed CHECK
	grep -qsFx -- "$1" "$SSDCACHE_CACHE/passed"
}

set_passed() { # set_passed CHECK
	has_passed "$1" || printf '%s\n' "$1" >>"$SSDCACHE_CACHE/passed"
}

# lock NAME: waits until no other script holds NAME, then holds it until "unlock NAME" or exit.
declare -A lock_fds
lock() {
	local fd

	exec {fd}>"$SSDCACHE_CACHE/.lock-$1" || die "$cannot_write"
	lock_fds[$1]=$fd
	if ! flock -w 2 "$fd"; then
		say "waiting for another script to finish with '$1'"
		flock "$fd"
	fi
}

unlock() {
	local fd=${lock_fds[$1]}

	exec {fd}>&-
}

# apt_lists_fresh: true if the package lists are less than a day old and younger than the apt sources
apt_lists_fresh() {
	local dir=/var/lib/apt/lists stamp

	[ -n "$(find "$dir" -maxdepth 1 -name '*_Packages*' -print -quit)" ] || return 1
	# "apt-get update" touches one of the two, depending on whether the archive has something new.
	stamp=$dir
	[ ! "$dir/partial" -nt "$dir" ] || stamp=$dir/partial
	[ -n "$(find "$stamp" -maxdepth 0 -mtime -1)" ] &&
		[ -z "$(find /etc/apt -name '*sources*' -newer "$stamp" -print -quit)" ]
}

apt_update() {
	need apt-get apt
	hint="apt-get update failed: check the network and the apt sources" \
		step "update of the package lists" as_root apt-get -q update
}

# apt_lists: makes them fresh. The lock is needed because the second of two concurrent updates would fail.
apt_lists() {
	lock apt
	apt_lists_fresh || apt_update
	unlock apt
}
