// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests textures and samplers, where the device has them.
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>

using namespace selftest;

namespace
{

using texture_handle = handle<het_texture, het_texture_release>;
using sampler_handle = handle<het_sampler, het_sampler_release>;

const char source[] = R"(
kernel void shift(read_only image2d_t from, write_only image2d_t to, sampler_t s)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(to, at, read_imageui(from, s, at + (int2)(1, 0)) + 1);
}
kernel void between(read_only image2d_t from, sampler_t s, global float *out, float step)
{
	size_t i = get_global_id(0);
	out[i] = read_imagef(from, s, (float2)(i * step, 0.5f)).x;
}
)";

het_device *the_device()
{
	het_device *d;
	uint32_t count;
	HET_OK(het_devices(1, &d, &count));
	return d;
}

// A picture has texels of one to four bytes, and what they should be.
struct picture {
	texture_handle texture;
	size_t extent[3];
	size_t texel;
	std::vector<uint8_t> model;

	// Skips the case where the device has no textures.
	picture(size_t x, size_t y, size_t z, uint32_t channels = 4, uint32_t type = HET_TEXEL_UINT8, size_t bytes = 1)
	    : extent{x, y, z}, texel(channels * bytes), model(x * y * z * texel)
	{
		het_texture_args a = {};
		a.size = sizeof a;
		a.device = the_device();
		a.dimensions = z > 1 ? 3 : y > 1 ? 2 : 1;
		a.channels = channels;
		a.type = type;
		std::copy_n(extent, 3, a.extent);
		int err = het_texture_create(&a, texture.out());
		if (err == HET_ENODEV)
			skip("the device has no textures");
		HET_OK(err);
	}
	size_t at(size_t x, size_t y, size_t z) const { return ((z * extent[1] + y) * extent[0] + x) * texel; }
};

void make_sampler(sampler_handle &s, uint32_t normalized, uint32_t outside, uint32_t linear)
{
	het_sampler_args a = {};
	a.size = sizeof a;
	a.device = the_device();
	a.normalized = normalized;
	a.outside = outside;
	a.linear = linear;
	HET_OK(het_sampler_create(&a, s.out()));
}

het_texture_copy_args copy_args(const size_t (&region)[3])
{
	het_texture_copy_args a = {};
	a.size = sizeof a;
	std::copy_n(region, 3, a.region);
	return a;
}

void write_all(runtime_fixture &fx, picture &p, uint32_t seed)
{
	fill_pattern(p.model.data(), 0, p.model.size(), seed);
	auto a = copy_args(p.extent);
	a.to = p.texture;
	std::vector<uint8_t> bytes = p.model;
	a.host.pointer = bytes.data();
	HET_OK(het_texture_copy(fx.queue, &a, nullptr));
	HET_OK(het_finish(fx.queue));
}

void check_all(runtime_fixture &fx, picture &p)
{
	std::vector<uint8_t> bytes(p.model.size());
	auto a = copy_args(p.extent);
	a.from = p.texture;
	a.host.pointer = bytes.data();
	HET_OK(het_texture_copy(fx.queue, &a, nullptr));
	HET_OK(het_finish(fx.queue));
	CHECK_BYTES(bytes.data(), p.model.data(), bytes.size(), "texels");
}

// A box fits into the smaller of the two, and lies somewhere in each.
struct boxes {
	size_t region[3], to[3], from[3];
	boxes(context &t, const size_t (&to_extent)[3], const size_t (&from_extent)[3])
	{
		for (int d = 0; d < 3; d++) {
			region[d] = 1 + t.random.below(std::min(to_extent[d], from_extent[d]));
			to[d] = t.random.below(to_extent[d] - region[d] + 1);
			from[d] = t.random.below(from_extent[d] - region[d] + 1);
		}
	}
};

struct texture_fixture : runtime_fixture {
	explicit texture_fixture(const context &t) : runtime_fixture(t)
	{
		het_program_args a = {};
		a.size = sizeof a;
		a.source = source;
		HET_OK(het_program_create(&a, textures.out()));
	}
	program_handle textures;

