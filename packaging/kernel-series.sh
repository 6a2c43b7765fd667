#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-series.sh SOURCE OUT: a patch series that adds the targets to a kernel's drivers/md
#
# SOURCE is a kernel's source tree; its Kconfig, Makefile, MAINTAINERS and documentation index decide the context lines. OUT is a
# new folder for the patches; "git am OUT/*.patch" or "patch -p1" applies them in the tree. Nothing is built before the last
# patch, which adds the option DM_SSDCACHE.

# shellcheck source-path=SCRIPTDIR source=export.sh
. "$(dirname "$0")/export.sh"

[ $# = 2 ] || die "usage: ${0##*/} SOURCE OUT"
source=$(realpath -e "$1")
[ -e "$source/drivers/md/dm.c" ] || die "$1 is no source tree of Linux"
[ ! -e "$2" ] || die "$2 exists"
mkdir -p "$2"
series=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=drivers/md/dm-ssdcache
docs=Documentation/admin-guide/device-mapper

git_work() {
	git -C "$work" -c core.autocrlf=false -c commit.gpgSign=false "$@"
}

# add FOLDER-OR-FILE...: of dm-ssdcache/, to the target's folder
add() {
	(cd dm-ssdcache && git ls-files -z "$@") | tar -C dm-ssdcache -c --null -T - | tar -x -C "$work/$target"
}

# commit SUBJECT TEXT
commit() {
	git_work add -A
	git_work commit -q -s -m "dm ssdcache: $1" -m "$(fold -s -w 72 <<<"$2" | sed 's/ *$//')"
}

# rst_of FILE.md: headings, tables and links of Markdown as reStructuredText
rst_of() {
	python3 packaging/rst.py "$1" | sed 's/ *$//'
}

author=$(git log -1 --format=%an) email=$(git log -1 --format=%ae)
export GIT_AUTHOR_NAME=$author GIT_AUTHOR_EMAIL=$email GIT_COMMITTER_NAME=$author GIT_COMMITTER_EMAIL=$email
git_work init -q
for file in drivers/md/Kconfig drivers/md/Makefile MAINTAINERS "$docs/index.rst"; do
	install -D -m 644 "$source/$file" "$work/$file"
done
git_work add -A
git_work commit -q -m base
git_work tag base

mkdir -p "$work/$target"
add base policy-api compat version.h builtin.h
sed 's|"\.\./dm-ssdcache/policy-api/|"policy-api/|' include/dm-ssdcache-policy.h >"$work/$target/dm-ssdcache-policy.h"
commit "add the interface of policies" \
	"Descriptor tables, page sets and histograms, and what a replacement policy, an admission scheme or a prefetcher implements."
add engine
commit "add the engine" \
	"The state machine of a cache of dirty pages in DRAM: it decides and does no I/O, so that tests and a simulator run the same code."
add replacement admission prefetch builtin.c
commit "add the published policies of SSD buffers" \
	"One file per policy; Documentation in the project's tree says where each comes from and what is a stand-in."
add flash
commit "add the model of a flash device" \
	"Geometry, NAND timing, a page-mapped FTL and garbage collection, for the target ssdflash."
add shadow auto
commit "add shadows, and the choice of policies by them" \
	"A shadow is an engine without data, on a sample of the requests. Its responses say what another policy would cost."
add driver
sed -i 's|"\.\./\.\./\.\./include/dm-ssdcache-policy.h"|"../../dm-ssdcache-policy.h"|' "$work/$target/driver/ssdcache/policies.c"
add Kbuild Kconfig objects.mk
mv "$work/$target/Kbuild" "$work/$target/Makefile"
commit "add the targets ssdcache and ssdflash" \
	"bios, the worker that flushes, sysfs, messages and tracepoints. Nothing builds yet: the last patch adds the option."
rst_of Documentation/admin-guide.md >"$work/$docs/dm-ssdcache.rst"
rst_of Documentation/ssdflash.md >"$work/$docs/dm-ssdflash.rst"
sed 's/ *$//' Documentation/reference.rst >"$work/$docs/dm-ssdcache-reference.rst"
awk '/^ +dm-/ && !done && $1 > "dm-ssdcache" { indent = $0; sub(/dm-.*/, "", indent)
	print indent "dm-ssdcache\n" indent "dm-ssdcache-reference\n" indent "dm-ssdflash"; done = 1 } { print }
	END { exit !done }' "$source/$docs/index.rst" >"$work/$docs/index.rst" || die "$docs/index.rst has no list of targets"
commit "document the targets" "The guides of both targets, and the reference that is made from their tables."
awk -v "entry=$author <$email>" '
	/^DEVICE-MAPPER / && $0 > "DEVICE-MAPPER  (LVM)" { in_dm = 1 }
	in_dm && /^$/ && !done {
		print "\nDEVICE-MAPPER SSD BUFFER CACHE (SSDCACHE)\nM:\t" entry "\nL:\tdm-devel@lists.linux.dev\nS:\tMaintained"
		print "F:\tDocumentation/admin-guide/device-mapper/dm-ssd*\nF:\tdrivers/md/dm-ssdcache/"
		done = 1
	}
	{ print }
	END { exit !done }' "$source/MAINTAINERS" >"$work/MAINTAINERS" || die "MAINTAINERS has no entry for the device mapper"
awk '/^endif # MD/ { print "source \"drivers/md/dm-ssdcache/Kconfig\"\n"; done = 1 } { print } END { exit !done }' \
	"$source/drivers/md/Kconfig" >"$work/drivers/md/Kconfig" || die "drivers/md/Kconfig does not end as expected"
# shellcheck disable=SC2016 # for make
awk '/^obj-\$\(CONFIG_DM_SNAPSHOT\)/ { print "obj-$(CONFIG_DM_SSDCACHE)\t+= dm-ssdcache/"; done = 1 } { print }
	END { exit !done }' \
	"$source/drivers/md/Makefile" >"$work/drivers/md/Makefile" || die "drivers/md/Makefile has no line of dm-snapshot"
commit "add the option DM_SSDCACHE" "Builds both targets as the module dm-ssdcache, and lists a maintainer."
git_work format-patch -q --no-signature -o "$series" base..HEAD
printf '%s\n' "$series"/*.patch
