# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The applications that capture.sh captures: app_NAME runs one in the current directory, which is empty, as root of a guest. The line
# "# NAME: memory SIZE" is the guest's memory, and "# NAME: what" says what the application does. $here is this folder.

# forget: drops the page cache, which would hide reads from the disk
forget() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# as USER COMMAND...: servers that do not want to run as root
as() {
	setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}

# sqlite: memory 192M
# sqlite: what a table of 200 000 rows with an index, filled in bulk; then 3000 transactions in WAL mode, and 1500 in DELETE mode: three
# updates, an insertion and a query each, of random rows; a vacuum
app_sqlite() {
	sqlite3 db <<-'SQL' >/dev/null
		PRAGMA journal_mode = wal;
		CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, body TEXT);
		CREATE INDEX item_owner ON item (owner);
		WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 200000)
		  INSERT INTO item (owner, body) SELECT abs(random()) % 20000, printf('%0*d', 200 + abs(random()) % 1200, k) FROM n;
	SQL
	forget
	sqlite_transactions wal 3000 | sqlite3 db >/dev/null
	forget
	sqlite_transactions delete 1500 | sqlite3 db >/dev/null
	sqlite3 db 'DELETE FROM item WHERE id % 7 = 0; VACUUM;'
}

# sqlite_transactions MODE N: SQL; SQLite keeps 2 MiB itself, its default
sqlite_transactions() {
	local i

	echo "PRAGMA journal_mode = $1; PRAGMA synchronous = full;"
	for ((i = 0; i < $2; i++)); do
		cat <<-'SQL'
			BEGIN;
			UPDATE item SET body = 'x' || body WHERE id IN (abs(random()) % 200000, abs(random()) % 200000);
			UPDATE item SET owner = abs(random()) % 20000 WHERE id = abs(random()) % 20000;
			INSERT INTO item (owner, body) VALUES (abs(random()) % 20000, printf('%0*d', abs(random()) % 1200, 1));
			COMMIT;
			SELECT count(*), sum(length(body)) FROM item WHERE owner = abs(random()) % 20000;
		SQL
	done
}

# postgresql: memory 320M
# postgresql: what initdb, pgbench -i -s 20, and 75 s of pgbench with eight clients and PostgreSQL's defaults, but 32 MiB of shared
# buffers and at most 128 MiB of WAL; a vacuum
app_postgresql() {
	local pg

	pg=$(find /usr/lib/postgresql -name initdb -printf '%h\n' | sort -V | tail -n 1)
	mkdir data /run/postgresql
	chown postgres: data /run/postgresql
	as postgres "$pg/initdb" -D data --no-instructions >/dev/null
	as postgres "$pg/pg_ctl" -D data -w -t 300 -l /run/postgresql/log -o "-c shared_buffers=32MB -c max_wal_size=128MB \
		-c checkpoint_timeout=30s -c listen_addresses='' -c unix_socket_directories=/run/postgresql" start
	as postgres "$pg/pgbench" -h /run/postgresql -i -q -s 20 postgres
	forget
	as postgres "$pg/pgbench" -h /run/postgresql -c 8 -j 1 -T 75 postgres
	as postgres "$pg/psql" -h /run/postgresql -c 'VACUUM ANALYZE' postgres
	as postgres "$pg/pg_ctl" -D data -w -m fast stop
}

# rocksdb: memory 192M
# rocksdb: what db_bench, values of 400 bytes: fillrandom of 300 000 keys, then readwhilewriting, two readers with 15 000 reads each, and
# 20 000 synchronous overwrites; buffers of 8 MiB, a block cache of 8 MiB
app_rocksdb() {
	local common=(--db="$PWD/db" --num=300000 --value_size=400 --write_buffer_size=8388608 --cache_size=8388608
		--target_file_size_base=8388608 --max_bytes_for_level_base=33554432 --max_background_jobs=2)

	db_bench "${common[@]}" --benchmarks=fillrandom
	forget
	db_bench "${common[@]}" --use_existing_db --benchmarks=readwhilewriting --threads=2 --reads=15000 \
		--benchmark_write_rate_limit=500000
	forget
	db_bench "${common[@]}" --use_existing_db --benchmarks=overwrite --sync --writes=20000
}

