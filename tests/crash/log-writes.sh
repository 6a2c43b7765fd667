#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: data acknowledged by FLUSH or FUA survive a crash at any later moment, whatever changes and fails meanwhile
# lane: uml-time
# long: uml uml-debug vm-6.12
# timeout: 1200

# A run writes at random to a cache whose origin is a log-writes device; crash-replay then checks the log. Each FLUSH and
# each FUA write acknowledged by volatile DRAM is a mark, which is a moment to crash at. The runs combine plug-ins, sizes,
# origins and live changes: by default each policy once; with SSDC_LONG=1, in virtual time, every policy with every
# admission scheme, and any two values of the other factors at least once.
#
#	SSDC_SEED=N		repeat the runs of that seed
#	SSDC_ROWS=PATTERN	only the runs whose name matches

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seed=${SSDC_SEED:-1} requests=800 least_marks=700 whole=''
if [ -n "${SSDC_LONG-}" ]; then
	seed=${SSDC_SEED:-$((RANDOM * 32768 + RANDOM + 1))}
	# The other lanes are several times slower.
	[ "$SSDCACHE_LANE" != uml-time ] || least_marks=10000 whole=1
fi
pages=(4k 8k 16k 32k 64k)
drams=("1m" "2m" "8m" "1m protect" "8m protect")
origins=("512" "4096" "flash")
changes=(none switch suspend reload fail)

# make_origin KIND: as $origin, its logical block as $block
make_origin() {
	block=512
	[ "$1" != 4096 ] || block=4096
	make_nullb 16 discard=1 "blocksize=$block" irqmode=2 completion_nsec=50000
	origin=$NULLB
	if [ "$1" = flash ]; then
		sectors_of "$origin"
		make_flash flash "$origin" $((SECTORS * 3 / 4)) channels 2 chips 2
		origin=/dev/mapper/flash
	fi
}

# setup ORIGIN-KIND WORD...: a cache on a linear device, whose writes can be made to fail, on a log-writes device, which logs
# everything that reaches the media of the origin
setup() {
	need_driver log-writes flakey null_blk
	make_origin "$1"
	shift
	make_nullb 1536
	log=$NULLB
	sectors_of "$origin"
	dmsetup create log --table "0 $SECTORS log-writes $origin $log"
	make_linear weak /dev/mapper/log
	make_cache c0 /dev/mapper/weak "$@"
}

# run_writer OPTION...: write to the cache, and remove it. The log is complete once the devices above it are removed.
run_writer() {
	crash-writer --device /dev/mapper/c0 --requests "$requests" --reads 20 --fua 6 --flushes 5 --journal "$scratch/journal" \
		--mark log "$@"
	dmsetup remove c0
	dmsetup remove weak
	dmsetup remove log
}

# replay OPTION...
replay() {
	crash-replay --log "$log" --check "$origin" --journal "$scratch/journal" --block "$block" "$@"
}

# shards_of DRAM PAGE: the words for $shards shards, or for as many as fit
shards_of() {
	local fit=$((${1%m} * 1024 / ${2%k} / 16))

	[ "$fit" -lt "$shards" ] || fit=$shards
	[ "$fit" -le 1 ] || echo "shards $fit"
}