	int launch_on(const char *name, std::initializer_list<het_arg> args, size_t width, size_t height)
	{
		kernel_handle k;
		HET_OK(het_kernel_create(textures, name, k.out()));
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = 2;
		l.global[0] = width;
		l.global[1] = height;
		l.arg_size = sizeof(het_arg);
		l.nargs = args.size();
		l.args = args.begin();
		return het_launch(queue, &l, nullptr);
	}
};

het_arg texture_arg(const texture_handle &t, uint32_t access)
{
	het_arg a = {};
	a.kind = HET_ARG_TEXTURE;
	a.access = access;
	a.pointer = t.get();
	return a;
}

het_arg sampler_arg(const sampler_handle &s)
{
	het_arg a = {};
	a.kind = HET_ARG_SAMPLER;
	a.pointer = s.get();
	return a;
}

} // namespace

TEST(copies, .traps = trap::best, .devices = device::opencl)
{
	runtime_fixture fx(t);
	const size_t extents[][3] = {{300, 1, 1}, {70, 50, 1}, {20, 30, 10}};
	for (auto &e : extents) {
		picture first(e[0], e[1], e[2]), second(e[0] + 3, e[1] > 1 ? e[1] - 1 : 1, e[2] > 1 ? e[2] + 1 : 1);
		write_all(fx, first, 1);
		write_all(fx, second, 2);
		memory_handle object;
		const size_t row = 2000, slice = 60 * row;
		HET_OK(het_memory_create(12 * slice, object.out()));
		auto *bytes = static_cast<uint8_t *>(het_memory_pointer(object));
		for (uint64_t round = 0; round < t.rounds(15, 300); round++) {
			boxes b(t, first.extent, second.extent);
			// The copies from second to first and from there to memory are ordered by what they use.
			auto a = copy_args(b.region);
			a.to = first.texture;
			a.from = second.texture;
			std::copy_n(b.to, 3, a.to_origin);
			std::copy_n(b.from, 3, a.from_origin);
			HET_OK(het_texture_copy(fx.queue, &a, nullptr));
			a.from = first.texture;
			a.to = nullptr;
			std::copy_n(b.to, 3, a.from_origin);
			a.host.memory = object;
			a.host.row_pitch = row;
			a.host.slice_pitch = slice;
			if (round % 2)
				a.host = {object, nullptr, {5, 0, 0}, 0, 0};
			HET_OK(het_texture_copy(fx.queue, &a, nullptr));
			HET_OK(het_finish(fx.queue));
			for (size_t z = 0; z < b.region[2]; z++)
				for (size_t y = 0; y < b.region[1]; y++) {
					size_t n = b.region[0] * 4;
					auto *want = &second.model[second.at(b.from[0], b.from[1] + y, b.from[2] + z)];
					size_t tight = 5 + (z * b.region[1] + y) * n;
					CHECK_BYTES(bytes + (round % 2 ? tight : z * slice + y * row), want, n, "row");
					memcpy(&first.model[first.at(b.to[0], b.to[1] + y, b.to[2] + z)], want, n);
				}
		}
		check_all(fx, first);
		check_all(fx, second);
	}
}

// Of a copy that has failed a later one has nothing to fear that replaces all of its texels.
TEST(copies_of_all_texels_inherit_no_failure, .traps = trap::best, .devices = device::opencl)
{
	runtime_fixture fx(t);
	picture p(16, 4, 1);
	write_all(fx, p, 1);
	event_handle gate, failed, part, whole;
	HET_OK(het_user_event_create(gate.out()));
	het_event *gates[] = {gate};
	auto a = copy_args({1, 1, 1});
	a.to = p.texture;
	a.host.pointer = p.model.data();
	a.nwaits = 1;
	a.waits = gates;
	HET_OK(het_texture_copy(fx.queue, &a, failed.out()));
	a.nwaits = 0;
	HET_OK(het_texture_copy(fx.queue, &a, part.out()));
	std::copy_n(p.extent, 3, a.region);
	HET_OK(het_texture_copy(fx.queue, &a, whole.out()));
	HET_OK(het_user_event_set(gate, -7));
	wait_for(whole);
	CHECK(status_of(failed) < 0 && status_of(part) < 0 && status_of(whole) == HET_COMPLETE);
	check_all(fx, p);
}

