# SPDX-License-Identifier: GPL-2.0
"""
A model of N CPUs: how many requests per second a design serves at most, from what one CPU has executed.

A request takes W instructions, and s_k of them while it holds lock k, one CPU at a time. A CPU executes RATE instructions per second.
With each take of a lock that another CPU has held, HANDOVER_NS pass while the cache lines of the lock, and of what it guards, move.

    demand of a lock     D_k = s_k / RATE + takes_k * HANDOVER_NS
    the rest             Z   = (W - sum of s_k) / RATE
    one CPU              X(1) = RATE / W
    N CPUs               X(N) <= min(N / (Z + sum of D_k), 1 / max D_k)

The bound is where a design saturates. How near N CPUs come to it says mean value analysis of a closed network: N customers, which think
for Z and are then served by each lock; the lock of a cache with S shards is S locks, each with a demand of D_k / S.
"""

RATE = 2e9              # instructions per second
HANDOVER_NS = 100       # a line that another core has changed, on a server with two sockets
CPUS = (1, 2, 4, 8, 16, 32, 64, 128)


class Design:
    """@total: W; @locks: (instructions, takes) per request; @shards: each of them is so many locks."""

    def __init__(self, total, locks, shards=1):
        self.total = total
        self.locks = locks
        self.shards = shards

    def demands(self, handover_ns):
        """Seconds per request at each lock."""
        each = [instructions / RATE + takes * handover_ns * 1e-9 for instructions, takes in self.locks]
        return [demand / self.shards for demand in each for _ in range(self.shards)]

    def rest(self):
        return (self.total - sum(instructions for instructions, _ in self.locks)) / RATE

    def bound(self, handover_ns=HANDOVER_NS):
        """Requests per second that no number of CPUs exceeds; None: no lock bounds them."""
        demands = self.demands(handover_ns)
        return 1 / max(demands) if demands else None

    def throughput(self, cpus, handover_ns=HANDOVER_NS):
        """Requests per second with so many CPUs."""
        demands = self.demands(handover_ns if cpus > 1 else 0)
        queues = [0.0] * len(demands)
        rate = 0.0
        for customers in range(1, cpus + 1):
            times = [demand * (1 + queue) for demand, queue in zip(demands, queues)]
            rate = customers / (self.rest() + sum(times))
            queues = [rate * time for time in times]
        return rate

    def saturates_at(self, handover_ns=HANDOVER_NS):
        """The number of CPUs at which the two bounds meet; None: never."""
        demands = self.demands(handover_ns)
        return (self.rest() + sum(demands)) / max(demands) if demands else None
