// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The textures of the device `opencl` are images.
#pragma once

#include "dev/opencl_calls.h"
#include "dev/textures.h"

namespace het::rt
{

// Context and queue, which must be there when anything is called, are the device's.
class opencl_textures final : public device_textures
{
      public:
	opencl_textures(const opencl_calls &cl, const cl_context &context, const cl_command_queue &queue,
			const char *device)
	    : cl_(cl), context_(context), queue_(queue), device_(device)
	{
	}

	int make_texture(const het_texture_args &args, void **made) override;
	void drop_texture(void *texture) override { cl_.release_mem_object(static_cast<cl_mem>(texture)); }
	int list_formats(const het_texture_args &like, std::span<het_texture_format> formats, uint32_t *count) override;
	int make_sampler(const het_sampler_args &args, void **made) override;
	void drop_sampler(void *sampler) override { cl_.release_sampler(static_cast<cl_sampler>(sampler)); }
	int read_texture(void *from, const texture_box &box, void *to) override;
	int write_texture(void *to, const texture_box &box, const void *from) override;
	int copy_texture(void *to, const size_t (&to_origin)[3], void *source, const texture_box &from) override;

      private:
	int result(const char *what, cl_int err) const;
	cl_mem make_buffer_behind(const het_texture_args &args, cl_int *err) const;

	const opencl_calls &cl_;
	const cl_context &context_;
	const cl_command_queue &queue_;
	const char *device_; // its name, for messages
};

} // namespace het::rt
