// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel that is to work on host memory in place is inspected first: what it will use most has copies on the device
// when it begins. Whatever was found, its results are right.
#include "harness/in_place.h"

using namespace selftest;

namespace
{

constexpr size_t granule = 4 << 10; // with such budgets
constexpr char inspect[] = "HET_EVICT=inspect", without[] = "HET_EVICT=no-inspect";

// Most items look up places in these of the table's granules, the others one anywhere.
void put_hot_places(model_array &where, const model_array &table, size_t first, size_t granules, random_source &random)
{
	for (size_t i = 0; i + 4 <= where.size(); i += 4) {
		const bool is_hot = !random.one_in(64);
		const auto place = uint32_t(is_hot ? first * granule + random.below(granules * granule)
						   : random.below(table.size()));
		memcpy(&where.model[i], &place, 4);
	}
	memcpy(where.b.data(), where.model.data(), where.size());
}

struct lookup {
	model_array where, table, to;

	lookup(size_t items, size_t places)
	    : where(kind::library, 4 * items), table(kind::library, places, 2), to(kind::library, items, 3)
	{
	}
	// Returns how many of its accesses went to host memory.
	uint64_t run(in_place_fixture &fx)
	{
		const uint64_t before = memory_of(fx.device).accesses_in_place;
		HET_OK(fx.launch_there(fx.gather, to.size(),
				       {where.all(HET_READ_ONLY), table.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
		model_gather(where, table, to);
		HET_OK(het_finish(fx.queue));
		to.check("what was looked up");
		return memory_of(fx.device).accesses_in_place - before;
	}
};

// It counts items with an atomic, and puts their numbers where that says.
constexpr char tickets[] = R"(	ld.param.u64 %a3, [list];
	atom.global.add.u32 %r4, [%a3], 1;
	mul.wide.u32 %a4, %r4, 4;
	add.u64 %a3, %a3, %a4;
	st.global.u32 [%a3+4], %r1;
	ret;
}
)";
// Each item puts an address down, takes it from there, and adds one to the byte that lies there. What it adds to the
// address is 0.
constexpr char chase[] = R"(	ld.param.u64 %a3, [next];
	shl.b64 %a4, %a1, 3;
	add.u64 %a3, %a3, %a4;
	ld.param.u64 %a5, [to];
	add.u64 %a5, %a5, %a1;
	st.global.u64 [%a3], %a5;
	ld.global.u64 %a6, [%a3];
	ld.global.u8 %r4, [%a6];
	cvt.u64.u32 %a7, %r4;
	and.b64 %a7, %a7, 0x100;
	add.u64 %a6, %a6, %a7;
	add.u32 %r4, %r4, 1;
	st.global.u8 [%a6], %r4;
	ret;
}
)";

constexpr size_t items = 24 << 10, places = 256 << 10; // of the first launches

// Returns how many accesses to host memory the first launch has, of three for each item, with so many percent of its
// bytes on the device.
uint64_t accesses_of_first_launch(in_place_fixture &fx, unsigned part, random_source &random)
{
	lookup l(items, places);
	put_hot_places(l.where, l.table, 60 - part / 10, 4, random);
	HET_OK(het_device_set_budget(fx.device, (5 * items + places) / 100 * part));
	const het_memory_info before = memory_of(fx.device);
	const uint64_t accesses = l.run(fx);
	CHECK_EQ(memory_of(fx.device).in_place - before.in_place, 1);
	CHECK_EQ(memory_of(fx.device).slices, before.slices);
	return accesses;
}

} // namespace

// With a tenth of the bytes the granules that are used most are there; with half of them all but the accesses that go
// anywhere are.
TEST(first_launches, .traps = trap::best, .devices = gpu, .seconds = 60)
{
	in_place_fixture fx(t, settings{small, inspect});
	CHECK(accesses_of_first_launch(fx, 10, t.random) < items * 3 / 2);
	for (unsigned part : {50, 90})
		CHECK(accesses_of_first_launch(fx, part, t.random) < items / 8);
}

// The first launch has whichever granules come first then.
TEST(first_launches_that_are_not_inspected, .traps = trap::best, .devices = gpu, .seconds = 60)
{
	in_place_fixture fx(t, settings{small, without});
	for (unsigned part : {10, 50})
		CHECK(accesses_of_first_launch(fx, part, t.random) > items * 3 / 4);
}

// The host changes the places, and the next launch knows which are used now.
TEST(places_that_change, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small, inspect});
	lookup l(items / 3, places);
	for (size_t first : {60, 3, 30}) {
		put_hot_places(l.where, l.table, first, 4, t.random);
		for (unsigned i = 0; i < 2; i++)
			CHECK(l.run(fx) < items / 3 / 4);
	}
}

