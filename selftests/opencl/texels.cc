// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What samplers and fills make of texels is compared with what the specification says.
#include "test.h"

#include <algorithm>
#include <cmath>

using namespace cltest;

namespace
{

constexpr char source[] = R"(
kernel void sample(read_only image2d_t from, sampler_t s, global float *out, float begin, float step)
{
	size_t i = get_global_id(0);
	out[i] = read_imagef(from, s, (float2)(begin + i * step, 0.5f)).x;
}
)";

constexpr size_t zero[3] = {0, 0, 0};
constexpr int width = 4;
constexpr float texels[width] = {10, 20, 30, 40};

bool has_format(const fixture &fx, const cl_image_format &f)
{
	if (!info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT))
		return false;
	cl_image_format all[512];
	cl_uint n = 0;
	OK(clGetSupportedImageFormats(fx.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512, all, &n));
	return std::any_of(all, all + n, [&](const cl_image_format &a) {
		return a.image_channel_order == f.image_channel_order &&
		       a.image_channel_data_type == f.image_channel_data_type;
	});
}

cl_mem image(const fixture &fx, const cl_image_format &f, size_t w, size_t h, const void *from = nullptr)
{
	cl_image_desc d = {};
	d.image_type = CL_MEM_OBJECT_IMAGE2D;
	d.image_width = w;
	d.image_height = h;
	cl_int err = CL_SUCCESS;
	cl_mem m = clCreateImage(fx.context, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), &f, &d,
				 const_cast<void *>(from), &err);
	OK(err);
	return m;
}

// Returns what a texel counts that may be outside.
float texel_at(int i, cl_addressing_mode mode)
{
	if (mode == CL_ADDRESS_REPEAT)
		return texels[(i + width) % width];
	if (mode == CL_ADDRESS_CLAMP && (i < 0 || i >= width))
		return 0;
	return texels[std::clamp(i, 0, width - 1)];
}

// The coordinate is a normalized one.
float sampled(float s, cl_addressing_mode mode, cl_filter_mode filter)
{
	float u = s * width;
	if (mode == CL_ADDRESS_REPEAT)
		u = (s - std::floor(s)) * width;
	else if (mode == CL_ADDRESS_MIRRORED_REPEAT)
		u = std::fabs(s - 2 * std::rint(0.5f * s)) * width;
	if (filter == CL_FILTER_NEAREST)
		return texel_at(int(std::floor(u)), mode);
	const float from = std::floor(u - 0.5f), part = u - 0.5f - from;
	return (1 - part) * texel_at(int(from), mode) + part * texel_at(int(from) + 1, mode);
}

} // namespace

// The coordinates go past both ends, and none is where one texel meets another.
TEST(samplers_filter_and_address)
{
	constexpr size_t n = 16;
	constexpr float begin = -1.31f, step = 0.17f, near_enough = 0.2f; // GPUs mix in steps of 1/256
	const cl_image_format f = {CL_R, CL_FLOAT};
	if (!has_format(fx, f))
		return;
	cl_mem m = image(fx, f, width, 1, texels), out = fx.buffer(n * sizeof(float));
	cl_kernel k = fx.kernel(source, "sample");
	set(k, 0, m);
	set(k, 2, out);
	set(k, 3, begin);
	set(k, 4, step);
	for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR}) {
		for (cl_addressing_mode mode :
		     {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT}) {
			cl_int err = CL_SUCCESS;
			cl_sampler s = clCreateSampler(fx.context, CL_TRUE, mode, filter, &err);
			OK(err);
			set(k, 1, s);
			float got[n];
			OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
			OK(clEnqueueReadBuffer(fx.queue, out, CL_TRUE, 0, sizeof(got), got, 0, nullptr, nullptr));
			for (size_t i = 0; i < n; i++) {
				const float at = begin + float(i) * step, want = sampled(at, mode, filter);
				if (std::fabs(got[i] - want) > near_enough)
					FAIL("mode 0x%x, filter 0x%x, at %g: %g, not %g", mode, filter, double(at),
					     double(got[i]), double(want));
			}
			OK(clReleaseSampler(s));
		}
	}
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
	OK(clReleaseMemObject(out));
}

