// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests checkpoint files: what they hold when commands go on, when something fails or dies, and what they give to other
// processes with other devices.
#include "harness/checkpoint.h"
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace selftest;

// Commands are before and behind each write, and nobody waits for any of them. Another handle sees what was there when
// the write had its turn.
TEST(it_holds_what_was_there_in_its_turn, .traps = trap::best, .devices = device::runtime, .seconds = 40)
{
	for (uint32_t flags : {0, int(HET_QUEUE_IN_ORDER)}) {
		runtime_fixture fx(t, flags);
		temporary_file f;
		checkpoint_handle c;
		HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
		world w(1);
		for (uint64_t round = 0; round < t.rounds(6, 100); round++) {
			for (uint64_t k = t.random.below(4); k > 0; k--)
				w.change(fx, t);
			event_handle written;
			const items all = w.named();
			HET_OK(all.write(fx.queue, c, written.out()));
			std::vector<uint8_t> then[] = {w.object_model, w.heap_model, w.wrapped_model};
			for (uint64_t k = t.random.below(3); k > 0; k--)
				w.change(fx, t);
			CHECK_EQ(items::end_of(written), 0);
			CHECK_EQ(info_of(c).generation, round + 1);

			checkpoint_handle reader;
			HET_OK(het_checkpoint_open(f.path(), HET_CHECKPOINT_READ_ONLY, reader.out()));
			std::vector<uint8_t> a(world::n), b(world::n);
			memory_handle m;
			HET_OK(het_memory_create(world::n, m.out()));
			items others;
			others.object("wrapped", m)
				.range("object", a.data(), a.size())
				.range("range", b.data(), b.size());
			CHECK_EQ(others.restore_all(fx.queue, reader), 0);
			CHECK_BYTES(a.data(), then[0].data(), world::n, "object");
			CHECK_BYTES(b.data(), then[1].data(), world::n, "range");
			CHECK_BYTES(het_memory_pointer(m), then[2].data(), world::n, "wrapped");
		}
		HET_OK(het_finish(fx.queue));
		w.check("at the end");
	}
}

// A restore is a command among others, too, and what was on devices is of no use any longer.
TEST(a_restore_has_its_turn, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	world w(3);
	w.change(fx, t);
	const items all = w.named();
	HET_OK(all.write(fx.queue, c, nullptr));
	std::vector<uint8_t> then[] = {w.object_model, w.heap_model, w.wrapped_model};
	for (int k = 0; k < 5; k++)
		w.change(fx, t);
	HET_OK(all.restore(fx.queue, c, nullptr));
	w.object_model = then[0];
	w.heap_model = then[1];
	w.wrapped_model = then[2];
	for (int k = 0; k < 3; k++)
		w.change(fx, t);
	HET_OK(het_finish(fx.queue));
	w.check("after the restore");
}

