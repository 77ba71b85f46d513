// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs other test programs once more, with a library that delays every hand-over at random (inject/libhet.so beside the
// programs' folder), and with one whose resolvers check a chunk's state and map it without the array's lock: the tests
// must find that one out.
#include "harness/process.h"
#include "harness/test.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace selftest;

namespace
{
// Under kmod nothing is sent ahead.
constexpr uint32_t telling_traps = trap::all & ~trap::kmod;

std::string injected_library()
{
	std::string folder = folder_of_programs() + "/../inject";
	struct stat s;
	if (stat((folder + "/libhet.so").c_str(), &s))
		skip("%s/libhet.so has not been built", folder.c_str());
	return folder;
}

// Runs a test program with the injecting library, and returns how it ended.
ending run(const context &t, const char *program, const std::vector<std::string> &arguments, const char *delay_us,
	   const char *mutant, double seconds)
{
	std::string folder = folder_of_programs(), library = injected_library();
	std::string path = folder + "/" + program;
	if (access(path.c_str(), X_OK))
		skip("%s has not been built", path.c_str());
	std::vector<std::string> words = {path, "--seed=" + std::to_string(t.seed)};
	words.insert(words.end(), arguments.begin(), arguments.end());
	words.push_back(std::string("--trap=") + name_of(trap_values(), t.v.trap));
	// Where there is a CUDA driver all tests run with it.
	bool with_driver = std::any_of(arguments.begin(), arguments.end(),
				       [](const std::string &a) { return a.starts_with("--device=cuda"); });
	const std::string libraries = with_driver ? library + ":" + folder + "/../fake" : library;
	return run_process(seconds * t.patience, [&] {
		std::vector<char *> argv;
		for (auto &w : words)
			argv.push_back(w.data());
		argv.push_back(nullptr);
		setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
		setenv("HET_DELAY_US", delay_us, 1);
		if (mutant)
			setenv("HET_MUTANT", mutant, 1);
		unsetenv("HET_TEST_FULL");
		unsetenv("HET_TEST_TRAPS");
		execv(argv[0], argv.data());
		FAIL("exec %s: %s", argv[0], strerror(errno));
	});
}

void expect_all_passed(const ending &e, const char *what)
{
	if (e.exited(4))
		skip("%s: everything was skipped", what);
	if (!e.exited(0))
		FAIL("%s with delays: %s", what, e.text().c_str());
}

void refuse_nesting()
{
	if (getenv("HET_DELAY_US"))
		skip("there are delays already");
}
} // namespace

TEST(coherence_with_delays, .traps = trap::all, .seconds = 60)
{
	refuse_nesting();
	expect_all_passed(run(t, "coherence", {"--filter=spin_", "--jobs=2"}, "50", nullptr, 50), "coherence");
}

TEST(threads_with_delays, .traps = trap::all, .seconds = 60)
{
	refuse_nesting();
	for (const char *filter :
	     {"--filter=one_chunk_one_fetch", "--filter=writers_during_link", "--filter=revoke_race"})
		expect_all_passed(run(t, "threads", {filter, "--device=host", "--jobs=2"}, "100", nullptr, 30),
				  "threads");
}

// More resolvers than there are cores take touches side by side, and call each other.
TEST(many_resolvers_with_delays, .traps = trap::all, .seconds = 60)
{
	refuse_nesting();
	setenv("GPUVM_RESOLVERS", "6", 1);
	for (const char *filter : {"--filter=chunks_in_parallel", "--filter=writes_of_all_threads"})
		expect_all_passed(
			run(t, "threads", {filter, "--device=host,hostcb,opencl", "--jobs=2"}, "200", nullptr, 50),
			"threads");
}

// Launches link arrays anew between the looks and the deeds of others.
TEST(storms_with_delays, .traps = trap::best, .seconds = 120)
{
	refuse_nesting();
	for (const char *filter :
	     {"--filter=launches_on_apart_and_host", "--filter=split_by_dynamic_on_apart_and_host"})
		expect_all_passed(run(t, "runtime_storm", {filter, "--jobs=2"}, "200", nullptr, 100), "runtime_storm");
}

// One launch ends in a chunk while another gathers its bytes there. Where a device copies by commands, others have more
// time for that.
TEST(joined_arrays_with_delays, .traps = trap::best, .seconds = 100)
{
	refuse_nesting();
	for (const char *device : {"--device=host2", "--device=mixed"})
		expect_all_passed(run(t, "runtime_joined", {device, "--jobs=2"}, "200", nullptr, 50), "runtime_joined");
}

