#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: interface with 100000 table lines, messages and sysfs values, other ones each time
# long: uml-debug
# timeout: 14400
# kmemleak: yes

# The names of the results say which SEED repeats them.
SEED=${SEED:-$(date +%s)}
nr_tables=25000 nr_messages=40000 nr_under_io=5000 nr_values=30000

# shellcheck source-path=SCRIPTDIR source=interface.sh
. "$(dirname "$0")/interface.sh"
