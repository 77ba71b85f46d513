// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What launches in slices leave on their device for those to come: copies, and what they have written, which is nowhere
// else then.
#include "fake/fake_cuda.h"
#include "harness/combine.h"
#include "harness/growing_fixture.h"
#include "harness/process.h"
#include "harness/signal_of_touch.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <gpuvm.h>
#include <memory>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

constexpr uint32_t one_device = device::host | device::opencl | device::cuda;

// What a device has kept is no reason for its budget to be exceeded. Arrays that are in use at the moment of a lower
// one stay until a later launch begins.
void check_budget(het_device *d)
{
	const het_memory_info m = memory_of(d);
	CHECK(!m.kept || m.kept + m.arrays + m.raw + m.copies <= m.budget);
}

std::vector<het_device *> devices_with_memory()
{
	std::vector<het_device *> all = all_devices();
	std::erase_if(all, [](het_device *d) { return !memory_of(d).budget; });
	return all;
}

// Launches in slices on several devices, and in place, on arrays that the host writes, that others take the place of,
// and that leave for whole launches, with budgets that change.
class program_of_slices
{
      public:
	program_of_slices(context &t, growing_fixture &fx)
	    : t_(t), fx_(fx), devices_(devices_with_memory()), size_(fx.grown((330 << 10) + 70))
	{
		for (unsigned i = 0; i < arrays; i++)
			make(i);
	}

	void step()
	{
		const unsigned a = below(arrays), b = (a + !t_.random.one_in(8)) % arrays;
		het_device *const d = devices_[below(devices_.size())];
		const unsigned what = below(12), times = 1 + below(3);
		for (unsigned i = 0; i < times && what < 6; i++)
			launch(what, *all_[a], *all_[b], d);
		if (what == 6) // while launches run
			HET_OK(het_device_set_budget(d, some_budget()));
		if (what <= 6)
			return;
		HET_OK(het_finish(fx_.queue));
		if (what == 8) {
			HET_OK(het_device_set_budget(d, some_budget()));
			check_budget(d);
		} else if (what == 9) {
			copy_exactly(*all_[a]);
		} else if (what == 7 && t_.random.one_in(4)) {
			make(a);
		} else {
			touch(*all_[a]);
		}
	}

	void check()
	{
		HET_OK(het_finish(fx_.queue));
		for (auto &a : all_)
			a->check("in the end");
		for (het_device *d : devices_)
			check_budget(d);
	}
	uint64_t reused() const
	{
		uint64_t n = 0;
		for (het_device *d : devices_)
			n += memory_of(d).reused;
		return n;
	}

      private:
	static constexpr unsigned arrays = 2;

