// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Parts of a divided launch wait for others, and the watchdog looks for such.
#include "harness/fixture.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <gpuvm.h>
#include <mutex>
#include <string>
#include <unistd.h>

using namespace selftest;
namespace fs = std::filesystem;

namespace
{

// Work-item 0 waits, if it is to, until the last one has set the first byte to 1: on another device, whose memory it
// does not see. Its own device gets that byte for it, since what it has not got may be anything in a new buffer.
const char source[] = R"(
kernel void first_waits_for_last(global volatile uchar *p, ulong n, uint waits)
{
	size_t i = get_global_id(0);
	if (waits == 1 && i == n - 1)
		p[0] = 1;
	while (waits == 1 && i == 0 && p[0] != 1)
		;
	p[i] = waits == 1 ? 1 : 2;
}
)";

// Tells which work-items wait; all do so for the test, on the host alone.
enum class waiting : uint32_t { none, first, all, second_half };
std::atomic<bool> released{false};

void first_waits_for_last(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]);
	auto n = *static_cast<uint64_t *>(args[1]);
	auto who = waiting(*static_cast<uint32_t *>(args[2]));
	if (who == waiting::first && g->first[0] + g->items[0] == n)
		__atomic_store_n(p, uint8_t(1), __ATOMIC_RELEASE);
	while (who == waiting::first && !g->first[0] && __atomic_load_n(p, __ATOMIC_ACQUIRE) != 1 && !released.load())
		usleep(1000);
	while ((who == waiting::all || (who == waiting::second_half && g->first[0] >= n / 2)) && !released.load())
		usleep(1000);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		__atomic_store_n(p + i, uint8_t(who == waiting::first ? 1 : 2), __ATOMIC_RELEASE);
}

// The error callback was told this.
struct {
	std::mutex lock;
	std::condition_variable came;
	std::vector<std::string> all;
} reported;

void on_error(int code, void *hostptr, const char *message, void *)
{
	CHECK_EQ(code, GPUVM_ESTATE);
	CHECK(!hostptr);
	std::lock_guard g(reported.lock);
	reported.all.emplace_back(message);
	reported.came.notify_all();
}

std::string wait_for_report()
{
	std::unique_lock g(reported.lock);
	reported.came.wait(g, [] { return !reported.all.empty(); });
	return reported.all.front();
}

size_t reports()
{
	std::lock_guard g(reported.lock);
	return reported.all.size();
}

// Has a kernel, memory for it, and launches of it that are divided if they can be.
struct waiting_fixture {
	static constexpr size_t items = 64 << 10, group = 64;

	// The case was restarted with all its settings, so they hold here.
	waiting_fixture()
	{
		const het_function function = {"first_waits_for_last", first_waits_for_last, 3};
		make_program(program, source, {&function, 1});
		HET_OK(het_queue_create(nullptr, queue.out()));
		make_kernel(kernel);
		CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	}
	void make_kernel(kernel_handle &k) { HET_OK(het_kernel_create(program, "first_waits_for_last", k.out())); }

	void launch(het_kernel *k, std::vector<uint8_t> &bytes, waiting who, event_handle &e)
	{
		bytes.assign(items, 0);
		uint64_t n = items;
		const het_arg args[] = {range_arg(bytes.data(), items, HET_READ_WRITE, each_byte), value_arg(n),
					value_arg(who)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = 1;
		l.flags = HET_SPLIT;
		l.global[0] = items;
		l.local[0] = group;
		l.arg_size = sizeof(het_arg);
		l.nargs = std::size(args);
		l.args = args;
		HET_OK(het_launch(queue, &l, e.out()));
	}
	// Returns how many devices take part in a launch that does not wait.
	size_t devices(het_kernel *k)
	{
		std::vector<uint8_t> bytes;
		event_handle e;
		launch(k, bytes, waiting::none, e);
		wait_for(e);
		return devices_of(e);
	}
	size_t devices_of(het_event *e) { return work_of(e, items).items.size(); }
	// Makes the kernel's speeds known: what takes a second is a hundred times as long then.
	void make_known()
	{
		for (unsigned i = 0; i < 4; i++)
			CHECK_EQ(devices(kernel), 2);
	}

	program_handle program;
	queue_handle queue;
	kernel_handle kernel;
};

// The first of the devices waits, as it gets the first block; both get one at once, however fast the other is.
const std::vector<const char *> two_devices = {"HET_DEVICES=apart,apart", "HET_POLICY=dynamic", "HET_CACHE_SIZE=0",
					       "GPUVM_WATCHDOG=1"};

bool has_watch()
{
	for (const auto &thread : fs::directory_iterator("/proc/self/task")) {
		std::string name;
		std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name);
		if (name == "het-watch")
			return true;
	}
	return false;
}

} // namespace

