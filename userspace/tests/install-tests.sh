#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make install" and "make uninstall" with folders whose names have blanks, and with a relative build folder; a tree in a folder whose
# name has a blank or a character of make or the shell; builds that fail halfway. Prints TAP. The tools must have been built.

set -u
# Of a make that has called this script.
unset MAKEFLAGS MFLAGS DESTDIR PREFIX SBINDIR ZSH_DIR BUILD KEEP_BUILT_WITH
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
tree=$here/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# make_in DESTDIR PREFIX TARGET [WORD]...
make_in() {
	local dest=$1 prefix=$2

	shift 2
	make -s -C "$tree" DESTDIR="$dest" PREFIX="$prefix" KVER=1.2.3 STRIP=0 "$@" >"$scratch/said" 2>&1
}

# files_in FOLDER: names, modes and links below it
files_in() {
	(cd "$1" && find . -type f -printf '%p %m\n' -o -type l -printf '%p -> %l\n' | sort)
}

# installed DESTDIR PREFIX: installs all, with a stand-in for the module
installed() {
	make_in "$1" "$2" install-tools && make_in "$1" "$2" install-source DKMS_SOURCE="$1/usr/src/dm-ssdcache" &&
		make_in "$1" "$2" -o module install-module MODULE="$scratch/build/dm-ssdcache.ko"
}

mkdir "$scratch/build"
touch "$scratch/build/dm-ssdcache.ko" "$scratch/build/Module.symvers"
installed "$scratch/plain" /opt/all
result $? "installs" "$(cat "$scratch/said")"
files_in "$scratch/plain" >"$scratch/want"
is "installs tools, man pages, headers and the module" "1 1 1 1" "$(
	for name in opt/all/bin/ssdcache-sim opt/all/share/man/man8/ssdcachectl.8 \
		opt/all/include/dm-ssdcache/include/dm-ssdcache-policy.h lib/modules/1.2.3/updates/dm-ssdcache.ko; do
		grep -c "^./$name " "$scratch/want"
	done | paste -sd ' ')"
installed "$scratch/de st" "/opt/al l"
result $? "installs below a folder with a blank" "$(cat "$scratch/said")"
is "the same files" "$(cat "$scratch/want")" "$(files_in "$scratch/de st" | sed 's,^\./opt/al l/,./opt/all/,')"
is "nothing beside that folder" "build de st plain said want" "$(cd "$scratch" && echo *)"
is "the generator names the program" "ExecStart=\"/opt/al l/sbin/ssdcachectl\"" \
	"$(grep -o '^ExecStart=.*ssdcachectl"*' "$scratch/de st/opt/al l/lib/systemd/system-generators/ssdcache-generator")"
make -s -C "$tree/userspace" BUILD=build DESTDIR="$scratch/relative" PREFIX=/opt/all STRIP=0 install >"$scratch/said" 2>&1
result $? "installs from a build folder relative to userspace/" "$(tail -n 3 "$scratch/said")"
is "the same tools" "$(files_in "$scratch/plain/opt/all/bin")" "$(files_in "$scratch/relative/opt/all/bin")"
# A umask that others can read nothing with; a checkout that was made with one, too.
folders_in() {
	(cd "$1" && find . -mindepth 1 -type d -printf '%p %m\n' | sort)
}
(umask 077 && installed "$scratch/private" /opt/all)
result $? "installs with umask 077" "$(cat "$scratch/said")"
is "with the same modes" "$(cat "$scratch/want")" "$(files_in "$scratch/private")"
is "with folders of the same modes" "$(folders_in "$scratch/plain")" "$(folders_in "$scratch/private")"
is "with folders that all can read" "" "$(folders_in "$scratch/private" | grep -v ' 755$')"
(
	umask 077
	mkdir "$scratch/checkout"
	cd "$tree" && cp -r --parents Makefile Kbuild packaging/keep-symvers.sh dm-ssdcache include "$scratch/checkout" &&
		make -s -C "$scratch/checkout" install-source DKMS_SOURCE="$scratch/source" >"$scratch/said" 2>&1
)
result $? "installs the source of a checkout that others cannot read" "$(cat "$scratch/said")"
is "with the modes of others" "$(files_in "$scratch/plain/usr/src/dm-ssdcache")" "$(files_in "$scratch/source")"
rm -rf "$scratch/private" "$scratch/checkout" "$scratch/source"
# The first part of the name alone.
mkdir "$scratch/de" && touch "$scratch/de/mine"
make_in "$scratch/de st" "/opt/al l" uninstall
result $? "uninstalls" "$(cat "$scratch/said")"
rm -rf "$scratch/de st/usr/src"
is "nothing is left" "" "$(files_in "$scratch/de st")"
is "nothing else is removed" "mine" "$(ls "$scratch/de")"

