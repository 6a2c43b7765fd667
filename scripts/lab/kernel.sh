#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Downloads, unpacks and builds the kernels of the test lab, once, in a cache outside the tree. Package versions are
# looked up at run time: Debian replaces them every few weeks.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
	cat <<USAGE
usage: ${0##*/} VERB
  headers KERNEL            print a directory for "make -C DIR M=..."
  image KERNEL              print a directory with boot/vmlinuz-* and lib/modules/* of the headers' version
  image-version KERNEL      print that version
  source [--cached|newest]  print the directory of the source of Linux 6.1, or of the newest
                            (--cached: download nothing; exit status 3 if it is not in the cache)
  uml [--debug|--net]       build User-Mode Linux; print the directory with "linux", also for
                            "make ARCH=um -C DIR M=..."
  refresh                   forget which versions were found, so that the next call looks for newer ones
KERNEL:
  6.1|6.12                  Debian's kernels of these series
  newest                    the newest kernel in Debian's newer suites
  kcsan                     the newest source, built for QEMU with KCSAN and lock checks
                            (these two: exit status 3 if no newer Debian suite can be reached)
USAGE
	exit
}

# Part of the name of every cached directory. Raise it when a change of this script changes what those directories hold.
recipe=1
pool=$SSDCACHE_CACHE/kernels
arch=amd64
jobs=$(nproc)
# Options of every apt command: "newest" looks at suites that the machine does not use itself.
apt_options=()

# download DIR PACKAGE...: downloads .deb files into DIR
download() {
	local dir=$1

	shift
	mkdir -p "$dir"
	# Run by root, apt downloads as a user of its own, who cannot write to a private cache.
	(cd "$dir" && apt-get -q "${apt_options[@]}" -o APT::Sandbox::User=root download "$@")
}

# candidates PACKAGE...: a line "NAME VERSION" for each package that apt can get
candidates() {
	apt-cache "${apt_options[@]}" policy "$@" |
		awk '/^[^ ]+:$/ { name = substr($1, 1, length($1) - 1) }
			$1 == "Candidate:" && $2 != "(none)" { print name, $2 }'
}

# unpack_packages DIR PACKAGE...: unpacks them in DIR as dpkg would in /. DIR exists only when it is complete.
unpack_packages() {
	local dir=$1 deb

	shift
	rm -rf "$dir.new"
	download "$dir.new/deb" "$@"
	for deb in "$dir.new/deb"/*.deb; do
		dpkg-deb -x "$deb" "$dir.new/root"
	done
	rm -r "$dir.new/deb"
	mv "$dir.new/root" "$dir"
	rmdir "$dir.new"
}

# unpack_source DIR PACKAGE: unpacks the kernel source of PACKAGE; DIR exists only when it is complete
unpack_source() {
	local dir=$1 package=$2

	rm -rf "$dir.new"
	download "$dir.new/deb" "$package"
	mkdir "$dir.new/src"
	dpkg-deb --fsys-tarfile "$dir.new/deb"/*.deb | tar -xO --wildcards "./usr/src/$package.tar.*" >"$dir.new/tarball"
	tar -xf "$dir.new/tarball" -C "$dir.new/src" --strip-components=1
	mv "$dir.new/src" "$dir"
	rm -r "$dir.new"
}

# get_source SERIES: unpacks the kernel source of SERIES if need be; sets $source_dir
get_source() {
	local series=$1 version link=$pool/source-$1

	if [ ! -d "$link/kernel" ]; then
		need apt-cache apt
		[ ${#apt_options[@]} -gt 0 ] || apt_lists
		version=$(candidates "linux-source-$series" | cut -d' ' -f2)
		[ -n "$version" ] || die "no package linux-source-$series: add a Debian suite that has it to the apt sources"
		source_dir=$pool/linux-source-$series-$version
		if [ ! -d "$source_dir" ]; then
			need xz xz-utils
			hint="no source of Linux $series: check the network and the space left in $SSDCACHE_CACHE" \
				step "download of linux-source-$series $version" unpack_source "$source_dir" "linux-source-$series"
		fi
		ln -sfn "$source_dir" "$link"
	fi
	source_dir=$(readlink -f "$link")
}

# get_abi SERIES: sets $abi, the version (as in uname -r) used for SERIES
get_abi() {
	local series=$1 note=$pool/abi-$1 dir names

	case $series in
	6.1 | 6.12) ;;
	newest)
		get_newest
		return
		;;
	*) wrong "'$series' is not one of 6.1 6.12 newest kcsan" ;;
	esac
	if [ -s "$note" ]; then
		abi=$(<"$note")
		[ ! -e "$(headers_dir "$abi")/Makefile" ] || return 0
	fi
	need apt-cache apt
	apt_lists
	mapfile -t names < <(apt-cache pkgnames "linux-image-$series." | grep -- "[0-9]-$arch\$")
	[ ${#names[@]} -eq 0 ] || mapfile -t names < <(candidates "${names[@]/image/headers}")
	for dir in /usr/src/linux-headers-"$series".*[0-9]-"$arch"; do
		[ ! -e "$dir/Makefile" ] || names+=("${dir##*/}")
	done
	abi=$(printf '%s\n' "${names[@]%% *}" | sed 's/^linux-headers-//' | sort -V | tail -n 1)
	[ -n "$abi" ] || die "no package linux-headers-$series.*-$arch: add a Debian suite that has it to the apt sources"
	echo "$abi" >"$note"
}