// The second launch is made, and the handle with it, while the first one waits.
TEST(a_part_that_waits_is_named_and_its_kernel_no_longer_divided, .devices = device::host2)
{
	restart_with(t, two_devices);
	waiting_fixture fx;
	fx.make_known();
	std::vector<uint8_t> bytes, others, more;
	event_handle e, one, two;
	fx.launch(fx.kernel, bytes, waiting::first, e);
	std::string text = wait_for_report();
	note("%s", text.c_str());
	CHECK(text.find("first_waits_for_last") != text.npos);
	CHECK(text.find("work-items 0 to ") != text.npos);
	CHECK(text.find("apart") != text.npos);
	CHECK(text.find("expected") != text.npos);
	CHECK(text.find("leave out HET_SPLIT") != text.npos);
	CHECK(status_of(e) > 0);
	kernel_handle same;
	fx.make_kernel(same);
	fx.launch(fx.kernel, others, waiting::none, one);
	fx.launch(same, more, waiting::none, two);
	released.store(true);
	wait_for(e);
	wait_for(one);
	wait_for(two);
	CHECK_EQ(fx.devices_of(one), 1);
	CHECK_EQ(fx.devices_of(two), 1);
	CHECK_EQ(std::count(bytes.begin(), bytes.end(), 1), fx.items);
	CHECK_EQ(reports(), 1);
	// The kernel had not waited for ever.
	CHECK_EQ(fx.devices(fx.kernel), 2);
	CHECK_EQ(fx.devices(same), 2);
}

// It is not known at first how long a kernel takes, and it may be an hour.
TEST(nothing_is_said_of_a_kernel_that_nobody_knows, .devices = device::host2)
{
	restart_with(t, two_devices);
	waiting_fixture fx;
	std::vector<uint8_t> bytes;
	event_handle e;
	fx.launch(fx.kernel, bytes, waiting::all, e);
	while (!has_watch())
		usleep(1000);
	sleep(3); // leaves time for many looks, of which none may say anything
	CHECK_EQ(reports(), 0);
	released.store(true);
	wait_for(e);
	CHECK_EQ(fx.devices_of(e), 2);
}

TEST(the_watch_comes_with_divided_launches_and_goes, .devices = device::host2)
{
	restart_with(t, two_devices);
	waiting_fixture fx;
	CHECK(!has_watch());
	for (unsigned i = 0; i < 3; i++) {
		std::vector<uint8_t> bytes;
		event_handle e;
		released.store(false);
		fx.launch(fx.kernel, bytes, waiting::first, e);
		while (!has_watch())
			usleep(1000);
		released.store(true);
		wait_for(e);
		while (has_watch())
			usleep(1000);
	}
}

TEST(nobody_watches_if_that_is_not_wanted, .devices = device::host2)
{
	std::vector<const char *> settings = two_devices;
	settings.back() = "GPUVM_WATCHDOG=0";
	restart_with(t, settings);
	waiting_fixture fx;
	fx.make_known();
	CHECK(!has_watch());
}

