#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that the portable folders of dm-ssdcache include only their own headers and kernel headers that the
# shim has, use no floating point, read no clock, take no lock and do not sleep. Prints file and line of each
# offence. Without folders, also checks that each kind of offence would be found.
#
#	portable-includes.sh [FOLDER]...

here=$(cd "$(dirname "$0")" && pwd -P)
cd "$here/../.." || exit 2
shim=include/shim
itself=
[ $# -gt 0 ] || itself=yes
[ -z "$itself" ] || set -- dm-ssdcache/base dm-ssdcache/policy-api dm-ssdcache/engine dm-ssdcache/replacement dm-ssdcache/admission \
	dm-ssdcache/prefetch dm-ssdcache/flash dm-ssdcache/shadow dm-ssdcache/auto dm-ssdcache/builtin.h dm-ssdcache/builtin.c

files=$(find "$@" -name '*.[ch]' | sort)
if [ -z "$files" ]; then
	echo "1..0 # SKIP no portable sources in $*"
	exit 0
fi

# offences FILE...: one line "file:line: what" each. Comments and strings are blanked first, #include lines are not.
offences() {
	awk -v shim="$shim" '
function offend(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
function readable(name,	line, r) { r = (getline line < name) >= 0; close(name); return r }
function folder(name) { sub(/[^\/]*$/, "", name); return name }
FNR == 1 { comment = 0 }
{
	if (match($0, /^[ \t]*#[ \t]*include[ \t]*<[^>]+>/)) {
		header = $0
		sub(/^[^<]*</, "", header); sub(/>.*/, "", header)
		if (header !~ /^linux\// || !readable(shim "/" header))
			offend("<" header "> is not a header of the shim")
		next
	}
	if (match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/)) {
		header = $0
		sub(/^[^"]*"/, "", header); sub(/".*/, "", header)
		if (header ~ /driver|compat|userspace|include/ || !readable(folder(FILENAME) header))
			offend("\"" header "\" is not a header of the portable folders")
		next
	}
	code = $0
	gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
	gsub(/\047([^\047\\]|\\.)+\047/, "0", code)
	if (comment) {
		if (!sub(/^.*\*\//, "", code))
			next
		comment = 0
	}
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", code)
	sub(/\/\/.*/, "", code)
	if (sub(/\/\*.*/, "", code))
		comment = 1
	if (code ~ /(^|[^A-Za-z0-9_])(float|double)([^A-Za-z0-9_]|$)/ ||
	    code ~ /(^|[^A-Za-z0-9_.])([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFlL]?([^A-Za-z0-9_.]|$)/ ||
	    code ~ /(^|[^A-Za-z0-9_.])[0-9]+[eE][-+]?[0-9]+/)
		offend("floating point")
	if (code ~ /(^|[^A-Za-z0-9_])(ktime_[a-z_]+|jiffies|get_cycles|sched_clock|local_clock|getns[a-z_]*|time|gettimeofday|clock_gettime|clock) *\(/ ||
	    code ~ /(^|[^A-Za-z0-9_])jiffies(_64)?([^A-Za-z0-9_]|$)/)
		offend("reads a clock")
	if (code ~ /(^|[^A-Za-z0-9_])((raw_)?spin_(un)?(try)?lock[a-z_]*|mutex_[a-z_]+|(up|down)(_read|_write)|rcu_read_[a-z]+|(read|write)_lock[a-z_]*|spinlock_t|pthread_[a-z_]+)([^A-Za-z0-9_]|$)/)
		offend("takes a lock")
	if (code ~ /(^|[^A-Za-z0-9_])(schedule(_timeout[a-z_]*)?|cond_resched|msleep|usleep_range|wait_event[a-z_]*|wait_for_completion[a-z_]*) *\(/)
		offend("sleeps")
}
END { exit bad }' "$@"
}

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
# shellcheck disable=SC2086 # a list
offences=$(offences $files)
result $? "portable folders include only what the shim has ($(wc -l <<<"$files") files)" "$offences"
if [ -n "$itself" ]; then
	planted=$(mktemp) || exit 2
	trap 'rm -f "$planted"' EXIT
	cat >"$planted" <<'END'
#include <linux/spinlock.h>
/* double, 1.5, jiffies: fine in a comment */
static const char *fine = "1.5 float";
static double half = 0;
static int second = 2.5;
void lock(void) { spin_lock(&half); }
u64 now(void) { return ktime_get_ns(); }
void rest(void) { cond_resched(); }
END
	is "portable-includes.sh names each offence" "1 4 5 6 7 8" \
		"$(offences "$planted" | cut -d: -f2 | paste -sd' ')"
fi
finish
