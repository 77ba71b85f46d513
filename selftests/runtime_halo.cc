// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Devices share launches. Between them only the bytes may move that one of them uses and has not, and no chunk for
// their sake.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>
#include <array>
#include <gpuvm.h>
#include <memory>
#include <set>
#include <unistd.h>

using namespace selftest;

namespace
{

const char source[] = R"(
kernel void blur(global const float *from, global float *to)
{
	size_t w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
	float sum = from[y * w + x];
	if (y > 0)
		sum += from[(y - 1) * w + x];
	if (y + 1 < h)
		sum += from[(y + 1) * w + x];
	to[y * w + x] = sum * 0.25f;
}

kernel void triple(global uchar *to, global const uchar *from)
{
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
	to[i] = (uchar)(3 * from[i] + get_global_id(1));
}
)";

void blur_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const float *>(args[0]);
	auto *to = static_cast<float *>(args[1]);
	size_t w = g->global[0], h = g->global[1];
	for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++)
		for (size_t x = g->first[0]; x < g->first[0] + g->items[0]; x++) {
			float sum = from[y * w + x];
			if (y > 0)
				sum += from[(y - 1) * w + x];
			if (y + 1 < h)
				sum += from[(y + 1) * w + x];
			to[y * w + x] = sum * 0.25f;
		}
}

void triple_on_host(const het_group *g, void *const *args)
{
	auto *to = static_cast<uint8_t *>(args[0]);
	auto *from = static_cast<const uint8_t *>(args[1]);
	for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++)
		for (size_t x = g->first[0]; x < g->first[0] + g->items[0]; x++) {
			size_t i = y * g->global[0] + x;
			to[i] = uint8_t(uint8_t(3 * from[i]) + y);
		}
}

// The host works slowly, so that devices take turns.
void triple_slowly(const het_group *g, void *const *args)
{
	usleep(1000);
	triple_on_host(g, args);
}

het_group whole(size_t width, size_t height)
{
	het_group g = {};
	g.global[0] = g.items[0] = width;
	g.global[1] = g.items[1] = height;
	return g;
}

class kernels
{
      public:
	explicit kernels(const context &t, const char *policy) : fx_(t, 0, policy)
	{
		if (t.v.device == device::cuda2)
			skip("the kernels are OpenCL C and C++");
		const het_function functions[] = {
			{"blur", blur_on_host, 2}, {"triple", triple_on_host, 2}, {"slowly", triple_slowly, 2}};
		make_program(program_, source, functions);
	}

	// A kernel whose speeds are not known is shared out by the devices' sizes, and so always alike.
	het_kernel *unknown(const char *name)
	{
		kernel_ = std::make_unique<kernel_handle>();
		HET_OK(het_kernel_create(program_, name, kernel_->out()));
		return *kernel_;
	}

	// Returns when it has ended.
	het_event *launch(het_kernel *kernel, std::array<size_t, 2> global, std::array<size_t, 2> local, het_arg first,
			  het_arg second)
	{
		het_arg args[] = {first, second};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel;
		l.flags = HET_SPLIT;
		l.dimensions = 2;
		std::copy(global.begin(), global.end(), l.global);
		std::copy(local.begin(), local.end(), l.local);
		l.arg_size = sizeof(het_arg);
		l.nargs = 2;
		l.args = args;
		event_ = std::make_unique<event_handle>();
		HET_OK(het_launch(fx_.queue, &l, event_->out()));
		wait_for(*event_);
		return *event_;
	}

      private:
	runtime_fixture fx_;
	program_handle program_;
	// This keeps the last ones alive.
	std::unique_ptr<kernel_handle> kernel_;
	std::unique_ptr<event_handle> event_;
};

unsigned long long moved()
{
	unsigned long long to_device = 0, to_host = 0;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &to_device));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &to_host));
	return std::max(to_device, to_host); // what goes from device to device by way of the host counts once
}

constexpr size_t width = 512, height = 4096, row = width * sizeof(float), nbytes = row * height;

