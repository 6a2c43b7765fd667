#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a command in a QEMU guest with Debian's own kernel. The guest sees the host's file system; what it writes there
# is lost when it ends (most directories) or refused (others), except below --out.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
	cat >&2 <<USAGE
usage: ${0##*/} [OPTION]... -- COMMAND...
  --kernel 6.1|6.12  (6.1)
  --cpus N           (2)
  --parallel         without KVM, CPUs run at the same time, instead of taking turns; rarely, the kernel dies of it ("int3")
  --memory SIZE      (2G)
  --icount           count instructions as time, 1 ns each, on one CPU: repeatable cost of the code
  --timeout SEC      kill the guest after so many seconds of real time (600)
  --append ARGS      add to the kernel command line; repeatable
  --disk FILE        raw image as /dev/vda, the next as /dev/vdb ...
  --module KO        insmod it first, after the modules it depends on; repeatable
  --out DIR          directory for results, the only one the guest can change; \$SSDCACHE_OUT in the guest; the kernel
                     log is DIR/console.txt
Exit status: the command's; 99 kernel error reports, 98 the guest died, 124 timeout.
USAGE
	exit 2
}

kernel=6.1 cpus=2 memory=2G timeout=600 out='' icount='' kvm_trial='' threads=single append=() disks=()
while [ $# -gt 0 ]; do
	case $1 in
	--icount) icount=1 ;;
	--kvm-trial) kvm_trial=1 ;;
	--parallel) threads=multi ;;
	--kernel | --cpus | --memory | --timeout | --append | --disk | --module | --out)
		[ $# -ge 2 ] || usage
		case $1 in
		--kernel) kernel=$2 ;;
		--cpus) cpus=$2 ;;
		--memory) memory=$2 ;;
		--timeout) timeout=$2 ;;
		--append) append+=("$2") ;;
		--disk) disks+=("$2") ;;
		--module) modules+=("$2") ;;
		--out) out=$2 ;;
		esac
		shift
		;;
	--)
		shift
		break
		;;
	*) usage ;;
	esac
	shift
done
[ $# -gt 0 ] || usage

need qemu-system-x86_64 qemu-system-x86
need busybox busybox-static
PATH=$PATH:/sbin:/usr/sbin
need modprobe kmod
need setsid util-linux
image=$("$SSDCACHE_SCRIPTS/kernel.sh" image "$kernel")
vmlinuz=$(ls "$image"/boot/vmlinuz-*)

# The initramfs: busybox and the modules which the way to the root file system takes.
# shellcheck disable=SC2317 # called by step
make_initramfs() {
	local dir=$1/root kind file rest name

	mkdir -p "$dir/bin" "$dir/modules"
	cp "$(type -P busybox)" "$dir/bin/busybox"
	cp "$SSDCACHE_SCRIPTS/vm/initramfs-init" "$dir/init"
	modprobe -d "$image" -S "${vmlinuz##*/vmlinuz-}" --show-depends -a virtio_pci 9pnet_virtio 9p overlay |
		while read -r kind file rest; do
			[ "$kind" = insmod ] || continue
			name=${file##*/}
			case $name in
			*.xz) xz -dc "$file" ;;
			*.zst) zstd -dc "$file" ;;
			*) cat "$file" ;;
			esac >"$dir/modules/${name%%.*}.ko"
			echo "${name%%.*}.ko" >>"$1/order"
		done
	# Some come up more than once, as what several others depend on.
	awk '!seen[$0]++' "$1/order" >"$dir/modules/order"
	(cd "$dir" && find . | busybox cpio -o -H newc) >"$1/cpio"
	mv "$1/cpio" "$initramfs"
	rm -r "$1"
}

busybox=$(type -P busybox)
! ldd "$busybox" >/dev/null 2>&1 || die "busybox is not static: install the package busybox-static"
initramfs=$image/initramfs-$(cat "$SSDCACHE_SCRIPTS/vm.sh" "$SSDCACHE_SCRIPTS/vm/initramfs-init" | sha256sum | cut -c1-12)
lock "initramfs-$kernel"
if [ ! -s "$initramfs" ]; then
	rm -rf "$image/initramfs.new" "$image"/initramfs-*
	step "initramfs for Linux ${vmlinuz##*/vmlinuz-}" make_initramfs "$image/initramfs.new"
fi
unlock "initramfs-$kernel"

# /dev/kvm may be there and yet run no guest: believe only one that has booted. Asked once per boot of the host.
kvm_works() {
	local note

	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	note=$SSDCACHE_CACHE/kvm-$(</proc/sys/kernel/random/boot_id)
	if [ ! -s "$note" ]; then
		rm -f "$SSDCACHE_CACHE"/kvm-*
		say "trying a guest with KVM"
		if "$SSDCACHE_SCRIPTS/vm.sh" --kvm-trial --timeout 20 -- true >"$SSDCACHE_CACHE/log/kvm-trial" 2>&1; then
			echo works >"$note"
		else
			say "KVM does not work here: guests run without it, many times slower"
			echo fails >"$note"
		fi
	fi
	[ "$(<"$note")" = works ]
}

options=(-nodefaults -no-user-config -no-reboot -display none -name dm-ssdcache -machine q35 -m "$memory")
if [ -n "$icount" ]; then
	# Memory in other places makes other cache and hash patterns, and so another count.
	options+=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -rtc clock=vm -cpu max -smp 1)
	append+=(nokaslr)
elif [ -n "$kvm_trial" ] || kvm_works; then
	options+=(-accel kvm -cpu host -smp "$cpus")
else
	# With a thread for each CPU, QEMU 7.2 can go on with what stood in memory before another CPU changed it. Every static
	# branch, call or tracepoint of the kernel that is switched is such a change.
	options+=(-accel "tcg,thread=$threads" -cpu max -smp "$cpus")
fi
number=0
for disk in "${disks[@]}"; do
	disk=$(realpath -e "$disk")
	options+=(-drive "file=${disk//,/,,},format=raw,if=none,id=disk$number,cache=writeback,discard=unmap"
		-device "virtio-blk-pci,drive=disk$number,serial=disk$number")
	append+=(DISKS=1)
	number=$((number + 1))
done

guest_prepare vm "$@"
case $out:$cwd: in
*:/run/* | *:/dev/* | /run/* | /dev/*) die "--out and the current directory must not lie below /run or /dev" ;;
esac
log=$out/console.txt
options+=(-kernel "$vmlinuz" -initrd "$initramfs" -serial "file:$log"
	-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
	-device "virtio-9p-pci,fsdev=root,mount_tag=root"
	-fsdev "local,id=out,path=${out//,/,,},security_model=none,multidevs=remap"
	-device "virtio-9p-pci,fsdev=out,mount_tag=out")
run() {
	: >"$log"
	guest_run "$timeout" qemu-system-x86_64 "${options[@]}" -append "console=ttyS0 loglevel=7 panic=-1 \
		OUT=$out INIT=$SSDCACHE_SCRIPTS/vm/init JOB=$job IMAGE=$image ${append[*]}"
}

run
# Before the command nothing of ours is loaded.
if [ "$threads" = multi ] && [ -z "$timed_out" ] && ! guest_started "$log" && grep -aqF 'int3: 0000' "$log"; then
	died=$(mktemp "$SSDCACHE_CACHE/log/$(date +%Y%m%d-%H%M%S)-guest-died.XXXX")
	cp "$log" "$died"
	say "the guest died of --parallel while it booted; its log: $died; trying again"
	run
fi
guest_finish "$log"
