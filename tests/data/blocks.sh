#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a logical block never mixes two writes, whatever reads and writes it at the same time
# lane: vm-6.1
# long: vm-6.12 vm-kcsan
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# is_atomic BLOCK_SIZE [WORD...]: words of the table line
is_atomic() {
	local block=$1

	shift
	make_nullb 16 blocksize="$block"
	make_cache c0 "$NULLB" dram 1m "$@"
	block-race /dev/mapper/c0 "$rounds"
	dmsetup remove c0
}

# A read of the former engine, which mixed writes, was among the first hundred.
rounds=4000
[ -z "${SSDC_LONG-}" ] || [ "$SSDCACHE_LANE" != vm-6.1 ] || rounds=200000

run_test "blocks of 512 bytes" is_atomic 512
run_test "blocks of 4096 bytes in pages of 4 KiB" is_atomic 4096
run_test "blocks of 4096 bytes in pages of 16 KiB, written through" is_atomic 4096 page 16k admission corw-7
