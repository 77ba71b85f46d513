// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that names no device gets the one that is expected to have finished first, by what is known of it.
#include "harness/runtime.h"

#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace selftest;

namespace
{

// The first device takes fifty times as long. A launch that lasts for milliseconds shows that on any machine.
constexpr char slow_one_first[] = "HET_DEVICES=apart/50,apart";

struct devices {
	devices()
	{
		uint32_t n = 0;
		HET_OK(het_devices(2, all, &n));
		CHECK_EQ(n, 2);
	}
	het_device *slow() const { return all[0]; }
	het_device *quick() const { return all[1]; }
	het_device *all[2];
};

// Runs the slow kernel, and returns who did it.
het_device *run_slow(runtime_fixture &fx, het_device *where = nullptr)
{
	uint8_t bytes[64] = {}, one = 1;
	event_handle e;
	HET_OK(fx.launch(fx.slow, sizeof bytes, {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(one)},
			 e.out(), {.device = where}));
	wait_for(e);
	work w = work_of(e, sizeof bytes);
	CHECK_EQ(w.items.size(), 1);
	CHECK_EQ(bytes[5], 1);
	return w.items.begin()->first;
}

// Launches often enough for the library to keep what it knows.
void learn(runtime_fixture &fx, const devices &d)
{
	for (int i = 0; i < 4; i++)
		for (het_device *device : d.all)
			CHECK(run_slow(fx, device) == device);
}

} // namespace

TEST(the_first_as_long_as_nothing_is_known, .traps = trap::best, .devices = device::host2)
{
	restart_with(t, {slow_one_first, "HET_CACHE_SIZE=0"});
	runtime_fixture fx(t);
	devices d;
	CHECK(run_slow(fx) == d.slow());
	CHECK(run_slow(fx) == d.slow());
}

TEST(the_quicker_when_both_are_known, .traps = trap::best, .devices = device::host2)
{
	restart_with(t, {slow_one_first, "HET_CACHE_SIZE=0"});
	runtime_fixture fx(t);
	devices d;
	CHECK(run_slow(fx, d.slow()) == d.slow());
	CHECK(run_slow(fx, d.quick()) == d.quick());
	for (int i = 0; i < 5; i++)
		CHECK(run_slow(fx) == d.quick());
}

// A device that nobody knows gets a launch when the others have much to do.
TEST(a_stranger_is_tried_under_load, .traps = trap::best, .devices = device::host2)
{
	restart_with(t, {slow_one_first, "HET_CACHE_SIZE=0"});
	runtime_fixture fx(t);
	devices d;
	CHECK(run_slow(fx) == d.slow());
	uint8_t bytes[3][64] = {}, one = 1;
	event_handle events[3];
	for (int i = 0; i < 3; i++)
		HET_OK(fx.launch(fx.slow, 64, {range_arg(bytes[i], 64, HET_READ_WRITE), value_arg(one)},
				 events[i].out()));
	for (event_handle &e : events)
		wait_for(e);
	CHECK(work_of(events[1], 64).items.begin()->first == d.quick());
	CHECK(run_slow(fx) == d.quick());
}

// The next process knows what one has learned.
TEST(speeds_outlive_the_process, .traps = trap::best, .devices = device::host2)
{
	static const std::string folder =
		std::filesystem::temp_directory_path() / ("libhet-speeds-" + std::to_string(getpid()));
	static const std::string setting = "XDG_CACHE_HOME=" + folder;
	restart_with(t, {slow_one_first, setting.c_str(), "HET_CACHE_SIZE=1000000"}); // keeps the process the same
	pid_t child = fork();
	if (!child) {
		runtime_fixture fx(t);
		learn(fx, devices());
		_exit(0);
	}
	int status = -1;
	CHECK_EQ(waitpid(child, &status, 0), child);
	bool was_kept = std::filesystem::exists(folder + "/libhet");
	het_device *who = nullptr;
	devices d;
	{
		runtime_fixture fx(t);
		who = run_slow(fx);
	}
	std::filesystem::remove_all(folder);
	CHECK_EQ(status, 0);
	CHECK(was_kept);
	CHECK(who == d.quick());
}

// The processors' OpenCL and the host itself are no more than one of them. The launches are long, so that it is not
// their length that keeps them whole.
TEST(devices_that_share_processors_do_not_share_launches, .traps = trap::best, .devices = device::opencl)
{
	restart_with(t, {"HET_DEVICES=opencl,host", "HET_CACHE_SIZE=0"});
	runtime_fixture fx(t);
	uint32_t n = 0;
	HET_OK(het_devices(0, nullptr, &n));
	if (n != 2)
		skip("there are %u devices, not the processors' OpenCL and the host alone", n);
	devices d;
	het_device_info info = {};
	info.size = sizeof info;
	HET_OK(het_device_describe(d.all[0], &info));
	if (std::string(info.name).find("Portable Computing Language") == std::string::npos)
		skip("the device has processors of its own");
	std::vector<uint8_t> bytes(32 << 20);
	const uint8_t one = 1;
	constexpr int launches = 5;
	for (int i = 0; i < launches; i++) {
		event_handle e;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE, each_byte), value_arg(one)},
				 e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		work w = work_of(e, bytes.size());
		check_work(w);
		CHECK(i == 0 || w.items.size() == 1); // the first one tells how fast they are
	}
	CHECK(bytes == std::vector<uint8_t>(bytes.size(), launches));
}
