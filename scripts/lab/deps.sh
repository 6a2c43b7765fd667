#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Installs the packages that this project needs, on Debian 12 or later or Ubuntu. Prints nothing if none is missing.
# The Python package needs pandas, Plotly and others. They are installed in a virtual environment in the cache
# ($SSDCACHE_CACHE/venv-python): Debian's packages depend on compilers and development files, and take minutes.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

build=(
	# kernel module, and the kernels the lab builds
	gcc libc6-dev make bc bison flex perl kmod libelf-dev libssl-dev dwarves xz-utils zstd rsync sparse
	# checks of the source
	git shellcheck
	# user-space tools
	pkg-config libdevmapper-dev libjansson-dev liburing-dev libzstd-dev liblzma-dev libbz2-dev zlib1g-dev bzip2
	python3 jq
)
uml=("${build[@]}" patch mount util-linux dmsetup e2fsprogs fio bcache-tools blktrace sqlite3 jq)
vm=(qemu-system-x86 busybox-static git tar kmod mount util-linux xz-utils zstd dmsetup e2fsprogs xfsprogs fio blktrace sqlite3 bcache-tools
	python3 jq)
# The groups are read through a name reference, which shellcheck does not follow.
# shellcheck disable=SC2034
bench=("${vm[@]}" valgrind g++)
demo=(python3 python3-venv)
# shellcheck disable=SC2034
python=("${build[@]}" "${demo[@]}")
# What blktests and xfstests need in a guest: tests/peers
# shellcheck disable=SC2034
suites=("${vm[@]}" acl attr bc gawk psmisc xfsprogs)
# The applications of scripts/studies/capture.sh
# shellcheck disable=SC2034
capture=("${uml[@]}" git python3 tar zstd postgresql rocksdb-tools mariadb-server-core mariadb-client-core sysbench
	redis-server redis-tools etcd-server etcd-client iproute2 borgbackup rsync slapd ldap-utils rsyslog logrotate imagemagick
	xapian-omega xapian-tools)
# For the recipes of Documentation/watching.md
# shellcheck disable=SC2034
recipes=(bpftrace blktrace dmsetup)
# shellcheck disable=SC2034
fuzz=("${build[@]}" clang)
# shellcheck disable=SC2034
deb=("${build[@]}" dpkg-dev debhelper dh-dkms dh-python fakeroot lintian esbuild pybuild-plugin-pyproject python3-all
	python3-plotly python3-setuptools python3-wheel)
# shellcheck disable=SC2034
debtest=("${deb[@]}" fdisk e2fsprogs)
# shellcheck disable=SC2034
rpm=("${build[@]}" rpm)
# shellcheck disable=SC2034
rpmtest=("${rpm[@]}" rpmlint dkms)
# shellcheck disable=SC2034
all=("${build[@]}" "${uml[@]}" "${vm[@]}" "${demo[@]}" clang)
# Only Debian has these. Elsewhere kernel.sh reports what it cannot do.
debian_build=(linux-headers-amd64)
debian_recipes=(linux-perf)

known='build|uml|vm|bench|suites|capture|recipes|demo|python|fuzz|deb|debtest|rpm|rpmtest|all'

[ $# -gt 0 ] || set -- build
wanted=() debian_only=() plots='' modules='' libfuzzer=''
for group; do
	[ "$group" != --help ] || {
		echo "usage: ${0##*/} [$known]...   (build)"
		exit
	}
	[[ $group == @($known) ]] || {
		say "'$group' is not one of ${known//|/ }"
		exit 2
	}
	declare -n packages=$group
	wanted+=("${packages[@]}")
	case $group in
	build | uml | all) debian_only+=("${debian_build[@]}") ;;
	recipes) debian_only+=("${debian_recipes[@]}") ;;
	esac
	case $group in
	demo | all) plots=1 ;;
	esac
	case $group in
	python | all) modules=1 ;;
	esac
	case $group in
	fuzz | all) libfuzzer=1 ;;
	esac
done

# list_missing PACKAGE...: prints those that are not installed
list_missing() {
	# dpkg-query fails if it does not know one of them, but prints the others.
	comm -23 <(printf '%s\n' "$@" | sort -u) \
		<({ dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2>&- || [ $? = 1 ]; } | sed -n 's/^ii //p' | sort -u)
}

