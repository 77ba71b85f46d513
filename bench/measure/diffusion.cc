// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/diffusion.h"

#include <algorithm>

namespace bench
{

namespace
{

float flow(float there, float here, float edge)
{
	float d = there - here;
	float r = d / edge;
	return d / (1 + r * r);
}

void diffuse_sample(const float *from, float *to, picture_size size, float edge, size_t i)
{
	const size_t row = size_t(size.width) * 3;
	const size_t y = i / row, x = i % row;
	float here = from[i];
	float sum = 0;
	if (x >= 3)
		sum += flow(from[i - 3], here, edge);
	if (x + 3 < row)
		sum += flow(from[i + 3], here, edge);
	if (y > 0)
		sum += flow(from[i - row], here, edge);
	if (y + 1 < size_t(size.height))
		sum += flow(from[i + row], here, edge);
	to[i] = here + diffusion_rate * sum;
}

void unpack_on_host(arguments a, size_t first, size_t end)
{
	auto bytes = static_cast<const unsigned char *>(a[0].buffer);
	auto floats = static_cast<float *>(a[1].buffer);
	end = std::min(end, size_t(a[2].integer));
	for (size_t i = first; i < end; ++i)
		floats[i] = bytes[i];
}

void step_on_host(arguments a, size_t first, size_t end)
{
	picture_size size = {a[2].integer, a[3].integer};
	end = std::min(end, size.samples());
	for (size_t i = first; i < end; ++i)
		diffuse_sample(static_cast<const float *>(a[0].buffer), static_cast<float *>(a[1].buffer), size,
			       a[4].real, i);
}

void pack_on_host(arguments a, size_t first, size_t end)
{
	auto floats = static_cast<const float *>(a[0].buffer);
	auto bytes = static_cast<unsigned char *>(a[1].buffer);
	end = std::min(end, size_t(a[2].integer));
	for (size_t i = first; i < end; ++i)
		bytes[i] = static_cast<unsigned char>(std::clamp(floats[i] + 0.5f, 0.0f, 255.0f));
}

void launch(device &d, const kernel &k, picture_size size, arguments args)
{
	constexpr size_t group = 64;
	d.launch(k, (size.samples() + group - 1) / group * group, group, args);
}

} // namespace

const kernel unpack_kernel = {"unpack", diffusion_kernels, unpack_on_host};
const kernel diffuse_kernel = {"diffuse", diffusion_kernels, step_on_host};
const kernel pack_kernel = {"pack", diffusion_kernels, pack_on_host};

void launch_unpack(device &d, picture_size size, void *bytes, void *floats)
{
	const argument args[] = {bytes, floats, int(size.samples())};
	launch(d, unpack_kernel, size, args);
}

void launch_step(device &d, picture_size size, void *from, void *to, float edge)
{
	const argument args[] = {from, to, size.width, size.height, edge, diffusion_rate};
	launch(d, diffuse_kernel, size, args);
}

void launch_pack(device &d, picture_size size, void *floats, void *bytes)
{
	const argument args[] = {floats, bytes, int(size.samples())};
	launch(d, pack_kernel, size, args);
}

std::vector<float> diffuse_on_host(picture_size size, const unsigned char *bytes, unsigned steps, float edge)
{
	std::vector<float> from(bytes, bytes + size.samples()), to(size.samples());
	for (unsigned s = 0; s < steps; ++s) {
		for (size_t i = 0; i < size.samples(); ++i)
			diffuse_sample(from.data(), to.data(), size, edge, i);
		from.swap(to);
	}
	return from;
}

} // namespace bench