TEST(only_what_has_changed_is_written, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	const size_t n = size_t{4} << 20;
	memory_handle m;
	HET_OK(het_memory_create(n, m.out()));
	std::vector<uint8_t> model(n);
	fill_pattern(model.data(), 0, n, 1);
	memcpy(het_memory_pointer(m), model.data(), n);
	items all;
	all.object("m", m);
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	CHECK(info_of(c).written_bytes > n);
	const uint8_t one = 1;
	HET_OK(fx.launch(fx.add, n, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
	add_to_model(model, 0, n, one);
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	CHECK(info_of(c).written_bytes > n);
	const size_t some = n / 100;
	for (int k = 0; k < 3; k++) {
		memory_handle part;
		HET_OK(het_memory_part(m, size_t(k) * 1234567, some, part.out()));
		HET_OK(fx.launch(fx.add, some, {memory_arg(part, HET_READ_WRITE), value_arg(one)}));
		add_to_model(model, size_t(k) * 1234567, some, one);
		CHECK_EQ(all.write_all(fx.queue, c), 0);
		CHECK_LE(info_of(c).written_bytes, n * 3 / 100);
		// Of what a device has it is known what has changed.
		if (t.v.device & device::runtime_apart)
			CHECK_LE(info_of(c).compared_bytes, n / 4);
	}
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	CHECK_LE(info_of(c).written_bytes, 300);
	if (t.v.device & device::runtime_apart)
		CHECK_EQ(info_of(c).compared_bytes, 0);
	// The same name elsewhere is another thing, about which nothing is known.
	memory_handle other;
	HET_OK(het_memory_create(n, other.out()));
	items moved;
	moved.object("m", other);
	HET_OK(fx.launch(fx.copy, n, {memory_arg(m, HET_READ_ONLY), memory_arg(other, HET_WRITE_ONLY)}));
	HET_OK(fx.launch(fx.add, some, {memory_arg(other, HET_READ_WRITE), value_arg(one)}));
	CHECK_EQ(moved.write_all(fx.queue, c), 0);
	CHECK_EQ(info_of(c).compared_bytes, n);
	add_to_model(model, 0, some, one);
	memset(het_memory_pointer(m), 0, n);
	CHECK_EQ(all.restore_all(fx.queue, c), 0);
	CHECK_BYTES(het_memory_pointer(m), model.data(), n, "restored");
}

// Each write changes nearly all, so most of the file is soon of no use.
TEST(it_is_made_smaller, .devices = device::none)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c, again;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	const size_t n = size_t{3} << 20;
	std::vector<uint8_t> a(n);
	items all;
	all.range("a", a.data(), n);
	uint64_t most = 0;
	for (uint32_t k = 0; k < 20; k++) {
		fill_pattern(a.data(), 0, n, k);
		CHECK_EQ(all.write_all(fx.queue, c), 0);
		CHECK_EQ(info_of(c).generation, k + 1);
		CHECK_EQ(info_of(c).file_bytes, f.size());
		most = std::max(most, f.size());
	}
	CHECK_LE(most, 10 * n);
	// All of it may stay in memory.
	het_checkpoint_args args = all.args(c);
	args.memory = UINT64_MAX;
	a[0]++;
	event_handle written;
	HET_OK(het_checkpoint_write(fx.queue, &args, written.out()));
	CHECK_EQ(items::end_of(written), 0);
	c.reset();
	HET_OK(het_checkpoint_open(f.path(), 0, again.out()));
	CHECK_EQ(info_of(again).generation, 21);
	std::vector<uint8_t> model = a;
	std::fill(a.begin(), a.end(), 0);
	CHECK_EQ(all.restore_all(fx.queue, again), 0);
	CHECK_BYTES(a.data(), model.data(), n, "restored");
}

// --- what fails --------------------------------------------------------------------

TEST(what_it_can_not_hold_is_refused, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	memory_handle m;
	HET_OK(het_memory_create(100, m.out()));
	char bytes[10] = {};
	const auto refused = [&](het_checkpoint_item i, int code, const char *why) {
		items list;
		list.all.push_back(i);
		HET_ERR(list.write(fx.queue, c, nullptr), code);
		if (!strstr(het_last_error(), why))
			FAIL("\"%s\" does not say \"%s\"", het_last_error(), why);
		HET_ERR(list.restore(fx.queue, c, nullptr), code);
	};
	const auto item = [&](uint32_t kind, void *p, size_t n, het_memory *object) {
		return het_checkpoint_item{"x", kind, 0, p, n, object};
	};
	refused(item(HET_ARG_ADDRESS, bytes, 10, nullptr), HET_EARG, "raw device memory");
	refused(item(HET_ARG_TEXTURE, bytes, 0, nullptr), HET_EARG, "texture");
	refused(item(HET_ARG_VALUE, bytes, 10, nullptr), HET_EARG, "kind 1");
	refused(item(HET_ARG_RANGE, bytes, 0, nullptr), HET_EARG, "0 bytes");
	refused(item(HET_ARG_RANGE, nullptr, 10, nullptr), HET_EARG, "10 bytes");
	refused(item(HET_ARG_RANGE, bytes, 10, m), HET_EARG, "item x");
	refused(item(HET_ARG_MEMORY, nullptr, 0, nullptr), HET_EARG, "memory object");
	refused(item(HET_ARG_MEMORY, nullptr, 7, m), HET_EARG, "without pointer and size");
	het_checkpoint_item i = item(HET_ARG_MEMORY, nullptr, 0, m);
	i.reserved = 1;
	refused(i, HET_EARG, "reserved");
	i.reserved = 0;
	i.name = nullptr;
	refused(i, HET_ENULL, "name");
	i.name = "";
	refused(i, HET_EARG, "a name of 0 bytes");
	const std::string longest(255, 'x'), longer(256, 'x');
	i.name = longer.c_str();
	refused(i, HET_EARG, "a name of 256 bytes");

	items list;
	HET_ERR(list.write(fx.queue, c, nullptr), HET_ENULL);
	list.object("a", m).range("a", bytes, 10);
	HET_ERR(list.write(fx.queue, c, nullptr), HET_EARG);
	het_checkpoint_args a = list.args(c);
	a.nitems = 0;
	HET_ERR(het_checkpoint_write(fx.queue, &a, nullptr), HET_EARG);
	a = list.args(c);
	a.item_size--;
	HET_ERR(het_checkpoint_write(fx.queue, &a, nullptr), HET_EARG);
	a = list.args(nullptr);
	HET_ERR(het_checkpoint_write(fx.queue, &a, nullptr), HET_ENULL);
	HET_ERR(het_checkpoint_write(nullptr, &a, nullptr), HET_ENULL);
	CHECK_EQ(info_of(c).generation, 0);

	items good;
	good.object(longest.c_str(), m);
	CHECK_EQ(good.restore_all(fx.queue, c), HET_EFILE); // nothing was written yet
	CHECK_EQ(good.write_all(fx.queue, c), 0);
	char name[256];
	uint64_t n;
	HET_OK(het_checkpoint_holds(c, 0, name, &n));
	CHECK(longest == name);
	CHECK_EQ(n, 100);
	HET_ERR(het_checkpoint_holds(c, 1, name, &n), HET_EARG);
	items other, sized;
	other.object("other", m);
	CHECK_EQ(other.restore_all(fx.queue, c), HET_EARG);
	sized.range(longest.c_str(), bytes, 10);
	CHECK_EQ(sized.restore_all(fx.queue, c), HET_EARG);
}

TEST(files_that_can_not_be_used_are_refused, .devices = device::none)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c, other;
	HET_ERR(het_checkpoint_open(nullptr, 0, c.out()), HET_ENULL);
	HET_ERR(het_checkpoint_open("", 0, c.out()), HET_EARG);
	HET_ERR(het_checkpoint_open(f.path(), 2, c.out()), HET_EARG);
	HET_ERR(het_checkpoint_open(f.path(), HET_CHECKPOINT_READ_ONLY, c.out()), HET_EFILE);
	HET_ERR(het_checkpoint_open("/dev/null", 0, c.out()), HET_EFILE);
	HET_ERR(het_checkpoint_open("/tmp", HET_CHECKPOINT_READ_ONLY, c.out()), HET_EFILE);
	std::vector<uint8_t> a(10000, 1);
	items all;
	all.range("a", a.data(), a.size());
	HET_OK(het_checkpoint_open("/nonexistent/file", 0, c.out()));
	CHECK_EQ(all.write_all(fx.queue, c), HET_EFILE);

	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	HET_ERR(het_checkpoint_open(f.path(), 0, other.out()), HET_ESTATE);
	HET_OK(het_checkpoint_open(f.path(), HET_CHECKPOINT_READ_ONLY, other.out()));
	HET_ERR(all.write(fx.queue, other, nullptr), HET_ESTATE);
	c.reset();
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	c.reset();

	// The page that is damaged is found before the first byte changes.
	const int fd = open(f.path(), O_RDWR);
	CHECK_SYS(fd);
	CHECK_EQ(pwrite(fd, "x", 1, 9000), 1);
	std::fill(a.begin(), a.end(), 7);
	CHECK_EQ(all.restore_all(fx.queue, other), HET_EFILE);
	for (uint8_t b : a)
		CHECK_EQ(b, 7);
	CHECK_SYS(ftruncate(fd, 5000));
	HET_ERR(het_checkpoint_open(f.path(), 0, c.out()), HET_EFILE);
	close(fd);
}