	size_t below(size_t n) { return t_.random.below(n); }
	// With the largest both arrays fit.
	size_t some_budget() { return fx_.grown((250 << 10) + below(500 << 10)); }
	void make(unsigned i)
	{
		constexpr uint32_t kinds[] = {kind::mmapped, kind::slice, kind::library, kind::map};
		if (i < all_.size())
			all_[i].reset();
		else
			all_.emplace_back();
		all_[i] = std::make_unique<model_array>(kinds[below(4)], size_, unsigned(below(200)));
	}
	static het_arg part(const model_array &a, size_t off, size_t n, uint32_t access)
	{
		return range_arg(a.b.data() + off, n, access, each_byte);
	}
	void launch(unsigned what, model_array &a, model_array &b, het_device *d)
	{
		const bool whole = what < 3, in_place = what == 1 && t_.v.device == device::cuda && t_.random.one_in(2);
		const size_t off = whole ? 0 : below(size_ / 2), n = whole ? size_ : 1 + below(size_ - off);
		if (what == 5 && &a != &b) {
			HET_OK(fx_.launch(fx_.copy, n,
					  {part(a, off, n, HET_READ_ONLY), part(b, off, n, HET_WRITE_ONLY)}, nullptr,
					  {.device = d}));
			std::copy_n(a.model.begin() + long(off), n, b.model.begin() + long(off));
			return;
		}
		const het_arg from = part(a, off, n, HET_READ_ONLY), to = part(b, off, n, HET_READ_WRITE);
		if (in_place) {
			launch_in_place(a, b, d);
			return;
		}
		HET_OK(fx_.launch(fx_.combine, n, {from, to}, nullptr, {.device = d}));
		for (size_t i = off; i < off + n; i++)
			b.model[i] = uint8_t(3 * b.model[i] + a.model[i]);
	}
	// There may be no memory for what has to be on the device.
	void launch_in_place(model_array &a, model_array &b, het_device *d)
	{
		event_handle e;
		if (fx_.launch(fx_.combine, size_, {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, e.out(),
			       {.device = d}))
			return;
		het_event *events[] = {e};
		if (!het_event_wait(1, events))
			combine_model(a, b);
	}
	void copy_exactly(model_array &a)
	{
		std::vector<uint8_t> bytes(1 + below(30000));
		const size_t off = below(size_ - bytes.size());
		HET_OK(gpuvm_host_read(a.b.data() + off, bytes.size(), bytes.data()));
		CHECK_BYTES(bytes.data(), a.model.data() + off, bytes.size(), "read exactly");
		for (uint8_t &b : bytes)
			b = uint8_t(3 * b + 1);
		HET_OK(gpuvm_host_write(a.b.data() + off, bytes.size(), bytes.data()));
		std::copy(bytes.begin(), bytes.end(), a.model.begin() + long(off));
	}
	void touch(model_array &a)
	{
		const size_t off = below(size_), n = 1 + below(std::min<size_t>(size_ - off, 40000));
		a.check(off, n, "between launches");
		for (size_t i = off; i < off + n; i += 1 + below(3000))
			a.b.data()[i] = a.model[i] = uint8_t(below(256));
	}

	context &t_;
	growing_fixture &fx_;
	const std::vector<het_device *> devices_;
	const size_t size_;
	std::vector<std::unique_ptr<model_array>> all_;
};

} // namespace

TEST(what_is_kept_is_as_the_host_has_it, .traps = trap::best | trap::sigsegv, .devices = one_device | device::host2,
     .seconds = 60)
{
	growing_fixture fx(t, 500 << 10);
	program_of_slices p(t, fx);
	const unsigned rounds = t.rounds(60, 3000);
	for (unsigned i = 0; i < rounds; i++)
		p.step();
	p.check();
	// A short program may write all that was kept before it could be used.
	CHECK(rounds < 1000 || p.reused() > 0);
}

// From the second launch on as much is kept as there is memory for: at least a quarter of the arrays. A host's write is
// seen, and costs a fetch of what was written with it. What fits whole takes the memory.
TEST(launches_fetch_what_is_not_kept, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 1200 << 10, "HET_EVICT=through");
	const size_t n = fx.grown(1 << 20);
	het_device *d = device_apart();
	model_array from(kind::library, n), to(kind::library, n, 2), few(kind::mmapped, n, 3);
	std::vector<uint64_t> sent;
	for (unsigned i = 0; i < 6; i++) {
		const het_memory_info before = memory_of(d);
		if (i == 4)
			from.b.data()[n / 100] = from.model[n / 100] = 77;
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		const het_memory_info now = memory_of(d);
		sent.push_back(now.sent - before.sent);
		CHECK_EQ(sent.back() + now.reused - before.reused, 2 * n);
		CHECK_EQ(now.brought - before.brought, n);
		check_budget(d);
	}
	CHECK_EQ(sent[0], 2 * n);
	CHECK_EQ(sent[1], 2 * n);
	const uint64_t kept = memory_of(d).kept;
	CHECK(kept > n / 4);
	CHECK(sent[2] < 2 * n - kept / 4 * 3);
	CHECK_EQ(sent[3], sent[2]);
	CHECK(sent[4] > sent[3] && sent[4] < 2 * n);
	HET_OK(fx.launch(fx.add, few.size(), {few.all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr, {.device = d}));
	add_to_model(few.model, 0, few.size(), 1);
	HET_OK(het_finish(fx.queue));
	CHECK(memory_of(d).arrays >= few.size());
	check_budget(d);
	to.check("what was read and written");
	few.check("what fits");
}