# list_unknown PACKAGE...: prints those that apt cannot get
list_unknown() {
	comm -23 <(printf '%s\n' "$@" | sort -u) \
		<(apt-cache policy "$@" | awk '/^[^ ]+:$/ { name = substr($1, 1, length($1) - 1) }
			$1 == "Candidate:" && $2 != "(none)" { print name }' | sort -u)
}

if [ -z "$(type -P dpkg-query)" ] || [ -z "$(type -P apt-get)" ]; then
	die "not Debian or Ubuntu: install the equivalents of these packages: ${wanted[*]}"
fi

install_packages() {
	local package missing unknown updated=

	mapfile -t missing < <(list_missing "${wanted[@]}" "${debian_only[@]}")
	[ ${#missing[@]} -gt 0 ] || return 0
	# As in apt_lists: the second of two updates would fail.
	lock apt
	if ! apt_lists_fresh; then
		apt_update
		updated=1
	fi
	mapfile -t unknown < <(list_unknown "${missing[@]}")
	if [ ${#unknown[@]} -gt 0 ] && [ -z "$updated" ]; then
		apt_update
		mapfile -t unknown < <(list_unknown "${missing[@]}")
	fi
	unlock apt
	for package in "${unknown[@]}"; do
		case " ${debian_only[*]} " in
		*" $package "*) ;;
		*) die "no package $package: add the main (on Ubuntu: universe) archive of the distribution to the apt sources" ;;
		esac
	done
	mapfile -t missing < <(comm -23 <(printf '%s\n' "${missing[@]}") <(printf '%s\n' "${unknown[@]}"))
	[ ${#missing[@]} -gt 0 ] || return 0

	say "installing ${missing[*]}"
	hint="apt-get could not install the packages: see the lines above" \
		step "installation of ${#missing[@]} packages" as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 install "${missing[@]}"
}

# mark_partial VENV MODULE..., and clear_partial: around the installation of modules. What an interrupted one leaves is not taken for
# a module. The marks are beside VENV, which a new attempt empties.
mark_partial() {
	local names=("${@:2}")

	touch "${names[@]/#/"$1.partial-"}"
}
clear_partial() {
	local names=("${@:2}")

	rm -f "${names[@]/#/"$1.partial-"}"
}

# have_modules VENV MODULE...: looks for the directories, because an import takes a second
have_modules() {
	local venv=$1 module

	shift
	[ -x "$venv/bin/python3" ] || return
	for module; do
		[ ! -e "$venv.partial-$module" ] || return
		compgen -G "$venv/lib/python3*/site-packages/$module" >/dev/null || return
	done
}

# install_modules NAME MODULE...: modules of Python in the virtual environment $SSDCACHE_CACHE/NAME; a MODULE may end in a
# condition on its version
install_modules() {
	local venv=$SSDCACHE_CACHE/$1 module site names

	shift
	names=("${@%%[<>=]*}")
	! have_modules "$venv" "${names[@]}" || return 0
	lock venv
	if ! have_modules "$venv" "${names[@]}"; then
		mark_partial "$venv" "${names[@]}"
		step "virtual environment for python" /usr/bin/python3 -m venv --clear "$venv"
		if ! try_step "installation of $* from PyPI" "$venv/bin/pip" install -q --retries 1 \
			--disable-pip-version-check "$@"; then
			say "nothing from PyPI, see above: installing the distribution's packages, which are far bigger"
			wanted=("${names[@]/#/python3-}") debian_only=()
			install_packages
			step "virtual environment for python" /usr/bin/python3 -m venv --clear --system-site-packages "$venv"
			site=$("$venv/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
			for module in "${names[@]}"; do
				ln -sfn "/usr/lib/python3/dist-packages/$module" "$site/$module"
			done
		fi
		clear_partial "$venv" "${names[@]}"
	fi
	unlock venv
}

# install_extra NAME MODULE: a module of Python, as a wheel of PyPI; what needs the module is skipped without
install_extra() {
	local venv=$SSDCACHE_CACHE/$1

	! have_modules "$venv" "$2" || return 0
	lock venv
	mark_partial "$venv" "$2"
	if try_step "installation of $2 from PyPI" "$venv/bin/pip" install -q --retries 1 --only-binary :all: \
		--disable-pip-version-check "$2"; then
		clear_partial "$venv" "$2"
	else
		say "no $2: what needs it is skipped"
	fi
	unlock venv
}

# install_plotly NAME: Plotly within the bounds of the Python package. No other source will do: what distributions have makes pages that
# are too large, or has another interface.
install_plotly() {
	local venv=$SSDCACHE_CACHE/$1 bounds stamp=$SSDCACHE_CACHE/$1/plotly

	bounds=$(sed -n 's/^plot = \["\(plotly[^"]*\)"\]$/\1/p' "$SSDCACHE_TREE/userspace/python/pyproject.toml")
	[ -n "$bounds" ] || die "userspace/python/pyproject.toml: no bounds of plotly"
	if have_modules "$venv" plotly && [ "$(cat "$stamp" 2>&-)" = "$bounds" ]; then
		return
	fi
	lock venv
	hint="PyPI is the only source of Plotly. Try again, or: $venv/bin/pip install '$bounds'" \
		step "installation of $bounds from PyPI" "$venv/bin/pip" install -q --retries 1 --only-binary :all: \
		--disable-pip-version-check "$bounds"
	echo "$bounds" >"$stamp"
	unlock venv
}

# install_libfuzzer: with the sanitizers' runtime for clang, where it is a package of its own
install_libfuzzer() {
	wanted=()
	mapfile -t debian_only < <(apt-cache depends clang | sed -n 's/^ *Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p')
	install_packages
}

install_packages
[ -z "$libfuzzer" ] || install_libfuzzer
# What tests of the package need beyond that is large.
if [ -n "$plots" ] && [ -z "$modules" ]; then
	install_modules venv-python cffi numpy pandas wheel setuptools
	install_plotly venv-python
fi
if [ -n "$modules" ]; then
	install_modules venv-python cffi numpy pandas pytest wheel setuptools distributed
	install_plotly venv-python
	install_extra venv-python libcachesim
	install_extra venv-python markdown
fi
