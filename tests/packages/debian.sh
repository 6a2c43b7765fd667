#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: Debian packages: lintian, DKMS for two kernels, a report, the README's cache at boot, removal without a trace
# long: host
# timeout: 7200

# The packages are installed with apt in a copy of the host's root file system, where DKMS builds the module. Guests with systemd and
# udev boot from that copy, as the machine of a user would, again and again.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# no_errors FILE...: of lintian
no_errors() {
	local user=()

	[ "$(id -u)" != 0 ] || user=(--allow-root)
	lintian "${user[@]}" --fail-on error "$@"
}

# The README's way from packages to a file system that survives a reboot, and the partition that it names
mapfile -t readme < <(sed -n '/^## Use it on a host$/,/^From source/s/^    //p' "$tree/README.md")
[[ ${readme[1]-} =~ PARTUUID=([0-9a-f]{8})-02 ]] || die "README.md names no PARTUUID"
disk_id=${BASH_REMATCH[1]} partition_sector=18432

# are_five COMMAND...: and not several in a line
are_five() {
	printf '%s\n' "$@"
	[ $# = 5 ] && [[ $* != *'&&'* && $* != *';'* ]]
}

# installs COMMAND: of the README, on a system with systemd and udev
# shellcheck disable=SC2016 # for the inner shell
installs() {
	in_copy bash -euc '
		apt-get update -q
		apt-get install -q -y --no-install-recommends udev systemd dbus
		sudo() { "$@"; }
		# That of the guest, which may be older than those in the archive
		release=$1
		apt-cache show "linux-headers-$release" >/dev/null 2>&1 || release=amd64
		uname() { echo "$release"; }
		cd "$2"
		eval "$3" < <(yes)' - "${releases[0]}" "$tree" "$1"
}

# builds_policy RELEASE: an out-of-tree policy, from the installed headers
builds_policy() {
	# shellcheck disable=SC2016 # for the inner shell
	in_copy bash -euc '
		rm -rf /root/policy
		cp -r /usr/share/doc/dm-ssdcache-dkms/examples/policy /root/policy
		make -C /root/policy module "KDIR=/lib/modules/$1/build"
		make -C /root/policy
		ssdcache-sim --plugin /root/policy/ssdcache-slru.so --help >/dev/null
		rm -r /root/policy' - "$1"
}

# skips_without_dm: DKMS leaves a kernel without the device mapper out, by the code that its scripts for packages know
# shellcheck disable=SC2016 # for the inner shell
skips_without_dm() {
	in_copy bash -euc '
		mkdir -p /root/headers/include
		echo "# CONFIG_BLK_DEV_DM is not set" >/root/headers/.config
		touch /root/headers/Makefile
		status=0
		dkms build -m dm-ssdcache -v "$1" -k 0.0.0-nodm --kernelsourcedir /root/headers || status=$?
		rm -r /root/headers
		[ "$status" = 77 ]' - "$version"
}

# makes_report COMMAND...: a page with plots
makes_report() {
	# shellcheck disable=SC2016 # for the inner shell
	in_copy bash -euc '
		"$@" --limit 3000 --dram 1m,2m --replacement lru,fifo --output /root/report.html
		grep -q "^\* plotly.js v" /root/report.html
		grep -q "Every policy, scheme and size" /root/report.html
		rm /root/report.html' - "$@" "$tree/traces/demo-ext4.csv.zst"
}

# installs_from_source: what README.md of the Python package says works as it is written there
installs_from_source() {
	local block

	# shellcheck disable=SC2016 # the fence
	block=$(sed -n '/^```sh$/,/^```$/ { /^```/d; p }' "$tree/userspace/python/README.md")
	[[ $block == *pip* ]]
	# shellcheck disable=SC2016 # for the inner shell
	in_copy bash -euc '
		cd "$1"
		export HOME=/root
		eval "$2"
		[ "$(type -P ssdcache-report)" = /root/ssdcache-venv/bin/ssdcache-report ]
		ssdcache-report --limit 3000 --dram 1m,2m --replacement lru --output /root/report.html traces/demo-ext4.csv.zst
		grep -q "^\* plotly.js v" /root/report.html
		rm -r /root/report.html /root/ssdcache-venv' - "$tree" "$block"
}

# serves: says that it has no cache to show, and not that something is not installed
serves() {
	# shellcheck disable=SC2016 # for the inner shell
	in_copy bash -euc '
		# Where /sys is missing, ssdcachectl cannot tell whether there is a cache.
		mount -t sysfs -o ro sysfs /sys
		status=0
		text=$(timeout 20 ssdcachectl serve nothing --port 0 2>&1) || status=$?
		echo "$status: $text"
		[ "$status" != 0 ] && [ "$status" != 124 ]
		[[ $text == *"nothing"* && $text != *"install"* && $text != *Traceback* ]]'
}

# boot COMMAND: a guest from the copy, with two origins: the second partition of the first disk, and the second disk. The system does not
# wait for a file system with "nofail", COMMAND does with until_mounted. In the foreground, so that what ends this script ends the guest.
# shellcheck disable=SC2016 # for the guest
boot() {
	timeout --foreground 1800 "$SSDCACHE_LAB/vm.sh" --out "$work/out" --upper "$work/upper.img" --disk "$work/origin.img" \
		--disk "$work/second.img" --memory 3G --timeout 1750 -- \
		bash -euxc '
		until_mounted() {
			for _ in {1..120}; do
				! mountpoint -q "$1" || return 0
				sleep 1
			done
			systemctl --no-pager status "ssdcache@*" "$1"
			return 1
		}
		refute() {
			if "$@"; then return 1; fi
		}
		sudo() { "$@"; }
		'"$1"
}

run_step "what the test needs is installed" "$SSDCACHE_LAB/deps.sh" debtest
run_step "the README has five commands" are_five "${readme[@]}"
run_step "the packages build" "$tree/packaging/deb.sh"
packages=("$tree/build/packages/dm-ssdcache-dkms_${version}_all.deb" "$tree/build/packages/dm-ssdcache-tools_${version}_"*.deb
	"$tree/build/packages/python3-ssdcache_${version}_"*.deb)
run_step "lintian finds no error" no_errors "${packages[@]}"
for kernel in 6.1 6.12; do
	add_kernel "$kernel"
done
run_step "README: ${readme[0]}" installs "${readme[0]}"
run_step "apt installs the Python package" in_copy apt-get install -q -y --no-install-recommends "${packages[2]}"
for release in "${releases[@]}"; do
	run_step "DKMS builds the module for $release" has_module "$release"
	run_step "an out-of-tree policy builds for $release" builds_policy "$release"
done
run_step "DKMS skips a kernel without the device mapper" skips_without_dm

run_step "ssdcachectl report makes a page" makes_report ssdcachectl report
run_step "ssdcachectl serve starts" serves
run_step "the Python package installs from source as its README says" installs_from_source

truncate -s 4G "$work/upper.img"
truncate -s 256M "$work/origin.img" "$work/second.img"
printf 'label: dos\nlabel-id: 0x%s\nsize=8M\nstart=%d\n' "$disk_id" "$partition_sector" | sfdisk -q "$work/origin.img"
rm -rf "$work/work"
mkdir "$work/work"
mkdir "$work/disk"
mv "$work/upper" "$work/work" "$work/disk"
mke2fs -q -t ext4 -d "$work/disk" "$work/upper.img"

# shellcheck disable=SC2016 # for the guest
run_step "README: from a line in /etc/ssdcachetab to a mounted file system" boot '
	# So that a later boot can read what this one has logged
	mkdir -p /var/log/journal
	'"$(printf '%s\n' "${readme[@]:1}")"'
	mountpoint /srv
	findmnt -n -o SOURCE,FSTYPE /srv | grep -x "/dev/mapper/fast *ext4"
	[ /dev/ssdcache/fast -ef /dev/mapper/fast ]
	dmsetup suspend fast
	udevadm trigger --settle --name-match=/dev/mapper/fast
	linked=1
	[ -e /dev/ssdcache/fast ] || linked=
	dmsetup resume fast
	[ "$linked" ]
	cp -r /usr/share/doc/dm-ssdcache-dkms /srv/docs
	echo 1 >/srv/boots
	ssdcachectl get fast replacement | grep -x cflru-ef-sc
	# And a cache on another, which the next boots make
	mkdir /stack
	printf "%s\n" "upper /dev/mapper/lower dram=16m" "lower ID=virtio-disk2 dram=16m" >>/etc/ssdcachetab
	echo "/dev/mapper/upper /stack ext4 defaults,nofail 0 2" >>/etc/fstab
	systemctl daemon-reload
	systemctl start ssdcache@upper
	mkfs.ext4 -q /dev/mapper/upper'
# shellcheck disable=SC2016
run_step "README: the file system is there after a reboot" boot '
	until_mounted /srv
	ssdcachectl list
	diff -r /usr/share/doc/dm-ssdcache-dkms /srv/docs
	[ "$(cat /srv/boots)" = 1 ]
	# Flushed at shutdown and no sooner: protected DRAM keeps what was synced.
	for cache in fast lower upper; do
		ssdcachectl set "$cache" dram_mode protected
	done
	# Stopped after the caches, it notes what is left of them. The kernel would flush them, too, but later.
	cat >/etc/systemd/system/witness.service <<-UNIT
		[Unit]
		DefaultDependencies=no
		Conflicts=shutdown.target
		Before=shutdown.target ssdcache@fast.service ssdcache@lower.service ssdcache@upper.service
		[Service]
		RemainAfterExit=yes
		ExecStart=true
		ExecStop=sh -c "dmsetup ls --target ssdcache >/root/left"
	UNIT
	systemctl daemon-reload
	systemctl start witness
	until_mounted /stack
	echo 2 | tee /srv/boots /stack/boots
	sync
	systemctl is-active ssdcache@fast ssdcache@upper ssdcache@lower
	[ -z "$(systemctl --failed --no-legend | tee /dev/stderr)" ]'
# shellcheck disable=SC2016
run_step "what protected DRAM held is there after an orderly reboot" boot '
	until_mounted /srv
	[ "$(cat /srv/boots)" = 2 ]
	journalctl --no-pager -b -1 -u "ssdcache@*"
	[ "$(cat /root/left)" = "No devices found" ]
	# The upper one first: the lower one cannot be removed while it is in use.
	until_mounted /stack
	[ "$(cat /stack/boots)" = 2 ]
	order=$(journalctl --no-pager -b -1 -o cat -u ssdcache@upper -u ssdcache@lower |
		sed -nE "s/^(Stopping|Stopped) ssdcache@(upper|lower)\\.service.*/\\1 \\2/p" | paste -sd ,)
	[ "$order" = "Stopping upper,Stopped upper,Stopping lower,Stopped lower" ]
	# For the next boot
	sed -i "s/dram=1g/dram=1x/" /etc/ssdcachetab'
run_step "the origin holds a clean file system" e2fsck -fn "$work/origin.img?offset=$((partition_sector * 512))"
# shellcheck disable=SC2016
run_step "a system whose cache cannot be made boots, and says why" boot '
	for _ in {1..120}; do
		! systemctl -q is-failed ssdcache@fast || break
		sleep 1
	done
	refute mountpoint /srv
	journalctl --no-pager -b -u ssdcache@fast | tee /dev/stderr | grep -F "ssdcachectl: "'
# shellcheck disable=SC2016
run_step "a shutdown that waits for a dead origin is ended as ssdcachetab(5) says" boot '
	modprobe null_blk nr_devices=0
	mkdir /sys/kernel/config/nullb/nullb0
	echo 1 >/sys/kernel/config/nullb/nullb0/power
	dmsetup create slow --table "0 32768 linear /dev/nullb0 0"
	echo "dead /dev/mapper/slow dram=1m" >>/etc/ssdcachetab
	systemctl daemon-reload
	systemctl start ssdcache@dead
	dd if=/dev/zero of=/dev/mapper/dead bs=64k count=1 oflag=direct
	# After a write, udev reads the cache. A read that waits for the dead origin would keep the cache in use, and then "ssdcachectl
	# remove" does not wait for the flush.
	udevadm settle
	dmsetup suspend --noflush --nolockfs slow
	echo 10 >/sys/module/dm_ssdcache/parameters/reboot_patience_s
	systemd-run -p DefaultDependencies=no -p IgnoreOnIsolate=yes sh -c "sleep 20; systemctl reboot --force --force"'
run_step "the kernel gives the dead origin up" grep -a "reboot: 16 dirty pages are left" "$work/out/console.txt"
# shellcheck disable=SC2016
run_step "the packages are removed without a trace" boot '
	systemctl stop ssdcache@fast ssdcache@upper ssdcache@lower || :
	rm /etc/ssdcachetab
	mapfile -t files < <(dpkg -L dm-ssdcache-tools dm-ssdcache-dkms python3-ssdcache | grep ssdcache)
	[ ${#files[@]} -gt 100 ]
	# Without an index of manual pages, which takes minutes to be made anew
	rm -f /var/lib/man-db/auto-update
	ssdcachectl create left --origin /dev/disk/by-id/virtio-disk1-part2 --dram 32m
	dpkg --purge python3-ssdcache dm-ssdcache-tools dm-ssdcache-dkms 2>&1 | tee /root/removal
	grep -q "these devices stay" /root/removal
	grep -q "^left " /root/removal
	dmsetup remove left
	for file in "${files[@]}"; do
		refute [ -e "$file" ]
	done 2>/dev/null
	left=$(find /lib/modules/ /usr/lib/python3 /etc /var/lib -name "*ssdcache*" -not -name ssdcache-test)
	[ -z "$left" ]
	refute modinfo dm-ssdcache'
echo "# done"
[ $failed_tests = 0 ]
