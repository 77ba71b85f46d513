// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Uses each part of het.hpp once, on whatever devices there are. What the calls do is tested through het.h.
#include "harness/clock.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <het.hpp>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace selftest;

// This is the fat binary of runtime/fatbin/tests/corpus/kernels.cl.
asm(".pushsection .het.selftest, \"a\"\n"
    ".global het_selftest_image\n"
    ".global het_selftest_image_end\n"
    "het_selftest_image:\n"
    ".incbin \"" HET_FATBIN_CORPUS "/images.het\"\n"
    "het_selftest_image_end:\n"
    ".popsection");
extern const char het_selftest_image[], het_selftest_image_end[];

namespace
{

struct parameters {
	uint32_t factor;
	uint8_t added;
};

void add_on_host(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0] && i < *static_cast<uint64_t *>(args[2]); i++)
		p[i] = uint8_t(p[i] + *static_cast<uint8_t *>(args[1]));
}

void combine_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	auto *with = static_cast<const parameters *>(args[3]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		to[i] = uint8_t(with->factor * to[i] + from[i] + with->added);
}

const het_function functions[] = {{"add", add_on_host, 3}, {"combine", combine_on_host, 4}};

constexpr size_t group = 64, n = group * 100;
constexpr uint8_t one = 1;

// The harness's fixture chooses the devices; the objects are made by het.hpp.
struct fixture : runtime_fixture {
	explicit fixture(const context &t) : runtime_fixture(t) {}

	het::queue queue;
	het::program program{het::sources().section(".het.selftest").functions(functions)};
	het::kernel add{program, "add"}; // takes (bytes, value, n)
	// Takes (from, to, local, parameters), and does to = factor * to + from + added.
	het::kernel combine{program, "combine"};

	template <class Argument> het::event add_one(const Argument &to, const het::work &w)
	{
		return queue.launch(add, w, to, one, uint64_t{n});
	}
	template <class Argument> het::event add_one(const Argument &to)
	{
		return add_one(to, het::work(n).groups_of(group));
	}
};

// Returns the code that @f throws, or 0 if it throws nothing.
template <class F> int thrown_by(F f)
{
	try {
		f();
	} catch (const het::error &e) {
		CHECK(*e.what());
		return e.code();
	}
	return 0;
}

bool all_are(std::span<const uint8_t> bytes, uint8_t value)
{
	return std::all_of(bytes.begin(), bytes.end(), [&](uint8_t b) { return b == value; });
}

} // namespace

TEST(handles_own, .devices = device::runtime)
{
	fixture fx(t);
	het::memory first(n);
	uint8_t *bytes = first.as<uint8_t>();
	het::memory second = first, third;
	CHECK(!third);
	third = std::move(first);
	CHECK(!first); // NOLINT(bugprone-use-after-move): this is what a move leaves
	CHECK(second.get() == third.get());
	het_memory *lent = second.get();
	second = het::memory();
	{
		het::memory shared = het::share<het::memory>(lent);
		third = {};
		bytes[n - 1] = 7; // one owner is left
		het::memory owner(shared.give_up());
		CHECK(!shared && owner.as<uint8_t>()[n - 1] == 7);
	}
}

TEST(memory_of_the_programs, .devices = device::runtime)
{
	fixture fx(t);
	std::vector<uint8_t> bytes(n, 4);
	const het::memory object = het::memory::of(bytes);
	CHECK(object.as<uint8_t>() == bytes.data());
	fx.add_one(het::read_write(object)).wait();
	CHECK(all_are(bytes, 5));
	std::span<uint8_t> none(bytes.data(), 0);
	CHECK_EQ(thrown_by([&] { het::memory::of(none); }), HET_EARG);
}

