// SPDX-License-Identifier: GPL-2.0
/*
 * A process writes its result to a file in memory, its standard output, and its messages to another one.
 */
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pool.h"
#include "sim.h"

/* Open files: of each job, its result and its messages; and all others, with room to spare. */
#define JOB_FILES	2
#define OTHER_FILES	32

/**
 * struct worker - a process
 * @pid: 0: none
 * @job: what it runs
 * @result_fd: file in memory for the result
 * @said_fd: file in memory for messages
 */
struct worker {
	pid_t pid;
	size_t job;
	int result_fd;
	int said_fd;
};

/**
 * struct pool - jobs being run
 * @ops: what they are
 * @owner: of @ops
 * @workers: processes
 * @nr: how many at a time
 * @signals: those that end the wait for a process
 * @ends: those of them that end everything
 */
struct pool {
	const struct sim_pool_ops *ops;
	void *owner;
	struct worker *workers;
	unsigned int nr;
	sigset_t signals;
	sigset_t ends;
};

/* For what takes long in @prepare: does a signal wait that ends everything? */
bool sim_pool_is_ending(void)
{
	sigset_t pending;

	return !sigpending(&pending) && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
					 sigismember(&pending, SIGHUP));
}

/**
 * sim_pool_write() - write the result of a job, or a part of it; ends the process if that fails
 * @result: bytes
 * @len: how many
 */