TEST(foresight_with_delays, .traps = trap::all, .seconds = 100)
{
	refuse_nesting();
	expect_all_passed(
		run(t, "foresight", {"--filter=programs_", "--device=hostcb,host2", "--jobs=2"}, "50", nullptr, 90),
		"foresight");
}

TEST(send_ahead_with_delays, .traps = telling_traps, .seconds = 100)
{
	refuse_nesting();
	expect_all_passed(
		run(t, "send_ahead", {"--filter=programs_", "--device=hostcb,host2", "--jobs=2"}, "100", nullptr, 90),
		"send_ahead");
}

TEST(promises_with_delays, .traps = trap::best | trap::sigsegv, .seconds = 100)
{
	refuse_nesting();
	expect_all_passed(run(t, "runtime_promise", {"--filter=programs_", "--device=host,host2,host3", "--jobs=2"},
			      "100", nullptr, 90),
			  "runtime_promise");
}

// Chains on two devices hand over on each of them, too; what is one thread's alone needs one device.
TEST(pipelines_with_delays, .traps = trap::best, .seconds = 200)
{
	refuse_nesting();
	for (const std::vector<std::string> &what : {std::vector<std::string>{"--device=cuda,cuda2", "--filter=behind"},
						     {"--device=cuda,cuda2", "--filter=wait"},
						     {"--device=cuda2"},
						     {"--device=opencl"}}) {
		std::vector<std::string> arguments = what;
		arguments.push_back("--jobs=2");
		expect_all_passed(run(t, "runtime_pipeline", arguments, "200", nullptr, 90), "runtime_pipeline");
	}
}

// Arrays leave and come, launches wait in line, and budgets change.
TEST(evictions_with_delays, .traps = trap::best, .seconds = 200)
{
	refuse_nesting();
	for (const char *device : {"--device=host,host2", "--device=opencl"})
		expect_all_passed(run(t, "runtime_evict", {device, "--jobs=2"}, "200", nullptr, 90), "runtime_evict");
}

TEST(prefetches_with_delays, .traps = trap::all, .seconds = 200)
{
	refuse_nesting();
	for (const char *filter : {"--filter=programs_with", "--filter=memory_goes"})
		expect_all_passed(run(t, "runtime_prefetch", {filter, "--device=host,host2,host3", "--jobs=2"}, "100",
				      nullptr, 90),
				  "runtime_prefetch");
}

// Levels rise while commands are on their way into the graph, and the thread that looks is started by several.
TEST(deadlines_with_delays, .traps = trap::best, .seconds = 100)
{
	refuse_nesting();
	expect_all_passed(run(t, "runtime_deadlines", {"--jobs=2"}, "2000", nullptr, 90), "runtime_deadlines");
}

// Kernels that are ended by an event, behind which bytes come home.
TEST(events_with_delays, .traps = trap::uffd | trap::sigsegv, .seconds = 100)
{
	refuse_nesting();
	setenv("GPUVM_FORESIGHT", "always", 1);
	for (const char *device : {"--device=host,hostcb", "--device=cuda,cuda2", "--device=opencl"})
		expect_all_passed(run(t, "event", {device, "--jobs=2"}, "200", nullptr, 60), "event");
}

namespace
{
// These runs of a program are to notice a mutant: one of them must.
struct hunt {
	const char *program;
	std::vector<std::string> arguments;
	const char *delay_us;
	double seconds;
	unsigned attempts;
};

void expect_found(context &t, const char *mutant, const hunt &h)
{
	refuse_nesting();
	for (unsigned i = 0; i < h.attempts; i++) {
		ending e = run(t, h.program, h.arguments, h.delay_us, mutant, h.seconds);
		if (e.exited(4))
			skip("%s: everything was skipped", h.program);
		if (e.exited(1))
			return;
		if (!e.exited(0))
			FAIL("%s with mutant %s: %s", h.program, mutant, e.text().c_str());
		t.seed++;
	}
	FAIL("nobody noticed mutant %s in %u runs", mutant, h.attempts);
}

void expect_found(context &t, const char *mutant, const char *program = "foresight",
		  const char *device = "--device=hostcb")
{
	expect_found(t, mutant, {program, {"--filter=programs_", device, "--jobs=2"}, "50", 90, 40});
}
} // namespace

TEST(hasty_touchers_are_found, .traps = trap::all, .seconds = 60)
{
	expect_found(t, "hasty",
		     {"threads", {"--filter=chunks_in_parallel", "--device=hostcb", "--jobs=2"}, "300", 50, 10});
}

TEST(early_sight_is_found, .traps = trap::all, .seconds = 100)
{
	expect_found(t, "early");
}