TEST(checkpoints, .traps = trap::best, .devices = device::runtime)
{
	fixture fx(t);
	char path[] = "/tmp/het-cxx-XXXXXX";
	const int fd = mkstemp(path);
	CHECK_SYS(fd);
	close(fd);
	CHECK_EQ(thrown_by([&] { het::checkpoint_file empty(path); }), HET_EFILE);
	unlink(path);
	het::checkpoint_file file(path);
	CHECK(file.items().empty());
	const het::memory object(n);
	std::vector<uint8_t> bytes(n, 4);
	uint32_t step = 17;
	const std::vector<het::named> all = {{"object", object}, {"bytes", bytes}, {"step", &step, 1}};
	fx.add_one(het::read_write(object));
	fx.add_one(het::read_write(bytes));
	const het::event written = fx.queue.write(file, all);
	fx.add_one(het::read_write(bytes));
	written.wait();
	CHECK_EQ(file.info().generation, 1);
	CHECK_EQ(file.items().size(), 3);
	CHECK(file.items()[2].first == "step" && file.items()[2].second == sizeof step);
	step = 0;
	fx.queue.restore(file, all).wait();
	CHECK(step == 17 && all_are(bytes, 5) && object.as<uint8_t>()[n - 1] == 1);
	CHECK_EQ(thrown_by([&] { fx.queue.restore(file, {het::named("other", bytes)}).wait(); }), HET_EARG);
	for (int k = 0; k < 40; k++)
		fx.add_one(het::read_write(bytes));
	fx.queue.write_with_launches(file, all, {het::named_program("kernels", fx.program)}).wait();
	fx.queue.finish();
	std::fill(bytes.begin(), bytes.end(), 0);
	fx.queue.restore_with_launches(file, all, {het::named_program("kernels", fx.program)});
	fx.queue.finish();
	CHECK(all_are(bytes, 45));
	CHECK_EQ(thrown_by([&] { fx.queue.write_with_launches(file, all, {het::named_program("", fx.program)}); }),
		 HET_EARG);
	unlink(path);
}

TEST(errors_are_thrown, .devices = device::runtime)
{
	fixture fx(t);
	try {
		het::kernel none(fx.program, "subtract");
		FAIL("there is no kernel of that name");
	} catch (const std::exception &e) {
		CHECK(std::string(e.what()).starts_with("het_kernel_create: "));
	}
	CHECK_EQ(thrown_by([&] { het::kernel(fx.program, "subtract"); }), HET_ENAME);
	CHECK_EQ(thrown_by([] { het::memory m(size_t{0}); }), HET_EARG);
	CHECK_EQ(thrown_by([] { het::program p(het::sources().file("/nonexistent/kernels.het")); }), HET_EIMAGE);
	CHECK_EQ(thrown_by([] { het::queue q(std::vector<het::device>{}); }), HET_EARG);
	CHECK_EQ(thrown_by([&] { fx.queue.launch(fx.add, n, one); }), HET_EARG);
	CHECK_EQ(thrown_by([] { het::check(0, "nothing"); }), 0);
}

TEST(devices, .devices = device::runtime)
{
	fixture fx(t);
	const auto all = het::devices();
	CHECK(!all.empty() && all.front() && *all.front().name());
	CHECK(all.front() == all.front() && all.front() != het::device());
	CHECK_EQ(all.front().kind() == HET_DEVICE_HOST, t.v.device == device::none);
	CHECK(all.front().info().units > 0);
	fx.program.build(all.front());
	CHECK(fx.program.log(all.front()));

	const std::array<het::device, 1> array = {all.front()};
	std::vector<uint8_t> bytes(n);
	for (const het::queue &q : {het::queue(all, HET_QUEUE_IN_ORDER), het::queue(array), het::queue(std::span(all)),
				    het::queue{all.front()}})
		q.launch(fx.add, het::work(n).groups_of(group).on(all.front()), het::read_write(bytes), one,
			 uint64_t{n})
			.wait();
	CHECK(all_are(bytes, 4));
}

TEST(programs, .devices = device::runtime)
{
	fixture fx(t);
	const het_image images[] = {runtime_kernels()};
	const size_t size = size_t(het_selftest_image_end - het_selftest_image);
	const std::vector<het_function> table(std::begin(functions), std::end(functions));
	const char *text = "kernel void add(global uchar *p, uchar value, ulong n)\n"
			   "{\n	p[get_global_id(0)] += VALUE;\n}\n";
	const het::program programs[] = {
		het::program(het::sources().fat_binary(het_selftest_image, size).functions(table)),
		het::program(het::sources().file("/proc/self/exe").section(".het.selftest").functions(table)),
		het::program(het::sources().opencl(text, "-DVALUE=value").functions(table).images(images)),
	};
	std::vector<uint8_t> bytes(n);
	for (const het::program &p : programs)
		fx.queue.launch(het::kernel(p, "add"), het::work(n).groups_of(group), het::read_write(bytes), one,
				uint64_t{n});
	fx.queue.finish();
	CHECK(all_are(bytes, 3));
}

