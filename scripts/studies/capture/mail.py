#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
A mail server's work on maildirs in the current directory: messages are delivered, read, marked and deleted. Each change is noted in the
user's index, a SQLite database, as servers have one.

    mail.py USERS MESSAGES
"""

import mailbox
import os
import random
import sqlite3
import sys


def drop_caches() -> None:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3")


class User:
    """A maildir and its index."""

    def __init__(self, name: str) -> None:
        self.box = mailbox.Maildir(name)
        self.index = sqlite3.connect(os.path.join(name, "index"), isolation_level=None)
        self.index.execute("CREATE TABLE message (key TEXT PRIMARY KEY, size INTEGER, flags TEXT)")

    def deliver(self, dice: random.Random) -> None:
        size = min(500000, int(dice.lognormvariate(8.5, 1.2)))
        key = self.box.add(b"From: someone\nSubject: something\n\n" + dice.randbytes(size // 2).hex().encode("ascii"))
        self.index.execute("INSERT INTO message VALUES (?, ?, '')", (key, size))

    def visit(self, dice: random.Random) -> None:
        """List all, read the newest ones and mark them, delete some."""
        keys = [key for key, in self.index.execute("SELECT key FROM message ORDER BY rowid DESC LIMIT 30")]
        self.box.keys()
        for key in keys:
            if dice.random() < 0.5:
                message = self.box.get_message(key)
                message.set_subdir("cur")
                message.add_flag("S")
                self.box[key] = message
                self.index.execute("UPDATE message SET flags = 'S' WHERE key = ?", (key,))
            elif dice.random() < 0.3:
                self.box.discard(key)
                self.index.execute("DELETE FROM message WHERE key = ?", (key,))


def main() -> None:
    users, messages = map(int, sys.argv[1:])
    dice = random.Random(1)
    of = [User(f"user{nr}") for nr in range(users)]
    for nr in range(messages):
        of[min(int(dice.expovariate(6 / users)), users - 1)].deliver(dice)
        if dice.random() < 0.05:
            of[min(int(dice.expovariate(6 / users)), users - 1)].visit(dice)
        if nr % 1000 == 999:
            drop_caches()


main()
