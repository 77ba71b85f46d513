// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests instrumented kernels (HET_INSTRUMENT) on CUDA devices: results, counters, what travels, and programs that can't
// be instrumented.
#include "harness/block.h"
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <cstdlib>
#include <string>

using namespace selftest;

namespace
{

constexpr size_t chunk = 64 << 10, chunks = 16, size = chunks * chunk;

// The library reads the variable when it is loaded, which is in the process that the fixture restarts.
struct instrumented_fixture : runtime_fixture {
	instrumented_fixture(const context &t, const char *instruments) : runtime_fixture(with(t, instruments)) {}

      private:
	static const context &with(const context &t, const char *instruments)
	{
		setenv("HET_INSTRUMENT", instruments, 1);
		return t;
	}
};

// The kernel is @name of a PTX text.
struct text_kernel {
	text_kernel(const std::string &text, const char *name, uint32_t instruments = 0, uint32_t one_of = 0)
	{
		const het_image image = {HET_IMAGE_PTX, 0, text.data(), text.size()};
		het_program_args p = {};
		p.size = sizeof p;
		p.images = &image;
		p.nimages = 1;
		p.instruments = instruments;
		p.one_of = one_of;
		HET_OK(het_program_create(&p, program.out()));
		HET_OK(het_kernel_create(program, name, kernel.out()));
	}
	program_handle program;
	kernel_handle kernel;
};

std::string text_of_runtime_kernels()
{
	const het_image image = runtime_kernels();
	return {static_cast<const char *>(image.data), image.nbytes};
}

// coalesce needs a newer version than these kernels have.
std::string newer_text()
{
	std::string text = text_of_runtime_kernels();
	const std::string old = ".version 6.0";
	size_t at = text.find(old);
	CHECK(at != std::string::npos);
	return text.replace(at, old.size(), ".version 6.3");
}

struct counted : het_launch_counters {
	explicit counted(het_event *e) : het_launch_counters()
	{
		het_launch_counters::size = sizeof(het_launch_counters);
		HET_OK(het_event_wait(1, &e));
		HET_OK(het_event_counters(e, this));
	}
};

// Adds 1 to @n bytes from @off on, with the whole block as argument.
counted add_some(runtime_fixture &fx, het_kernel *add, const block &b, size_t off, size_t n,
		 uint32_t access = HET_READ_WRITE)
{
	event_handle e;
	uint8_t one = 1;
	HET_OK(fx.launch(add, n, {range_arg(b.data() + off, b.size() - off, access), value_arg(one)}, e.out()));
	return counted(e);
}

struct movement {
	unsigned long long to_device = count_of(GPUVM_STAT_BYTES_TO_DEVICE),
			   to_host = count_of(GPUVM_STAT_BYTES_TO_HOST);
};

void check_pattern(const block &b, size_t changed_end, int added)
{
	for (size_t i = 0; i < b.size(); i++)
		CHECK_EQ(b.data()[i], uint8_t(pattern_byte(i, 1) + (i < changed_end ? added : 0)));
}

} // namespace

// Chunks of device and host need not begin at the same place of a page, so one more chunk may travel.
TEST(only_written_chunks_come_back, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	const size_t some = 2 * chunk - 100;
	counted c = add_some(fx, fx.add, b, 0, some);
	movement before;
	check_pattern(b, some, 1);
	movement after;
	CHECK_EQ(c.instruments, uint32_t(HET_DIRTY));
	CHECK(c.writable_pages == chunks || c.writable_pages == chunks + 1);
	CHECK(c.written_pages == 2 || c.written_pages == 3);
	CHECK(c.bytes_kept >= size - 3 * chunk && c.bytes_kept <= size - 2 * chunk);
	CHECK_EQ(after.to_host - before.to_host, size - c.bytes_kept);
	CHECK_EQ(c.sites, 0u);
}

TEST(what_was_not_written_stays_valid_on_both, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	add_some(fx, fx.add, b, 0, 100);
	movement before;
	add_some(fx, fx.add, b, 0, 100);
	CHECK_EQ(movement().to_device, before.to_device);
	// The host writes one chunk that the device has: only this one travels again, and its bytes are seen there.
	b.data()[8 * chunk] = uint8_t(b.data()[8 * chunk] + 1);
	fx.run_add(b.data(), size, 1);
	CHECK_EQ(movement().to_device, before.to_device + chunk);
	for (size_t i = 0; i < size; i++)
		CHECK_EQ(b.data()[i], uint8_t(pattern_byte(i, 1) + 1 + (i < 100 ? 2 : 0) + (i == 8 * chunk)));
}