# A user without privileges, whose depmod fails. /lib/modules/. is a folder on any machine.
mkdir "$scratch/bin" "$scratch/modules"
printf '#!/bin/sh\necho "depmod failed"\nexit 1\n' >"$scratch/bin/depmod"
chmod +x "$scratch/bin/depmod"
remove() {
	PATH=$scratch/bin:$PATH make -s -C "$tree" uninstall PREFIX="$scratch/home" KVER=. MODULE_DIR="$scratch/modules" >"$scratch/said" 2>&1
}
remove
is "uninstalls tools alone without depmod" "0 " "$? $(cat "$scratch/said")"
touch "$scratch/modules/dm-ssdcache.ko" "$scratch/modules/dm-ssdcache.symvers"
remove
is "depmod follows the removal of a module" "2 depmod failed " "$? $(head -n 1 "$scratch/said") $(ls "$scratch/modules")"

# Several Makefiles install, each in a folder of its own.
here=relative-$$
for words in "install-tools DESTDIR=$here" "install-tools PREFIX=$here" "install-tools PREFIX=~/$here" "uninstall DESTDIR=$here" \
	"install-module DESTDIR=$here" "-C userspace install DESTDIR=$here" "-C userspace install DESTDIR=$scratch/$here/ SBINDIR=$here" \
	"-C userspace uninstall PREFIX=$here" "-C userspace/boot install PREFIX=$here" \
	"-C userspace/completion install DESTDIR=$scratch/$here/ ZSH_DIR=$here"; do
	name=${words##* }
	# shellcheck disable=SC2086 # options with values, and targets
	make -s -C "$tree" -o module -o userspace KVER=1.2.3 KDIR=/none MODULE="$scratch/build/dm-ssdcache.ko" STRIP=0 $words >"$scratch/said" 2>&1
	is "make ${words//$here/…} refuses a relative path" "2 1" \
		"$? $(grep -cF "${name%%=*} (${name#*=}) must be an absolute path" "$scratch/said")"
	is "and installs nothing" "" "$(find "$tree" "$scratch" -name "*$here*")"
	find "$tree" "$scratch" -name "*$here*" -prune -exec rm -rf {} +
done

# make splits names at blanks: what is built or removed would be in the first part of the name, somebody else's folder.
mkdir "$scratch/my tree"
others() {
	mkdir -p "$scratch/my"
	touch "$scratch/my/mine"
	ln -sfn nowhere "$scratch/my/link"
}
(cd "$tree" && cp -r --parents Makefile Kbuild userspace/{Makefile,rules.mk,need-libraries.sh} userspace/{boot,completion,fuzz}/*[Mm]* \
	userspace/ssdcache{ctl,-trace}/Makefile dm-ssdcache/objects.mk "$scratch/my tree")
for words in module clean userspace uninstall "-C userspace clean" "-C userspace/ssdcachectl clean" "-C userspace/ssdcache-trace clean" \
	"-C userspace/boot clean"; do
	others
	# shellcheck disable=SC2086 # an option, its value, and a target
	(cd "$scratch/my tree" && make $words DESTDIR="$scratch/none") >"$scratch/said" 2>&1
	is "make $words refuses a tree whose path has a blank" "2 1" \
		"$? $(grep -c "no white space allowed in the path of the tree (.*/my tree[a-z/-]*)" "$scratch/said")"
	is "make $words leaves other folders as they are" "./link -> nowhere ./mine 644" "$(files_in "$scratch/my" | paste -sd ' ')"
done
cp -r "$tree/samples/policy" "$scratch/my tree/policy"
others
make -C "$scratch/my tree/policy" module SSDCACHE="$scratch/plain/opt/all/include/dm-ssdcache" KDIR=/none symvers=none >"$scratch/said" 2>&1
is "make module of a policy refuses a folder whose path has a blank" "2 1 ./link -> nowhere ./mine 644" \
	"$? $(grep -c "no white space allowed in the path of this folder (.*/my tree/policy)" "$scratch/said") $(files_in "$scratch/my" | paste -sd ' ')"
others
make -C "$tree/userspace" BUILD="$scratch/my build" clean >"$scratch/said" 2>&1
is "make clean refuses a BUILD with a blank" "2 1 ./link -> nowhere ./mine 644" \
	"$? $(grep -c "no white space allowed.*BUILD" "$scratch/said") $(files_in "$scratch/my" | paste -sd ' ')"

make -C "$tree/samples/policy" SSDCACHE="$scratch/my tree" BUILD="$scratch/policies" >"$scratch/said" 2>&1
is "make of a policy refuses an SSDCACHE with a blank" "2 1" "$? $(grep -c "no white space allowed in SSDCACHE (.*/my tree)" "$scratch/said")"

# At these, make or the shell would build, and remove, elsewhere: in the folders that a pattern matches, or that the part before them names.
# shellcheck disable=SC2016 # characters
for special in '(' ')' '&' ';' "'" '"' '`' '$' '|' '<' '>' '*' '?' '[' '{' "\\" '%' ':'; do
	odd="$scratch/odd${special}x"
	mv "$scratch/my tree" "$odd"
	refused=
	for folder in . userspace userspace/boot; do
		(cd "$odd/$folder" && make clean) >"$scratch/said" 2>&1
		refused+=" $? $(grep -cF "no $special allowed in the path of the tree" "$scratch/said")"
	done
	is "make clean refuses a tree whose path has a $special" " 2 1 2 1 2 1" "$refused"
	(cd "$odd/policy" && make module SSDCACHE="$scratch/plain/opt/all/include/dm-ssdcache" KDIR=/none symvers=none) >"$scratch/said" 2>&1
	is "make module of a policy refuses a folder whose path has a $special" "2 1" \
		"$? $(grep -cF "no $special allowed in the path of this folder" "$scratch/said")"
	mv "$odd" "$scratch/my tree"
done
mkdir -p "$scratch/odd1/userspace/build" && mv "$scratch/my tree" "$scratch/odd?"
make -C "$scratch/odd?/userspace" clean >"$scratch/said" 2>&1
is "make clean leaves folders as they are that match the path as a pattern" "build" "$(ls "$scratch/odd1/userspace")"
mv "$scratch/odd?" "$scratch/my tree"
mv "$scratch/my tree" "$scratch/ü,+@v1=2~#!"
is "other characters are allowed" "0" "$(make -C "$scratch/ü,+@v1=2~#!/userspace" clean >"$scratch/said" 2>&1; echo $?)"
# make reads these names in the lists of headers that the compiler has written, too.
# shellcheck disable=SC2016 # for make
object=(make -C "$tree/userspace" BUILD="$scratch/ü,+@~#!/build" --eval='object: $(BUILD)/common/say.o' object)
states=
for words in "" -q "-q -W common/say.h"; do
	# shellcheck disable=SC2086 # options
	"${object[@]}" $words >"$scratch/said" 2>&1
	states+=" $?"
done
is "in a BUILD of such a name, an object is made once, and again after a change of a header" " 0 0 1" "$states"

# shellcheck disable=SC2016 # for make
is "BUILD in the environment is not replaced by the folder of the module" "" \
	"$(BUILD=/elsewhere make -s -C "$tree" --eval='print: ; @printenv BUILD || :' print)"

# A stand-in for a kernel's build, which says with how many jobs it was called
mkdir "$scratch/kernel"
# shellcheck disable=SC2016 # for make
printf 'modules:\n\t@echo "jobs:$(filter -j%%,$(MAKEFLAGS))"\n' >"$scratch/kernel/Makefile"
for jobs in "" -j3; do
	# shellcheck disable=SC2086 # no word if there is no option
	make -s -C "$tree" -o module-tree $jobs JOBS=5 BUILD="$scratch/modules" KDIR="$scratch/kernel" module >"$scratch/said" 2>&1
	is "make ${jobs:-without -j} module builds with ${jobs:--j5}, and no warning" "0 jobs:${jobs:--j5}" "$? $(cat "$scratch/said")"
done

# A stand-in for the program that makes the page
mkdir -p "$scratch/demo/scripts/studies"
cp "$tree/Makefile" "$scratch/demo/"
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >"$scratch/demo/scripts/studies/demo.sh"
chmod +x "$scratch/demo/scripts/studies/demo.sh"
touch "$scratch/demo/my trace.csv"
is "make demo takes a trace whose name has a blank" "<my trace.csv>" "$(make -s -C "$scratch/demo" demo TRACE="my trace.csv")"
is "make demo takes several traces" "<a.csv><b.csv>" "$(make -s -C "$scratch/demo" demo TRACE="a.csv b.csv")"
is "make demo needs no trace" "<>" "$(make -s -C "$scratch/demo" demo)"

# A compiler that says which objects it compiles
cat >"$scratch/cc" <<'CC'
#!/bin/bash
case " $* " in
*" -c "*) echo "${@: -1}" >>"${0%/*}/compiled" ;;
esac
exec gcc "$@"
CC
chmod +x "$scratch/cc"
cp "$scratch/cc" "$scratch/cc2"
compiles() {
	: >"$scratch/compiled"
	make -s -C "$tree/userspace" BUILD="$scratch/flags" CC="$scratch/cc" "$@" "$scratch/flags/common/say.o" >"$scratch/said" 2>&1 || echo failed
	wc -l <"$scratch/compiled"
}
is "an object is compiled, and is up to date" "1 0" "$(compiles CFLAGS=-O1) $(compiles CFLAGS=-O1)"
is "it is compiled again for other flags or another compiler" "1 1 1 0" \
	"$(compiles CFLAGS="-O1 -DX='\"a b\"'") $(compiles CFLAGS=-O1) $(compiles CFLAGS=-O1 CC="$scratch/cc2") $(compiles CFLAGS=-O1 CC="$scratch/cc2")"
says() {
	make -n -C "$tree/userspace" BUILD="$scratch/flags" CFLAGS=-O3 "$1" 2>&1 | grep -c -e ' -c -o [^ ]*/flags/common/say.o'
}
is "make install takes it as it is" "0 1" "$(says install) $(says all)"
# Its version is printed in the user's language, and it does not optimise at link time.
cat >"$scratch/cc3" <<'CC'
#!/bin/bash
case " $* " in
*" --version "*) [ "$LC_ALL" = C ] && echo cc3 || echo "cc3, $LANGUAGE"; exit ;;
*" -flto=auto "*) exit 1 ;;
esac
exec "${0%3}" "$@"
CC
chmod +x "$scratch/cc3"
speaks() {
	LC_ALL="" LANGUAGE=$1 compiles CC="$scratch/cc3" "${@:2}"
}
is "it is not compiled again in another language" "1 0 0" "$(speaks en) $(speaks de) $(speaks en)"
is "it is compiled again if the default flags are chosen: the simulator has others by default" "1 0" \
	"$(speaks en CFLAGS="-O2 -g") $(speaks en CFLAGS="-O2 -g")"