TEST(a_failure_before_it_leaves_the_file, .traps = trap::best, .devices = device::host | device::none)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	world w(5);
	const items all = w.named();
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	const uint64_t size = f.size();
	event_handle user, written, restored;
	HET_OK(het_user_event_create(user.out()));
	het_event *const waits[] = {user};
	het_checkpoint_args a = all.args(c);
	a.waits = waits;
	a.nwaits = 1;
	HET_OK(het_checkpoint_write(fx.queue, &a, written.out()));
	HET_OK(het_checkpoint_restore(fx.queue, &a, restored.out()));
	CHECK_EQ(status_of(written), HET_QUEUED);
	HET_OK(het_user_event_set(user, HET_EDEVICE));
	CHECK_EQ(items::end_of(written), HET_EWAIT);
	CHECK_EQ(items::end_of(restored), HET_EWAIT);
	CHECK_EQ(f.size(), size);
	CHECK_EQ(info_of(c).generation, 1);
	CHECK_EQ(all.write_all(fx.queue, c), 0);
}

namespace
{

// Uses memory in another command on the file, and frees it while that waits for its turn.
struct user_and_freer {
	runtime_fixture &fx;
	het_checkpoint *file;
	void *bytes = nullptr;
	event_handle other = {}, over = {};

	static constexpr size_t n = 1 << 20;
	user_and_freer(runtime_fixture &f, het_checkpoint *c) : fx(f), file(c)
	{
		HET_OK(het_user_event_create(over.out()));
		bytes = malloc(n);
		memset(bytes, 1, n);
		fx.run_add(bytes, n, 1);
	}
	// The other one has begun then, most likely. If not it never will.
	void free_it()
	{
		sleep_ms(5);
		free(bytes);
		HET_OK(het_user_event_set(over, 0));
	}
	static void write_and_free(het_event *, int, void *arg)
	{
		auto &s = *static_cast<user_and_freer *>(arg);
		HET_OK(items().range("b", s.bytes, n).write(s.fx.queue, s.file, s.other.out()));
		s.free_it();
	}
	// Is told of the failure of that, too.
	static void restore_and_free(int, het_event *, const char *, void *arg)
	{
		auto &s = *static_cast<user_and_freer *>(arg);
		if (s.other)
			return;
		// This takes a while, so the other one has begun then, and not failed yet.
		HET_OK(items().range("large", s.large.data(), s.large.size()).write(s.fx.queue, s.file, nullptr));
		HET_OK(items().range("nothing", s.bytes, n).restore(s.own, s.file, s.other.out()));
		s.free_it();
	}
	queue_handle own = {};
	std::vector<char> large = std::vector<char>(32 << 20, 'x');
};

} // namespace