TEST(edges_and_parts_are_right, .devices = device::cuda, .kinds = kind::slice | kind::mmapped)
{
	instrumented_fixture fx(t, "dirty,touch");
	block b(t.v.kind, std::min(largest_of(t.v.kind), size + 1234));
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 1);
	fill_pattern(model.data(), 0, b.size(), 1);
	for (uint64_t round = 0; round < t.rounds(40, 1000); round++) {
		size_t off = t.random.below(b.size()), n = 1 + t.random.below(std::min<size_t>(b.size() - off, 9000));
		add_some(fx, fx.add, b, off, n);
		for (size_t i = off; i < off + n; i++)
			model[i]++;
		size_t at = t.random.below(b.size());
		CHECK_EQ(b.data()[at], model[at]);
		if (t.random.one_in(2))
			b.data()[at] = model[at] = uint8_t(round);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

TEST(write_only_keeps_its_promise, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	fx.run_add(b.data(), size, 1);
	counted c = add_some(fx, fx.add, b, 0, 100, HET_WRITE_ONLY);
	CHECK_EQ(c.bytes_kept, 0u);
	CHECK(c.written_pages >= 1 && c.written_pages <= 2);
	movement before;
	CHECK_EQ(b.data()[size - 1], uint8_t(pattern_byte(size - 1, 1) + 1));
	CHECK(movement().to_host > before.to_host);
}

TEST(touched_pages_are_counted, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "touch");
	block b(t.v.kind, size);
	counted c = add_some(fx, fx.add, b, 0, 100);
	CHECK_EQ(c.instruments, uint32_t(HET_TOUCH));
	CHECK(c.usable_pages >= chunks && c.touched_pages >= 1 && c.touched_pages <= 2);
	CHECK_EQ(c.bytes_kept, 0u);
	CHECK_EQ(c.writable_pages, 0u);
}

TEST(lines_are_counted_by_instruction, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "coalesce,dirty");
	text_kernel add(newer_text(), "add");
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	const uint64_t warps = 200, n = warps * 32;
	event_handle e;
	uint8_t one = 1;
	HET_OK(fx.launch(add.kernel, n, {range_arg(b.data(), size, HET_READ_WRITE), value_arg(one)}, e.out()));
	counted c(e);
	check_pattern(b, n, 1);
	CHECK_EQ(c.instruments, uint32_t(HET_COALESCE | HET_DIRTY));
	CHECK_EQ(c.one_of, 1u);
	CHECK_EQ(c.warps, 2 * warps);
	CHECK_EQ(c.threads, 2 * n);
	CHECK_EQ(c.lines, 2 * warps);
	unsigned active = 0;
	for (uint32_t i = 0; i < c.sites; i++) {
		het_site_counters s = {};
		s.size = sizeof s;
		HET_OK(het_event_site(e, i, &s));
		active += s.warps != 0;
		CHECK_EQ(s.warps, std::string(s.function) == "add" ? warps : 0);
		CHECK(std::string(s.instruction).find(".global.u8") != std::string::npos || !s.warps);
		CHECK(s.line > 1 && s.column > 0);
	}
	CHECK_EQ(active, 2u);
	het_site_counters s = {};
	HET_ERR(het_event_site(e, 0, &s), HET_EARG);
	s.size = sizeof s;
	HET_ERR(het_event_site(e, c.sites, &s), HET_EARG);
}

TEST(samples_are_a_part, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "coalesce/4");
	text_kernel add(newer_text(), "add");
	block b(t.v.kind, size);
	counted c = add_some(fx, add.kernel, b, 0, size_t{32} * 400);
	CHECK_EQ(c.one_of, 4u);
	CHECK(c.warps > 2 * 400 / 8 && c.warps < 2 * 400 / 2);
	CHECK_EQ(c.threads, 32 * c.warps);
}

