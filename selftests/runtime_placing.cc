// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that names no device gets the one that is expected to have finished first, by what is known of it.
#include "cache/device_profile.h"
#include "cache/user_store.h"
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

// Has a store of the test's own, with profiles of the two devices: what kernels are said to do there in a ns.
class profiles
{
      public:
	// A rate of 0 is not in the profile.
	profiles(context &t, double slow, double quick, const char *more = "HET_POLICY=steal")
	{
		static const std::string folder =
			std::filesystem::temp_directory_path() / ("libhet-profiles-" + std::to_string(getpid()));
		static const std::string setting = "XDG_CACHE_HOME=" + folder;
		restart_with(t, {slow_one_first, setting.c_str(), "HET_CACHE_SIZE=1000000", more});
		folder_ = getenv("XDG_CACHE_HOME");
		put("apart/50 (host memory)", slow);
		put("apart (host memory)", quick);
	}
	~profiles() { std::filesystem::remove_all(folder_); }

      private:
	static void put(const char *device, double rate)
	{
		het::cache::device_profile p;
		for (const char *name : {"memory.both.sequential", "arithmetic.float fma"})
			if (rate > 0)
				p.all.push_back({name, rate, rate, rate, 0.95});
		put_profile(het::cache::user_store(), {device, ""}, p);
	}

	std::string folder_;
};

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

// Nor is the first one tried afterwards, since nothing is known of it but that it is slower.
TEST(the_better_one_if_profiles_tell, .traps = trap::best, .devices = device::host2)
{
	profiles kept(t, 1, 50);
	runtime_fixture fx(t);
	devices d;
	for (int i = 0; i < 3; i++)
		CHECK(run_slow(fx) == d.quick());
}

TEST(the_first_if_profiles_tell_no_difference, .traps = trap::best, .devices = device::host2)
{
	profiles kept(t, 50, 50);
	runtime_fixture fx(t);
	CHECK(run_slow(fx) == devices().slow());
}

TEST(the_first_if_it_has_no_profile, .traps = trap::best, .devices = device::host2)
{
	profiles kept(t, 0, 50);
	runtime_fixture fx(t);
	CHECK(run_slow(fx) == devices().slow());
}

// Both devices have the same number of units, by which shares are equal where no profile is.
TEST(first_shares_are_by_profiles, .traps = trap::best, .devices = device::host2)
{
	profiles kept(t, 1, 3, "HET_POLICY=static");
	runtime_fixture fx(t);
	devices d;
	std::vector<uint8_t> bytes(1 << 20);
	const uint8_t one = 1;
	event_handle e;
	HET_OK(fx.launch(fx.add, bytes.size(),
			 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE, each_byte), value_arg(one)}, e.out(),
			 {.flags = HET_SPLIT}));
	wait_for(e);
	work w = work_of(e, bytes.size());
	check_work(w);
	CHECK(bytes == std::vector<uint8_t>(bytes.size(), 1));
	note("the quick one did %zu of %zu", size_t(w.items[d.quick()]), bytes.size());
	CHECK(w.items[d.quick()] > bytes.size() / 100 * 55);
	CHECK(w.items[d.quick()] < bytes.size() / 100 * 78);
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
