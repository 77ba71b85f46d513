// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Textures and samplers cross the C boundary here. het.h documents each function.
#include "api/command.h"
#include "api/handles.h"
#include "api/public.h"
#include "core/texture_copy.h"

#include <cstddef>

using namespace het;
using namespace het::rt;

GPUVM_PUBLIC int het_texture_create(const het_texture_args *args, het_texture **texture)
{
	het_texture_args a = {};
	int err = check("het_texture_create", texture);
	if (!err)
		err = accept("het_texture_create", args, a, offsetof(het_texture_args, order));
	return err ? err : make("het_texture_create", texture, [&](het_texture &t) { return t.open(a); });
}

GPUVM_PUBLIC int het_texture_formats(const het_texture_args *like, uint32_t room, het_texture_format *formats,
				     uint32_t *count)
{
	het_texture_args a = {};
	int err = check("het_texture_formats", count);
	if (!err)
		err = accept("het_texture_formats", like, a);
	if (!err && room && !formats)
		err = fail(HET_ENULL, "het_texture_formats: room for %u formats at null", room);
	return err ? err : list_texture_formats(a, {formats, room}, count);
}

GPUVM_PUBLIC int het_texture_retain(het_texture *texture)
{
	return retain("het_texture_retain", texture);
}

GPUVM_PUBLIC int het_texture_release(het_texture *texture)
{
	return release("het_texture_release", texture);
}

GPUVM_PUBLIC int het_sampler_create(const het_sampler_args *args, het_sampler **sampler)
{
	het_sampler_args a = {};
	int err = check("het_sampler_create", sampler);
	if (!err)
		err = accept("het_sampler_create", args, a);
	return err ? err : make("het_sampler_create", sampler, [&](het_sampler &s) { return s.open(a); });
}

GPUVM_PUBLIC int het_sampler_retain(het_sampler *sampler)
{
	return retain("het_sampler_retain", sampler);
}

GPUVM_PUBLIC int het_sampler_release(het_sampler *sampler)
{
	return release("het_sampler_release", sampler);
}

GPUVM_PUBLIC int het_texture_copy(het_queue *queue, const het_texture_copy_args *args, het_event **event)
{
	return command<texture_copy>("het_texture_copy", queue, args, event);
}