void sim_pool_write(const void *result, size_t len)
{
	const char *at = result;
	ssize_t done;

	for (; len; len -= done, at += done) {
		done = write(STDOUT_FILENO, at, len);
		if (done < 0)
			die(TOOL_FAILED, "cannot write the result: %s", strerror(errno));
	}
}

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		die(TOOL_FAILED, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

/*
 * A job keeps no descriptors of its parent: the locks of files are to end with the parent. The signals
 * that end the parent stay blocked: the parent ends its jobs.
 */
static void start(struct pool *pool, struct worker *worker, size_t job)
{
	pid_t parent = getpid();

	worker->job = job;
	if (pool->ops->prepare)
		pool->ops->prepare(pool->owner, job);
	worker->result_fd = memory_file("result");
	worker->said_fd = memory_file("messages");
	worker->pid = fork();
	if (worker->pid < 0)
		die(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
	if (worker->pid)
		return;
	/* It ends with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(worker->result_fd, STDOUT_FILENO) < 0 ||
	    dup2(worker->said_fd, STDERR_FILENO) < 0)
		_exit(TOOL_FAILED);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	pool->ops->run(pool->owner, job);
	_exit(TOOL_OK);
}

/* All that is in a file in memory, to be freed. */
static char *contents(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = xmalloc(size + 1);
	ssize_t nr;

	*len = 0;
	while (*len < (size_t)size && (nr = pread(fd, text + *len, size - *len, *len)) > 0)
		*len += nr;
	text[*len] = '\0';
	return text;
}

static void failed(struct pool *pool, const struct worker *worker, int status, const char *said)
{
	char *reason = NULL;

	if (WIFSIGNALED(status) &&
	    asprintf(&reason, "ssdcache-sim: ended by signal %d (%s)\n%s", WTERMSIG(status),
		     strsignal(WTERMSIG(status)), said) < 0)
		die(TOOL_FAILED, "no memory");
	pool->ops->failed(pool->owner, worker->job, reason ? reason : said);
	free(reason);
}

static void ended(struct pool *pool, struct worker *worker, int status)
{
	size_t result_len, said_len;
	char *result = contents(worker->result_fd, &result_len);
	char *said = contents(worker->said_fd, &said_len);

	if (!status)
		pool->ops->done(pool->owner, worker->job, result, result_len, said);
	else
		failed(pool, worker, status, said);
	close(worker->result_fd);
	close(worker->said_fd);
	worker->pid = 0;
	free(result);
	free(said);
}

/* Take the results of all processes that have ended; at least one runs. Returns whether one has ended. */
static bool reap(struct pool *pool)
{
	bool any = false;
	unsigned int i;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < pool->nr; i++)
			if (pool->workers[i].pid == pid)
				ended(pool, &pool->workers[i], status);
		any = true;
	}
	if (pid < 0 && !any)
		die(TOOL_FAILED, "cannot wait for processes: %s", strerror(errno));
	return any;
}

/* Start jobs while there are free workers. Returns how many processes run. */
static unsigned int start_jobs(struct pool *pool)
{
	unsigned int i, busy = 0;
	size_t job;

	for (i = 0; i < pool->nr; i++) {
		if (!pool->workers[i].pid && pool->ops->next(pool->owner, &job))
			start(pool, &pool->workers[i], job);
		busy += pool->workers[i].pid != 0;
	}
	return busy;
}

/* Called while jobs run. What has ended keeps its result. */
static void stop_jobs(struct pool *pool)
{
	unsigned int i;

	reap(pool);
	for (i = 0; i < pool->nr; i++) {
		if (!pool->workers[i].pid)
			continue;
		kill(pool->workers[i].pid, SIGKILL);
		waitpid(pool->workers[i].pid, NULL, 0);
	}
}

static bool wait_signal(const sigset_t *set, time_t seconds, const struct pool *pool)
{
	int signal = sigtimedwait(set, NULL, &(struct timespec) { .tv_sec = seconds });

	return signal > 0 && sigismember(&pool->ends, signal);
}

/* Returns false when a signal asks for the end. */
static bool wait_for_jobs(struct pool *pool)
{
	if (wait_signal(&pool->ends, 0, pool))
		return false;
	while (!reap(pool)) {
		if (wait_signal(&pool->signals, 1, pool))
			return false;
		pool->ops->show(pool->owner);
	}
	return true;
}

/*
 * Block the signals that are waited for, up to the end of the process, so that a second one does not
 * stop the writing of the results. Those that the user has chosen to ignore (nohup) stay ignored.
 */
static void take_signals(struct pool *pool)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	/* With SIGCHLD ignored, there would be nothing to wait for. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&pool->ends);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&pool->ends, ends[i]);
	pool->signals = pool->ends;
	sigaddset(&pool->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &pool->signals, NULL);
}

/**
 * sim_pool_cpus() - the CPUs that this process may use
 *
 * taskset, cpusets and batch systems such as Slurm allow fewer than are online.
 *
 * Return: how many, at least one.
 */
unsigned int sim_pool_cpus(void)
{
	cpu_set_t allowed;

	/* The call fails if the kernel knows more CPUs than the set has room for. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	return CPU_COUNT(&allowed);
}

/*
 * How many of @jobs may run at a time, by the limit of open files. A process may raise its soft limit. That is 1024 as a rule, less than
 * what the jobs of 512 CPUs need.
 */
static unsigned int allowed_jobs(unsigned int jobs)
{
	rlim_t needed = (rlim_t)jobs * JOB_FILES + OTHER_FILES;
	static bool said;
	struct rlimit limit;
	unsigned int most;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return jobs;
	limit.rlim_cur = min(needed, limit.rlim_max);
	if (setrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return jobs;
	most = limit.rlim_cur < OTHER_FILES + JOB_FILES ? 1 : (limit.rlim_cur - OTHER_FILES) / JOB_FILES;
	if (!said)
		warn("--jobs: %u at a time, not %u: the limit of open files is %llu (ulimit -n)", most, jobs,
		     (unsigned long long)limit.rlim_cur);
	said = true;
	return most;
}

/**
 * sim_pool_run() - run all jobs
 * @ops: what they are
 * @owner: passed to @ops
 * @jobs: processes at a time; fewer run if that many would need more open files than the user may have
 *
 * SIGINT, SIGTERM and SIGHUP are blocked afterwards.
 *
 * Return: false if one of these signals came: jobs that had not ended are lost.
 */
bool sim_pool_run(const struct sim_pool_ops *ops, void *owner, unsigned int jobs)
{
	struct pool pool = { .ops = ops, .owner = owner, .nr = allowed_jobs(jobs) };
	bool go_on = true;

	pool.workers = xcalloc(pool.nr, sizeof(*pool.workers));
	take_signals(&pool);
	/* A job is not to take memory that the parent has freed. */
	malloc_trim(0);
	while (go_on && start_jobs(&pool)) {
		go_on = wait_for_jobs(&pool);
		ops->show(owner);
	}
	if (!go_on)
		stop_jobs(&pool);
	free(pool.workers);
	return go_on;
}
