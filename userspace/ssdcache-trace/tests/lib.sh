# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # shared with the scripts
# What formats.sh and memory.sh begin with, to be sourced after setting $title, with which all results begin: $here, $tool from the first
# argument, and a directory that is removed at the end.

set -Eeuo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "$0")" && pwd)
tool=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source-path=SCRIPTDIR source=../../tests/tap.sh
. "$here/../../tests/tap.sh"

# check NAME COMMAND...: passes if the command does
check() {
	local name=$1 log

	shift
	if log=$("$@" 2>&1); then
		result 0 "$title: $name"
	else
		result 1 "$title: $name" "$(tail -n 8 <<<"$log")"
	fi
}