// What is kept goes with the array, and when the budget is lowered.
TEST(what_is_kept_goes, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 1200 << 10);
	const size_t n = fx.grown(1 << 20);
	het_device *d = device_apart();
	for (unsigned round = 0; round < 3; round++) {
		model_array from(kind::mmapped, n, round), to(kind::mmapped, n, 2);
		HET_OK(fx.set_budget(d, 1200 << 10));
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		// Other arrays may have had these addresses, of which nothing is to be known.
		CHECK_EQ(memory_of(d).kept, 0);
		for (unsigned i = 0; i < 2; i++)
			combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		CHECK(memory_of(d).kept > n / 4);
		HET_OK(fx.set_budget(d, 300 << 10));
		check_budget(d);
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		check_budget(d);
		to.check("what was read and written");
		HET_OK(fx.set_budget(d, 30 << 10));
		CHECK_EQ(memory_of(d).kept, 0);
	}
}

// What the host writes each time is not worth keeping, which is tried anew from time to time.
TEST(what_the_host_writes_is_not_kept, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 500 << 10);
	const size_t n = fx.grown(256 << 10);
	het_device *d = device_apart();
	model_array from(kind::library, n), to(kind::library, n, 2);
	for (unsigned i = 0; i < 12; i++) {
		for (model_array *a : {&from, &to}) {
			for (size_t k = 0; k < n; k++)
				a->b.data()[k] = a->model[k] = uint8_t(k + i);
		}
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
	}
	to.check("what was read and written");
	CHECK_EQ(memory_of(d).reused, 0);
	const uint64_t kept = memory_of(d).kept;
	for (unsigned i = 0; i < 12; i++)
		combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	to.check("what was read and written without the host");
	CHECK(memory_of(d).reused > 0 && memory_of(d).kept >= kept);
}

// Bytes that are copied exactly are those of host memory, which is no other copy, and what is kept of them is
// forgotten.
TEST(exact_copies_of_what_slices_have_written, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 1200 << 10);
	const size_t n = fx.grown(1 << 20), some = 3000;
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
	std::vector<uint8_t> bytes(some);
	for (unsigned i = 0; i < 4; i++) {
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		for (model_array *a : {&from, &to}) {
			const size_t off = n / 100 + 17 * i;
			CHECK_OK(gpuvm_host_read(a->b.data() + off, some, bytes.data()));
			CHECK_BYTES(bytes.data(), a->model.data() + off, some, "read exactly");
			for (uint8_t &b : bytes)
				b = uint8_t(b + 3);
			CHECK_OK(gpuvm_host_write(a->b.data() + off, some, bytes.data()));
			std::copy(bytes.begin(), bytes.end(), a->model.begin() + long(off));
		}
	}
	combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	from.check("what was read");
	to.check("what was read and written");
}

// If what was written does not come home what is kept of it is of before, or is not kept.
TEST(what_did_not_come_home_is_not_kept, .traps = trap::best, .devices = device::cuda)
{
	growing_fixture fx(t, 1200 << 10, "HET_EVICT=through");
	const size_t n = fx.grown(1 << 20);
	for (int after : {0, 2, 5}) {
		model_array from(kind::mmapped, n), to(kind::mmapped, n, 2), copied(kind::mmapped, n, 3);
		for (unsigned i = 0; i < 3; i++)
			combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		fail_cuda_call("cuMemcpyDtoHAsync_v2", cuda_out_of_memory, after);
		event_handle e;
		combine(fx, from, to, e.out());
		het_event *events[] = {e};
		CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
		fake_cuda_driver().fail_symbol = nullptr;
		HET_OK(fx.launch(fx.copy, n, {by_bytes(to, HET_READ_ONLY), by_bytes(copied, HET_WRITE_ONLY)}));
		HET_OK(het_finish(fx.queue));
		CHECK(std::equal(copied.b.data(), copied.b.data() + n, to.b.data()));
	}
}

