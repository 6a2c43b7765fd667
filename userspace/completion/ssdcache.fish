# SPDX-License-Identifier: GPL-2.0
# Completion in fish: the tools know what a word may become. Files where they offer nothing.

function __ssdcache_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] --complete $words[2..-1] 2>/dev/null
end

for tool in ssdcachectl ssdcache-sim ssdcache-trace
    complete -c $tool -n 'count (__ssdcache_complete) >/dev/null' -f -a '(__ssdcache_complete)'
end