# list_changes KIND PROTECT PAGE: the lines for crash-writer
list_changes() {
	local name i size page

	[ -z "$2" ] || printf 'protect c0\n%.0s' 1 2
	[ "$1" != none ] || return 0
	printf 'message c0 %s\n' flush drop_clean
	case $1 in
	switch | reload | fail)
		for ((i = 0; i < 4; i++)); do
			name=${replacements[(i * 5 + seed + row) % ${#replacements[@]}]}
			echo "message c0 replacement $name"
		done
		;;&
	switch)
		echo "message c0 admission ${admissions[(seed + row) % ${#admissions[@]}]}"
		echo "message c0 admission read-write"
		echo "message c0 replacement auto:candidates=lru+fab+cflru-ef-sc/l-corw,period=10,memory=10,hysteresis=0"
		echo "message c0 prefetch ${prefetches[(seed + row) % ${#prefetches[@]}]}"
		;;
	suspend) printf 'suspend c0\n%.0s' 1 2 ;;
	reload | fail)
		for size in 1m 2m 8m; do
			page=${pages[(seed + row + i++) % 5]}
			# shellcheck disable=SC2046 # words of the table line
			table /dev/mapper/weak dram "$size" page "$page" $(shards_of "$size" "$page") replacement "$name" \
				admission read-write
			echo "reload c0 $TABLE"
		done
		;;&
	fail)
		printf 'fail weak /dev/mapper/log\n%.0s' 1 2 3 4 5 6
		echo "suspend c0"
		;;
	esac
}

# spec NAME: with tunables that have an effect in a short run
spec() {
	case $1 in
	corw-*) echo "$1:period_ms=10,rar_window=10,cold=1000" ;;
	bplru) echo "bplru:block=16,padding=on" ;;
	*) echo "$1" ;;
	esac
}