# headers_dir ABI: where the headers are, or will be. Installed ones are used in place; others are only unpacked, since
# installing Debian's would install a kernel image, too.
headers_dir() {
	local installed=/usr/src/linux-headers-$1

	if [ -e "$installed/Makefile" ]; then
		echo "$installed"
	else
		echo "$pool/headers-$1-$recipe/usr/src/linux-headers-$1"
	fi
}

# unpack_headers DIR ABI: downloads and unpacks them in DIR
unpack_headers() {
	local packages

	packages=$(apt-cache depends "linux-headers-$2" |
		awk '$1 == "Depends:" && $2 ~ /^linux-(headers-.*-common|kbuild-.*)$/ { print $2 }')
	# shellcheck disable=SC2086 # a list of words
	unpack_packages "$1.tmp" "linux-headers-$2" $packages
	# The packages refer to each other by absolute path.
	sed -i "s|/usr/src/|$1/usr/src/|" "$1.tmp/usr/src/linux-headers-$2/Makefile"
	# Without it, modules get no BTF, which the tests do not need and for which one more tool would be needed.
	rm -f "$1.tmp/usr/src/linux-headers-$2/vmlinux"
	mv "$1.tmp" "$1"
}

verb_headers() {
	local dir compiler

	case $1 in
	newest)
		newest_headers
		return
		;;
	kcsan)
		get_kcsan
		echo "$kcsan"
		return
		;;
	esac
	lock "headers-$1"
	get_abi "$1"
	dir=$(headers_dir "$abi")
	if [ ! -e "$dir/Makefile" ]; then
		rm -rf "$pool/headers-$abi-$recipe.tmp"
		hint="no headers of Linux $abi: check the network, or run '${0##*/} refresh' if the archive has replaced that version" \
			step "download of linux-headers-$abi" unpack_headers "$pool/headers-$abi-$recipe" "$abi"
	fi
	compiler=$(grep -om1 'gcc-[0-9]*' "$dir/.kernelvariables") || die "cannot read the compiler from $dir/.kernelvariables"
	need "$compiler" "$compiler"
	[ ! -e "$dir/vmlinux" ] || need pahole dwarves
	echo "$dir"
}

