// SPDX-License-Identifier: GPL-2.0
/*
 * Ends the guest in an orderly way, but without the sync(2) that reboot(8) does first: what counts is what the kernel
 * does. "kexec" starts the given kernel.
 */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int end_guest(unsigned int command)
{
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, command, NULL);
	perror("reboot");
	return 1;
}

static int load_kernel(const char *kernel, const char *initrd, const char *line)
{
	int kernel_fd = open(kernel, O_RDONLY), initrd_fd = open(initrd, O_RDONLY);

	if (kernel_fd < 0 || initrd_fd < 0 ||
	    syscall(SYS_kexec_file_load, kernel_fd, initrd_fd, strlen(line) + 1, line, 0)) {
		perror("kexec_file_load");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (argc == 2 && !strcmp(how, "restart"))
		return end_guest(LINUX_REBOOT_CMD_RESTART);
	if (argc == 2 && !strcmp(how, "halt"))
		return end_guest(LINUX_REBOOT_CMD_HALT);
	if (argc == 2 && !strcmp(how, "poweroff"))
		return end_guest(LINUX_REBOOT_CMD_POWER_OFF);
	if (argc == 5 && !strcmp(how, "kexec"))
		return load_kernel(argv[2], argv[3], argv[4]) ?: end_guest(LINUX_REBOOT_CMD_KEXEC);
	fputs("usage: end-guest restart|halt|poweroff\n"
	      "       end-guest kexec KERNEL INITRD COMMAND-LINE\n", stderr);
	return 2;
}