// --- what is written stays there -----------------------------------------------

namespace
{

// Launches until what is written stays on the device, as far as there is room, also if that was of no use for an array
// that was there before. Returns how many bytes do, and fails if none does.
size_t leave_written(runtime_fixture &fx, const model_array &from, model_array &to, het_device *d)
{
	size_t left = 0;
	for (unsigned i = 0, more = 2; i < 150 && more; i++, more -= left != 0) {
		const uint64_t before = memory_of(d).brought;
		combine(fx, from, to, nullptr, {.device = d});
		HET_OK(het_finish(fx.queue));
		left = to.size() - (memory_of(d).brought - before);
	}
	CHECK(left > 0);
	return left;
}

} // namespace

// It travels when it is touched, once.
TEST(what_is_written_stays, .traps = trap::best | trap::sigsegv, .devices = one_device,
     .kinds = kind::mmapped | kind::library | kind::slice)
{
	growing_fixture fx(t, 300 << 10);
	const size_t n = fx.grown(256 << 10);
	het_device *d = device_apart();
	model_array from(t.v.kind, n), to(t.v.kind, n, 2);
	uint64_t before = memory_of(d).brought;
	combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(memory_of(d).brought - before, n);
	const size_t left = leave_written(fx, from, to, d);
	CHECK(left > memory_of(d).kept / 4);
	CHECK_EQ(memory_of(d).away, left);
	before = memory_of(d).brought;
	from.check("what was read");
	CHECK_EQ(memory_of(d).brought - before, 0);
	to.check("what was written");
	CHECK_EQ(memory_of(d).brought - before, left);
	CHECK_EQ(memory_of(d).away, 0);
	to.check("what was written, again");
	CHECK_EQ(memory_of(d).brought - before, left);
	check_budget(d);
}

// Whoever needs it gets it, and what is written elsewhere is not undone when the rest comes home.
TEST(what_is_written_is_found, .traps = trap::best | trap::sigsegv, .devices = one_device)
{
	growing_fixture fx(t, 300 << 10);
	const size_t n = fx.grown(256 << 10);
	het_device *d = device_apart();
	std::vector<uint8_t> bytes(5000);
	for (unsigned who = 0; who < 7; who++) {
		model_array from(kind::mmapped, n), to(kind::mmapped, n, 2), copied(kind::library, n, 3);
		HET_OK(fx.set_budget(d, 300 << 10));
		leave_written(fx, from, to, d);
		if (who == 0) { // writes of the host
			for (size_t i = 100; i < n; i += 2999)
				to.b.data()[i] = to.model[i] = uint8_t(i);
		} else if (who == 1) { // and exact copies
			for (size_t off = 100; off + bytes.size() < n; off += 30000) {
				HET_OK(gpuvm_host_read(to.b.data() + off, bytes.size(), bytes.data()));
				CHECK_BYTES(bytes.data(), to.model.data() + off, bytes.size(), "read exactly");
				std::fill(bytes.begin(), bytes.end(), uint8_t(off >> 8));
				HET_OK(gpuvm_host_write(to.b.data() + off, bytes.size(), bytes.data()));
				std::copy(bytes.begin(), bytes.end(), to.model.begin() + long(off));
			}
		} else if (who == 2) { // others want the memory
			HET_OK(fx.set_budget(d, 10 << 10));
			CHECK_EQ(memory_of(d).kept, 0);
		} else if (who == 3) { // a launch that fits
			HET_OK(fx.set_budget(d, 1 << 20));
			fx.run(fx.add, n, {to.all(HET_READ_WRITE), value_arg(uint8_t{5})});
			add_to_model(to.model, 0, n, 5);
		} else if (who == 4) { // and one that overwrites all
			HET_OK(fx.set_budget(d, 1 << 20));
			fx.run(fx.copy, n, {from.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)});
			to.model = from.model;
			HET_OK(fx.set_budget(d, 60 << 10));
		} else if (who == 5) { // the array that it belongs to, with other bytes
			combine(fx, to, from, nullptr, {.device = d});
		} else if (who == 6) { // a call on the host, through the library
			HET_OK(gpuvm_host_begin(to.b.data(), n, GPUVM_READ_ONLY));
		}
		if (who % 2)
			combine(fx, from, to, nullptr, {.device = d});
		HET_OK(het_finish(fx.queue));
		from.check("what was read");
		to.check("what was written");
		CHECK_EQ(memory_of(d).windows, 0);
	}
}