# unpack_image DIR ABI: downloads and unpacks it in DIR
unpack_image() {
	local packages

	# From Linux 7.2 on, the image package only depends on these. The signed kernel appears days later.
	mapfile -t packages < <(candidates linux-{base,binary-unsigned,modules}-"$2" | cut -d' ' -f1)
	[ ${#packages[@]} -gt 0 ] || packages=("linux-image-$2")
	unpack_packages "$1.tmp" "${packages[@]}"
	# From trixie on, packages hold /usr/lib only.
	[ -d "$1.tmp/lib" ] || ln -s usr/lib "$1.tmp/lib"
	# From Linux 7.2 on, so is the kernel.
	if [ ! -e "$1.tmp/boot/vmlinuz-$2" ]; then
		mkdir -p "$1.tmp/boot"
		mv "$1.tmp/usr/lib/modules/$2"/vmlinuz* "$1.tmp/boot/vmlinuz-$2"
	fi
	depmod -b "$1.tmp" "$2"
	mv "$1.tmp" "$1"
}

verb_image() {
	local dir

	if [ "$1" = kcsan ]; then
		get_kcsan
		echo "$kcsan/image"
		return
	fi
	lock "image-$1"
	get_abi "$1"
	dir=$pool/image-$abi-$recipe
	if [ ! -d "$dir" ]; then
		PATH=$PATH:/sbin:/usr/sbin
		need depmod kmod
		rm -rf "$dir.tmp"
		hint="no image of Linux $abi: check the network, or run '${0##*/} refresh' if the archive has replaced that version" \
			step "download of linux-image-$abi" unpack_image "$dir" "$abi"
	fi
	echo "$dir"
}

# other_suites: apt sources of newer suites, derived from the machine's own entry for the Debian archive
other_suites() {
	local uri key option=

	# shellcheck disable=SC2016 # apt expands these
	uri=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "Debian" && $3 == "Debian" && $4 == "main" && !seen { print $1; seen = 1 }')
	[ -n "$uri" ] || return
	# shellcheck disable=SC2016 # sed's "append the (empty) hold space": an empty line ends the last paragraph
	key=$(find /etc/apt -maxdepth 2 -type f \( -path /etc/apt/sources.list -o -path '/etc/apt/sources.list.d/*.list' \
		-o -path '/etc/apt/sources.list.d/*.sources' \) -exec sed '$G' {} + | awk -v "uri=${uri%/}" '
			function paragraph() { if (hit && key && !done) { print key; done = 1 } hit = 0; key = "" }
			/^#/ { next }
			/^[ \t]*$/ { paragraph(); next }
			/^deb[ \t]/ {
				paragraph()
				hit = index($0 " ", uri " ") || index($0 " ", uri "/ ")
				if (match($0, /signed-by=[^] ]*/)) key = substr($0, RSTART + 10, RLENGTH - 10)
				paragraph()
				next
			}
			tolower($1) == "types:" { paragraph() }
			tolower($1) == "uris:" { for (i = 2; i <= NF; i++) if ($i == uri || $i == uri "/") hit = 1 }
			tolower($1) == "signed-by:" && $2 ~ /^\// { key = $2 }
			END { paragraph() }')
	[ -z "$key" ] || option="[signed-by=$key] "
	printf "deb $option$uri %s main\n" unstable stable-backports
}

# use_newer_suites [--update]: lets apt see newer suites of the Debian archive. Ends the script if there are none.
use_newer_suites() {
	local apt=$pool/apt

	need apt-get apt
	apt_options=(-o Dir::State="$apt/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$apt/cache"
		-o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Languages=none)
	[ -n "${1-}" ] || [ ! -s "$apt/sources.list" ] || return 0
	rm -rf "$apt"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
	other_suites >"$apt/sources.list"
	if [ ! -s "$apt/sources.list" ]; then
		say "skipped: the apt sources of this machine name no Debian archive with newer suites"
		exit 3
	fi
	if ! try_step "package lists of newer suites" apt-get -q "${apt_options[@]}" update; then
		rm -rf "$apt"
		say "skipped: the newer suites of the Debian archive cannot be reached"
		exit 3
	fi
}

# get_newest: sets $abi, the version of the newest kernel, and $newest, the series of its source
get_newest() {
	local note=$pool/abi-newest names version

	lock newest
	if [ -s "$note" ]; then
		use_newer_suites
	else
		use_newer_suites --update
		newest=$(apt-cache "${apt_options[@]}" pkgnames linux-source- |
			sed -n 's/^linux-source-\([0-9]*\.[0-9]*\)$/\1/p' | sort -V | tail -n 1)
		[ -n "$newest" ] || die "the newer suites of the Debian archive hold no linux-source package"
		version=$(candidates "linux-source-$newest" | cut -d' ' -f2)
		mapfile -t names < <(apt-cache "${apt_options[@]}" pkgnames "linux-headers-$newest." | grep -- "[0-9]-$arch\$")
		abi=$(candidates "${names[@]}" | awk -v "version=$version" '$2 == version { print $1 }' |
			sed 's/^linux-headers-//' | sort -V | tail -n 1)
		[ -n "$abi" ] || die "the newer suites of the Debian archive hold linux-source-$newest $version, but no headers for it"
		say "the newest kernel of the Debian archive is Linux $abi (linux-source-$newest $version)"
		# A source of that series may be an older one.
		lock source
		rm -f "$pool/source-$newest"
		get_source "$newest"
		unlock source
		echo "$abi" >"$note"
	fi
	abi=$(<"$note")
	[[ $abi =~ ^[0-9]+\.[0-9]+ ]]
	newest=${BASH_REMATCH[0]}
	unlock newest
}

# constants_of DIRECTORY: sizes of structures and offsets in them, from the generated headers of a kernel
constants_of() {
	grep -h '^#define [A-Za-z_]* *[0-9-]' "$1"/include/generated/{asm-offsets,bounds,rq-offsets}.h
}

# build_newest DIR: makes DIR fit to build modules for Debian's kernel $abi. The tools in its header packages need a newer C
# library, and its configuration a newer compiler.
build_newest() {
	local out=$1 debian=$1/debian/usr/src/linux-headers-$abi version

	unpack_packages "$out/debian" "linux-headers-$abi"
	version=$(make -s -C "$source_dir" kernelversion)
	cp "$debian/.config" "$debian/Module.symvers" "$out"
	"$source_dir/scripts/config" --file "$out/.config" --set-str LOCALVERSION "${abi#"$version"}" --disable MODULE_SIG_ALL
	make -C "$source_dir" O="$out" olddefconfig
	# For the log. What depends on the compiler may differ, but not the layout of structures.
	"$source_dir/scripts/diffconfig" "$debian/.config" "$out/.config"
	make -C "$source_dir" O="$out" -j"$jobs" modules_prepare
	[ "$(<"$out/include/config/kernel.release")" = "$abi" ]
	diff <(constants_of "$debian") <(constants_of "$out")
	rm -r "$out/debian"
}

newest_headers() {
	local out

	get_newest
	lock "headers-newest"
	out=$pool/headers-$abi-$recipe
	if [ ! -e "$out/.built" ]; then
		need_build_tools
		need pahole dwarves
		lock source
		get_source "$newest"
		unlock source
		rm -rf "$out"
		mkdir -p "$out"
		step "headers of Linux $abi" build_newest "$out"
		touch "$out/.built"
	fi
	echo "$out"
}

build_kcsan() {
	local out=$1 lost release

	make -C "$source_dir" O="$out" KCONFIG_ALLCONFIG="$out/fragment" allnoconfig
	make -C "$source_dir" O="$out" olddefconfig
	lost=$(lost_options "$out/fragment" "$out/.config")
	[ -z "$lost" ] || die "options not available in this kernel:$lost"
	# See vm/config-kcsan: only the modules under test are instrumented.
	make -C "$source_dir" O="$out" -j"$jobs" KCSAN_SANITIZE=n bzImage modules
	make -C "$source_dir" O="$out" INSTALL_MOD_PATH="$out/image" modules_install
	release=$(<"$out/include/config/kernel.release")
	mkdir -p "$out/image/boot"
	cp "$out/arch/x86/boot/bzImage" "$out/image/boot/vmlinuz-$release"
}

# get_kcsan: builds the kernel with KCSAN if need be; sets $kcsan, its directory
get_kcsan() {
	local config=$SSDCACHE_LAB/vm/config-kcsan key

	get_newest
	lock kcsan
	lock source
	get_source "$newest"
	unlock source
	key=$(sed '/^#/{/^# CONFIG_/!d}' "$config" | sha256sum | cut -c1-12)
	kcsan=$pool/kcsan-${source_dir##*-source-}-$key-$recipe
	if [ ! -e "$kcsan/.built" ]; then
		need_build_tools
		PATH=$PATH:/sbin:/usr/sbin
		need depmod kmod
		mkdir -p "$kcsan"
		cp "$config" "$kcsan/fragment"
		step "build of Linux ${source_dir##*-source-} with KCSAN" build_kcsan "$kcsan"
		touch "$kcsan/.built"
	fi
	unlock kcsan
}

need_build_tools() {
	need gcc gcc
	need make make
	need flex flex
	need bison bison
	need bc bc
	need perl perl
	need rsync rsync
}

# lost_options FRAGMENT CONFIG: the options of FRAGMENT that CONFIG lacks. If an option occurs twice, the last one counts.
lost_options() {
	local line

	tac "$1" | awk -F= '/^CONFIG_/ && !seen[$1]++' | while read -r line; do
		grep -qxF "$line" "$2" || printf ' %s' "$line"
	done
}

# diff_of PATCH: the patch without its description
diff_of() {
	sed -n '/^--- /,$p' "$1"
}

# patch_source PATCH...: $source_dir has these patches and no others afterwards; copies of them are in $source_dir
patch_source() {
	local applied patch

	need patch patch
	for applied in "$source_dir"/.*.patch; do
		patch=$SSDCACHE_LAB/uml/${applied##*/.}
		if [ -e "$applied" ] && { [[ " $* " != *" $patch "* ]] || ! cmp -s <(diff_of "$patch") <(diff_of "$applied"); }; then
			patch -s -f -p1 -R -d "$source_dir" <"$applied" >&2
			rm "$applied"
		fi
	done
	for patch; do
		applied=$source_dir/.${patch##*/}
		[ ! -e "$applied" ] || continue
		patch -s -f -p1 --dry-run -d "$source_dir" <"$patch" >&2 ||
			die "$patch does not fit $source_dir; if an earlier run was killed there, remove that folder, and the next run unpacks it again"
		patch -s -f -p1 -d "$source_dir" <"$patch" >&2
		cp "$patch" "$applied"
	done
}

build_uml() {
	local out=$1 lost

	make -C "$source_dir" O="$out" ARCH=um KCONFIG_ALLCONFIG="$out/fragment" allnoconfig
	make -C "$source_dir" O="$out" ARCH=um olddefconfig
	lost=$(lost_options "$out/fragment" "$out/.config")
	[ -z "$lost" ] || die "options not available in this kernel:$lost"
	make -C "$source_dir" O="$out" ARCH=um -j"$jobs" linux modules
	gcc -O2 -static -o "$out/ssdcache-poweroff" "$SSDCACHE_LAB/uml/poweroff.c"
}

verb_source() {
	local link=$pool/source-6.1 version=6.1

	case ${1-} in
	'') ;;
	newest)
		get_newest
		version=$newest
		;;
	--cached) [ -d "$link/kernel" ] || exit 3 ;;
	*) wrong "source: '$1' is not one of --cached newest" ;;
	esac
	lock source
	get_source "$version"
	echo "$source_dir"
}

# verb_uml [--debug|--net]
verb_uml() {
	local variant=plain files=("$SSDCACHE_LAB/uml/config") patches=("$SSDCACHE_LAB"/uml/*.patch) patch key out

	case ${1-} in
	'') files+=("$SSDCACHE_LAB/uml/config-peers") ;;
	--debug)
		variant=debug
		files+=("$SSDCACHE_LAB/uml/config-debug")
		;;
	--net)
		variant=net
		files+=("$SSDCACHE_LAB/uml/config-net")
		;;
	*) wrong "uml: '$1' is not one of --debug --net" ;;
	esac
	lock "uml-$variant"
	lock source
	get_source 6.1
	unlock source
	# Without comments, so that rewording one rebuilds no kernel.
	key=$({
		sed '/^#/{/^# CONFIG_/!d}' "${files[@]}"
		for patch in "${patches[@]}"; do
			diff_of "$patch"
		done
		sed '/^\/[/*]/d' "$SSDCACHE_LAB/uml/poweroff.c"
	} | sha256sum | cut -c1-12)
	out=$pool/uml-$variant-${source_dir##*-source-}-$key-$recipe
	if [ ! -e "$out/.built" ]; then
		need_build_tools
		# The patches stay as they are during the build: other trees may have others.
		lock uml-source
		# DEBUG_ATOMIC_SLEEP needs the preemption count, which this series does not allow for UML, although it
		# works there and later series do.
		sed -i '/^\tselect ARCH_NO_PREEMPT$/d' "$source_dir/arch/um/Kconfig"
		patch_source "${patches[@]}"
		mkdir -p "$out"
		cat "${files[@]}" >"$out/fragment"
		step "build of User-Mode Linux 6.1 ($variant)" build_uml "$out"
		touch "$out/.built"
		unlock uml-source
	fi
	echo "$out"
}

[ "$(uname -m)" = x86_64 ] || die "the test lab runs on x86_64 only"
mkdir -p "$pool"
case $#${1+-$1} in
1-source | 2-source) verb_source "${@:2}" ;;
2-headers) verb_headers "$2" ;;
2-image) verb_image "$2" ;;
2-image-version)
	if [ "$2" = kcsan ]; then
		get_kcsan
		cat "$kcsan/include/config/kernel.release"
	else
		get_abi "$2"
		echo "$abi"
	fi
	;;
1-uml | 2-uml) verb_uml "${@:2}" ;;
1-refresh) rm -f "$pool"/abi-* "$pool"/source-* ;;
1---help) usage ;;
0) wrong "no verb" ;;
*) wrong "'$*': no such verb, or not as many words as the verb has" ;;
esac
