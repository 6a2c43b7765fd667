#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the Debian packages in build/packages, from the files that git knows.

# shellcheck source-path=SCRIPTDIR source=export.sh
. "$(dirname "$0")/export.sh"
takes_no_words "$@"

scripts/lab/deps.sh deb
source=$out/dm-ssdcache-$version
export_source "$source"
in_changelog=$(dpkg-parsechangelog -l "$source/debian/changelog" -S Version)
[ "$in_changelog" = "$version" ] || die "debian/changelog is about version $in_changelog, the source is $version"
rm -f "$out"/*.deb
cd "$source"
# With the distribution's Python, whatever else is in PATH
step "build of the packages" env PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage -b -us -uc
cd "$out"
rm -rf "$source"
printf '%s\n' "$out"/*.deb