// One thread sees to all commands on files. So what it calls must not wait for another one.
TEST(callbacks_may_free_what_others_name, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	int a = 1;
	items all;
	all.range("a", &a, sizeof(a));
	{
		user_and_freer s(fx, c);
		event_handle user, written;
		HET_OK(het_user_event_create(user.out()));
		het_event *const waits[] = {user};
		het_checkpoint_args args = all.args(c);
		args.waits = waits;
		args.nwaits = 1;
		HET_OK(het_checkpoint_write(fx.queue, &args, written.out()));
		HET_OK(het_event_callback(written, user_and_freer::write_and_free, &s));
		HET_OK(het_user_event_set(user, 0));
		wait_for(s.over);
		const int other = items::end_of(s.other);
		CHECK(!other || other == HET_EMEMORY || other == HET_EWAIT);
		std::vector<uint8_t> there(s.n), model(s.n, 2);
		CHECK_EQ(items().range("b", there.data(), s.n).restore_all(fx.queue, c), other ? HET_EARG : 0);
		if (!other)
			CHECK_BYTES(there.data(), model.data(), s.n, "written");
	}
	user_and_freer s(fx, c);
	het_queue_args args = {};
	args.size = sizeof args;
	args.on_error = user_and_freer::restore_and_free;
	args.on_error_arg = &s;
	HET_OK(het_queue_create(&args, s.own.out()));
	event_handle restored;
	HET_OK(items().range("nothing", &a, sizeof(a)).restore(s.own, c, restored.out()));
	CHECK_EQ(items::end_of(restored), HET_EARG);
	wait_for(s.over);
	const int other = items::end_of(s.other);
	CHECK(other == HET_EARG || other == HET_EMEMORY);
}

