#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# need-libraries.sh PACKAGE... -- COMPILER...: fails with one message that names all libraries whose development files are missing. A
# PACKAGE is a name for $PKG_CONFIG, or bzip2, for which not all distributions have such a name. COMPILER has its options.

# shellcheck disable=SC2086 # $PKG_CONFIG may have options

missing=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	packages+=("$1")
	shift
done
shift
# Without a compiler, the first that it cannot find would be bzip2.
"$@" -E -x c -o /dev/null /dev/null || exit 1
if ! $PKG_CONFIG --version >/dev/null 2>&1; then
	missing=("${PKG_CONFIG%% *}")
	packages=()
fi
for package in "${packages[@]}"; do
	case $package in
	bzip2) "$@" -E -x c -o /dev/null - <<<'#include <bzlib.h>' 2>/dev/null ;;
	*) $PKG_CONFIG --exists "$package" 2>/dev/null ;;
	esac || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
	echo "missing, or without development files: ${missing[*]} (on Debian and Ubuntu, scripts/lab/deps.sh build installs them)" >&2
	exit 1
fi
