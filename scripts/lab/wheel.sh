#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the wheel of the Python package in build/python, from the tree as it is and without the network, and installs it in
# build/python/site, for PYTHONPATH.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
takes_no_words "$@"
cd "$SSDCACHE_TREE"

python=$SSDCACHE_CACHE/venv-python/bin/python3
site=build/python

lock wheel
# setuptools would pack what is left of an earlier build.
rm -rf "$site" userspace/python/build
"$python" -m pip wheel -q --no-deps --no-build-isolation --no-index --wheel-dir "$site" userspace/python
"$python" -m pip install -q --no-deps --no-index --target "$site/site" "$site"/*.whl
unlock wheel
