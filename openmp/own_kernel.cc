// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "own_kernel.h"

#include <cstring>

namespace het_omp
{

own_kernel::~own_kernel()
{
	give_up();
	if (program_)
		het_program_release(program_);
}

bool own_kernel::make()
{
	if (was_tried_)
		return kernel_;
	was_tried_ = true;
	const het_image image = {HET_IMAGE_PTX, 0, ptx_, strlen(ptx_)};
	het_program_args args = {};
	args.size = sizeof args;
	args.images = &image;
	args.nimages = 1;
	args.instruments = HET_PLAIN;
	return !het_program_create(&args, &program_) && !het_kernel_create(program_, name_, &kernel_);
}

void own_kernel::give_up()
{
	if (kernel_)
		het_kernel_release(kernel_);
	kernel_ = nullptr;
}

} // namespace het_omp