# Missing libraries
# shellcheck disable=SC2016 # for the program
printf '#!/bin/bash\ncase " $* " in *" --exists "*) [[ " $MISSING " != *" ${*: -1} "* ]] ;; *) exec pkg-config "$@" ;; esac\n' >"$scratch/packages"
chmod +x "$scratch/packages"
without() {
	rm -rf "$scratch/libraries"
	MISSING=$1 make -s -C "$tree/userspace" BUILD="$scratch/libraries" PKG_CONFIG="$scratch/packages" "${@:2}" >"$scratch/said" 2>&1
	echo "$? $(sed -n 's/^missing[^:]*: \(.*\) (.*/\1/p' "$scratch/said") $(find "$scratch/libraries" -name '*.o' | wc -l)"
}
is "make names all libraries that are missing, and compiles nothing" "2 liblzma liburing devmapper 0" "$(without "devmapper liburing liblzma")"
for words in "-j4" "-k" "-k -j4 PGO=1"; do
	# shellcheck disable=SC2086 # several words
	is "so does make $words" "2 liblzma liburing devmapper 0" "$(without "devmapper liburing liblzma" $words)"
done
is "the simulator needs some of them" "2 jansson 0" "$(without "jansson liburing" ssdcache-sim)"
is "each tool names what it needs" "2 liburing 0 2 devmapper 0" \
	"$(without "liburing devmapper" ssdcache-trace) $(without "liburing devmapper jansson.h" ssdcachectl | sed 's/ [0-9]*$/ 0/')"
