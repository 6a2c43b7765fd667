# SPDX-License-Identifier: GPL-2.0
"""
nohup ignores SIGHUP, and a shell SIGINT, in what it starts in the background. Programs inherit that, so the tests that send these
signals would wait for nothing.
"""
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