# survives REPLACEMENT ADMISSION PREFETCH PAGE DRAM ORIGIN CHANGES
survives() {
	local row_seed=$((seed * 1000 + row)) words dram=${5% protect} protect=${5#"${5% protect}"} interval=0

	[ $((row % 4)) -ne 1 ] || interval=1
	words="dram $dram page $4 $(shards_of "$dram" "$4") replacement $(spec "$1") admission $(spec "$2") prefetch $3 flush_interval_s $interval"
	echo "SSDC_SEED=$seed: $words; origin $6; changes $7$protect; run $row"
	# shellcheck disable=SC2086 # words of the table line
	setup "$6" $words
	list_changes "$7" "$protect" "$4" >"$scratch/changes"
	run_writer --seed "$row_seed" --discards 3 --zeroes 1 --changes "$scratch/changes" --change-every 20
	replay --samples 2 --seed "$row_seed" | tee "$scratch/result"
	sed -n 's/^.* entries, \([0-9]*\) marks, .*/\1/p' "$scratch/result" >>"$scratch/marks"
}

# With protected DRAM, crash-replay must find losses. If not, the test finds nothing. crash-writer does not know the mode.
protected_dram_is_lost() {
	setup 512 dram 2m dram_mode protected
	run_writer --seed 7 --discards 3
	status=0
	replay --samples 1 >"$scratch/losses" || status=$?
	cat "$scratch/losses"
	expect_eq "exit status of crash-replay" "$status" 1
	grep -q '^lost: mark ' "$scratch/losses"
}

# With blocks larger than those that were written, crash-replay must find torn ones.
torn_blocks_are_found() {
	setup 512 dram 2m admission read-write
	run_writer --seed 8
	status=0
	block=4096
	replay --samples 1 >"$scratch/losses" || status=$?
	cat "$scratch/losses"
	expect_eq "exit status of crash-replay" "$status" 1
	grep -q '^torn: mark ' "$scratch/losses"
}

# A FUA write reaches the media without any FLUSH.
fua_alone() {
	setup 512 dram 2m admission read-write
	run_writer --seed 9 --fua 10 --flushes 0
	replay --samples 2
}

enough_marks() {
	local sum=0 marks

	while read -r marks; do
		sum=$((sum + marks))
	done <"$scratch/marks"
	echo "$sum marks in $runs runs"
	expect marks "$sum" -ge "$least_marks"
}

# all_pairs: any two values of two factors occur together in a run
all_pairs() {
	local row i j values=() count=(0 0 0 0 0 0 0) want=0 key
	declare -A pairs=() of=()

	for row in "${rows[@]}"; do
		IFS=, read -ra values <<<"$row"
		for ((i = 0; i < 7; i++)); do
			of[$i,${values[i]}]=1
			for ((j = i + 1; j < 7; j++)); do
				pairs["$i,$j,${values[i]},${values[j]}"]=1
			done
		done
	done
	for key in "${!of[@]}"; do
		i=${key%%,*}
		count[i]=$((count[i] + 1))
	done
	for ((i = 0; i < 7; i++)); do
		for ((j = i + 1; j < 7; j++)); do
			want=$((want + count[i] * count[j]))
		done
	done
	expect_eq "pairs" ${#pairs[@]} "$want"
}

# The names, from a cache.
make_nullb 16
make_cache c0 "$NULLB" dram 1m
names_of c0 replacement
replacements=("${NAMES[@]}")
names_of c0 admission
admissions=("${NAMES[@]}")
names_of c0 prefetch
prefetches=("${NAMES[@]}")
remove_all

# join VALUE...: separated by commas
join() {
	local IFS=,

	echo "$*"
}

# design: a row of values for each run, for pairs of a replacement policy and an admission scheme on stdin. The other values
# are chosen one by one so that most pairs of values are new, and the least used of those that are equal in this.
design() {
	awk -F , -v OFS=, -v prefetches="$(join "${prefetches[@]}")" -v pages="$(join "${pages[@]}")" \
		-v drams="$(join "${drams[@]}")" -v origins="$(join "${origins[@]}")" -v changes="$(join "${changes[@]}")" '
		BEGIN {
			values[3] = prefetches; values[4] = pages; values[5] = drams; values[6] = origins; values[7] = changes
		}
		function choose(factor,    list, nr, i, j, score, best) {
			nr = split(values[factor], list, ",")
			best = -1
			for (i = 1; i <= nr; i++) {
				score = 0
				for (j = 1; j < factor; j++)
					score += !((j, $j, factor, list[i]) in seen)
				score -= used[factor, list[i]] / 1000
				if (best < 0 || score > top) {
					best = i
					top = score
				}
			}
			return list[best]
		}
		{
			for (f = 3; f <= 7; f++) {
				$f = choose(f)
				used[f, $f]++
				for (j = 1; j < f; j++)
					seen[j, $j, f, $f] = 1
			}
			print
		}'
}

mapfile -t rows < <(for ((r = 0; r < ${#replacements[@]}; r++)); do
	for ((a = 0; a < ${#admissions[@]}; a++)); do
		if [ -n "$whole" ] || [ $((r % ${#admissions[@]})) = $a ]; then
			echo "${replacements[r]},${admissions[a]}"
		fi
	done
done | design)

row=0 runs=0 shards=1
: >"$scratch/marks"
for line in "${rows[@]}"; do
	row=$((row + 1))
	name=${line//,/, }
	# shellcheck disable=SC2053 # it is a pattern
	[[ $name = *${SSDC_ROWS-}* ]] || continue
	runs=$((runs + 1))
	IFS=, read -ra values <<<"$line"
	run_test "$name" survives "${values[@]}"
done
# The same with shards, whose number changes with the table.
for line in lru,read-write,none,4k,2m,512,fail cflru-ef-sc,read-write,none,4k,2m,flash,reload \
	req-block,write-buffer,none,8k,8m,4096,switch "vs-batch-plus,l-corw,pattern,16k,8m protect,512,suspend"; do
	row=$((row + 1)) shards=4
	name="$shards shards, ${line//,/, }"
	# shellcheck disable=SC2053 # it is a pattern
	[[ $name = *${SSDC_ROWS-}* ]] || continue
	runs=$((runs + 1))
	IFS=, read -ra values <<<"$line"
	run_test "$name" survives "${values[@]}"
done
shards=1
if [ -z "${SSDC_ROWS-}" ]; then
	run_test "FUA without FLUSH" fua_alone
	run_test "losses with protected DRAM are found" protected_dram_is_lost
	run_test "torn blocks are found" torn_blocks_are_found
	run_test "number of moments to crash at" enough_marks
	[ -z "$whole" ] || run_test "every pair of values in some run" all_pairs
fi