// A file may have no more than so many bytes: whatever the byte is that fails, what was there is there.
TEST(a_full_disk_leaves_the_file, .devices = device::none, .seconds = 40)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	std::vector<uint8_t> a(20000), b(20000);
	items all, others;
	all.range("a", a.data(), a.size());
	others.range("a", b.data(), b.size());
	rlimit limit, none;
	CHECK_SYS(getrlimit(RLIMIT_FSIZE, &none));
	limit = none;
	// The first write, which makes the file, fails, too.
	limit.rlim_cur = 100;
	CHECK_SYS(setrlimit(RLIMIT_FSIZE, &limit));
	fill_pattern(a.data(), 0, a.size(), 1);
	CHECK_EQ(all.write_all(fx.queue, c), HET_EFILE);
	CHECK(access(f.path(), F_OK));
	CHECK_SYS(setrlimit(RLIMIT_FSIZE, &none));
	CHECK_EQ(all.write_all(fx.queue, c), 0);
	std::vector<uint8_t> model = a;
	const uint64_t all_bytes = info_of(c).written_bytes; // as of all writes that follow
	for (uint32_t k = 0; k < t.rounds(40, 400); k++) {
		const uint64_t size = f.size();
		fill_pattern(a.data(), 0, a.size(), k + 2);
		limit.rlim_cur = size + t.random.below(all_bytes);
		CHECK_SYS(setrlimit(RLIMIT_FSIZE, &limit));
		const int failed = all.write_all(fx.queue, c);
		CHECK_SYS(setrlimit(RLIMIT_FSIZE, &none));
		CHECK_EQ(failed, HET_EFILE);
		CHECK_EQ(f.size(), size);
		checkpoint_handle reader;
		HET_OK(het_checkpoint_open(f.path(), HET_CHECKPOINT_READ_ONLY, reader.out()));
		CHECK_EQ(others.restore_all(fx.queue, reader), 0);
		CHECK_BYTES(b.data(), model.data(), b.size(), "before");
		if (k % 2) {
			CHECK_EQ(all.write_all(fx.queue, c), 0);
			model = a;
		}
	}
}

// --- other processes -----------------------------------------------------------------