TEST(kernels_are_described, .devices = device::runtime)
{
	fixture fx(t);
	CHECK(fx.combine.info().name == std::string("combine"));
	CHECK_EQ(fx.combine.info().nargs, 4u);
	CHECK_EQ(fx.combine.argument(2).space, HET_SPACE_LOCAL);
	CHECK_EQ(thrown_by([&] { fx.combine.argument(4); }), HET_EARG);
}

TEST(arguments, .devices = device::runtime)
{
	fixture fx(t);
	std::vector<uint8_t> from(n);
	std::array<uint8_t, n> to;
	fill_pattern(from.data(), 0, n, 1);
	fill_pattern(to.data(), 0, n, 2);
	const parameters with = {3, 9};
	const auto local = het::local<uint32_t>(group);
	const het::work items = het::work(n).groups_of(group);
	fx.queue.launch(fx.combine, items, het::read(from), het::read_write(to), local, with).wait();
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(to[i], uint8_t(3 * pattern_byte(i, 2) + pattern_byte(i, 1) + 9));

	// The arguments are objects, spans, and pointers with counts. The factor is 0, since write() promises that
	// nothing is read.
	het::memory object(n);
	fx.queue.launch(fx.combine, items, het::read(std::span<const uint8_t>(from)), het::write(object), local,
			parameters{0, 1});
	fx.queue.launch(fx.combine, items, het::read(object), het::write(std::span(to)), local, parameters{0, 1});
	fx.queue.launch(fx.combine, items, het::read(to.data(), n), het::write(from.data(), n), local,
			parameters{0, 1});
	fx.add_one(het::read_write(object.part(0, n)));
	fx.add_one(het::read_write(from.data(), n));
	fx.queue.finish();
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(object.as<uint8_t>()[i], uint8_t(pattern_byte(i, 1) + 2));
		CHECK_EQ(from[i], uint8_t(pattern_byte(i, 1) + 4));
	}
}

// CUDA has no offsets.
TEST(work_items, .devices = device::none | device::host | device::opencl)
{
	fixture fx(t);
	const het_function table[] = {{"mark",
				       [](const het_group *g, void *const *args) {
					       auto *p = static_cast<uint32_t *>(args[0]);
					       for (size_t z = g->first[2]; z < g->first[2] + g->items[2]; z++)
						       for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++)
							       for (size_t x = g->first[0];
								    x < g->first[0] + g->items[0]; x++)
								       p[(z * 8 + y) * 16 + x] += uint32_t(g->local[0]);
				       },
				       1}};
	const het::program program(het::sources().functions(table).opencl(
		"kernel void mark(global uint *p)\n"
		"{\n"
		"	p[(get_global_id(2) * 8 + get_global_id(1)) * 16 + get_global_id(0)] += get_local_size(0);\n"
		"}\n"));
	const het::kernel mark(program, "mark");
	std::array<uint32_t, size_t{4} * 8 * 16> p = {};
	fx.queue.launch(mark, het::work(16, 8, 4).groups_of(4, 2, 1), het::read_write(p));
	fx.queue.launch(mark, het::work(8, 4).from(8, 4).groups_of(2, 2), het::read_write(p));
	fx.queue.launch(mark, het::work(8).from(8).groups_of(8), het::read_write(p));
	fx.queue.finish();
	for (size_t i = 0; i < p.size(); i++) {
		const size_t x = i % 16, y = i / 16 % 8, z = i / 128;
		CHECK_EQ(p[i], 4u + (x >= 8 && y >= 4 && !z ? 2u : 0u) + (x >= 8 && !y && !z ? 8u : 0u));
	}
}