TEST(fork_and_exit_beside_a_part_that_waits, .devices = device::host2)
{
	skip_under_sanitizers("at exit the leak checker stops the resolvers and reads what the kernel has");
	std::vector<const char *> settings = two_devices;
	settings.push_back("HET_EXIT_WAIT=1");
	restart_with(t, settings);
	ending ended = run_process(30 * t.patience, [] {
		waiting_fixture fx;
		fx.make_known();
		std::vector<uint8_t> bytes;
		event_handle e;
		fx.launch(fx.kernel, bytes, waiting::first, e);
		while (!has_watch())
			usleep(1000);
		for (unsigned i = 0; i < 20; i++)
			expect_success(run_process(10, [] {}), "a child");
		wait_for_report();
		exit(0);
	});
	expect_success(ended, "a process that exits while a part waits");
}

// It is one of a launch whose memory does not fit. Those before it have told how long one takes.
TEST(a_slice_that_waits_is_named, .devices = device::host, .seconds = 60)
{
	restart_with(t, {"HET_DEVICES=apart", "HET_DEVICE_MEMORY=40K", "HET_CACHE_SIZE=0", "GPUVM_WATCHDOG=1"});
	waiting_fixture fx;
	std::vector<uint8_t> bytes, more;
	event_handle e, later;
	fx.launch(fx.kernel, bytes, waiting::second_half, e);
	const std::string text = wait_for_report();
	note("%s", text.c_str());
	for (const char *said :
	     {"first_waits_for_last", "apart", "a slice took", "most likely waits", "HET_DEVICE_MEMORY"})
		CHECK(text.find(said) != text.npos);
	CHECK(status_of(e) > 0);
	kernel_handle same;
	fx.make_kernel(same);
	released.store(true);
	wait_for(e);
	CHECK_EQ(std::count(bytes.begin(), bytes.end(), 2), fx.items);
	CHECK_EQ(reports(), 1);
	// It had not waited for ever.
	fx.launch(same, more, waiting::none, later);
	wait_for(later);
	CHECK_EQ(status_of(later), 0);
	CHECK_EQ(std::count(more.begin(), more.end(), 2), fx.items);
}

// The kernel runs on a device that has a queue, and never ends, so its process has to.
TEST(later_processes_know_it, .devices = device::mixed)
{
	char folder[] = "/tmp/het-watchdog-XXXXXX";
	const char *mine = getenv("HET_TEST_CACHE");
	CHECK(mine || mkdtemp(folder));
	setenv("HET_TEST_CACHE", mine ? mine : folder, 1);
	setenv("XDG_CACHE_HOME", mine ? mine : folder, 1);
	restart_with(t, {"HET_DEVICES=opencl,apart", "HET_POLICY=dynamic", "HET_CACHE_SIZE=1M", "GPUVM_WATCHDOG=1"});
	ending waits = run_process(60 * t.patience, [] {
		waiting_fixture fx;
		uint32_t n = 0;
		HET_OK(het_devices(0, nullptr, &n));
		if (n != 2)
			_exit(2);
		fx.make_known();
		std::vector<uint8_t> bytes;
		event_handle e;
		fx.launch(fx.kernel, bytes, waiting::first, e);
		wait_for_report();
		_exit(0);
	});
	if (waits.exited(2)) {
		fs::remove_all(mine);
		skip("there is not one OpenCL device");
	}
	expect_success(waits, "a process whose kernel waits");
	ending knows = run_process(60 * t.patience, [] {
		waiting_fixture fx;
		stderr_capture capture;
		CHECK_EQ(fx.devices(fx.kernel), 1);
		CHECK_EQ(fx.devices(fx.kernel), 1);
		std::string text = capture.text();
		note("%s", text.c_str());
		size_t told = text.find("runs on one device");
		CHECK(told != text.npos);
		CHECK(text.find("runs on one device", told + 1) == text.npos);
	});
	fs::remove_all(mine);
	expect_success(knows, "a process after it");
}
