// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/device.h"

#include <gpuvm.h>

namespace het
{

int device::copy_from(unsigned, void *, size_t, device &, void *, size_t, size_t)
{
	return GPUVM_EAPI;
}

} // namespace het
