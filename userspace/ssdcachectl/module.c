// SPDX-License-Identifier: GPL-2.0
/*
 * Permission to use device-mapper, and the kernel module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "devmap.h"
#include "kernel.h"

/* From <linux/capability.h>, which does not compile beside the shim's <linux/types.h>. */
#define CAP_SYS_ADMIN	21

/* Root may lack CAP_SYS_ADMIN, as in most containers. libdevmapper would say that there is no memory. */
static bool may_use_device_mapper(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long effective = ~0ULL;
	char line[256];

	while (file && fgets(line, sizeof(line), file) && sscanf(line, "CapEff: %llx", &effective) != 1)
		;
	if (file)
		fclose(file);
	return effective & 1ULL << CAP_SYS_ADMIN;
}

static int refuse_capability(const struct command *cmd)
{
	return fail("%s: only a full root (CAP_SYS_ADMIN) may use device-mapper", cmd->verb->name);
}

/**
 * need_root() - check for root with the capability that device-mapper asks for
 * @cmd: the command line
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int need_root(const struct command *cmd)
{
	if (geteuid())
		return fail("%s: only root may do this: run it with sudo", cmd->verb->name);
	return may_use_device_mapper() ? TOOL_OK : refuse_capability(cmd);
}

/**
 * load_module() - run modprobe, without its output
 * @name: of the module
 * @parameter: KEY=VALUE, or NULL
 *
 * Return: true if modprobe succeeded.
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
		/* After su, PATH may lack the folder of modprobe. */
		execl("/sbin/modprobe", "modprobe", name, parameter, (char *)NULL);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/**
 * need_module() - make sure that the kernel has the target, if need be by modprobe
 * @cmd: the command line
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int need_module(const struct command *cmd)
{
	bool has;
	int error = devmap_has_target(&has);

	if (!error && has)
		return TOOL_OK;
	if (error == -EPERM || error == -EACCES)
		return refuse_capability(cmd);
	if (!load_module(CTL_MODULE, NULL))
		return fail("%s: the kernel has no target '%s' and 'modprobe %s' failed: install the module, or 'insmod %s.ko' from where it was built",
			    cmd->verb->name, CTL_TARGET, CTL_MODULE, CTL_MODULE);
	error = devmap_has_target(&has);
	if (error)
		return fail("%s: cannot talk to device-mapper: %s (is /dev/mapper/control there?)",
			    cmd->verb->name, strerror(-error));
	if (!has)
		return fail("%s: module %s is loaded but offers no target '%s': it does not belong to this tool",
			    cmd->verb->name, CTL_MODULE, CTL_TARGET);
	return TOOL_OK;
}
