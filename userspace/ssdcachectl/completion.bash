# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for ssdcachectl. The tool itself lists verbs, options, devices, policies and keys.

_ssdcachectl_ask() {
	ssdcachectl "$@" 2>/dev/null
}

# Names of the plug-ins of a kind.
_ssdcachectl_policies() {
	_ssdcachectl_ask policies |
		awk -v kind="$1" '/^[a-z]/ { at = $1 } at == kind && /^  [^ ]/ { print $1 }'
}

# Positional word number $1 of verb $2, the words before it in $3 and $4.
_ssdcachectl_word() {
	local place

	place=$(_ssdcachectl_ask help --words | awk -v verb="$2" -v at="$1" \
		'$1 == verb && $2 !~ /^--/ { print $(at + 1) }')
	case $place in
	NAME)
		[ "$2" = create ] || _ssdcachectl_ask list | awk 'NF && $1 != "NAME" { print $1 }'
		;;
	KEY | '[KEY]')
		_ssdcachectl_ask get "$3" | awk 'NF && $1 != "KEY" { print $1 }'
		;;
	VALUE)
		_ssdcachectl_policies "$4"
		;;
	'[OPTION]...' | CAPTURE...)
		compgen -f -- "$cur"
		;;
	'[VERB]')
		_ssdcachectl_ask help --words | awk '{ print $1 }' | sort -u
		;;
	esac
}

_ssdcachectl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]} found=() arg i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ssdcachectl_ask help --words |
			awk '{ print $1 }' | sort -u) --help --version" -- "$cur")
		return
	fi
	# The value of the option before?
	arg=$(_ssdcachectl_ask help --words | awk -v verb="$verb" -v option="$prev" \
		'$1 == verb && $2 == option { print $3 }')
	case $prev$arg in
	--originDEV | --sysfsROOT)
		mapfile -t COMPREPLY < <(compgen -f -- "${cur:-/dev/}")
		return
		;;
	--*SPEC)
		mapfile -t COMPREPLY < <(compgen -W "$(_ssdcachectl_policies "${prev#--}")" -- "$cur")
		return
		;;
	--*[A-Z])
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ssdcachectl_ask help --words |
			awk -v verb="$verb" '$1 == verb && $2 ~ /^--/ { print $2 }') --help" -- "$cur")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] || found+=("${COMP_WORDS[i]}")
	done
	mapfile -t COMPREPLY < <(compgen -W "$(_ssdcachectl_word "$((${#found[@]} + 1))" "$verb" \
		"${found[0]-}" "${found[1]-}")" -- "$cur")
}

complete -F _ssdcachectl ssdcachectl
