# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Test results in the Test Anything Protocol, for "prove" and any CI. Source it after setting errexit.
#
# A stream of results is
#
#	ok N - NAME
#	not ok N - NAME
#	ok N - NAME # SKIP REASON
#	# anything else
#	1..N

# A script with tests of its own calls tap_ok, tap_not_ok, tap_skip or tap_result for each, and tap_end once.
tap_number=0
tap_failed=0

tap_ok() { # tap_ok NAME
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1"
}

# tap_not_ok NAME [FILE]: the first lines of FILE say why
tap_not_ok() {
	tap_number=$((tap_number + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_number - $1"
	[ $# -lt 2 ] || head -n 30 "$2" | sed 's/^/#   /'
}

tap_skip() { # tap_skip NAME REASON
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

tap_result() { # tap_result NAME STATUS [FILE]
	if [ "$2" -eq 0 ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "${@:3}"
	fi
}

# tap_end: prints the plan; fails if a test failed.
tap_end() {
	echo "1..$tap_number"
	[ "$tap_failed" -eq 0 ]
}

# tap_merge FIRST: a filter that merges several streams into one, numbered from FIRST on, without a plan. Results need no
# number; "skip - NAME # REASON" is a skipped test, too. All other lines become diagnostics.
tap_merge() {
	awk -v next_number="$1" '
		function out(line) { print line; fflush() }
		/^1\.\.[0-9]+/ || /^TAP version/ { next }
		/^skip - / {
			sub(/^skip - /, "ok - ")
			sub(/ # /, " # SKIP ")
		}
		/^(not )?ok($|[ \t])/ {
			verdict = /^not/ ? "not ok" : "ok"
			sub(/^(not )?ok[ \t]*[0-9]*[ \t]*-?[ \t]*/, "")
			out(verdict " " next_number++ " - " $0)
			next
		}
		/^#/ || /^$/ { out($0); next }
		{ sub(/^[ \t]*# ?/, ""); out("#   " $0) }'
}

# tap_planned: the number of results that the streams on stdin plan
tap_planned() {
	awk '/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); planned += $0 } END { print planned + 0 }'
}

# tap_counts: of the stream on stdin, "PASSED FAILED SKIPPED"
tap_counts() {
	awk '/^not ok/ { failed++; next }
		/^ok.* # [Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^ok/ { passed++ }
		END { print passed + 0, failed + 0, skipped + 0 }'
}
