#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a command in a QEMU guest with Debian's own kernel, or with one built to find data races. The guest sees the host's
# file system. It can write to most directories, but only what it writes to --out is kept.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=launcher.sh
. "$SSDCACHE_LAB/launcher.sh"

memory_text=2G log_name=console.txt

usage() {
	cat <<USAGE
usage: ${0##*/} [OPTION]... -- COMMAND...
  --kernel 6.1|6.12|newest|kcsan  (6.1; kernel.sh explains them)
  --cpus N         (2)
  --nodes N        NUMA nodes, with equal shares of the memory and the CPUs (1)
  --parallel       without KVM, run the CPUs at the same time instead of in turns; rarely, the kernel dies of it ("int3")
  --icount         time is a count of instructions, 1 ns each, on one CPU: the cost of code is repeatable
  --disk FILE      raw image as /dev/vda, the next as /dev/vdb ...; with --upper from /dev/vdb on
  --upper FILE     keep what the guest writes to its root file system in FILE, an image of ext4, as /dev/vda; boot systemd, which
                   starts the command as a service once the system is up
  --disk-log FILE  log all writes to the last --disk in the format of dm-log-writes, in the order of their completion
USAGE
	usage_common
}

kernel=6.1 cpus=2 nodes=1 icount='' kvm_trial='' threads=single disks=() disk_logs=() upper=''
# shellcheck disable=SC2317 # called by launcher_options
own_option() {
	case $1 in
	--icount) icount=1 ;;
	--kvm-trial) kvm_trial=1 ;;
	--parallel) threads=multi ;;
	--kernel | --cpus | --nodes | --disk | --upper | --disk-log)
		need_value "$@"
		case $1 in
		--kernel) kernel=$2 ;;
		--cpus)
			need_number --cpus "$2" 255
			cpus=$2
			;;
		--nodes)
			need_number --nodes "$2" 64
			nodes=$2
			;;
		--disk) disks+=("$2") ;;
		--upper) upper=$2 ;;
		--disk-log)
			[ ${#disks[@]} -gt 0 ] || wrong "--disk-log needs a --disk before it"
			disk_logs[${#disks[@]} - 1]=$2
			;;
		esac
		taken=2
		;;
	*) return 1 ;;
	esac
}

memory=2G
launcher_options "$@"

need qemu-system-x86_64 qemu-system-x86
need busybox busybox-static
PATH=$PATH:/sbin:/usr/sbin
need modprobe kmod
need setsid util-linux
image=$("$SSDCACHE_LAB/kernel.sh" image "$kernel")
vmlinuz=$(ls "$image"/boot/vmlinuz-*)

# list_modules NAME...: copies these modules to $dir/modules, after those that they need, and prints their names in that order
# shellcheck disable=SC2317 # called by step
list_modules() {
	local kind file rest name

	# A kernel with all drivers built in needs no module.
	modprobe -d "$image" -S "${vmlinuz##*/vmlinuz-}" --show-depends -a "$@" | while read -r kind file rest; do
		[ "$kind" = insmod ] || continue
		name=${file##*/}
		name=${name%%.*}
		name=${name//-/_}.ko
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -dc "$file" ;;
		*) cat "$file" ;;
		esac >"$dir/modules/$name"
		echo "$name"
	done | awk '!seen[$0]++'	# a module is listed once for each module that depends on it
}

# make_initramfs DIR: busybox and the modules needed to mount the root file system, packed by way of DIR
# shellcheck disable=SC2317 # called by step
make_initramfs() {
	local dir=$1/root

	mkdir -p "$dir/bin" "$dir/modules"
	cp "$(type -P busybox)" "$dir/bin/busybox"
	cp "$SSDCACHE_LAB/vm/initramfs-init" "$dir/init"
	list_modules virtio_pci 9pnet_virtio 9p overlay >"$dir/modules/order"
	list_modules virtio_blk ext4 >"$dir/modules/order-of-disk"
	(cd "$dir" && find . | busybox cpio -o -H newc) >"$1/cpio"
	mv "$1/cpio" "$initramfs"
	rm -r "$1"
}

busybox=$(type -P busybox)
! ldd "$busybox" >/dev/null 2>&1 || die "busybox is not static: install the package busybox-static"
initramfs=$image/initramfs-$({ declare -f list_modules make_initramfs; cat "$SSDCACHE_LAB/vm/initramfs-init"; } | sha256sum | cut -c1-12)
lock "initramfs-$kernel"
if [ ! -s "$initramfs" ]; then
	rm -rf "$image/initramfs.new"
	find "$image" -maxdepth 1 -name 'initramfs-*' -mtime +7 -delete
	step "initramfs for Linux ${vmlinuz##*/vmlinuz-}" make_initramfs "$image/initramfs.new"
fi
unlock "initramfs-$kernel"

# kvm_works: true if a guest has booted with KVM since the host booted. That /dev/kvm exists does not suffice.
kvm_works() {
	local note

	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	note=$SSDCACHE_CACHE/kvm-$(</proc/sys/kernel/random/boot_id)
	if [ ! -s "$note" ]; then
		rm -f "$SSDCACHE_CACHE"/kvm-*
		say "trying a guest with KVM"
		if "$SSDCACHE_LAB/vm.sh" --kvm-trial --timeout 20 -- true >"$SSDCACHE_CACHE/log/kvm-trial" 2>&1; then
			echo works >"$note"
		else
			say "KVM does not work here: guests run by emulation, many times slower"
			echo fails >"$note"
		fi
	fi
	[ "$(<"$note")" = works ]
}

options=(-nodefaults -no-user-config -no-reboot -display none -name dm-ssdcache -machine q35 -m "$memory")
if [ -n "$icount" ]; then
	# Other addresses make other hash and cache patterns, and so another count.
	options+=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -rtc clock=vm -cpu max -smp 1)
	append+=(nokaslr)
elif [ -n "$kvm_trial" ] || kvm_works; then
	options+=(-accel kvm -cpu host -smp "$cpus,sockets=$cpus")
else
	# With a thread for each CPU, QEMU 7.2 may execute code that another CPU has just replaced. The kernel replaces code
	# whenever it switches a static branch, a static call or a tracepoint.
	options+=(-accel "tcg,thread=$threads" -cpu max -smp "$cpus,sockets=$cpus")
	# The kernel counts timer interrupts while the CPU runs for some ticks, and panics if there are too few ("IO-APIC + timer
	# doesn't work!"). On a busy host QEMU's clock goes on while its CPU does not run. With KVM the kernel omits the check by
	# itself.
	append+=(no_timer_check)
	# CPUs that run at the same time would take turns to read the clock: with several sockets the kernel does not trust the TSC,
	# and the HPET's registers are behind a lock of all CPUs. QEMU's TSCs agree, as those of machines with many CPUs do.
	[ $threads = single ] || append+=(tsc=reliable)
fi
if [ "$nodes" -gt 1 ]; then
	share=$(($(numfmt --from=iec "$memory") / nodes))
	for ((number = 0; number < nodes; number++)); do
		options+=(-object "memory-backend-ram,id=node$number,size=$share" -numa "node,memdev=node$number")
	done
	for ((number = 0; number < cpus; number++)); do
		options+=(-numa "cpu,node-id=$((number % nodes)),socket-id=$number")
	done
fi
init=vm/init
if [ -n "$upper" ]; then
	init=vm/init-systemd
	disks=("$upper" "${disks[@]}")
	# Their logs move with the disks.
	for ((number = ${#disks[@]} - 1; number > 0; number--)); do
		disk_logs[number]=${disk_logs[number - 1]-}
	done
	disk_logs[0]=''
	# Those services would clean the host's /tmp, file by file.
	append+=(UPPER=1 systemd.unit=ssdcache-test.target systemd.mask=systemd-tmpfiles-setup.service
		systemd.mask=systemd-tmpfiles-clean.timer)
fi
number=0
for disk in "${disks[@]}"; do
	disk=$(realpath -e "$disk")
	if [ -n "${disk_logs[number]-}" ]; then
		writes=$(realpath -e "${disk_logs[number]}")
		options+=(-blockdev "driver=file,node-name=file$number,filename=${disk//,/,,},discard=unmap"
			-blockdev "driver=file,node-name=log$number,filename=${writes//,/,,}"
			-blockdev "driver=blklogwrites,node-name=disk$number,file=file$number,log=log$number,log-super-update-interval=1"
			-device "virtio-blk-pci,drive=disk$number,serial=disk$number,write-cache=on")
	else
		options+=(-drive "file=${disk//,/,,},format=raw,if=none,id=disk$number,cache=writeback,discard=unmap"
			-device "virtio-blk-pci,drive=disk$number,serial=disk$number")
	fi
	append+=(DISKS=1)
	number=$((number + 1))
done

guest_prepare vm "${command[@]}"
case $out:$cwd: in
*:/run/* | *:/dev/* | /run/* | /dev/*) die "--out and the current directory must not be in /run or /dev" ;;
esac
options+=(-kernel "$vmlinuz" -initrd "$initramfs" -serial "file:$log"
	-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
	-device "virtio-9p-pci,fsdev=root,mount_tag=root"
	-fsdev "local,id=out,path=${out//,/,,},security_model=none,multidevs=remap"
	-device "virtio-9p-pci,fsdev=out,mount_tag=out")
run() {
	: >"$log"
	guest_run qemu-system-x86_64 "${options[@]}" -append "console=ttyS0 loglevel=7 panic=-1 softlockup_panic=1 \
		OUT=$out INIT=$SSDCACHE_LAB/$init JOB=$job IMAGE=$image ${append[*]}"
}

run
# Before the command starts, no module under test is loaded: a death, or CPUs that hang (softlockup_panic), is QEMU's fault, so boot once more.
if [ -z "$timed_out$kvm_trial" ] && ! guest_started && grep -aqE 'int3: 0000|Kernel panic' "$log"; then
	died=$(mktemp "$SSDCACHE_CACHE/log/$(date +%Y%m%d-%H%M%S)-guest-died.XXXX")
	cp "$log" "$died"
	say "the guest died while it booted; its log: $died; trying again"
	run
fi
guest_finish
