#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where caches saturate with many CPUs: Documentation/many-cpus.md. Runs guests, and writes results/many-cpus.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
cd "$SSDCACHE_TREE"

usage() {
	cat <<USAGE
usage: ${0##*/} [OPTION]...
  --publish          also renew Documentation/many-cpus.md and its data
  --locks            only the locks, which are counts of instructions; waits remain those of the data in the tree
  --stack LABEL      only this stack, as the page calls it; others remain those of the data in the tree
  --page             only write the page again from the data in the tree
  --two-jobs ROUNDS  only this: requests per second of two jobs over one, by 1 to 1000 rounds; on an idle machine
  --out DIR          results (results/many-cpus)
Open CAS is measured if there is a checkout of it, built for the guests' kernel: in \$OPEN_CAS, or fetched and built in the cache.
USAGE
	exit
}

out=$PWD/results/many-cpus publish='' rounds='' only_locks='' stack='' keep=() here=scripts/studies/many-cpus
while [ $# -gt 0 ]; do
	case $1 in
	--publish) publish=1 ;;
	--page) exec python3 $here/many_cpus_page.py . ;;
	--locks) only_locks=1 ;;
	--two-jobs | --stack | --out)
		need_value "$@"
		case $1 in
		--stack) stack=$2 ;;
		--two-jobs)
			[[ $2 =~ ^[1-9][0-9]{0,2}$|^1000$ ]] || die "--two-jobs: '$2' is not a number of rounds from 1 to 1000"
			rounds=$2
			;;
		--out) out=$(realpath -m "$2") ;;
		esac
		shift
		;;
	--help) usage ;;
	*) wrong "'$1': no such option" ;;
	esac
	shift
done

mkdir -p "$out"
scripts/lab/deps.sh build vm
headers=$(scripts/lab/kernel.sh headers 6.1)
make -s module KDIR="$headers" >"$out/build.log" 2>&1 || die "the module does not build: $out/build.log"
ko=$PWD/build/$(basename "$headers")/dm-ssdcache/dm-ssdcache.ko

# parallel SCRIPT [ARGUMENT]...: in a guest whose two CPUs run at the same time. Such a guest rarely dies of QEMU (vm.sh): once more then.
parallel() {
	local try

	for try in 1 2; do
		scripts/lab/vm.sh --parallel --cpus 2 --timeout 3000 --out "$out" "${modules[@]}" -- bash "$here/$1" "${@:2}" && return
		[ $? = 99 ] || return 1
		say "the guest died: try $try"
	done
	return 1
}

modules=(--module "$ko")
if [ -n "$rounds" ]; then
	step "two jobs over one, in the VM" parallel two-jobs.sh "$rounds"
	[ -z "$publish" ] || python3 $here/many_cpus_page.py --two-jobs "$out/two-jobs.tsv" .
	python3 $here/many_cpus_data.py --two-jobs "$out/two-jobs.tsv"
	exit
fi

# The guests see these.
export STACK=$stack OPEN_CAS
case $stack in
'' | "Open CAS"*) OPEN_CAS=$($here/open-cas.sh "$headers") || OPEN_CAS='' ;;
*) OPEN_CAS='' ;;
esac
[ -z "$OPEN_CAS" ] || modules+=(--module "$OPEN_CAS/modules/cas_cache/cas_cache.ko")
[ -z "$only_locks$stack" ] || keep=(--keep Documentation/results/many-cpus.json)
rm -f "$out"/{locks,contention}.tsv
step "locks of a hit, in the VM" scripts/lab/vm.sh --icount --timeout 3000 --out "$out" "${modules[@]}" -- bash $here/locks.sh
[ -s "$out/locks.tsv" ] || die "no stack to measure is called '$stack'"
[ -n "$only_locks" ] || step "waits for locks, in the VM" parallel contention.sh
python3 $here/many_cpus_data.py "${keep[@]}" "$out" "$out/many-cpus.json"
if [ -n "$publish" ]; then
	python3 $here/many_cpus_page.py --publish "$out/many-cpus.json" .
fi
python3 $here/many_cpus_page.py --print "$out/many-cpus.json"
