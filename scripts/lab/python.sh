#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a program in Python with the Python package of this tree.
#
#	python.sh PROGRAM [WORD]...

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || { echo "usage: ${0##*/} PROGRAM [WORD]..." >&2; exit 2; }
"$SSDCACHE_LAB/deps.sh" python
hint="the Python package could not be built: see the lines above" step "build of the Python package" "$SSDCACHE_LAB/wheel.sh"
PYTHONPATH=$SSDCACHE_TREE/build/python/site exec "$SSDCACHE_CACHE/venv-python/bin/python3" "$@"