TEST(a_child_has_what_was_written, .traps = trap::best, .devices = one_device)
{
	skip_under_tsan("no threads after a fork");
	growing_fixture fx(t, 300 << 10);
	const size_t n = fx.grown(256 << 10);
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
	leave_written(fx, from, to, device_apart());
	expect_success(run_process(10, [&] { to.check("in the child"); }), "child");
	combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	to.check("in the parent");
}

// What stays on one device is there for launches in slices on another, and the other way round.
TEST(what_another_device_has_written, .traps = trap::best, .devices = device::host2 | device::cuda2)
{
	growing_fixture fx(t, 300 << 10);
	const std::vector<het_device *> devices = devices_with_memory();
	const size_t n = fx.grown(256 << 10);
	if (devices.size() < 2)
		skip("a device has the host's memory");
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	for (unsigned i = 0; i < 4; i++) {
		het_device *d = devices[i % 2];
		leave_written(fx, from, to, d);
		combine(fx, to, from, nullptr, {.device = devices[(i + 1) % 2]});
	}
	HET_OK(het_finish(fx.queue));
	from.check("what was written on one");
	to.check("what was written on the other");
}

// Others take the memory and give it back while launches use what is kept there, and the host what they have written.
TEST(memory_goes_beside_launches, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 150 << 10);
	const size_t n = fx.grown(128 << 10);
	het_device *d = device_apart();
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	std::atomic<bool> ends{false};
	std::thread others([&] {
		for (unsigned i = 0; !ends.load(); i++)
			HET_OK(fx.set_budget(d, size_t{i % 2 ? 150u : 60u} << 10));
	});
	for (unsigned i = 0; i < 12; i++) {
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		to.check(i * (n / 20), n / 3, "between launches");
	}
	ends.store(true);
	others.join();
	from.check("what was read");
	to.check("what was written");
}

// Where the host reads all of it each time it goes home with the launch, beside its kernels.
TEST(what_the_host_reads_goes_home, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 150 << 10);
	const size_t n = fx.grown(128 << 10);
	het_device *d = device_apart();
	model_array from(kind::library, n), to(kind::library, n, 2);
	unsigned whole = 0;
	for (unsigned i = 0; i < 12; i++) {
		const uint64_t before = memory_of(d).brought;
		combine(fx, from, to);
		HET_OK(het_finish(fx.queue));
		whole += memory_of(d).brought - before == n;
		to.check("what was written");
	}
	CHECK(whole >= 8);
}

