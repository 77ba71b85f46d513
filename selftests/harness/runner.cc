// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Every test program has this main(): it chooses the cases, runs them, and prints KTAP.
#include "child.h"
#include "options.h"
#include "test.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <poll.h>

namespace selftest
{

namespace
{
std::vector<test> &tests()
{
	static std::vector<test> all;
	return all;
}

std::vector<test_case> chosen_cases(const options &o)
{
	std::vector<test_case> cases;
	for (auto &t : tests()) {
		auto variants = all_combinations(t.traps, t.devices, t.kinds);
		if (!o.full && o.case_to_run.empty())
			variants = every_pair(variants);
		for (auto &v : variants) {
			std::string name = std::string(t.name) + "." + name_of(trap_values(), v.trap) + "." +
					   name_of(device_values(), v.device) + "." + name_of(kind_values(), v.kind);
			bool wanted = (v.trap & o.traps) && (v.device & o.devices) && (v.kind & o.kinds);
			if (wanted && name.find(o.filter) != std::string::npos)
				cases.push_back({&t, v, name});
		}
	}
	return cases;
}

void print_diagnostics(const std::string &text)
{
	for (size_t at = 0; at < text.size();) {
		size_t end = std::min(text.find('\n', at), text.size());
		if (end > at)
			printf("# %.*s\n", int(end - at), text.c_str() + at);
		at = end + 1;
	}
}

struct verdict {
	outcome result = outcome::running;
	std::string diagnostics;
	std::string reason;
	double seconds = 0;
};

class run
{
      public:
	explicit run(const options &o) : options_(o), cases_(chosen_cases(o)), verdicts_(cases_.size()) {}

	int everything()
	{
		printf("KTAP version 1\n# seed %llu\n1..%zu%s\n", (unsigned long long)options_.seed, cases_.size(),
		       cases_.empty() ? why_none() : "");
		while (next_ < cases_.size() || !running_.empty()) {
			start_more();
			wait_a_little();
			look_at_children();
			print_finished();
		}
		printf("# passed %zu, failed %zu, skipped %zu\n", passed_, failed_, skipped_);
		return failed_ ? 1 : passed_ ? 0 : 4;
	}

      private:
	const char *why_none() const
	{
		bool on_cuda = std::all_of(tests().begin(), tests().end(), [](const test &t) {
			return t.devices && !(t.devices & ~device::with_cuda);
		});
		if (on_cuda && !(options_.devices & device::with_cuda))
			return " # SKIP its cases need a CUDA device; with LD_LIBRARY_PATH=build/fake they find one";
		return " # SKIP none of its cases belongs to this suite";
	}

	struct under_way {
		size_t index;
		unsigned repetition;
		std::unique_ptr<child> process;
	};

	std::unique_ptr<child> start(size_t index, unsigned repetition)
	{
		return std::make_unique<child>(cases_[index], options_, options_.seed + repetition);
	}

	bool may_start() const
	{
		if (next_ == cases_.size() || running_.size() >= options_.jobs)
			return false;
		if (running_.empty())
			return true;
		return !cases_[next_].what->alone && !cases_[running_.front().index].what->alone;
	}

	void start_more()
	{
		while (may_start()) {
			running_.push_back({next_, 0, start(next_, 0)});
			next_++;
		}
	}

	void wait_a_little()
	{
		std::vector<pollfd> fds;
		for (auto &r : running_) {
			fds.push_back({r.process->output_fd(), POLLIN, 0});
			fds.push_back({r.process->process_fd(), POLLIN, 0});
		}
		poll(fds.data(), fds.size(), 100);
		for (auto &r : fds)
			// The process has closed its output, and is still running: poll() would not wait.
			if (r.revents & POLLHUP)
				poll(nullptr, 0, 1);
	}

	void look_at_children()
	{
		for (auto r = running_.begin(); r != running_.end();) {
			outcome result = r->process->step();
			if (result == outcome::passed && r->repetition + 1 < options_.repeat) {
				r->process = start(r->index, ++r->repetition);
				result = outcome::running;
			}
			if (result == outcome::running) {
				++r;
				continue;
			}
			verdicts_[r->index] = {result, r->process->diagnostics(), r->process->skip_reason(),
					       r->process->seconds()};
			r = running_.erase(r);
		}
	}

	void print_finished()
	{
		for (; printed_ < next_ && verdicts_[printed_].result != outcome::running; printed_++)
			print(printed_, cases_[printed_], verdicts_[printed_]);
		fflush(stdout);
	}

	void print(size_t index, const test_case &c, verdict &v)
	{
		bool must_run = (c.v.trap & options_.required_traps) || (c.v.device & options_.required_devices);
		if (v.result == outcome::skipped && must_run) {
			v.result = outcome::failed;
			v.diagnostics += "\nskipped, but required: " + v.reason;
		}
		if (v.result == outcome::failed || options_.verbose)
			print_diagnostics(v.diagnostics);
		if (options_.verbose)
			printf("# %.2f s\n", v.seconds);
		const char *status = v.result == outcome::failed ? "not ok" : "ok";
		if (v.result == outcome::skipped)
			printf("%s %zu %s # SKIP %s\n", status, index + 1, c.name.c_str(), v.reason.c_str());
		else
			printf("%s %zu %s\n", status, index + 1, c.name.c_str());
		(v.result == outcome::failed ? failed_ : v.result == outcome::passed ? passed_ : skipped_)++;
	}

	const options &options_;
	std::vector<test_case> cases_;
	std::vector<verdict> verdicts_;
	std::list<under_way> running_;
	size_t next_ = 0, printed_ = 0;
	size_t passed_ = 0, failed_ = 0, skipped_ = 0;
};

int list_cases(const options &o)
{
	for (auto &c : chosen_cases(o))
		printf("%s\n", c.name.c_str());
	return 0;
}

// A case that is named runs, whatever the environment leaves out: whoever restarts it may have been told more than
// that.
int run_one_here(const options &o)
{
	options any = o;
	any.traps = any.devices = any.kinds = ~0u;
	any.filter.clear();
	for (auto &c : chosen_cases(any))
		if (c.name == o.case_to_run)
			run_here(c, o, o.seed);
	fprintf(stderr, "no case '%s'\n", o.case_to_run.c_str());
	return 2;
}
} // namespace

registration::registration(const test &t)
{
	tests().push_back(t);
}

} // namespace selftest

// ThreadSanitizer takes these options where the environment has none: processes here end by _exit() and fork with
// threads, and some leave a signal's handler by a jump, after which GCC 13's takes all that they do for the handler's.
extern "C" const char *__tsan_default_options()
{
	return "atexit_sleep_ms=0:die_after_fork=0:report_signal_unsafe=0";
}

int main(int argc, char **argv)
{
	using namespace selftest;
	options o = parse_options(argc, argv);
	if (o.list)
		return list_cases(o);
	if (!o.case_to_run.empty())
		return run_one_here(o);
	return run(o).everything();
}