namespace
{

constexpr size_t killed_bytes = 300000;

// Writes states until it is killed, each of which has one number in all bytes, and tells of those that are on the disk.
void write_states(const char *path, int told)
{
	queue_handle queue;
	checkpoint_handle c;
	HET_OK(het_queue_create(nullptr, queue.out()));
	HET_OK(het_checkpoint_open(path, 0, c.out()));
	std::vector<uint8_t> a(killed_bytes), b(killed_bytes);
	items all;
	all.range("a", a.data(), a.size()).range("b", b.data(), b.size());
	for (auto k = uint8_t(info_of(c).generation + 1);; k++) {
		std::fill(a.begin(), a.end(), k);
		std::fill(b.begin(), b.end(), k);
		CHECK_EQ(all.write_all(queue, c), 0);
		CHECK_EQ(write(told, &k, 1), 1);
	}
}

// Checks that the file has one state, which is this one or the next.
void check_state(const char *path, uint8_t last)
{
	queue_handle queue;
	checkpoint_handle c;
	HET_OK(het_queue_create(nullptr, queue.out()));
	HET_OK(het_checkpoint_open(path, HET_CHECKPOINT_READ_ONLY, c.out()));
	const auto now = uint8_t(info_of(c).generation);
	CHECK(now == last || now == uint8_t(last + 1));
	std::vector<uint8_t> a(killed_bytes), b(killed_bytes), model(killed_bytes, now);
	items all;
	all.range("a", a.data(), a.size()).range("b", b.data(), b.size());
	CHECK_EQ(all.restore_all(queue, c), 0);
	CHECK_BYTES(a.data(), model.data(), a.size(), "a");
	CHECK_BYTES(b.data(), model.data(), b.size(), "b");
}

} // namespace

TEST(killed_at_any_time_it_leaves_a_state, .devices = device::none, .seconds = 60)
{
	restart_with(t, {"HET_DEVICES=host", "HET_CACHE_SIZE=0"});
	temporary_file f;
	for (uint64_t round = 0; round < t.rounds(10, 200); round++) {
		int told[2];
		CHECK_SYS(pipe2(told, O_CLOEXEC));
		const pid_t writer = fork();
		CHECK_SYS(writer);
		if (!writer) {
			write_states(f.path(), told[1]);
			_exit(1);
		}
		close(told[1]);
		uint8_t last = 0;
		for (uint64_t k = 1 + t.random.below(4); k > 0; k--)
			CHECK_EQ(read(told[0], &last, 1), 1);
		const timespec moment = {0, long(t.random.below(3'000'000))};
		nanosleep(&moment, nullptr);
		CHECK_SYS(kill(writer, SIGKILL));
		expect_killed_by(wait_for(writer, 20 * t.patience), SIGKILL, "writer");
		while (read(told[0], &last, 1) == 1)
			;
		close(told[0]);
		expect_success(run_process(20 * t.patience, [&] { check_state(f.path(), last); }), "reader");
	}
}

namespace
{

constexpr int half = 5;

} // namespace

TEST(first_half, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	temporary_file own;
	const char *path = path_of_halves();
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(path ? path : own.path(), 0, c.out()));
	world w(7);
	w.take_steps(fx, 0, half);
	const items all = w.named();
	event_handle written;
	HET_OK(all.write(fx.queue, c, written.out()));
	w.take_steps(fx, half, 1); // is lost with this process
	CHECK_EQ(items::end_of(written), 0);
	HET_OK(het_finish(fx.queue));
}

TEST(second_half, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const char *path = path_of_halves();
	if (!path)
		skip("begun_on_a_gpu_it_is_ended_elsewhere runs it");
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(path, HET_CHECKPOINT_READ_ONLY, c.out()));
	CHECK_EQ(info_of(c).nitems, 3);
	world w(7), other(99);
	const items all = other.named();
	HET_OK(all.restore(fx.queue, c, nullptr));
	other.take_steps(fx, half, half);
	HET_OK(het_finish(fx.queue));
	w.take_steps_in_models(2 * half);
	CHECK_BYTES(het_memory_pointer(other.object), w.object_model.data(), world::n, "object");
	CHECK_BYTES(other.range(), w.heap_model.data(), world::n, "range");
	CHECK_BYTES(other.wrapped.data(), w.wrapped_model.data(), world::n, "wrapped");
}

// The result is that of a run that never stopped. With the fake CUDA driver this needs no GPU.
TEST(begun_on_a_gpu_it_is_ended_elsewhere, .devices = device::cuda, .seconds = 60)
{
	two_halves(t);
}