// Colours become texels as the specification says: rounded to the nearest value, and no larger than fits.
TEST(fills_convert_colors)
{
	union color {
		float real[4];
		cl_int whole[4];
		cl_uint natural[4];
	};
	const struct {
		cl_image_format format;
		color from;
		std::vector<uint32_t> want; // for each channel
		size_t nbytes;              // of a channel
	} rows[] = {
		{{CL_RGBA, CL_UNORM_INT8}, {.real = {0.5f, 1.5f, -1, 0.25f}}, {128, 255, 0, 64}, 1},
		{{CL_BGRA, CL_UNORM_INT8}, {.real = {1, 0.5f, 0, 0.25f}}, {0, 128, 255, 64}, 1},
		{{CL_RGBA, CL_SNORM_INT8}, {.real = {0.5f, 2, -1, -2}}, {64, 127, 0x81, 0x80}, 1},
		{{CL_RGBA, CL_UNORM_INT16}, {.real = {0.5f, 1.5f, -1, 1}}, {32768, 65535, 0, 65535}, 2},
		{{CL_RGBA, CL_SNORM_INT16}, {.real = {0.5f, 2, -1, -2}}, {16384, 32767, 0x8001, 0x8000}, 2},
		{{CL_RGBA, CL_HALF_FLOAT}, {.real = {1.5f, 65504, -2, 1e-7f}}, {0x3e00, 0x7bff, 0xc000, 2}, 2},
		{{CL_RGBA, CL_HALF_FLOAT}, {.real = {65520, 0.1f, -0.0f, 1}}, {0x7c00, 0x2e66, 0x8000, 0x3c00}, 2},
		{{CL_RGBA, CL_SIGNED_INT8}, {.whole = {200, -200, 5, -5}}, {127, 0x80, 5, 0xfb}, 1},
		{{CL_RGBA, CL_SIGNED_INT16}, {.whole = {70000, -70000, 5, -5}}, {32767, 0x8000, 5, 0xfffb}, 2},
		{{CL_RGBA, CL_UNSIGNED_INT16}, {.natural = {70000, 1, 65535, 65536}}, {65535, 1, 65535, 65535}, 2},
		{{CL_RGBA, CL_UNSIGNED_INT32}, {.natural = {0xfedcba98, 1, 0, ~0u}}, {0xfedcba98, 1, 0, ~0u}, 4},
		{{CL_RGBA, CL_SIGNED_INT32}, {.whole = {-7, 7, 0, 1}}, {0xfffffff9, 7, 0, 1}, 4},
		{{CL_RGBA, CL_FLOAT}, {.real = {0.1f, -3, 1e30f, 0}}, {0x3dcccccd, 0xc0400000, 0x7149f2ca, 0}, 4},
		{{CL_RG, CL_UNSIGNED_INT16}, {.natural = {300, 2, 9, 9}}, {300, 2}, 2},
		{{CL_R, CL_UNORM_INT16}, {.real = {0.25f, 9, 9, 9}}, {16384}, 2},
		{{CL_A, CL_UNORM_INT8}, {.real = {9, 9, 9, 1}}, {255}, 1},
	};
	constexpr size_t w = 5, h = 3, all[3] = {w, h, 1}, box[3] = {3, 2, 1}, origin[3] = {1, 1, 0};
	for (const auto &r : rows) {
		if (!has_format(fx, r.format))
			continue;
		cl_mem m = image(fx, r.format, w, h);
		const size_t texel = r.want.size() * r.nbytes;
		std::vector<unsigned char> got(w * h * texel), want;
		for (uint32_t v : r.want) {
			const auto *bytes = reinterpret_cast<const unsigned char *>(&v);
			want.insert(want.end(), bytes, bytes + r.nbytes);
		}
		for (bool is_whole : {false, true}) {
			const color other = {.natural = {0, 0, 0, 0}};
			OK(clEnqueueFillImage(fx.queue, m, &other, zero, all, 0, nullptr, nullptr));
			OK(clEnqueueFillImage(fx.queue, m, &r.from, is_whole ? zero : origin, is_whole ? all : box, 0,
					      nullptr, nullptr));
			OK(clEnqueueReadImage(fx.queue, m, CL_TRUE, zero, all, 0, 0, got.data(), 0, nullptr, nullptr));
			for (size_t i = 0; i < w * h; i++) {
				const size_t x = i % w, y = i / w;
				const bool is_filled = is_whole || (x >= 1 && x < 4 && y >= 1);
				const auto at = got.begin() + ptrdiff_t(i * texel);
				const bool is_right = is_filled ? std::equal(want.begin(), want.end(), at)
								: std::all_of(at, at + ptrdiff_t(texel),
									      [](unsigned char b) { return !b; });
				if (!is_right)
					FAIL("order 0x%x, type 0x%x, texel %zu", r.format.image_channel_order,
					     r.format.image_channel_data_type, i);
			}
		}
		OK(clReleaseMemObject(m));
	}
}
