# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Captures in guests: what demo/ and capture/ share.

# blktrace writes by mmap, which the shared directory does not support.
traces=/dev/shm/blktrace

# blktrace_begin DISK: records the requests to /dev/DISK from now on.
blktrace_begin() {
	traced=$1
	mkdir -p "$traces"
	# The buffers last for a second in which blktrace does not get the only CPU.
	blktrace -d "/dev/$traced" -a queue -b 1024 -n 8 -D "$traces" >"$traces/log" 2>&1 &
	blktrace=$!
	# It is ready when its files exist.
	until compgen -G "$traces/*.blktrace.*" >/dev/null; do
		kill -0 "$blktrace"
		sleep 0.1
	done
}

# blktrace_end SSDCACHE-TRACE CAPTURE: ends that, and makes a capture of it.
blktrace_end() {
	kill -INT "$blktrace"
	wait "$blktrace"
	if ! grep -q 'dropped 0)' "$traces/log"; then
		cat "$traces/log" >&2
		echo "blktrace lost events" >&2
		return 1
	fi
	"$1" convert --format blktrace "$traces/$traced" -o "$2"
}