// A stencil runs for many steps, and the test knows who has which row.
class stencil
{
      public:
	stencil(const context &t, const char *policy)
	    : kernels_(t, policy), one_(t.v.kind, nbytes), other_(t.v.kind, nbytes)
	{
		from_ = reinterpret_cast<float *>(one_.data());
		to_ = reinterpret_cast<float *>(other_.data());
		for (size_t i = 0; i < width * height; i++)
			was_[i] = from_[i] = float(i * 7919 % 1000);
	}

	// Runs a step, and returns what it moved.
	unsigned long long step(het_kernel *kernel)
	{
		const het_pattern halo = {sizeof halo, -int64_t(row), row, 3 * row, 1, 0},
				  own = {sizeof own, 0, row, row, 1, 0};
		unsigned long long before = moved();
		het_event *e =
			kernels_.launch(kernel, {width, height}, {64, 4}, range_arg(from_, nbytes, HET_READ_ONLY, halo),
					range_arg(to_, nbytes, HET_WRITE_ONLY, own));
		unsigned long long after = moved();
		note(e);
		het_group all = whole(width, height);
		void *model[] = {was_.data(), is_.data()};
		blur_on_host(&all, model);
		std::swap(was_, is_);
		std::swap(from_, to_);
		return after - before;
	}

	void check() const
	{
		for (size_t i = 0; i < width * height; i++)
			CHECK_EQ(from_[i], was_[i]);
	}

	het_kernel *unknown() { return kernels_.unknown("blur"); }
	// Returns how many rows a device read in the last step and had not.
	size_t fetched() const { return fetched_; }
	size_t parts() const { return parts_; } // the parts of the last step

      private:
	using owners = std::vector<std::set<het_device *>>;

	void note(het_event *e)
	{
		owners written(height);
		auto done = parts_of(e);
		fetched_ = 0;
		parts_ = done.size();
		for (const het_event_part_info &i : done) {
			size_t end = i.first + i.count;
			for (size_t y = i.first ? i.first - 1 : 0; y < std::min(end + 1, height); y++)
				fetched_ += has_[y].insert(i.device).second;
			for (size_t y = i.first; y < end; y++)
				written[y] = {i.device};
		}
		has_ = written; // the next step reads what this one has written
	}

	kernels kernels_;
	block one_, other_;
	float *from_, *to_;
	std::vector<float> was_ = std::vector<float>(width * height), is_ = was_;
	owners has_ = owners(height); // says that no device has any
	size_t fetched_ = 0, parts_ = 0;
};

