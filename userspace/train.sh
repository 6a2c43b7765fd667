#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# train.sh SIM: runs that show the compiler where the simulator spends its time; see PGO in the Makefile. Requests of one page and
# of many, hits and misses, with and without a cache, on a device that collects garbage and on one that does not. The runs of
# "make bench" are others: another device, other requests.
set -e -o pipefail
sim=$1
demo=$(dirname "$0")/../traces/demo-ext4.csv.zst
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# Requests of 1 to $2 blocks of 4 KiB, every $1 ns in the mean, with the hot blocks of a power law.
requests() {
	LC_ALL=C awk -v gap="$1" -v most="$2" 'BEGIN {
		srand(1)
		print "# ssdcache-trace 1"
		for (i = 0; i < 40000; i++) {
			now += int(2 * gap * rand())
			printf "%d,%s,%d,%d,\n", now, rand() < 0.4 ? "W" : "R", 8 * int(200000 * rand() ^ 3), 8 * int(1 + most * rand())
		}
	}'
}

run() {
	"$sim" "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; exit 1; }
}

requests 30000 1 >"$scratch/small.csv"
requests 100000 16 >"$scratch/large.csv"
for trace in "$scratch/small.csv" "$scratch/large.csv" "$demo"; do
	for flash in zhou23 zhou23:allocation=static; do
		run --no-cache --fold --flash $flash "$trace"
		for policy in lru cflru-ef-sc vs-batch-plus req-block; do
			run --dram 32m --page 8k --admission read-write --replacement $policy --fold --flash $flash "$trace"
		done
	done
	run --no-cache --fold --flash s002:aged=steady --limit 20000 "$trace"
	run --dram 16m --replacement lru --admission read-write "$trace"
done
