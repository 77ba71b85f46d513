// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/cuda_texture.h"

#include "common/cuda.h"

namespace bench
{

namespace
{

using create_function = int(uint64_t *texture, const cu_linear_resource *of, const cu_texture_description *how,
			    const void *view);
using destroy_function = int(uint64_t texture);

create_function *create()
{
	return reinterpret_cast<create_function *>(cuda_symbol("cuTexObjectCreate"));
}

destroy_function *destroy()
{
	return reinterpret_cast<destroy_function *>(cuda_symbol("cuTexObjectDestroy"));
}

} // namespace

bool cuda_has_textures()
{
	return create() && destroy();
}

uint64_t make_cuda_texture(het::cu_deviceptr at, size_t nbytes)
{
	cu_linear_resource of{};
	of.type = cu_resource_linear;
	of.linear = {at, cu_format_unsigned_32, 1, nbytes};
	cu_texture_description how{};
	how.flags = cu_texture_read_as_integer;
	uint64_t texture = 0;
	cuda_check(create()(&texture, &of, &how, nullptr), "cuTexObjectCreate");
	return texture;
}

void destroy_cuda_texture(uint64_t texture)
{
	destroy()(texture);
}

} // namespace bench
