// SPDX-License-Identifier: GPL-2.0
/* Switches the User-Mode Linux guest off. The host may have no poweroff(8), and UML has no sysrq. */
#include <stdio.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(void)
{
	sync();
	reboot(RB_POWER_OFF);
	perror("reboot");
	return 1;
}