// It can't be read: nobody gets what the host had before. When it can be again, it is as it was.
TEST(what_can_not_come_home, .traps = trap::best, .devices = device::cuda)
{
	growing_fixture fx(t, 300 << 10);
	const size_t n = fx.grown(256 << 10);
	het_device *d = device_apart();
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
	leave_written(fx, from, to, d);
	catch_signals();
	unsigned lost = 0;
	for (size_t i = 0; i < n; i += 4096) {
		fail_cuda_call("cuMemcpyDtoHAsync_v2", cuda_out_of_memory);
		const int signal = touch(to.b.data() + i);
		CHECK(!signal || signal == SIGBUS);
		if (!signal)
			CHECK_EQ(to.b.data()[i], to.model[i]);
		lost += signal != 0;
	}
	CHECK(lost > 0);
	fake_cuda_driver().fail_symbol = nullptr;
	HET_OK(gpuvm_host_begin(to.b.data(), n, GPUVM_READ_ONLY));
	to.check("what was written");
}

// What many launches have not used comes home with one of others, but for a piece that can't be read then: the others
// do not wait for that.
TEST(what_is_old_comes_home, .traps = trap::best, .devices = device::cuda)
{
	growing_fixture fx(t, 150 << 10);
	const size_t n = fx.grown(128 << 10);
	het_device *d = device_apart();
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
	const size_t left = leave_written(fx, from, to, d);
	CHECK(left > 4096);
	model_array others(kind::mmapped, n, 3), more(kind::mmapped, n, 4);
	for (unsigned i = 0; i < 16; i++)
		combine(fx, others, more);
	HET_OK(het_finish(fx.queue));
	fail_cuda_call("cuMemcpyDtoHAsync_v2", cuda_out_of_memory);
	combine(fx, others, more);
	HET_OK(het_finish(fx.queue));
	CHECK(!fake_cuda_driver().fail_symbol.load());
	more.check("what others have written");
	const uint64_t before = memory_of(d).brought;
	HET_OK(gpuvm_host_begin(to.b.data(), n, GPUVM_READ_ONLY));
	CHECK(memory_of(d).brought - before < left);
	to.check("what was written");
}

// Where arguments are parts of one array, what is written of it stays though others only read it.
TEST(what_is_written_of_an_array_stays, .traps = trap::best, .devices = one_device)
{
	growing_fixture fx(t, 150 << 10);
	const size_t n = fx.grown(128 << 10);
	het_device *d = device_apart();
	model_array both(kind::library, 2 * n);
	HET_OK(fx.launch(fx.add, 2 * n,
			 {range_arg(both.b.data(), 2 * n, HET_READ_WRITE, each_byte), value_arg(uint8_t{1})}));
	add_to_model(both.model, 0, 2 * n, 1);
	size_t left = 0;
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t before = memory_of(d).brought;
		HET_OK(fx.launch(fx.combine, n,
				 {range_arg(both.b.data(), n, HET_READ_ONLY, each_byte),
				  range_arg(both.b.data() + n, n, HET_READ_WRITE, each_byte)}));
		HET_OK(het_finish(fx.queue));
		for (size_t k = 0; k < n; k++)
			both.model[n + k] = uint8_t(3 * both.model[n + k] + both.model[k]);
		left = n - (memory_of(d).brought - before);
	}
	CHECK(left > 0);
	both.check("the array");
}

// The device is lost, and with it what it alone had. Who asks for that hears of it, and nobody gets what was there
// before.
TEST(the_device_dies_with_what_was_written, .traps = trap::best, .devices = device::cuda)
{
	growing_fixture fx(t, 300 << 10, "HET_EVICT=keep", "HET_DEVICES=cuda,apart");
	const size_t n = fx.grown(256 << 10);
	het_device *gpu = device_apart(), *other = devices_with_memory().at(1);
	{
		model_array from(kind::mmapped, n), to(kind::slice, n, 2), copied(kind::mmapped, n, 3);
		leave_written(fx, from, to, gpu);
		fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 2);
		event_handle first, second;
		const std::vector<uint8_t> old = to.model;
		combine(fx, from, to, first.out(), {.device = gpu});
		het_event *events[] = {first};
		CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
		HET_OK(fx.launch(fx.copy, n, {by_bytes(to, HET_READ_ONLY), by_bytes(copied, HET_WRITE_ONLY)},
				 second.out(), {.device = other}));
		events[0] = second;
		CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
		catch_signals();
		unsigned lost = 0;
		for (size_t i = 0; i < n; i += 1021) {
			const int signal = touch(to.b.data() + i);
			CHECK(!signal || signal == SIGBUS);
			lost += signal != 0;
			CHECK(signal || to.b.data()[i] == to.model[i] || to.b.data()[i] == old[i]);
		}
		CHECK(lost > 0);
		from.check("what was read");
		copied.check("what was not written");
	}
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	for (unsigned i = 0; i < 3; i++)
		combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	to.check("on another device");
}

