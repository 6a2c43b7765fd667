# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion for ssdcachectl, ssdcache-sim and ssdcache-trace in bash: the tools know what a word may become.

_ssdcache() {
	local line=${COMP_LINE:0:COMP_POINT} words=() typed

	read -ra words <<<"$line"
	[[ $line != *[[:blank:]] ]] || words+=("")
	mapfile -t COMPREPLY < <("$1" --complete "${words[@]:1}" 2>/dev/null)
	# bash replaces only what follows the last = or : of a word.
	typed=${words[-1]}
	COMPREPLY=("${COMPREPLY[@]#"${typed%"${typed##*[=:]}"}"}")
	# A value follows.
	if [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

# Files where the tool offers nothing
complete -o default -F _ssdcache ssdcachectl ssdcache-sim ssdcache-trace
