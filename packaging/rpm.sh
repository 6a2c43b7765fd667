#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the RPM packages in build/packages, from the files that git knows. On Debian, whose packages rpm does not know, nothing
# checks what the build requires.

# shellcheck source-path=SCRIPTDIR source=export.sh
. "$(dirname "$0")/export.sh"
takes_no_words "$@"

nodeps=()
if [ -n "$(type -P dpkg-query)" ]; then
	scripts/lab/deps.sh rpm
	nodeps=(--nodeps)
fi
[ -n "$(type -P rpmbuild)" ] || die "rpmbuild is missing: install rpm-build"
top=$out/rpm
export_source "$top/SOURCES/dm-ssdcache-$version"
tar -C "$top/SOURCES" -czf "$top/SOURCES/dm-ssdcache-$version.tar.gz" "dm-ssdcache-$version"
rm -f "$out"/*.rpm
step "build of the packages" rpmbuild -bb "${nodeps[@]}" --define "_topdir $top" --define "version_of_source $version" \
	packaging/rpm/dm-ssdcache.spec
mv "$top"/RPMS/*/*.rpm "$out"
rm -rf "$top"
printf '%s\n' "$out"/*.rpm
