# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2154
# The help of every verb; the manual page has the verbs and options of the program, and no others.

run help --words
words=$out
verbs=$(awk '$2 !~ /^--/ { print $1 }' <<<"$words")
manual=$tests/../ssdcachectl.8

# The section of the manual page on a verb, without markup.
manual_part() {
	sed -e 's/\\f[BIRP]//g; s/\\-/-/g' "$manual" |
		awk -v verb="$1" '/^\.S[SH]/ { at = $1 == ".SS" && $2 == verb } at' |
		sed -e 's/^\.[A-Z]* //'
}

for verb in $verbs; do
	expect "help: $verb --help" 0 "Usage: ssdcachectl $verb" "$verb" --help
	expect "help: $verb -h" 0 "Usage: ssdcachectl $verb" "$verb" -h
	expect "help: help $verb" 0 "Usage: ssdcachectl $verb" help "$verb"
	run help
	[[ $out == *"  $verb "* ]]
	result "$?" "help: the overview names $verb" "$out"

	synopsis=$(awk -v verb="$verb" '$1 == verb && $2 !~ /^--/' <<<"$words" | sed 's/ *$//')
	grep -qxF "$synopsis" <<<"$(manual_part "$verb")"
	result "$?" "help: the manual page has '$synopsis'"
	run "$verb" --help
	while read -r option; do
		grep -qxF -- "$option" <<<"$(manual_part "$verb")"
		result "$?" "help: the manual page has '$verb $option'"
		[[ $out == *"  $option "* ]]
		result "$?" "help: $verb --help has '$option'" "$out"
	done < <(awk -v verb="$verb" '$1 == verb && $2 ~ /^--/' <<<"$words" | cut -d' ' -f2-)
done

# Nothing in the manual page that the program does not have.
while read -r line; do
	grep -qF -- " $line" <<<"$words"$'\n'"x --help"
	result "$?" "help: the program has the manual page's '$line'"
done < <(sed -e 's/\\f[BIRP]//g; s/\\-/-/g' "$manual" | grep -o '^\.B --[a-z].*' |
	sed 's/^\.B //' | grep -v -e '^--version' -e '^--[a-z]*$' | sort -u)

long=$("$ctl" help; for verb in $verbs; do "$ctl" "$verb" --help; done)
! grep -E '.{81}' <<<"$long" >"$scratch/long"
result "$?" 'help: no line is wider than 80' "$(<"$scratch/long")"

if [ -n "$(type -P groff)" ]; then
	check 'help: groff takes the manual page without warnings' \
		bash -c '! groff -man -ww -z "$0" 2>&1 | grep .' "$manual"
fi
