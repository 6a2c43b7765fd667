// SPDX-License-Identifier: GPL-2.0
#include "sim.h"

int main(int argc, char **argv)
{
	return sim_main(argc, argv);
}