is "bzip2 is looked for without pkg-config" "2 bzip2 0" "$(mkdir "$scratch/empty" && without "" CFLAGS="-nostdinc -I$scratch/empty" ssdcache-sim)"
is "pkg-config itself can be missing" "2 no-such 0" "$(without "" PKG_CONFIG=no-such)"
is "a missing compiler is named" "2  0 1" "$(without "" CC=no-such) $(grep -c '^[^:]*: line [0-9]*: no-such: ' "$scratch/said")"

for folder in "$tree"/userspace/*/Makefile; do
	folder=${folder%/Makefile}
	is "make in ${folder##*/} writes to no folder outside" "" "$(make -n -C "$folder" 2>&1 | grep -o '>/.*' | grep -v "^>$(realpath "$tree")/")"
done

# All files that export symbols to plug-ins, and a plug-in
if [ -n "$(type -P clang)" ]; then
	mapfile -t exporting < <(cd "$tree" && grep -l '^EXPORT_SYMBOL_GPL' userspace/ssdcache-sim/*.c dm-ssdcache/*/*.c)
	objects=("${exporting[@]/#userspace/$scratch/clang}")
	objects=("${objects[@]/#dm-ssdcache/$scratch/clang/engine}")
	objects=("${objects[@]/%.c/.o}")
	make -s -C "$tree/userspace" CC=clang BUILD="$scratch/clang" "${objects[@]}" >"$scratch/said" 2>&1
	is "clang compiles the simulator without a warning" "0 " "$? $(cat "$scratch/said")"
	# Of machine code: the linker of another program could not read anything else.
	is "what clang has compiled exports what plug-ins need" \
		"$(cd "$tree" && sed -n 's/^EXPORT_SYMBOL_GPL(\(.*\));$/\1/p' "${exporting[@]}" | sort)" \
		"$(readelf -Ws "${objects[@]}" 2>&1 | awk '$6 == "DEFAULT" && $7 != "UND" { print $8 }' | sort |
			comm -12 - <(cd "$tree" && sed -n 's/^EXPORT_SYMBOL_GPL(\(.*\));$/\1/p' "${exporting[@]}" | sort))"
	cp -r "$tree/samples/policy" "$scratch/policy"
	make -s -C "$scratch/policy" CC=clang BUILD="$scratch/policies" SSDCACHE="$tree" >"$scratch/said" 2>&1
	is "clang compiles policies without a warning" "0 " "$? $(cat "$scratch/said")"
	"$tree/userspace/build/bin/ssdcache-sim" --plugin "$scratch/policies/ssdcache-mru.so" --help >"$scratch/said" 2>&1
	result $? "the simulator loads a policy from clang" "$(cat "$scratch/said")"