// What a lost device alone had is overwritten by slices elsewhere, which read nothing of it. If one of them fails it is
// lost still.
TEST(what_was_lost_is_overwritten, .traps = trap::best, .devices = device::cuda2)
{
	growing_fixture fx(t, 300 << 10);
	const size_t n = fx.grown(256 << 10);
	het_device *gpu = devices_with_memory().at(0), *other = devices_with_memory().at(1);
	model_array from(kind::mmapped, n), left(kind::slice, n, 2), there(kind::mmapped, n, 3);
	leave_written(fx, from, left, gpu);
	HET_OK(fx.set_budget(gpu, 1 << 20));
	HET_OK(fx.launch(fx.add, there.size(), {there.all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr,
			 {.device = gpu}));
	HET_OK(het_finish(fx.queue));
	CHECK(memory_of(gpu).away > 0);
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
	event_handle e;
	HET_OK(fx.launch(fx.add, there.size(), {there.all(HET_READ_WRITE), value_arg(uint8_t{1})}, e.out(),
			 {.device = gpu}));
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	catch_signals();
	for (model_array *to : {&left, &there}) {
		const std::vector<uint8_t> old = to->model;
		auto overwrite = [&] {
			event_handle ended;
			HET_OK(fx.launch(fx.copy, n, {by_bytes(from, HET_READ_ONLY), by_bytes(*to, HET_WRITE_ONLY)},
					 ended.out(), {.device = other}));
			het_event *all[] = {ended};
			return het_event_wait(1, all);
		};
		fail_cuda_call("cuMemcpyDtoHAsync_v2", cuda_out_of_memory, 1);
		CHECK_EQ(overwrite(), HET_EWAIT);
		unsigned lost = 0;
		for (size_t i = 0; i < n; i += 1021) {
			const int signal = touch(to->b.data() + i);
			CHECK(!signal || signal == SIGBUS);
			lost += signal != 0;
			CHECK(signal || to->b.data()[i] == old[i] || to->b.data()[i] == from.model[i]);
		}
		CHECK(lost > 0);
		CHECK_EQ(overwrite(), 0);
		to->model = from.model;
		to->check("what is written anew");
	}
}

// Copies on the device, or to or from it, fail in turn. Each byte is as it was or as it should be.
TEST(copies_fail_where_written_bytes_stay, .traps = trap::best, .devices = device::cuda, .seconds = 60)
{
	growing_fixture fx(t, 150 << 10);
	const size_t n = fx.grown(128 << 10);
	het_device *d = device_apart();
	for (const char *symbol :
	     {"cuMemcpyDtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuMemAlloc_v2"}) {
		for (int after : {0, 4}) {
			model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
			leave_written(fx, from, to, d);
			const std::vector<uint8_t> old = to.model;
			fail_cuda_call(symbol, cuda_out_of_memory, after);
			event_handle e;
			combine(fx, from, to, e.out());
			het_event *events[] = {e};
			const int err = het_event_wait(1, events);
			fake_cuda_driver().fail_symbol = nullptr;
			for (size_t i = 0; i < n; i++) {
				const uint8_t byte = to.b.data()[i];
				if (byte != to.model[i] && (!err || byte != old[i]))
					FAIL("%s, %d: byte %zu is %u", symbol, after, i, byte);
			}
			from.check("what was read");
		}
	}
}