# mariadb: memory 384M
# mariadb: what sysbench oltp_read_write on InnoDB, four tables of 100 000 rows, four threads, two minutes, with a buffer pool of 24 MiB and
# a log of 32 MiB
app_mariadb() {
	local sysbench=(sysbench --db-driver=mysql --mysql-socket=/run/mysql.sock --mysql-user=root --mysql-db=test --tables=4
		--table-size=100000) server i
	# User-Mode Linux has less address space than InnoDB reserves by default.
	local options=(--no-defaults --user=root --datadir="$PWD/data" --innodb-buffer-pool-size=24M --innodb-buffer-pool-size-max=64M
		--innodb-log-file-size=32M)

	mariadb-install-db "${options[@]}" --auth-root-authentication-method=normal >/dev/null
	mariadbd "${options[@]}" --socket=/run/mysql.sock --skip-networking --pid-file=/run/mysql.pid &
	server=$!
	for ((i = 0; i < 600; i++)); do
		! mariadb --no-defaults --socket=/run/mysql.sock -e 'SELECT 1' >&/dev/null || break
		kill -0 "$server"
		sleep 0.2
	done
	mariadb --no-defaults --socket=/run/mysql.sock -e 'CREATE DATABASE IF NOT EXISTS test'
	"${sysbench[@]}" oltp_read_write prepare
	forget
	"${sysbench[@]}" oltp_read_write --threads=4 --time=120 run
	mariadb --no-defaults --socket=/run/mysql.sock -e SHUTDOWN
	wait "$server"
}

# git: memory 192M
# git: what this repository: three clones, checkouts of twelve versions, twenty commits with fsync, gc, fsck, status
app_git() {
	local i one=(git -c user.name=capture -c user.email=capture@localhost -c core.fsync=all -c gc.auto=0 -c commit.gpgsign=false)

	# The tree may belong to someone else than the guest's root.
	printf '[safe]\n\tdirectory = *\n' >/run/gitconfig
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/run/gitconfig
	for i in a b c; do
		git clone -q "file://$CAPTURE_TREE" $i
		forget
	done
	(
		cd b || exit
		for ((i = 0; i < 12; i++)); do
			git checkout -q "HEAD~$((i % 4 * 15 + 5))"
			sync
			git status --short
		done
		git checkout -q -b work
		for ((i = 0; i < 20; i++)); do
			find . -name '*.c' -not -path './.git/*' | sort | awk "NR % 10 == $i % 10" | xargs sed -i "\$a /* $i */"
			"${one[@]}" commit -q -a -m "change $i"
		done
		forget
		git repack -q -a -d -f
		git gc -q --prune=now
		forget
		git fsck --no-progress
	)
	forget
	git -C c log -p --stat >/dev/null
	rm -rf a
	sync
}

# packages: memory 192M
# packages: what the documentation, headers and Python libraries of the machine packed in 40 archives, unpacked one by one with a sync
# after each, some removed, packed again with Zstandard
app_packages() {
	local archive nr=0

	mkdir archives root
	find /usr/share/doc /usr/include /usr/share/man /usr/lib/python3* -xdev -type f -size -300k -print0 2>/dev/null | sort -z >archives/files
	head -z -n 16000 archives/files | split -t '\0' -n r/40 - archives/list.
	for archive in archives/list.*; do
		tar -czf "archives/$((nr++)).tar.gz" --null -T "$archive" 2>/dev/null
		rm "$archive"
	done
	rm archives/files
	forget
	for archive in archives/*.gz; do
		tar -xzf "$archive" -C root
		sync -f root
	done
	forget
	find root -type f -name '*a*' -delete
	sync
	tar -cf - root | zstd -q -6 -o archives/all.tar.zst
	sync
	rm archives/*.gz
	tar -xf archives/all.tar.zst --one-top-level=again
	sync
	rm -r root again
}

# compiler: memory 256M
# compiler: what this project's tools, built three times with different options, two objects at a time
app_compiler() {
	local flags

	git -c safe.directory='*' -C "$CAPTURE_TREE" archive HEAD | tar -x
	for flags in '-O1 -g3' '-O0 -g3 -ffunction-sections' '-O1 -g1'; do
		forget
		make -s -j2 userspace CFLAGS="$flags"
		make -s -C userspace clean
	done
}

# mail: memory 192M
# mail: what maildirs of 60 users by Python's mailbox: 3200 messages delivered, each with fsync, while users list, read, mark and delete
# theirs, with an index in SQLite
app_mail() {
	# shellcheck disable=SC2154 # set by guest.sh
	python3 "$here/mail.py" 60 3200
}

# fio: memory 192M
# fio: what 1500 files made; then writes to a table of 256 MiB by a Zipf distribution with fdatasync, reads of it, and an appended log with
# fdatasync, at the same time
app_fio() {
	fio "$here/table-and-log.fio"
}