// Kernels whose places are counted, or may be written, are inspected as well; one that can't be works without.
TEST(what_is_not_known, .traps = trap::best | trap::sigsegv, .devices = gpu)
{
	in_place_fixture fx(t, settings{small, inspect});
	const size_t n = 32 << 10;
	model_array where(kind::library, 4 * n), bins(kind::heap, n, 2), to(kind::library, n, 3);
	put_places(where, n, t.random);
	for (unsigned i = 0; i < 3; i++) {
		HET_OK(fx.launch_there(fx.count, n, {where.all(HET_READ_WRITE), bins.all(HET_READ_WRITE)}));
		model_count(where, bins);
		HET_OK(fx.launch_there(fx.gather, n,
				       {where.all(HET_READ_ONLY), bins.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
		model_gather(where, bins, to);
	}
	HET_OK(het_finish(fx.queue));
	bins.check("what was counted");
	to.check("what was looked up");
	where.check("what was read");
}

TEST(kernels_that_can_not_be_inspected, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small, inspect});
	program_of_text program(std::string(beginning) +
				".visible .entry tickets(.param .u64 list, .param .u64 n)\n{\n" + number_of_item +
				tickets);
	kernel_handle k;
	program.kernel("tickets", k);
	const size_t n = 32 << 10;
	model_array list(kind::library, 4 * n + 4);
	memset(list.b.data(), 0, list.size());
	HET_OK(fx.launch_there(k, n, {list.all(HET_READ_WRITE)}));
	HET_OK(het_finish(fx.queue));
	std::vector<uint32_t> taken(n + 1);
	memcpy(taken.data(), list.b.data(), list.size());
	CHECK_EQ(taken[0], n);
	std::sort(taken.begin() + 1, taken.end());
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(taken[i + 1], i);
}

// Before the launch has written its addresses they lead anywhere, also behind the ends of arrays in granules that
// arrays do not fill.
TEST(addresses_that_the_launch_makes, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{"HET_DEVICE_MEMORY=512K", inspect}); // granules of two pages
	program_of_text program(std::string(beginning) +
				".visible .entry chase(.param .u64 next, .param .u64 to, .param .u64 n)\n{\n" +
				number_of_item + chase);
	kernel_handle k;
	program.kernel("chase", k);
	const size_t n = (72 << 10) + 1000;
	model_array next(kind::mmapped, 8 * n), to(kind::mmapped, n);
	for (size_t i = 0; i < n; i++) {
		const uint64_t lowest = uint64_t{1} << 52; // of the kernel's addresses
		const uint64_t address = i % 2 ? t.random.next() : lowest + t.random.below(next.size() + to.size());
		memcpy(next.b.data() + 8 * i, &address, sizeof(address));
	}
	HET_OK(fx.launch_there(k, n, {next.all(HET_READ_WRITE), to.all(HET_READ_WRITE)}));
	for (uint8_t &byte : to.model)
		byte++;
	HET_OK(het_finish(fx.queue));
	to.check("what was found");
	CHECK_EQ(memory_of(fx.device).in_place, 1);
}

// The same kernels time and again, between changes by the host, by launches elsewhere and of the budget.
TEST(rounds_of_changes, .traps = trap::best | trap::sigsegv, .devices = gpu | gpu_and_host, .seconds = 60)
{
	in_place_fixture fx(t, settings{small, inspect});
	lookup l(16 << 10, 100 << 10);
	model_array bins(kind::heap, l.table.size(), 4);
	put_places(l.where, l.table.size(), t.random);
	const unsigned rounds = t.rounds(15, 1000);
	for (unsigned i = 0; i < rounds; i++) {
		if (t.random.one_in(3))
			HET_OK(het_device_set_budget(fx.device, (40 << 10) + t.random.below(100 << 10)));
		if (t.random.one_in(3))
			put_hot_places(l.where, l.table, t.random.below(20), 1 + t.random.below(4), t.random);
		if (t.random.one_in(3))
			launch_add(fx, l.table, 0, l.table.size(), uint8_t(i), nullptr, {});
		if (t.random.one_in(2)) {
			HET_OK(fx.launch_there(fx.count, l.to.size(),
					       {l.where.all(HET_READ_ONLY), bins.all(HET_READ_WRITE)}));
			model_count(l.where, bins);
		}
		l.run(fx);
	}
	bins.check("what was counted");
	CHECK(memory_of(fx.device).in_place >= rounds);
}
