#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A workload of applications on a file system: a database with durable transactions, a git repository, a tree unpacked and
# rewritten. The same on every run; takes 1 to 2 minutes in a guest without hardware virtualisation.

set -euo pipefail
shopt -s inherit_errexit

if [ $# -ne 2 ]; then
	echo "usage: ${0##*/} DIRECTORY PHASES
  DIRECTORY  on the file system to work on; must be empty
  PHASES     file for lines 'NAME START END', in seconds of the guest's uptime" >&2
	exit 2
fi
cd "$1"
phases=$2
: >"$phases"

# forget: drops the page cache, which would hide reads from the block device
forget() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

uptime_s() {
	local up

	up=$(</proc/uptime)
	echo "${up%% *}"
}

# phase NAME TEXT FUNCTION
phase() {
	local start end

	start=$(uptime_s)
	"$3"
	sync
	end=$(uptime_s)
	echo "$1 $start $end" >>"$phases"
	printf '  %-8s %-58s %6.1f s\n' "$1" "$2" "$(awk "BEGIN { print $end - $start }")"
}

transactions=80
rows=12

# database_sql: each transaction ends with fsync ("synchronous = full"); updates favour older rows
database_sql() {
	local i

	echo 'PRAGMA journal_mode = delete; PRAGMA synchronous = full; PRAGMA cache_size = -1024;'
	echo 'CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, body TEXT);'
	echo 'CREATE INDEX item_owner ON item (owner);'
	for ((i = 0; i < transactions; i++)); do
		cat <<-SQL
			BEGIN;
			WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < $rows)
			  INSERT INTO item (owner, body) SELECT ($i * 7919 + k * 104729) % 1009,
			  printf('%0*d', 200 + ($i * 31 + k * 17) % 1800, k) FROM n;
			UPDATE item SET body = body || 'x', owner = owner + 1 WHERE id IN
			  ($((i * 37 % (i * rows / 2 + 1) + 1)), $((i * 101 % (i * rows / 2 + 1) + 1)),
			  $((i * 211 % (i * rows + 1) + 1)));
			COMMIT;
		SQL
	done
}

database() {
	database_sql | sqlite3 db.sqlite >/dev/null
	forget
	sqlite3 db.sqlite 'SELECT owner, count(*), sum(length(body)) FROM item GROUP BY owner;
		DELETE FROM item WHERE id % 3 = 0; VACUUM;' >/dev/null
}

reports=24

# report_sql: reads the same few rows again and again, from the disk: neither SQLite nor the page cache keeps them
report_sql() {
	local i

	for ((i = 0; i < reports; i++)); do
		echo 'PRAGMA shrink_memory;'
		echo '.shell dd if=db.sqlite iflag=nocache count=0 status=none'
		echo 'SELECT sum(length(body)) FROM item WHERE owner BETWEEN 400 AND 430;'
	done
}

report() {
	report_sql | sqlite3 db.sqlite >/dev/null
}

commits=4

git_here() {
	git -C repository -c user.name=demo -c user.email=demo@localhost -c core.fsync=all -c gc.auto=0 \
		-c commit.gpgsign=false -c init.defaultBranch=main "$@"
}

repository() {
	local i

	mkdir repository
	tar -xf "$tree" -C repository
	git_here init -q
	for ((i = 0; i < commits; i++)); do
		# Every eighth file gets a line, another eighth each time.
		find repository -type f -name '*.h' -not -path '*/.git/*' | sort | awk "NR % 8 == $i % 8" |
			while read -r file; do
				echo "/* revision $i */" >>"$file"
			done
		git_here add -A
		git_here commit -q -m "revision $i"
	done
	forget
	git_here checkout -q main~$((commits - 1))
	git_here checkout -q main
	git_here repack -q -a -d
	forget
	git_here fsck --no-progress
}

rewrite() {
	mkdir tree
	tar -xf "$tree" -C tree
	forget
	find tree -type f -exec sed -i '1s|^|/* rewritten */ |' {} +
	sync
	tar -cf rewritten.tar tree
	sync
	rm -r tree
	sync
	tar -xf rewritten.tar
	forget
	tar -cf - tree | cksum >/dev/null
	rm -r tree rewritten.tar
}

# The source of all files, outside the file system under test.
tree=$(mktemp /dev/shm/demo-tree.XXXXXX)
trap 'rm -f "$tree"' EXIT
tar --sort=name -C /usr/include -cf "$tree" linux

export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
phase database "$transactions transactions of SQLite with fsync, a scan, a clean-up" database
phase git "$commits commits, a checkout of the first, a repack, a check" repository
phase tree "a tree unpacked, rewritten, packed, removed" rewrite
phase reports "$reports times the same query, from the disk" report
