// SPDX-License-Identifier: GPL-2.0
/*
 * May we, and is the module there?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "devmap.h"
#include "kernel.h"

/**
 * need_root() - refuse what only root may do
 * @cmd: the command line
 *
 * Return: TOOL_OK or TOOL_FAILED (told).
 */
int need_root(const struct command *cmd)
{
	if (!geteuid())
		return TOOL_OK;
	return fail("%s: only root may do this: run it with sudo", cmd->verb->name);
}

/**
 * load_module() - run modprobe, without its output
 * @name: of the module
 * @parameter: KEY=VALUE, or NULL
 *
 * Return: true if it says that the module is loaded.
 */
bool load_module(const char *name, const char *parameter)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return false;
	if (!child) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null >= 0)
			dup2(null, STDERR_FILENO);
		execlp("modprobe", "modprobe", name, parameter, (char *)NULL);
		/* root's PATH may lack it when it came by way of su. */
		execl("/sbin/modprobe", "modprobe", name, parameter, (char *)NULL);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/**
 * need_module() - see to it that the kernel knows the target
 * @cmd: the command line
 *
 * Return: TOOL_OK or TOOL_FAILED (told).
 */
int need_module(const struct command *cmd)
{
	bool has;
	int error = devmap_has_target(&has);

	if (!error && has)
		return TOOL_OK;
	if (error == -EPERM || error == -EACCES)
		return fail("%s: the kernel lets only a full root (CAP_SYS_ADMIN) use device-mapper",
			    cmd->verb->name);
	if (!load_module(CTL_MODULE, NULL))
		return fail("%s: the kernel has no target '%s' and 'modprobe %s' failed: install the module, or 'insmod %s.ko' from where it was built",
			    cmd->verb->name, CTL_TARGET, CTL_MODULE, CTL_MODULE);
	error = devmap_has_target(&has);
	if (error)
		return fail("%s: cannot talk to device-mapper: %s (is /dev/mapper/control there?)",
			    cmd->verb->name, strerror(-error));
	if (!has)
		return fail("%s: module %s is loaded but offers no target '%s': it is not the module that belongs to this tool",
			    cmd->verb->name, CTL_MODULE, CTL_TARGET);
	return TOOL_OK;
}