TEST(unseen_writes_are_found, .traps = trap::all, .seconds = 100)
{
	expect_found(t, "unseen");
}

TEST(early_sight_of_prefetches_is_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "early", "runtime_prefetch", "--device=host");
}

TEST(unseen_writes_of_prefetches_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "unseen", "runtime_prefetch", "--device=host");
}

// Copies that count though the host has written meanwhile, begins that do not wait for what is sent, and pages that
// stay writable while it is.
TEST(void_copies_are_found, .traps = telling_traps, .seconds = 100)
{
	expect_found(t, "voided", "send_ahead");
}

TEST(begins_that_do_not_wait_are_found, .traps = telling_traps, .seconds = 100)
{
	expect_found(t, "unwaited", "send_ahead");
}

TEST(writable_pages_are_found, .traps = telling_traps, .seconds = 100)
{
	expect_found(t, "writable", "send_ahead");
}

TEST(early_ends_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "told", "runtime_promise", "--device=host");
}

// What is foreseen comes home before the event, or behind a kernel that has failed.
TEST(untimely_bytes_are_found, .traps = trap::uffd | trap::sigsegv, .seconds = 60)
{
	setenv("GPUVM_FORESIGHT", "always", 1);
	expect_found(t, "untimely",
		     {"event", {"--filter=touched_some_time_after", "--device=host", "--jobs=2"}, "50", 30, 10});
}

TEST(unheard_failures_are_found, .traps = trap::uffd | trap::sigsegv, .seconds = 60)
{
	expect_found(t, "unheard", {"opencl_events", {"--filter=foreseen_behind", "--jobs=2"}, "50", 30, 10});
}

TEST(evictions_of_what_is_used_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(
		t, "evicts_used",
		{"runtime_evict", {"--filter=what_is_in_flight", "--device=cuda,cuda2", "--jobs=2"}, "50", 90, 40});
}

TEST(lost_copies_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "drops_only_copy",
		     {"runtime_evict", {"--filter=arrays_take_turns", "--device=host", "--jobs=2"}, "50", 90, 40});
}

// What is kept between launches in slices is of before.
TEST(stale_copies_that_were_kept_are_found, .traps = trap::best, .seconds = 100)
{
	const auto hunt_in = [](const char *filter, const char *device, unsigned attempts) {
		return hunt{"runtime_kept", {filter, device, "--jobs=2"}, "10", 90, attempts};
	};
	expect_found(t, "keeps_written", hunt_in("--filter=launches_fetch", "--device=host", 1));
	expect_found(t, "keeps_elsewhere", hunt_in("--filter=kept_is_as", "--device=host2", 20));
}

// What launches in slices have written, and left on a device, is not what others get.
TEST(written_bytes_that_are_not_found_are_found, .traps = trap::best, .seconds = 100)
{
	const auto hunt_in = [](const char *filter, const char *device) {
		return hunt{"runtime_kept", {filter, device, "--jobs=2"}, "10", 90, 40};
	};
	expect_found(t, "leaves_away", hunt_in("--filter=what_is_written_stays", "--device=host"));
	expect_found(t, "drops_written", hunt_in("--filter=what_is_written_is_found", "--device=host"));
	expect_found(t, "skips_others", hunt_in("--filter=what_another_device", "--device=host2"));
}

// Memory goes beside the copies from it.
TEST(memory_that_is_taken_from_copies_is_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "takes_used",
		     {"runtime_kept", {"--filter=memory_goes", "--device=host", "--jobs=2"}, "300", 90, 40});
}

// What the host writes to bytes that a slice has got must not be lost.
TEST(slices_that_take_too_late_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "takes_late",
		     {"runtime_slices", {"--filter=no_slice_has_needed", "--device=host", "--jobs=2"}, "10", 90, 40});
}

// Launches that run mixed get bytes of which some are still to be written.
TEST(slices_that_begin_too_early_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "carries_early",
		     {"runtime_mixed", {"--filter=each_byte_travels_once", "--device=cuda", "--jobs=2"}, "10", 90, 40});
}

TEST(copies_that_did_not_come_home_are_found, .traps = trap::best, .seconds = 100)
{
	expect_found(t, "keeps_failed",
		     {"runtime_kept", {"--filter=did_not_come_home", "--device=cuda,cuda2"}, "10", 90, 40});
}

// Without the lock the race of threads.cc is lost soon. Whatever else that library does wrong would be seen by
// threads_with_delays.
TEST(missing_lock_is_found, .traps = trap::all, .seconds = 40)
{
	expect_found(t, "nolock", {"threads", {"--filter=revoke_race_with_writes", "--jobs=2"}, "300", 15, 60});
}