// Patterns count in elements, or in bytes of an object: if they were wrong, devices would not have what they read, or
// the host would not get what they wrote.
TEST(priorities, .traps = trap::best, .devices = device::none)
{
	static std::atomic<bool> has_begun, let_go;
	static std::atomic<int> first;
	const het_function functions[] = {
		{"wait",
		 [](const het_group *, void *const *) {
			 has_begun = true;
			 while (!let_go)
				 std::this_thread::yield();
		 },
		 0},
		{"note",
		 [](const het_group *, void *const *args) {
			 int none = 0;
			 first.compare_exchange_strong(none, *static_cast<const int *>(args[0]));
		 },
		 1},
	};
	fixture fx(t);
	const het::program program(het::sources().functions(functions));
	const het::kernel wait(program, "wait"), note(program, "note");
	fx.queue.launch(wait, 1);
	while (!has_begun)
		std::this_thread::yield();
	fx.queue.set_priority(3);
	fx.queue.launch(note, 1, 1);
	fx.queue.launch(note, het::work(1).urgent(5), 2);
	fx.queue.set_priority(4);
	fx.queue.launch(note, 1, 3);
	let_go = true;
	while (!first)
		std::this_thread::yield();
	fx.queue.finish();
	CHECK_EQ(first.load(), 2);
	CHECK_EQ(thrown_by([&] { fx.queue.set_priority(8); }), HET_EARG);
	CHECK_EQ(thrown_by([&] { fx.queue.launch(note, het::work(1).urgent(-9), 1); }), HET_EARG);
}

// What comes too late is late from the start.
TEST(deadlines, .traps = trap::best, .devices = device::none)
{
	using namespace std::chrono_literals;
	fixture fx(t);
	std::vector<uint8_t> bytes(n);
	auto given = [&](std::chrono::nanoseconds time) {
		const het::event e = fx.add_one(het::read_write(bytes), het::work(n).groups_of(group).within(time));
		e.wait();
		CHECK_EQ(e.memory().way, HET_MEMORY_WHOLE);
		return e.preemption().deadline_ns;
	};
	CHECK_EQ(given(1h), 3'600'000'000'000u);
	for (auto late : {0ns, -1ns, std::chrono::nanoseconds(-1h)})
		CHECK_EQ(given(late), 1u);
}

TEST(split_launches, .devices = device::host2)
{
	fixture fx(t);
	const het_function table[] = {
		{"smooth",
		 [](const het_group *g, void *const *args) {
			 auto *from = static_cast<const uint32_t *>(args[0]);
			 auto *to = static_cast<uint32_t *>(args[1]), *twice = static_cast<uint32_t *>(args[2]);
			 for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++) {
				 to[i] = (i ? from[i - 1] : 0) + from[i] + (i + 1 < n ? from[i + 1] : 0);
				 twice[i] = twice[n + i] = to[i];
			 }
		 },
		 3}};
	const het::kernel smooth(het::program(het::sources().functions(table)), "smooth");
	std::vector<uint32_t> from(n), twice(2 * n);
	het::memory to(n * sizeof(uint32_t));
	for (uint32_t round = 1; round <= 3; round++) {
		std::iota(from.begin(), from.end(), round);
		const het::event e = fx.queue.launch(
			smooth, het::work(n).groups_of(group).with(HET_SPLIT), het::read(from).each(1, 3, -1),
			het::write(to).each(sizeof(uint32_t)), het::write(twice).each(1, 1, 0, 2, n));
		e.wait();
		uint64_t done = 0;
		for (const het_event_part_info &part : e.parts()) {
			CHECK(part.device && part.count && part.started <= part.ended);
			done += part.count;
		}
		CHECK_EQ(done, n);
		for (uint32_t i = 1; i < n - 1; i++) {
			CHECK_EQ(to.as<uint32_t>()[i], 3 * (i + round));
			CHECK_EQ(twice[i], 3 * (i + round));
			CHECK_EQ(twice[n + i], 3 * (i + round));
		}
	}
}

TEST(events, .devices = device::runtime)
{
	fixture fx(t);
	std::vector<uint8_t> bytes(n);
	std::atomic<int> told{0};
	const het::user_event gate;
	const auto items = het::work(n).groups_of(group).after({gate});
	const het::event first = fx.add_one(het::read_write(bytes), items);
	const het::event second = fx.add_one(het::read_write(bytes), het::work(items).after(std::vector{first}));
	second.then([&told, p = std::make_unique<int>(5)](int status) { told = status == HET_COMPLETE ? *p : -1; });
	sleep_ms(20);
	CHECK_EQ(second.status(), HET_QUEUED);
	CHECK_EQ(thrown_by([&] { static_cast<void>(second.times()); }), HET_ESTATE);
	gate.set();
	het::wait_for({first, second});
	CHECK(all_are(bytes, 2));
	wait_until([&] { return told.load(); });
	CHECK_EQ(told.load(), 5);
	const het_event_times times = second.times();
	CHECK(times.queued <= times.submitted && times.submitted <= times.started && times.started <= times.ended);
}

