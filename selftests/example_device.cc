// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the device of Documentation/compute-devices.rst (selftests/example_device), in a library that has it and
// `apart`: launches, touches, sharing with the other device, and failures.
#include "example_device/faults.h"
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/process.h"
#include "harness/runtime.h"
#include "harness/signal_of_touch.h"

#include <csignal>
#include <dlfcn.h>
#include <sys/stat.h>

using namespace selftest;

namespace
{

constexpr size_t size = size_t{64} * 20000;

const char *library_setting()
{
	static const std::string folder = folder_of_programs() + "/../example-device";
	static const std::string setting = "LD_LIBRARY_PATH=" + folder;
	struct stat s;
	if (stat((folder + "/libhet.so").c_str(), &s))
		skip("%s/libhet.so has not been built", folder.c_str());
	return setting.c_str();
}

class fixture
{
      public:
	explicit fixture(const context &t, const char *policy = "HET_POLICY=dynamic")
	    : fx(restarted(t, policy)), bytes(size)
	{
		het_device *both[2];
		uint32_t count = 0;
		HET_OK(het_devices(2, both, &count));
		CHECK_EQ(count, 2);
		device = both[0];
		het_device_info i = {};
		i.size = sizeof i;
		HET_OK(het_device_describe(device, &i));
		CHECK(std::string(i.name) == "example");
		fill_pattern(bytes.data(), 0, size, 1);
		model = bytes;
	}

	example::fault_counts &faults() const
	{
		return *static_cast<example::fault_counts *>(dlsym(RTLD_DEFAULT, "het_example_faults"));
	}
	int launch(uint8_t value, het_event **event, runtime_fixture::options o)
	{
		return fx.launch(fx.add, size,
				 {range_arg(bytes.data(), size, HET_READ_WRITE, each_byte), value_arg(value)}, event,
				 o);
	}
	// Launches on the example alone.
	int launch(uint8_t value, het_event **event) { return launch(value, event, {.device = device}); }
	void run(uint8_t value)
	{
		event_handle e;
		HET_OK(launch(value, e.out()));
		wait_for(e);
		add_to_model(model, 0, size, value);
	}
	// Expects the launch to fail when its event tells so.
	void run_in_vain(int code)
	{
		event_handle e;
		HET_OK(launch(1, e.out()));
		het_event *list = e;
		HET_ERR(het_event_wait(1, &list), HET_EWAIT);
		CHECK_EQ(status_of(e), code);
	}
	void check() { CHECK_BYTES(bytes.data(), model.data(), size, "array"); }

	runtime_fixture fx;
	std::vector<uint8_t> bytes, model;
	het_device *device;

      private:
	static const context &restarted(const context &t, const char *policy)
	{
		restart_with(t, {library_setting(), policy});
		return t;
	}
};

} // namespace

TEST(launches_and_touches, .traps = trap::best)
{
	fixture fx(t);
	for (uint8_t round = 1; round <= 5; round++) {
		fx.run(round);
		fx.run(7);
		fx.bytes[round]++;
		fx.model[round]++;
	}
	fx.check();
}

TEST(views_of_one_array, .traps = trap::best)
{
	fixture fx(t);
	for (size_t round = 0; round < 50; round++) {
		size_t off = t.random.below(size / 2), n = 64 * (1 + t.random.below(1000));
		fx.fx.run_add(fx.bytes.data() + off, n, 3);
		add_to_model(fx.model, off, n, 3);
	}
	fx.check();
}

// There are more launches than the device has at a time, and nobody waits for them.
TEST(many_launches, .traps = trap::best)
{
	fixture fx(t);
	for (int n = 0; n < 200; n++)
		HET_OK(fx.launch(1, nullptr));
	add_to_model(fx.model, 0, size, 200);
	HET_OK(het_finish(fx.fx.queue));
	fx.check();
}

