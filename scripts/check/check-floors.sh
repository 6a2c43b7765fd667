#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Calls go downwards only: between the files of the engine, between those of the flash model, and
# between the folders. Each has a list of its floors, FLOORS; floors.py compares the lists with the
# symbols of the objects that user space builds. Plug-ins outside the tree see no folder above
# policy-api. Prints a line per offence.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
takes_no_words "$@"
cd "$SSDCACHE_TREE"

objects=userspace/build/engine
make --no-print-directory -s -C userspace BUILD="$PWD/userspace/build" engine > /dev/null

status=0
for folder in engine flash shadow auto .; do
	sources=dm-ssdcache/$folder
	python3 scripts/check/floors.py "${sources%/.}" "$objects/$folder" || status=1
done

for file in samples/policy/*.c; do
	seen=$("${CC:-cc}" -MM -Iinclude/shim -Iinclude "$file" | tr -s '[:space:]' '\n' |
		grep -E '/dm-ssdcache/' | grep -vE '/dm-ssdcache/(policy-api|base)/|/builtin\.h$') || continue
	echo "$file: includes ${seen//$'\n'/ }"
	status=1
done
exit $status