// Nothing but their arguments orders the launches and copies.
TEST(kernels_read_and_write, .traps = trap::best, .devices = device::opencl)
{
	texture_fixture fx(t);
	picture one(64, 48, 1), other(64, 48, 1);
	sampler_handle border, edge;
	make_sampler(border, 0, HET_OUTSIDE_BORDER, 0);
	make_sampler(edge, 0, HET_OUTSIDE_EDGE, 0);
	write_all(fx, one, 1);
	for (int i = 0; i < 6; i++) {
		picture &from = i % 2 ? other : one, &to = i % 2 ? one : other;
		HET_OK(fx.launch_on("shift",
				    {texture_arg(from.texture, HET_READ_ONLY), texture_arg(to.texture, HET_WRITE_ONLY),
				     sampler_arg(i < 3 ? border : edge)},
				    64, 48));
		for (size_t y = 0; y < 48; y++)
			for (size_t x = 0; x < 64; x++)
				for (size_t c = 0; c < 4; c++) {
					size_t next = x < 63 ? x + 1 : 63;
					unsigned value = x == 63 && i < 3 ? 0 : from.model[from.at(next, y, 0) + c];
					to.model[to.at(x, y, 0) + c] = uint8_t(std::min(value + 1, 255u));
				}
	}
	check_all(fx, one);
	check_all(fx, other);
}

TEST(samplers_read_between_texels, .traps = trap::best, .devices = device::opencl)
{
	texture_fixture fx(t);
	picture line(4, 2, 1, 1, HET_TEXEL_FLOAT, 4);
	const float values[] = {0, 10, 20, 30, 0, 10, 20, 30};
	auto a = copy_args(line.extent);
	a.to = line.texture;
	a.host.pointer = const_cast<float *>(values);
	HET_OK(het_texture_copy(fx.queue, &a, nullptr));
	sampler_handle linear;
	make_sampler(linear, 1, HET_OUTSIDE_EDGE, 1);
	float out[9] = {}, step = 1.f / 8;
	HET_OK(fx.launch_on("between",
			    {texture_arg(line.texture, HET_READ_ONLY), sampler_arg(linear),
			     range_arg(out, sizeof out, HET_WRITE_ONLY), value_arg(step)},
			    9, 1));
	line.texture.reset(); // commands keep it
	linear.reset();
	HET_OK(het_finish(fx.queue));
	const float want[] = {0, 0, 5, 10, 15, 20, 25, 30, 30};
	for (size_t i = 0; i < 9; i++)
		CHECK(out[i] > want[i] - 0.1f && out[i] < want[i] + 0.1f);
}

// Copies see the layers of an array as one more dimension.
TEST(each_shape_and_format, .traps = trap::best, .devices = device::opencl)
{
	runtime_fixture fx(t);
	constexpr struct {
		uint32_t dimensions, flags;
		size_t extent[3], layers, region[3];
	} shapes[] = {
		{1, 0, {33, 1, 1}, 5, {33, 5, 1}},
		{2, 0, {17, 6, 1}, 3, {17, 6, 3}},
		{1, HET_TEXTURE_OF_BUFFER, {200, 1, 1}, 0, {200, 1, 1}},
		{2, HET_TEXTURE_READ_AND_WRITTEN, {17, 6, 1}, 0, {17, 6, 1}},
	};
	for (auto &s : shapes) {
		het_texture_args a = {};
		a.size = sizeof a;
		a.device = the_device();
		a.dimensions = s.dimensions;
		a.flags = s.flags;
		a.layers = s.layers;
		std::copy_n(s.extent, 3, a.extent);
		uint32_t n = 0, again = 0;
		int err = het_texture_formats(&a, 0, nullptr, &n);
		if (err == HET_ENODEV)
			skip("the device has no textures");
		HET_OK(err);
		std::vector<het_texture_format> formats(n);
		HET_OK(het_texture_formats(&a, n, formats.data(), &again));
		CHECK(n && again == n);
		for (het_texture_format f : formats) {
			constexpr size_t channels[] = {1, 2, 4, 1, 2, 4, 4, 1, 1};
			constexpr size_t bytes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};
			texture_handle made;
			a.order = f.order;
			a.type = f.type;
			HET_OK(het_texture_create(&a, made.out()));
			std::vector<uint8_t> from(s.region[0] * s.region[1] * s.region[2] * channels[f.order - 1] *
						  bytes[f.type - 1]);
			std::vector<uint8_t> to(from.size());
			fill_pattern(from.data(), 0, from.size(), f.order * 16 + f.type);
			auto c = copy_args(s.region);
			c.to = made;
			c.host.pointer = from.data();
			HET_OK(het_texture_copy(fx.queue, &c, nullptr));
			c.from = made;
			c.to = nullptr;
			c.host.pointer = to.data();
			HET_OK(het_texture_copy(fx.queue, &c, nullptr));
			HET_OK(het_finish(fx.queue));
			CHECK_BYTES(to.data(), from.data(), to.size(), "texels");
		}
	}
}

