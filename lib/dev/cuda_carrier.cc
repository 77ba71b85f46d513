// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_carrier.h"

namespace het
{

int put_copy(const cuda_api &cu, const cuda_place &to, const cuda_place &from, size_t size, cu_stream stream)
{
	auto pointer = [](const cuda_place &p) { return reinterpret_cast<void *>(uintptr_t(p.at)); };
	if (!from.context)
		return cu.copy_to_device(to.at, pointer(from), size, stream);
	if (!to.context)
		return cu.copy_to_host(pointer(to), from.at, size, stream);
	if (to.context == from.context)
		return cu.copy_on_device(to.at, from.at, size, stream);
	return cu.copy_to_peer(to.at, to.context, from.at, from.context, size, stream);
}

} // namespace het
