// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_ids.h"

namespace het::rt
{

int cuda_ids::open(const cuda_calls &cu, cu_module module)
{
	size_t size = 0;
	cu_deviceptr at = 0;
	int err = cu.get_variable(&at, &size, module, cuda_ids_name);
	if (!err && size == sizeof(layout))
		at_ = at;
	return err == cu_error_not_found ? 0 : err;
}

cuda_ids::layout cuda_ids::layout_of(const launch_shape &shape)
{
	layout wanted = {};
	for (unsigned d = 0; d < shape.dimensions; d++)
		wanted.offset[d] = shape.offset[d];
	wanted.dimensions = shape.dimensions > 1 ? shape.dimensions : 0;
	return wanted;
}

int cuda_ids::send(const cuda_calls &cu, cu_stream stream, const launch_shape &shape)
{
	if (!would_send(shape))
		return 0;
	const layout wanted = layout_of(shape);
	// The driver has taken what is not pinned when the call returns.
	int err = cu.copy_to_device(at_, &wanted, sizeof(wanted), stream);
	if (!err)
		sent_ = wanted;
	return err;
}

} // namespace het::rt
