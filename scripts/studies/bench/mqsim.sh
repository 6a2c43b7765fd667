#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The speed of ssdcache-sim beside MQSim's: see mqsim.py. MQSim is the built checkout in $MQSIM, or is fetched and built in the
# cache, at the commit with which the flash model is compared. If that is not possible, its column is left out.

# shellcheck source-path=SCRIPTDIR source=../../lab/lib.sh
. "$(dirname "$0")/../../lab/lib.sh"
cd "$SSDCACHE_TREE"

reference=userspace/tests/mqsim/reference.json
log=$SSDCACHE_CACHE/log/mqsim.log

# Fetches and builds in $1; a copy without the program is an earlier failure.
get_mqsim() {
	rm -rf "$1"
	timeout --foreground 120 git clone -q "$(jq -r .mqsim $reference)" "$1" </dev/null &&
		git -C "$1" checkout -q "$(jq -r .commit $reference)" &&
		make -s -C "$1" -j2
}

make -s -C userspace ssdcache-sim >&2 || die "the simulator does not build"
profiled=userspace/build/profiled/bin/ssdcache-sim
make -s -C userspace ssdcache-sim-profiled >&2 || profiled=-
if [ -z "${MQSIM:-}" ]; then
	MQSIM=$SSDCACHE_CACHE/mqsim
	[ -x "$MQSIM/MQSim" ] || GIT_TERMINAL_PROMPT=0 get_mqsim "$MQSIM" >"$log" 2>&1 || say "no MQSim: $log"
fi
[ -x "$MQSIM/MQSim" ] || MQSIM=
python3 scripts/studies/bench/mqsim.py userspace/build/bin/ssdcache-sim "$profiled" "${TRACES:-../shared/traces/msr-csv}" ${MQSIM:+"$MQSIM"}