TEST(shares_launches_with_another_device, .traps = trap::best)
{
	fixture fx(t);
	for (uint8_t round = 1; round <= 5; round++) {
		event_handle e;
		HET_OK(fx.launch(round, e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		add_to_model(fx.model, 0, size, round);
		work w = work_of(e, size);
		check_work(w);
		CHECK_EQ(w.items.size(), 2);
	}
	fx.check();
}

TEST(has_no_addresses, .traps = trap::best)
{
	fixture fx(t);
	void *address = nullptr;
	HET_ERR(het_device_alloc(fx.device, 100, &address), HET_ENODEV);
}

TEST(a_kernel_fails, .traps = trap::best)
{
	fixture fx(t);
	fx.run(1);
	fx.faults().kernels = 0;
	fx.run_in_vain(HET_EDEVICE);
	fx.run(2);
	fx.check();
}

// The device is given two blocks when the launch begins; how many more it gets depends on the other one.
TEST(others_do_the_blocks_of_one_that_fails, .traps = trap::best)
{
	fixture fx(t);
	for (int after : {0, 1}) {
		fx.faults().kernels = after;
		event_handle e;
		HET_OK(fx.launch(9, e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		add_to_model(fx.model, 0, size, 9);
		check_work(work_of(e, size));
		CHECK(fx.faults().kernels < 0);
		fx.check();
	}
}

// An array that it had alone is lost with it; the other array has never been there.
TEST(others_take_over_from_a_lost_device, .traps = trap::best)
{
	fixture fx(t);
	std::vector<uint8_t> lost(size);
	uint8_t one = 1;
	event_handle failing;
	fx.faults().lost = true;
	fx.faults().kernels = 0;
	HET_OK(fx.fx.launch(fx.fx.add, size, {range_arg(lost.data(), size, HET_READ_WRITE), value_arg(one)},
			    failing.out(), {.device = fx.device}));
	het_event *list = failing;
	HET_ERR(het_event_wait(1, &list), HET_EWAIT);
	for (uint32_t flags : {0, int{HET_SPLIT}}) {
		event_handle e;
		HET_OK(fx.launch(4, e.out(), {.flags = flags}));
		wait_for(e);
		add_to_model(fx.model, 0, size, 4);
		CHECK(!work_of(e, size).items.contains(fx.device));
	}
	fx.check();
}

TEST(a_copy_to_the_device_fails, .traps = trap::best)
{
	fixture fx(t);
	fx.faults().writes = 0;
	fx.run_in_vain(HET_EDEVICE);
	fx.check();
	fx.run(3);
	fx.check();
}

TEST(a_copy_from_the_device_fails, .traps = trap::best)
{
	fixture fx(t);
	fx.run(1);
	fx.faults().reads = 0;
	catch_signals();
	CHECK_EQ(touch(&fx.bytes[size / 2]), SIGBUS);
}

// Others may come before it, so it runs in parts, of which the first can't be begun; or a later one.
TEST(what_was_not_begun_leaves_bytes_as_they_were, .traps = trap::best)
{
	fixture fx(t);
	const uint8_t value = 1;
	uint8_t others[64] = {};
	HET_OK(fx.fx.launch(fx.fx.add, sizeof others,
			    {range_arg(others, sizeof others, HET_READ_WRITE), value_arg(value)}, nullptr,
			    {.device = fx.device, .priority = 7}));
	HET_OK(het_finish(fx.fx.queue));
	for (int after : {0, 3}) {
		fill_pattern(fx.bytes.data(), 0, size, 5);
		const std::vector<uint8_t> before = fx.bytes;
		fx.faults().submits = after;
		event_handle e;
		HET_OK(fx.fx.launch(fx.fx.add, size,
				    {range_arg(fx.bytes.data(), size, HET_WRITE_ONLY, each_byte), value_arg(value)},
				    e.out(), {.device = fx.device}));
		het_event *list = e;
		HET_ERR(het_event_wait(1, &list), HET_EWAIT);
		CHECK_EQ(status_of(e), HET_EDEVICE);
		CHECK(fx.faults().submits < 0);
		if (!after)
			CHECK_BYTES(fx.bytes.data(), before.data(), size, "array");
	}
}
