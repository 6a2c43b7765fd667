// SPDX-License-Identifier: GPL-2.0
/*
 * The NUMA nodes that the memory of a cache comes from: "numa interleave" or "numa local" of the
 * table line.
 *
 * With "interleave", frames take turns on the nodes with memory, because any CPU may use any page,
 * and one node may be smaller than the tier. Everything else comes from the node of the CPU that
 * loads the table. With "local", all memory of a shard comes from one node: frames, the engine with
 * its plug-ins, and records of I/O. The shards take turns on the nodes that have both CPUs and
 * memory. In both cases, if a node has no free memory, another node provides it.
 */
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "cache.h"
#include "../../compat/compat.h"

static struct workqueue_struct *queue;	/* items of dmsc_on_node() */

/**
 * struct call - a call on another node, on the stack of the caller
 * @work: queued on a CPU of the node
 * @function: what is called
 * @data: its argument
 */
struct call {
	struct work_struct work;
	void (*function)(void *data);
	void *data;
};

/*
 * The node after @node among the nodes with CPUs and memory; @node itself if there is no other.
 * There may be none at all: all CPUs may be on nodes without memory, and all memory on nodes
 * without CPUs.
 */
static int node_after(int node)
{
	unsigned int left = num_node_state(N_MEMORY);
	int next = node;

	while (left--) {
		next = next_node_in(next, node_states[N_MEMORY]);
		if (node_state(next, N_CPU))
			return next;
	}
	return node;
}

/**
 * dmsc_numa_place() - choose the node of each shard
 * @c: cache whose shards have no memory yet
 * @numa: enum ssdc_numa
 *
 * With "local", the first shard is on the node of the CPU that runs this function.
 *
 * Context: may sleep.
 */
void dmsc_numa_place(struct dmsc_cache *c, u32 numa)
{
	int node = numa_mem_id();
	struct dmsc_shard *s;

	c->numa = numa;
	dmsc_for_each_shard(s, c) {
		s->node = NUMA_NO_NODE;
		if (numa != SSDC_NUMA_LOCAL)
			continue;
		s->node = node;
		node = node_after(node);
	}
}

/**
 * dmsc_frame_node() - the node of a frame
 * @s: its shard
 * @before: the node of the frame before; NUMA_NO_NODE: there is none
 *
 * Context: any.
 * Return: the node.
 */
int dmsc_frame_node(const struct dmsc_shard *s, int before)
{
	return s->node == NUMA_NO_NODE ? next_node_in(before, node_states[N_MEMORY]) : s->node;
}

static void do_call(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	call->function(call->data);
}

/**
 * dmsc_on_node() - call a function where allocations prefer the memory of a shard's node
 * @s: shard
 * @function: takes no lock that the caller holds
 * @data: its argument
 *
 * The portable code allocates as the kernel's default policy says: near the CPU that runs it. If a
 * shard's node has no CPUs, the function runs on the caller's CPU, and the memory comes from near
 * the caller. A suspend may wait for the caller, so the queue has a rescuer, which allocates near
 * the CPU on which it runs.
 *
 * Context: may sleep.
 */
void dmsc_on_node(const struct dmsc_shard *s, void (*function)(void *data), void *data)
{
	struct call call = { .function = function, .data = data };
	unsigned int cpu = nr_cpu_ids;

	/*
	 * Also done if this CPU is on the node: the caller might move to another CPU while it
	 * allocates.
	 */
	if (s->node != NUMA_NO_NODE && num_node_state(N_MEMORY) > 1)
		cpu = cpumask_any_and(cpumask_of_node(s->node), cpu_online_mask);
	if (cpu >= nr_cpu_ids) {
		function(data);
		return;
	}
	INIT_WORK_ONSTACK(&call.work, do_call);
	queue_work_on(cpu, queue, &call.work);
	flush_work(&call.work);
	destroy_work_on_stack(&call.work);
}

/**
 * dmsc_numa_print() - print the bytes of frames on each node, from node 0 on
 * @c: cache
 * @buf: a page
 *
 * Context: @control is held.
 * Return: characters written.
 */
ssize_t dmsc_numa_print(struct dmsc_cache *c, char *buf)
{
	int node, last = find_last_bit(node_states[N_MEMORY].bits, MAX_NUMNODES);
	ssize_t at = 0;

	for (node = 0; node <= last; node++) {
		struct dmsc_shard *s;
		u64 pages = 0;

		dmsc_for_each_shard(s, c)
			pages += s->node_pages[node];
		at += scnprintf(buf + at, PAGE_SIZE - at, "%s%llu", at ? " " : "",
				pages << PAGE_SHIFT);
	}
	return at + scnprintf(buf + at, PAGE_SIZE - at, "\n");
}

int dmsc_numa_register(void)
{
	queue = alloc_workqueue("ssdcache-node", WQ_PERCPU | WQ_CPU_INTENSIVE | WQ_MEM_RECLAIM,
				0);
	return queue ? 0 : -ENOMEM;
}

void dmsc_numa_unregister(void)
{
	destroy_workqueue(queue);
}
