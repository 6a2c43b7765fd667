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

# some_files N [FOLDER...]: N files of the machine, always the same ones, copied to the folder tree
some_files() {
	find "${@:2}" -xdev -type f -size -300k 2>/dev/null | sort | awk -v n="$1" '{ file[NR] = $0 }
		END { if (n > NR) n = NR; for (i = 0; i < n; i++) print file[int(i * NR / n) + 1] }' |
		tar -cf - -T - 2>/dev/null | tar -xf - --one-top-level=tree
}

# change_files NR: a part of the folder tree: lines are added to some files, others are renamed or deleted
change_files() {
	find tree -type f | sort | awk "NR % 25 == $1" | while IFS= read -r file; do
		echo "change $1" >>"$file"
	done
	find tree -type f | sort | awk "NR % 60 == $1" | while IFS= read -r file; do
		mv "$file" "$file.$1"
	done
	find tree -type f | sort | awk "NR % 90 == $1" | xargs -d '\n' rm
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

# redis: memory 256M
# redis: what 60 000 values of 1 KiB in an append-only file with fsync each second, 63 000 increments and pushes, 2500 sets with fsync at
# each; snapshots and rewrites of the file by a child, and three restarts from it
app_redis() {
	local socket=/run/redis.sock bench phase

	bench=(redis-benchmark -s "$socket" -c 8 -q -r 60000)
	for phase in everysec everysec always everysec; do
		forget
		redis-server --port 0 --unixsocket "$socket" --dir "$PWD" --appendonly yes --appendfsync "$phase" --daemonize yes \
			--logfile redis.log --save '30 10000'
		until [ "$(redis-cli -s "$socket" ping)" = PONG ]; do
			sleep 0.2
		done
		if [ "$phase" = always ]; then
			"${bench[@]}" -d 1024 -n 2500 -t set
		else
			"${bench[@]}" -d 1024 -n 20000 -P 4 -t set
			"${bench[@]}" -d 1024 -n 7000 -t incr,lpush,hset
		fi
		redis-cli -s "$socket" bgrewriteaof
		"${bench[@]}" -d 1024 -n 5000 -t set
		redis-cli -s "$socket" shutdown save
	done
}

# etcd: memory 320M
# etcd: what one server and its own load test (check perf, 150 writes a second for a minute, each with fsync), with compaction; then 300
# values of 64 KiB, a snapshot, a defragmentation and a restart
app_etcd() {
	local i

	ip link set lo up
	etcd_start
	etcdctl check perf --load=s --auto-compact --auto-defrag || :
	head -c 49152 /dev/urandom | base64 -w 0 >value
	for ((i = 0; i < 300; i++)); do
		etcdctl put "key$((i % 100))" <value
	done
	etcdctl snapshot save snapshot
	etcdctl defrag
	etcd_stop
	forget
	etcd_start
	etcdctl get --prefix key | wc -c
	etcd_stop
}

# etcd_start: waits until it answers
etcd_start() {
	etcd --data-dir data --log-level error --snapshot-count 2000 >etcd.log 2>&1 &
	server=$!
	until etcdctl endpoint health; do
		kill -0 "$server"
		sleep 0.5
	done
}

etcd_stop() {
	kill "$server"
	wait "$server" || :
}

# borg: memory 256M
# borg: what a deduplicating repository of 5000 files of the machine: six backups with changes between, a check, two archives extracted,
# pruned to two, compacted
app_borg() {
	local i

	export BORG_BASE_DIR=$PWD/borg BORG_REPO=$PWD/repository BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes
	some_files 5000 /usr/share /usr/lib/python3
	borg init -e none
	for ((i = 0; i < 6; i++)); do
		forget
		borg create -C zstd,3 "::backup$i" tree
		change_files $i
	done
	forget
	borg check
	mkdir restored
	(
		cd restored || exit
		borg extract ::backup1
		sync
		borg extract ::backup4
	)
	borg prune --keep-last 2
	forget
	borg compact
}

# rsync: memory 256M
# rsync: what snapshots of 2200 files by --link-dest, six of them with changes between, the oldest removed from the fourth on; one restored
# over the changed files, compared by content
app_rsync() {
	local i

	some_files 2200 /usr/share /usr/lib/python3 /usr/include
	for ((i = 0; i < 6; i++)); do
		forget
		rsync -a --delete --link-dest="$PWD/snapshot$((i - 1))" tree/ "snapshot$i"
		sync
		change_files $i
		[ $i -lt 3 ] || rm -r "snapshot$((i - 3))"
	done
	forget
	rsync -a --delete --checksum snapshot4/ tree
	sync
}

# ldap: memory 192M
# ldap: what OpenLDAP on LMDB: 20 000 entries with five indices loaded; then 800 modifications, 400 additions and 250 deletions, each
# synchronous, while another client searches
app_ldap() {
	local url=ldapi://%2Frun%2Fldapi reader server
	local bind=(-H "$url" -x -D 'cn=admin,dc=test' -w secret)

	mkdir data
	cat >slapd.conf <<-CONF
		include /etc/ldap/schema/core.schema
		include /etc/ldap/schema/cosine.schema
		include /etc/ldap/schema/inetorgperson.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		database mdb
		suffix dc=test
		rootdn cn=admin,dc=test
		rootpw secret
		directory $PWD/data
		maxsize 536870912
		index objectClass eq
		index uid,mail eq
		index sn eq
		index cn eq,sub
	CONF
	{
		printf 'dn: dc=test\nobjectClass: dcObject\nobjectClass: organization\ndc: test\no: test\n\n'
		ldap_entries 0 20000
	} | slapadd -q -f slapd.conf
	forget
	slapd -f slapd.conf -h "$url" -d 0 &
	server=$!
	until ldapsearch "${bind[@]}" -s base -b dc=test dn; do
		kill -0 "$server"
		sleep 0.2
	done
	awk 'BEGIN { srand(2); for (i = 0; i < 4000; i++) print int(rand() * 20000) }' |
		ldapsearch "${bind[@]}" -b dc=test -f - '(mail=user%s@example.org)' description >/dev/null &
	reader=$!
	awk 'BEGIN { srand(1); for (i = 0; i < 800; i++) printf "dn: uid=user%d,dc=test\nchangetype: modify\nreplace: sn\n" \
		"sn: changed %d\n-\nreplace: description\ndescription: %0*d\n\n", int(rand() * 20000), i, 100 + int(rand() * 900), i }' |
		ldapmodify "${bind[@]}" >/dev/null
	wait "$reader"
	forget
	ldap_entries 20000 20400 | ldapadd "${bind[@]}" >/dev/null
	seq -f 'uid=user%.0f,dc=test' 1 70 17500 | ldapdelete "${bind[@]}"
	ldapsearch "${bind[@]}" -E pr=1000/noprompt -b dc=test '(cn=*77*)' uid >/dev/null
	kill "$server"
	wait "$server"
}

# ldap_entries FROM TO
ldap_entries() {
	awk -v from="$1" -v to="$2" 'BEGIN { srand(from); for (i = from; i < to; i++) printf "dn: uid=user%d,dc=test\n" \
		"objectClass: inetOrgPerson\nuid: user%d\nsn: name %d\ncn: user %d\nmail: user%d@example.org\ndescription: %0*d\n\n", \
		i, i, int(rand() * 5000), i, i, 100 + int(rand() * 900), i }'
}

# syslog: memory 192M
# syslog: what rsyslog: 96 000 messages to eight files, one of them synchronous, another one with everything; logrotate with compression
# after each 8000, and a search in all of it at times
app_syslog() {
	local i server facility

	mkdir log
	cat >rsyslog.conf <<-CONF
		module(load="imuxsock" SysSock.Use="off")
		input(type="imuxsock" Socket="/run/log.sock" CreatePath="on" RateLimit.Interval="0")
		\$ActionFileEnableSync on
		auth.* $PWD/log/auth.log
		*.* -$PWD/log/all.log
	CONF
	for facility in mail daemon cron local0 local1 local2; do
		echo "$facility.* -$PWD/log/$facility.log" >>rsyslog.conf
	done
	printf '%s/log/*.log {\n rotate 8\n compress\n nomail\n missingok\n postrotate\n kill -HUP %s\n endscript\n}\n' "$PWD" \
		"\$(cat /run/rsyslog.pid)" >logrotate.conf
	rsyslogd -n -f "$PWD/rsyslog.conf" -i /run/rsyslog.pid &
	server=$!
	until [ -S /run/log.sock ]; do
		kill -0 "$server"
		sleep 0.2
	done
	for ((i = 0; i < 12; i++)); do
		for facility in auth mail daemon cron local0 local1 local2 auth; do
			awk -v i=$i 'BEGIN { srand(i); for (n = 0; n < 1000; n++) { text = ""; for (k = rand() * 80; k > 0; k--) text = text \
				sprintf(" %x", rand() * 1e6); printf "request %d of round %d:%s\n", n, i, text } }' |
				logger -u /run/log.sock -p "$facility.info"
		done
		logrotate -f -s log.state logrotate.conf
		if [ $((i % 4)) = 3 ]; then
			forget
			zgrep -c 'request 77' log/*
		fi
	done
	kill "$server"
	wait "$server"
}

# pictures: memory 256M
# pictures: what ImageMagick: 80 pictures of 4 MB, as a camera without compression has them; from each a JPEG, a PNG and a thumbnail; then
# all of them turned in place, and a page of the thumbnails
app_pictures() {
	local i

	mkdir raw web
	# Other programs are called convert, too.
	for ((i = 0; i < 80; i++)); do
		/usr/bin/convert -seed $i -size 400x320 plasma: -scale 1440x1000\! "raw/$i.ppm"
	done
	forget
	for ((i = 0; i < 80; i++)); do
		/usr/bin/convert "raw/$i.ppm" -write "web/$i.jpg" -resize 25% -write "web/$i.png" -thumbnail 96x96 "web/$i-small.gif"
	done
	forget
	/usr/bin/mogrify -rotate 90 raw/*.ppm
	sync
	/usr/bin/montage web/*-small.gif page.png
}

# search: memory 192M
# search: what Xapian's omindex of 6000 documents, with a commit after each 250, indexed again after changes; 300 queries; the
# index compacted
app_search() {
	local i type types=()

	some_files 6000 /usr/share/doc /usr/include /usr/lib/python3
	export XAPIAN_FLUSH_THRESHOLD=250
	for type in py h hpp pl pm pod copyright ''; do
		types+=("--mime-type=$type:text/plain")
	done
	for ((i = 0; i < 2; i++)); do
		forget
		omindex --db index --url / "${types[@]}" tree >/dev/null
		change_files $i
	done
	forget
	find tree -type f -name '*.py' | sort | awk 'NR % 5 == 0 && NR <= 1500' | while IFS= read -r file; do
		# A query may be empty, or end with an operator.
		quest -d index -m 20 "$(tr -cs '[:alpha:]' ' ' <"$file" | cut -c 400-480)" >/dev/null || :
	done
	xapian-compact index compact
}

# machine: memory 192M
# machine: what a virtual machine's disk: ext4 in a file of 600 MiB, not preallocated, by direct I/O; in it, Python's libraries are
# unpacked and compiled to byte code, twice, with a sync after each ten folders; then one of the two is deleted and trimmed; the file is
# copied
app_machine() {
	local device i

	truncate -s 600M image
	device=$(losetup --direct-io=on --find --show image)
	mkfs.ext4 -q -J size=16 "$device"
	mkdir /run/machine
	mount -o discard "$device" /run/machine
	for i in a b; do
		mkdir "/run/machine/$i"
		(
			cd "/run/machine/$i" || exit
			some_files 4000 /usr/lib/python3
			# shellcheck disable=SC2016 # the inner shell expands these
			printf '%s\n' tree/usr/lib/python3/dist-packages/*/ | xargs -d '\n' -n 10 sh -c 'python3 -m compileall -q "$@"; sync -f .' sh
		)
		forget
	done
	rm -r /run/machine/a
	umount /run/machine
	losetup -d "$device"
	cp --sparse=always image copy
	sync
}