TEST(errors, .traps = trap::best, .devices = device::opencl)
{
	texture_fixture fx(t);
	picture p(10, 10, 1), narrow(10, 10, 1, 1);
	texture_handle made;
	het_texture_args a = {};
	a.size = sizeof a;
	HET_ERR(het_texture_create(&a, made.out()), HET_ENULL);
	a.device = the_device();
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	a.dimensions = 2;
	a.channels = 4;
	a.type = HET_TEXEL_UINT8;
	a.extent[0] = a.extent[1] = 10;
	a.extent[2] = 2;
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	a.extent[2] = 0;
	a.type = 99;
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	a.type = HET_TEXEL_UINT8;
	a.order = HET_ORDER_RG; // has no four channels
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	a.order = 99;
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	a.order = 0;
	uint32_t n;
	a.flags = HET_TEXTURE_OF_BUFFER; // has one dimension
	HET_ERR(het_texture_create(&a, made.out()), HET_EARG);
	HET_ERR(het_texture_formats(&a, 0, nullptr, &n), HET_EARG);
	a.flags = 0;
	HET_ERR(het_texture_formats(&a, 1, nullptr, &n), HET_ENULL);
	het_sampler_args s = {};
	sampler_handle sampler;
	s.size = sizeof s;
	s.device = the_device();
	s.outside = 9;
	HET_ERR(het_sampler_create(&s, sampler.out()), HET_EARG);

	const size_t region[3] = {10, 10, 1}, large[3] = {10, 11, 1}, none[3] = {10, 0, 1};
	uint8_t bytes[400];
	auto c = copy_args(region);
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_ENULL);
	c.to = p.texture;
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG); // it has no host side
	c.host.pointer = bytes;
	c.host.row_pitch = 39;
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG);
	c.host.row_pitch = 0;
	c.to_origin[0] = 1;
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG);
	for (auto &r : {large, none}) {
		c.to_origin[0] = 0;
		std::copy_n(r, 3, c.region);
		HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG);
	}
	std::copy_n(region, 3, c.region);
	c.from = narrow.texture;
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG);
	c.from = p.texture;
	HET_ERR(het_texture_copy(fx.queue, &c, nullptr), HET_EARG);

	make_sampler(sampler, 0, HET_OUTSIDE_EDGE, 0);
	HET_ERR(fx.launch_on(
			"shift",
			{texture_arg(p.texture, 0), texture_arg(narrow.texture, HET_WRITE_ONLY), sampler_arg(sampler)},
			1, 1),
		HET_EARG);
	het_arg nothing = texture_arg(p.texture, HET_READ_ONLY);
	nothing.pointer = nullptr;
	HET_ERR(fx.launch_on("shift", {nothing, nothing, sampler_arg(sampler)}, 1, 1), HET_ENULL);
}

TEST(devices_without, .devices = device::none | device::host | device::cuda)
{
	runtime_fixture fx(t);
	texture_handle made;
	het_texture_args a = {};
	a.size = sizeof a;
	a.device = the_device();
	HET_ERR(het_texture_create(&a, made.out()), HET_ENODEV);
	sampler_handle sampler;
	het_sampler_args s = {};
	s.size = sizeof s;
	s.device = the_device();
	HET_ERR(het_sampler_create(&s, sampler.out()), HET_ENODEV);
}