TEST(failures, .devices = device::runtime)
{
	fixture fx(t);
	std::vector<uint8_t> bytes(n);
	std::atomic<int> told{0};
	auto on_error = [&](int code, const het::event &e, const char *message) {
		told += code == HET_EWAIT && e && *message;
	};
	const het::queue queue(0, on_error);
	const het::user_event gate;
	const het::event failed = queue.launch(fx.add, het::work(n).groups_of(group).after({gate}),
					       het::read_write(bytes), one, uint64_t{n});
	gate.set(HET_ECANCELED);
	CHECK_EQ(thrown_by([&] { failed.wait(); }), HET_EWAIT);
	CHECK_EQ(thrown_by([&] { gate.wait(); }), HET_ECANCELED);
	CHECK_EQ(thrown_by([&] { het::wait_for(std::array{het::event(failed), het::event(gate)}); }), HET_EWAIT);
	CHECK_EQ(thrown_by([&] { gate.set(); }), HET_ESTATE);
	queue.finish();
	CHECK_EQ(told.load(), 1);
	CHECK(all_are(bytes, 0));
}

TEST(raw_memory, .traps = trap::best, .devices = device::runtime)
{
	fixture fx(t);
	const het::device d = het::devices().front();
	const het::queue queue{{d}, HET_QUEUE_IN_ORDER};
	std::vector<uint8_t> from(n, 5), to(n);
	het::raw_memory first(d, n);
	const het::raw_memory raw = std::move(first);
	CHECK(raw.where() == d);
	queue.copy({d, raw.at(0)}, from.data(), n);
	queue.launch(fx.add, het::work(n).groups_of(group), het::address(raw.at(0)), one, uint64_t{n / 2});
	queue.copy(to.data(), {d, raw.at(0)}, n).wait();
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(to[i], i < n / 2 ? 6 : 5);
	CHECK_EQ(thrown_by([&] { het::raw_memory none(d, 0); }), HET_EARG);
}

TEST(blocks_and_variables_are_cudas, .devices = device::none | device::host)
{
	fixture fx(t);
	const het::device d = het::devices().front();
	CHECK_EQ(thrown_by([&] { static_cast<void>(fx.program.global(d, "count")); }), HET_ENODEV);
	CHECK_EQ(thrown_by([&] { fx.queue.launch(fx.add, n, het::block(parameters{})); }), HET_ENODEV);
}

TEST(blocks_variables_and_instruments, .traps = trap::best, .devices = device::cuda)
{
	fixture fx(t);
	const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .global .align 8 .u64 count = 5;\n"
			    ".visible .entry nothing()\n{\n	ret;\n}\n";
	const het::device d = het::devices().front();
	const het_image with_variable[] = {{HET_IMAGE_PTX, 0, text, sizeof text - 1}};
	const het::program variables(het::sources().images(with_variable));
	const het::variable count = variables.global(d, "count");
	uint64_t value = 0;
	fx.queue.copy(&value, {d, count.address}, count.nbytes).wait();
	CHECK_EQ(value, 5);

	const het_image images[] = {runtime_kernels()};
	const het::program program(het::sources().images(images).instruments(HET_TOUCH));
	const het::kernel add(program, "add");
	const auto items = het::work(group).groups_of(group);
	const struct {
		void *p;
		uint8_t value;
		uint64_t n;
	} parameters = {count.address, one, 1};
	fx.queue.launch(add, items, het::block(parameters)).wait();
	fx.queue.copy(&value, {d, count.address}, count.nbytes).wait();
	CHECK_EQ(value, 6);

	std::vector<uint8_t> bytes(n);
	const het::event e = fx.queue.launch(add, items, het::read_write(bytes), one, uint64_t{group});
	e.wait();
	CHECK_EQ(e.counters().instruments, uint32_t{HET_TOUCH});
	CHECK(e.counters().touched_pages > 0);
	CHECK_EQ(thrown_by([&] { static_cast<void>(e.site(e.counters().sites)); }), HET_EARG);
}