TEST(programs_choose_for_themselves, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	text_kernel plain(newer_text(), "add", HET_PLAIN), lines(newer_text(), "add", HET_COALESCE, 4);
	block b(t.v.kind, size);
	CHECK_EQ(add_some(fx, fx.add, b, 0, 100).instruments, uint32_t(HET_DIRTY));
	CHECK_EQ(add_some(fx, plain.kernel, b, 0, 100).instruments, 0u);
	counted c = add_some(fx, lines.kernel, b, 0, 100);
	CHECK_EQ(c.instruments, uint32_t(HET_COALESCE));
	CHECK_EQ(c.one_of, 4u);
	het_program_args p = {};
	p.size = sizeof p;
	p.source = "";
	program_handle wrong;
	for (uint32_t bad : {uint32_t(HET_PLAIN | HET_DIRTY), 16u}) {
		p.instruments = bad;
		HET_ERR(het_program_create(&p, wrong.out()), HET_EARG);
	}
	p.instruments = HET_DIRTY;
	p.one_of = 2;
	HET_ERR(het_program_create(&p, wrong.out()), HET_EARG);
}

TEST(launches_under_way_have_notes_of_their_own, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	block b(t.v.kind, size), other(t.v.kind, 3 * chunk);
	fill_pattern(b.data(), 0, size, 1);
	fill_pattern(other.data(), 0, other.size(), 1);
	constexpr size_t n = 20;
	event_handle events[n];
	uint8_t one = 1;
	for (size_t i = 0; i < n; i++) {
		const block &used = i % 2 ? other : b;
		HET_OK(fx.launch(fx.add, 1 + i, {range_arg(used.data(), used.size(), HET_READ_WRITE), value_arg(one)},
				 events[i].out()));
	}
	for (size_t i = 0; i < n; i++) {
		counted c(events[i]);
		CHECK_EQ(c.written_pages, 1u);
		CHECK((i % 2 ? c.writable_pages <= 4 : c.writable_pages >= chunks));
	}
	for (size_t i = 0; i < n; i++) {
		const block &used = i % 2 ? other : b;
		CHECK_EQ(used.data()[i], uint8_t(pattern_byte(i, 1) + (n - i + 1) / 2));
	}
}

TEST(what_the_pass_can_not_see_counts_as_written, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "dirty");
	stderr_capture said;
	text_kernel add(newer_text() +
				".visible .entry unseen() { .reg .b64 %s; .reg .b32 %x; mov.u64 %s, 0; mov.u32 %x, 0;\n"
				"sust.b.1d.b32.trap [%s, {%x}], {%x}; ret; }\n",
			"add");
	CHECK(said.text().find("writes memory in a way that is not followed") != std::string::npos);
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	counted c = add_some(fx, add.kernel, b, 0, 100);
	CHECK_EQ(c.instruments, 0u);
	CHECK_EQ(c.bytes_kept, 0u);
	check_pattern(b, 100, 1);
}

TEST(old_texts_run_plain, .devices = device::cuda, .kinds = kind::map)
{
	instrumented_fixture fx(t, "coalesce,nonsense");
	block b(t.v.kind, size);
	counted c = add_some(fx, fx.add, b, 0, 100);
	CHECK_EQ(c.instruments, 0u);
	text_kernel newer(newer_text(), "add");
	CHECK_EQ(add_some(fx, newer.kernel, b, 0, 100).instruments, uint32_t(HET_COALESCE));
}

TEST(plain_launches_have_no_counters, .devices = device::runtime)
{
	instrumented_fixture fx(t, "");
	block b(kind::mmapped, size);
	event_handle e, gate;
	uint8_t one = 1;
	HET_OK(fx.launch(fx.add, 100, {range_arg(b.data(), size, HET_READ_WRITE), value_arg(one)}, e.out()));
	counted c(e);
	CHECK_EQ(c.instruments, 0u);
	CHECK_EQ(c.sites, 0u);
	HET_ERR(het_event_counters(nullptr, &c), HET_ENULL);
	HET_ERR(het_event_counters(e, nullptr), HET_ENULL);
	HET_OK(het_user_event_create(gate.out()));
	HET_ERR(het_event_counters(gate, &c), HET_ESTATE);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	HET_OK(het_event_counters(gate, &c));
	het_site_counters s = {};
	s.size = sizeof s;
	HET_ERR(het_event_site(e, 0, &s), HET_EARG);
}
