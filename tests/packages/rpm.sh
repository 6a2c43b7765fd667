#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: RPM packages: rpmlint, files, DKMS, an upgrade, removal without a trace
# long: host
# timeout: 2400

# Installed with rpm in a copy of the host's root file system. What the packages require is not looked at: the host is Debian.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# no_findings FILE...: of rpmlint, but for those that the project explains
no_findings() {
	rpmlint --rpmlintrc "$tree/packaging/rpm/dm-ssdcache.rpmlintrc" "$@" | tee "$work/rpmlint"
	grep -q ' 0 errors, 0 warnings' "$work/rpmlint"
}

# installs FILE...: with scriptlets, which build the module. The files are as packaged.
# shellcheck disable=SC2016 # for the inner shell
installs() {
	in_copy bash -euc '
		release=$1
		shift
		rpm --force-debian --nodeps -i "$@"
		rpm -V --nodeps dm-ssdcache-tools dm-ssdcache-dkms
		modinfo -k "$release" dm-ssdcache | grep -F "alias:          dm-ssdflash"
		ssdcachectl --version | grep -F "$(rpm -q --qf "%{VERSION}" dm-ssdcache-tools)"
		ssdcache-sim --help >/dev/null
		ssdcache-trace --version
		for page in ssdcachectl ssdcache-sim ssdcache-trace ssdcachetab; do
			man -w "$page"
		done' - "${releases[0]}" "$@"
}

# makes_unit: the generator calls the program where the package has it
# shellcheck disable=SC2016
makes_unit() {
	in_copy bash -euc '
		echo "fast /dev/sda dram=1g" >/etc/ssdcachetab
		/usr/lib/systemd/system-generators/ssdcache-generator /root/units
		program=$(sed -n "s/^ExecStart=\"\([^\"]*\)\" .*/\1/p" /root/units/ssdcache@fast.service)
		[ "$program" -ef "$(rpm -ql dm-ssdcache-tools | grep /ssdcachectl$ | grep bin)" ]
		rm -r /root/units /etc/ssdcachetab'
}

# upgrades FILE...: to packages of the same version, whose module must survive the removal of the older ones
# shellcheck disable=SC2016
upgrades() {
	in_copy bash -euc '
		release=$1
		shift
		rpm --force-debian --nodeps -U --replacepkgs --replacefiles "$@"
		rpm -V --nodeps dm-ssdcache-tools dm-ssdcache-dkms
		[[ $(dkms status dm-ssdcache | tee /dev/stderr | grep -F "$release") == *installed* ]]
		modinfo -k "$release" dm-ssdcache' - "${releases[0]}" "$@"
}

# leaves_nothing: neither files nor folders
# shellcheck disable=SC2016
leaves_nothing() {
	in_copy bash -euc '
		mapfile -t files < <(rpm -ql dm-ssdcache-tools dm-ssdcache-dkms | grep ssdcache)
		[ ${#files[@]} -gt 100 ]
		rpm --force-debian -e dm-ssdcache-tools dm-ssdcache-dkms
		for file in "${files[@]}"; do
			[ ! -e "$file" ] || { echo "$file stays"; exit 1; }
		done
		left=$(find /lib/modules/ /usr/lib/systemd /usr/lib/udev /usr/src /usr/share /etc /var/lib -name "*ssdcache*" ! -path "/usr/src/*/drivers/*")
		echo "$left"
		[ -z "$left" ]
		! modinfo -k "$1" dm-ssdcache' - "${releases[0]}"
}

run_step "what the test needs is installed" "$SSDCACHE_LAB/deps.sh" rpmtest
run_step "the packages build" "$tree/packaging/rpm.sh"
packages=("$tree/build/packages/dm-ssdcache-tools-$version"-*.rpm "$tree/build/packages/dm-ssdcache-dkms-$version"-*.rpm)
run_step "rpmlint finds nothing" no_findings "${packages[@]}" "$tree/packaging/rpm/dm-ssdcache.spec"
add_kernel 6.12
run_step "rpm installs the packages, DKMS builds the module" installs "${packages[@]}"
run_step "the generator makes a unit for the installed program" makes_unit
run_step "an upgrade keeps the module" upgrades "${packages[@]}"
run_step "the packages are removed without a trace" leaves_nothing
echo "# done"
[ $failed_tests = 0 ]
