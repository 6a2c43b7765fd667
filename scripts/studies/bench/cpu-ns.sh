# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# To be sourced, by scripts that run as root.

# cpu_ns COMMAND...: runs it and prints the CPU time that it took, in ns, to the microsecond. Elapsed time would also count waits for the
# host, which are longer on a busy one: an idle guest's clock goes on.
cpu_ns() {
	local groups group

	groups=$(mktemp -d /run/cpu-ns.XXXXXX)
	mount -t cgroup2 none "$groups"
	group=$groups/cpu-ns.$BASHPID
	mkdir "$group"
	(
		echo $BASHPID >"$group/cgroup.procs"
		exec "$@" >&2
	)
	awk '/^usage_usec/ { printf "%d\n", $2 * 1000 }' "$group/cpu.stat"
	rmdir "$group"
	umount "$groups"
	rmdir "$groups"
}