TEST(textures, .devices = device::runtime)
{
	fixture fx(t);
	const het::device d = het::devices().front();
	constexpr size_t width = 16, height = 8;
	if (t.v.device != device::opencl) {
		CHECK_EQ(thrown_by([&] { het::texture none(d, HET_TEXEL_UINT8, 1, width); }), HET_ENODEV);
		CHECK_EQ(thrown_by([&] { het::sampler none(d, false, HET_OUTSIDE_EDGE, false); }), HET_ENODEV);
		return;
	}
	const het::program program(het::sources().opencl(
		"kernel void shift(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
		"{\n"
		"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
		"	write_imageui(to, at, read_imageui(from, s, at + (int2)(1, 0)) + 1);\n"
		"}\n"));
	const het::texture first(d, HET_TEXEL_UINT8, 4, width, height), second(d, HET_TEXEL_UINT8, 4, width, height),
		third(d, HET_TEXEL_UINT8, 4, width, 2 * height);
	const het::sampler sampler(d, false, HET_OUTSIDE_EDGE, false);
	std::vector<uint8_t> from(4 * width * height), to(2 * from.size());
	fill_pattern(from.data(), 0, from.size(), 1);
	fx.queue.copy_texture(first, from.data(), {width, height, 1});
	fx.queue.launch(het::kernel(program, "shift"), het::work(width, height), het::read(first), het::write(second),
			sampler);
	fx.queue.copy_texture({third, {0, height, 0}}, second, {width, height, 1});
	fx.queue.copy_texture(het::rect(to.data()), third, {width, 2 * height, 1}).wait();
	for (size_t y = 0; y < height; y++)
		for (size_t x = 0; x < 4 * width; x++) {
			const size_t next = x < 4 * (width - 1) ? x + 4 : x;
			CHECK_EQ(to[(height + y) * 4 * width + x], std::min(from[y * 4 * width + next] + 1, 255));
		}
}

TEST(rectangles_and_mappings, .devices = device::runtime)
{
	fixture fx(t);
	constexpr size_t row = 100, rows = n / row;
	het::memory object(n);
	std::vector<uint8_t> host(n);
	for (size_t i = 0; i < n; i++)
		host[i] = uint8_t(i % row);
	const het::user_event gate;
	fx.queue.copy_rect(het::rect(object).from(10, 1).pitch(row),
			   het::const_rect(host.data()).from(20, 0).pitch(row), {30, rows - 1, 1}, {gate});
	het::mapping mapped = fx.queue.map(object, row, n - row, HET_READ_WRITE);
	CHECK_EQ(mapped.ready().status(), HET_QUEUED);
	gate.set();
	for (size_t i = 0; i < n - row; i++)
		CHECK_EQ(mapped.as<uint8_t>()[i], i % row >= 10 && i % row < 40 ? 10 + i % row : 0);
	mapped.as<uint8_t>()[0] = 7;
	const het::event waits = fx.add_one(het::read_write(object));
	CHECK_EQ(waits.status(), HET_QUEUED);
	mapped.unmap().wait();
	waits.wait();
	CHECK_EQ(object.as<uint8_t>()[row], 8);
	{
		const het::mapping whole = fx.queue.map(object, 0, n, HET_READ_ONLY);
		CHECK_EQ(whole.as<uint8_t>()[row + 10], 21);
	}
	fx.add_one(het::read_write(object)).wait(); // must not be kept waiting
}

TEST(other_commands, .devices = device::runtime)
{
	fixture fx(t);
	const het::user_event gate;
	het::memory object(n);
	std::vector<uint8_t> from(n, 3), to(n);
	const std::array<uint8_t, 4> pattern = {1, 2, 3, 4};
	fx.queue.copy(object, from.data(), n, {gate});
	fx.queue.fill({object, n / 2}, pattern, n / 2 / pattern.size());
	const het::event marker = fx.queue.marker({gate}), barrier = fx.queue.barrier();
	const het::event last = fx.queue.copy(to.data(), {object, 4}, n - 4, {marker});
	sleep_ms(20);
	CHECK_EQ(barrier.status(), HET_QUEUED);
	CHECK_EQ(last.status(), HET_QUEUED);
	gate.set();
	het::wait_for({marker, barrier, last});
	for (size_t i = 0; i < n - 4; i++)
		CHECK_EQ(to[i], i + 4 < n / 2 ? 3 : uint8_t(1 + i % 4));
}
