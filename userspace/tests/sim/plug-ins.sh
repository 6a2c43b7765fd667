# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Policies as shared objects: those of samples/policy, and files that are refused. Pages 0 to 15 fill DRAM, then the policy
# evicts one page for page 16.

build_samples
is "plug-in: the samples build" "" "$(cat "$scratch/make")"

is "mru: the newest page leaves, page 15" "read_hits=1 bypassed_reads=1 mru_list=16" \
	"$(stats "read_hits bypassed_reads mru_list" --plugin "$mru" --replacement mru -- $fill W16 R0 R15)"
is "mru: keep 2, page 13 leaves" "read_hits=2 bypassed_reads=1 passed_over=2" \
	"$(stats "read_hits bypassed_reads passed_over" --replacement mru:keep=2 --plugin="$mru" -- $fill W16 R0 R15 R13)"
# Pages 0 and 1 were hit: page 2 leaves. With room for one protected page, page 0 is on probation again, as the newest.
is "slru: pages that were hit are protected" "read_hits=4 bypassed_reads=1 promoted=2" \
	"$(stats "read_hits bypassed_reads promoted" --plugin "$slru" --replacement slru -- $fill R0 R1 W16 R0 R1 R2)"
is "slru: the protected list is bounded" "protected_list=1 probation_list=15" \
	"$(stats "protected_list probation_list" --plugin "$slru" --replacement slru:protected=7 -- $fill R0 R1)"
is "plug-in: tunables and statistics in the report" "mru {'keep': 2} ['mru_list', 'passed_over']" \
	"$("$sim" --json --plugin "$mru" --replacement mru:keep=2 "$scratch/trace" | python3 -c 'import json, sys
policy = json.load(sys.stdin)["replacement"]
print(policy["name"], policy["params"], list(policy["stats"]))')"
is "plug-in: several, described wherever they are named" "opt mru slru" \
	"$("$sim" --plugin "$mru" --describe=names --plugin "$slru" | awk '$2 ~ /^(opt|mru|slru)$/ { print $2 }' | xargs)"

refuses "plug-in: no such file" "nowhere.so: cannot open" --plugin "$scratch/nowhere.so" x
refuses "plug-in: not a shared object" "invalid ELF header\|file too short" --plugin "$scratch/trace" x
refuses "plug-in: the name is taken" 'replacement "mru": the name is taken' --plugin "$mru" --plugin "$mru" x
echo 'int nothing;' | bad_plugin nothing.so
refuses "plug-in: registers nothing" "nothing.so: registers no policy" --plugin "$scratch/nothing.so" x
bad_plugin incomplete.so << 'EOF'
#include "dm-ssdcache-policy.h"
static struct ssdc_replacement_type bad = {
	.plugin.info = { "bad", "nowhere", "as published", "bad", .instance_bytes = sizeof(struct ssdc_replacement) },
};
ssdc_module_plugin(bad, "bad");
EOF
refuses "plug-in: an op is missing" 'replacement "bad": the op insert() must be set' --plugin "$scratch/incomplete.so" x
echo 'int ssdc_quiescent(void *e); int rests(void *e) { return ssdc_quiescent(e); }' | bad_plugin engine.so
refuses "plug-in: calls what the kernel module does not export" "undefined symbol: ssdc_quiescent" \
	--plugin "$scratch/engine.so" x
refuses "plug-in: no value" "--plugin needs a value: --plugin FILE" --plugin
