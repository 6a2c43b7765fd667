# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Options, their guesses, and help; usage-tests.sh has more.

refuses "refused: no trace" "no trace given"
refuses "refused: an unknown option" "unknown option '--drum': did you mean '--dram'?" --drum 1m "$msr"
refuses "refused: an ambiguous option" "option '--re' is ambiguous: it could be '--replacement' or '--retry_ms'" --re lru "$msr"
refuses "refused: an option without its value" "--dram needs a value: --dram SIZE" "$msr" --dram
refuses "refused: a reserve beside the DRAM" "--reserve: 1t is not from 1m to 131008m" --reserve 1t "$msr"
refuses "refused: a size" "--dram: '1q' is not a size" --dram 1q "$msr"
for list in "--dram 1m..4m" "--dram 1m,2m" "--page 4k,8k" "--replacement lru,cflru:window=30,gain=2" "--replacement all" "--admission usual" \
	"--flash s000,s001" "--dram_mode volatile,protected"; do
	refuses "refused: several values: $list" "${list% *}: '${list#* }' is more than one value: 'ssdcache-sim sweep' takes them" $list "$msr"
done
trace R1 R2 R1 F >"$scratch/reads"
for admission in write-buffer read-write; do
	"$sim" --dram 64k --admission $admission "$scratch/reads" >/dev/null 2>"$scratch/errors"
	is "a trace without writes: why nothing enters, with $admission" "$([ $admission = read-write ] || echo 1)" \
		"$(grep -o 'lets only writes enter the DRAM, and the trace has none: --admission read-write' "$scratch/errors" | sed 's/.*/1/')"
done
like=$("$sim" --json --dram_mode protected --read-us 9 "$msr" | jq 'del(.command)')
for spelling in "--dram-mode --read_us" "--dram-m --read_u" "--dram_m --read-u"; do
	read -r mode us <<<"$spelling"
	is "hyphens and underscores of options are the same: $spelling" "$like" \
		"$("$sim" --json "$mode" protected "$us=9" "$msr" | jq 'del(.command)')"
done
is "hyphens and underscores: an option has one line of help" 1 "$("$sim" --help | grep -c '^ *--dram[-_]mode')"
refuses "hyphens and underscores: values stay as they are" 'dram_mode: "read-write" is not one of' --dram-mode=read-write "$msr"
refuses "hyphens and underscores: an ambiguous option" "option '--flush-' is ambiguous: it could be '--flush-us'" --flush- 1 "$msr"
is "sizes may have a unit" "$("$sim" --json --dram 4m "$msr")" "$("$sim" --json --dram 4MiB "$msr")"
refuses "refused: too little DRAM" "dram: 4k is not from 64k" --dram 4k "$msr"
refuses "refused: a page size" "page: 5k is not a power of two from 4k to 64k" --page 5k "$msr"
refuses "refused: a policy" 'replacement: "lruu" is not one of' --replacement lruu "$msr"
refuses "guessed: a policy" " opt auto: did you mean 'lru'?" --replacement lruu "$msr"
refuses "guessed: a scheme" "corw-8 auto: did you mean 'write-buffer'?" --admission wite-buffer "$msr"
refuses "guessed: a tunable of a policy" "with a key of .*window.*: did you mean 'window'?" --replacement cflru:windwo=3 "$msr"
refuses "guessed: a value of a tunable" "volatile, protected: did you mean 'protected'?" --dram_mode=protcted "$msr"
refuses "guessed: a flash device" "there are custom .*: did you mean 'shin23'?" --flash shin2 "$msr"
refuses "guessed: a parameter of a flash device" "it has .*: did you mean 'channels'?" --flash shin23:chanels=4 "$msr"
refuses "guessed: a format" ": did you mean 'msr'?" --format msrr "$msr"
refuses "guessed: a verb" "'sweeep' is neither a file nor a verb: did you mean 'sweep'?" sweeep "$msr"
refuses "guessed: a goal" "hits: did you mean 'reads'?" advise --goal rads "$msr"
refuses "guessed: a goal by its start" "hits: did you mean 'latency'?" advise --goal lat "$msr"
refuses "guessed: a policy in capitals" " opt auto: did you mean 'lru'?" --replacement LRU "$msr"
refuses "guessed: of words equally near, that with the longer common start" "did you mean 'lin22'?" --flash lin2 "$msr"
refuses "guessed: how a flash device is aged" "it has .*: did you mean 'aged'?" --flash shin23:age=steady "$msr"
refuses "not guessed: a word of which half is another, from the first letter on" "unknown option '--series': 'ssdcache-sim sweep --help' lists" \
	sweep --series x.csv "$msr"
refuses "guessed: a policy of a sweep" ": did you mean 'lru'?" sweep --replacement lruu "$msr"
refuses "no guess: another word" 'is not one of .*opt auto$' --replacement something "$msr"
refuses "no guess: another policy beside a choice of schemes" 'is not one of .* freeboard auto$' --replacement something --admission auto "$msr"
refuses "no guess: another scheme beside a choice of policies" 'is not one of .* corw-8 auto$' --replacement auto --admission something "$msr"
refuses "no guess: another candidate, which cannot be a choice" 'is not one of .* freeboard$' --replacement auto:candidates=something "$msr"
refuses "refused: a profile that does not exist; custom is offered" "--flash: s005: no such profile; there are custom " --flash s005 "$msr"
refuses "refused: a policy's tunable" 'window: "0" is not a number from 1 to 100 percent' \
	--replacement cflru:window=0 "$msr"
refuses "refused: an engine's tunable" 'dram_mode: "fast" is not one of volatile, protected' \
	--dram_mode=fast "$msr"
refuses "refused: a number" "--read-us: 'x' is not a number from 0 to 1000000000" --read-us x "$msr"
refuses "refused: an origin that is too small" "a request ends at sector 24" --origin-sectors 23 \
	"$msr"
is "--describe=names names policies" 3 "$(names replacement | grep -cxE 'fifo|lru|lfu')"
is "--help names every policy" "$(names replacement | paste -sd' ')" \
	"$("$sim" --help | tr -s ' \n' ' ' | sed 's/.*--replacement SPEC[^;]*; default lru; one of //; s/ --admission.*//')"
# The manual page leaves these to --help.
tunables() {
	"$sim" --describe | python3 -c 'import json, sys
for tunable in json.load(sys.stdin)["tunables"]: print(tunable["name"])'
}
manual=$(sed 's/\\-/-/g' "$tests/../ssdcache-sim/ssdcache-sim.1")
missing=$("$sim" --help | sed -n 's/^  \(-., \)\?--\([a-z_-]*\).*/\2/p' | grep -vx "$(tunables)" |
	while read -r option; do
		grep -q "^\..* --$option\|^\..*\"--$option" <<<"$manual" || echo "$option"
	done)
is "the manual page has all options" "" "$missing"
is "--version is the version of the release" \
	"ssdcache-sim $(sed -n 's/^#define SSDC_VERSION_[A-Z]*\t\([0-9][0-9]*\)$/\1/p' "$tree/dm-ssdcache/version.h" | paste -sd.)" \
	"$("$sim" --version)"
