// SPDX-License-Identifier: GPL-2.0
#include "../common/files.h"
#include "sim.h"

int main(int argc, char **argv)
{
	hold_standard_files();
	return sim_main(argc, argv);
}