// Head and tail of two arrays travel by themselves. They are less than two pages for each device and array.
size_t edges_of(const context &t)
{
	return t.v.kind == kind::memalign_line ? 8 * size_t(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace

TEST(a_stencil_moves_its_halo, .traps = trap::best, .devices = device::host2,
     .kinds = kind::library | kind::memalign_line)
{
	stencil s(t, "HET_POLICY=static");
	for (unsigned step = 0; step < 12; step++) {
		unsigned long long bytes = s.step(s.unknown());
		CHECK_EQ(s.parts(), 2);
		// The upper share lacks the row below it, and the lower one the row above it.
		if (step)
			CHECK_EQ(s.fetched(), 2);
		CHECK_LE(s.fetched() * row, bytes);
		CHECK_LE(bytes, s.fetched() * row + edges_of(t));
	}
	s.check();
}

// Shares change from step to step, and each device has many blocks.
TEST(what_moves_is_what_a_device_lacks, .traps = trap::best, .devices = device::host2, .kinds = kind::library)
{
	stencil s(t, "HET_POLICY=dynamic");
	het_kernel *kernel = s.unknown();
	for (unsigned step = 0; step < 16; step++) {
		unsigned long long bytes = s.step(kernel);
		CHECK_EQ(bytes, s.fetched() * row);
	}
	s.check();
}

TEST(a_stencil_with_the_host, .traps = trap::best | trap::sigsegv, .devices = device::host3 | device::mixed,
     .kinds = kind::mmapped | kind::memalign_line)
{
	stencil s(t, "HET_POLICY=dynamic");
	het_kernel *kernel = s.unknown();
	for (unsigned step = 0; step < 8; step++)
		s.step(kernel);
	s.check();
}

namespace
{

// Lets each device have some bytes of every row.
void share_columns(context &t, size_t w, size_t h)
{
	kernels k(t, "HET_POLICY=dynamic");
	het_kernel *kernel = k.unknown("triple");
	block one(t.v.kind, w * h + 1000), other(t.v.kind, w * h + 1000);
	std::vector<uint8_t> was(w * h), is(w * h);
	uint8_t *from = one.data() + 500, *to = other.data() + 500;
	fill_pattern(from, 0, w * h, 3);
	fill_pattern(was.data(), 0, w * h, 3);
	const het_pattern column = {sizeof column, 0, 1, 1, uint32_t(h), w};
	for (uint64_t round = 0; round < t.rounds(12, 100); round++) {
		k.launch(kernel, {w, h}, {8, h}, range_arg(to, w * h, HET_WRITE_ONLY, column),
			 range_arg(from, w * h, HET_READ_ONLY, column));
		het_group all = whole(w, h);
		void *model[] = {is.data(), was.data()};
		triple_on_host(&all, model);
		std::swap(was, is);
		std::swap(from, to);
		size_t at = t.random.below(w * h);
		if (t.random.one_in(2))
			CHECK_EQ(from[at], was[at]);
		if (t.random.one_in(2))
			from[at] = was[at] = uint8_t(round);
	}
	CHECK_BYTES(from, was.data(), w * h, "array");
}

} // namespace

TEST(columns, .traps = trap::best | trap::sigsegv, .devices = device::runtime_several,
     .kinds = kind::mmapped | kind::memalign_line)
{
	share_columns(t, 16384, 32);
}

// There are more fragments than a chunk may have.
TEST(narrow_columns, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	share_columns(t, 1024, 32);
}

// A kernel reads the bytes that it overwrites through another argument.
TEST(in_place_by_two_arguments, .traps = trap::best, .devices = device::runtime_several | device::host | device::opencl,
     .kinds = kind::mmapped | kind::memalign_line)
{
	kernels k(t, "HET_POLICY=dynamic");
	het_kernel *kernel = k.unknown("triple");
	constexpr size_t w = 512, h = 700;
	const het_pattern rows = {sizeof rows, 0, w, w, 1, 0};
	block b(t.v.kind, w * h);
	std::vector<uint8_t> model(w * h);
	fill_pattern(b.data(), 0, w * h, 7);
	fill_pattern(model.data(), 0, w * h, 7);
	for (unsigned round = 0; round < 10; round++) {
		k.launch(kernel, {w, h}, {64, 1}, range_arg(b.data(), w * h, HET_WRITE_ONLY, rows),
			 range_arg(b.data(), w * h, HET_READ_ONLY, rows));
		het_group all = whole(w, h);
		void *args[] = {model.data(), model.data()};
		triple_on_host(&all, args);
		size_t at = t.random.below(w * h);
		CHECK_EQ(b.data()[at], model[at]);
		b.data()[at] = model[at] = uint8_t(round);
	}
	CHECK_BYTES(b.data(), model.data(), w * h, "array");
}

// An argument without a pattern is all of the array, and with it what other blocks have just written beside what it
// reads. Where the host has written in between, a device gets the chunk again.
TEST(reads_anywhere_and_writes_a_slice, .traps = trap::best, .devices = device::host2 | device::host3,
     .kinds = kind::mmapped)
{
	if (with_tsan)
		skip("what is read by the argument and not by the kernel is written meanwhile: it reports that");
	kernels k(t, "HET_POLICY=dynamic");
	het_kernel *kernel = k.unknown("slowly");
	constexpr size_t w = 100, h = 3000, at = 350001;
	const het_pattern rows = {sizeof rows, 0, w, w, 1, 0};
	block b(t.v.kind, at + w * h + 5000);
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 7);
	fill_pattern(model.data(), 0, b.size(), 7);
	for (unsigned round = 0; round < 3; round++) {
		k.launch(kernel, {w, h}, {100, 1}, range_arg(b.data() + at, w * h, HET_WRITE_ONLY, rows),
			 range_arg(b.data(), b.size(), HET_READ_ONLY));
		het_group all = whole(w, h);
		void *args[] = {model.data() + at, model.data()};
		triple_on_host(&all, args);
		size_t i = t.random.below(b.size());
		CHECK_EQ(b.data()[i], model[i]);
		b.data()[i] = model[i] = uint8_t(round);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}