else
	skip "clang" "clang is missing"
fi

# A stand-in for the compiler, whose programs end with $TRAINED
cat >"$scratch/cc" <<'CC'
#!/bin/bash
for ((i = 1; i < $#; i++)); do
	[ "${!i}" != -o ] || { next=$((i + 1)); out=${!next}; }
done
case ${out-/dev/null}$* in
/dev/null*) exit ;;
*-fprofile-generate*) kind=instrumented ;;
*-fprofile-use*) kind=final ;;
*) kind=plain ;;
esac
printf '#!/bin/sh\n# %s\nexit "$TRAINED"\n' $kind >"$out"
chmod +x "$out"
CC
chmod +x "$scratch/cc"
profiled() {
	TRAINED=$1 make -s -C "$tree/userspace" PGO=1 BUILD="$scratch/pgo" CC="$scratch/cc" ssdcache-sim >"$scratch/said" 2>&1
}
profiled 1
is "a simulator whose training fails is no result" "2 0" "$? $(find "$scratch/pgo" -name ssdcache-sim -type f | wc -l)"
profiled 0
is "the next attempt trains it" "0 # final" "$? $(grep '^#.*final' "$scratch/pgo/bin/ssdcache-sim")"
# A full disk
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\necho part >"$2"\nexit 1\n' >"$scratch/cp"
chmod +x "$scratch/cp"
rm "$scratch/pgo/bin/ssdcache-sim"
PATH=$scratch:$PATH profiled 0
is "a part of the simulator is no result" "2 0" "$? $(find "$scratch/pgo/bin" -name ssdcache-sim -type f | wc -l)"
rm -r "$scratch/pgo"
# A program of the stand-in says how it was compiled.
sim_of() {
	TRAINED=0 make -s -C "$tree/userspace" BUILD="$scratch/pgo" CC="$scratch/cc" DESTDIR="$scratch/pgo-installed" "$@" >"$scratch/said" 2>&1
	sed -n '2s/^# //p' "$scratch/pgo${installed--installed/usr/local}/bin/ssdcache-sim"
}
installed=
is "make, with PGO=1 and without, builds the simulator that was asked for" "plain final plain final" \
	"$(sim_of ssdcache-sim) $(sim_of PGO=1 ssdcache-sim) $(sim_of ssdcache-sim) $(sim_of PGO=1 ssdcache-sim)"
unset installed
is "make install installs the one that was built last, or that of PGO=1" "final plain final" \
	"$(sim_of install) $(sim_of PGO= install) $(sim_of PGO=1 install)"

# With the flag by which dpkg-buildpackage leaves out the folder. Less training would name no functions: only calls by pointers do.
if [ -n "${SSDC_LONG:-}" ]; then
	for folder in "$scratch/here" "$scratch/some/where/else"; do
		mkdir -p "$folder"
		git -C "$tree" ls-files -z | (cd "$tree" && xargs -0 cp --parents -t "$folder")
		make -s -C "$folder/userspace" PGO=1 CFLAGS="-g -O2 -ffile-prefix-map=$folder=." ssdcache-sim
		strip -o "$folder/stripped" "$folder/userspace/build/bin/ssdcache-sim"
	done >"$scratch/said" 2>&1
	cmp "$scratch/here/stripped" "$scratch/some/where/else/stripped" >>"$scratch/said" 2>&1
	result $? "two folders make the same profiled simulator" "$(cat "$scratch/said")"
fi
finish
