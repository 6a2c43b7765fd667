# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# The bash completion, called as bash would call it.

# shellcheck source=/dev/null
. "$tests/../completion.bash"

# completes NAME WANTED WORDS...: the last word is being typed; WANTED is among the answers.
completes() {
	local name=$1 want=$2 word

	shift 2
	COMP_WORDS=(ssdcachectl "$@")
	COMP_CWORD=$#
	_ssdcachectl
	for word in "${COMPREPLY[@]}"; do
		if [ "$word" = "$want" ]; then
			result 0 "completion: $name"
			return
		fi
	done
	result 1 "completion: $name" "wanted $want among: ${COMPREPLY[*]}"
}

"$ctl" help --words >"$scratch/words"
while read -r verb rest; do
	case $rest in
	--*) completes "$verb ${rest%% *}" "${rest%% *}" "$verb" --"${rest:2:2}" ;;
	*) completes "the verb $verb" "$verb" "${verb:0:3}" ;;
	esac
done <"$scratch/words"
completes 'help create' create help cr
completes 'a replacement' cflru-ef-sc create c0 --replacement cflru-
completes 'an admission' read-write create c0 --admission re
completes 'a prefetch' none create c0 --prefetch no
completes 'an origin' /dev/null create c0 --origin /dev/nul
completes '--help' --help flush --he
