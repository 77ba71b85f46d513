// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/clock.h"
#include "measure/tasks.h"

#include <array>
#include <cstdlib>
#include <het.hpp>
#include <memory>
#include <vector>

namespace bench
{

namespace
{

// A task uses such lines of the cache, one for each argument.
struct alignas(64) line {
	char bytes[64];
};

void do_nothing(const het_group *, void *const *) {}

std::array<het_function, most_task_arguments + 1> functions()
{
	static const char *const names[] = {"nothing0", "nothing1", "nothing2", "nothing3", "nothing4"};
	std::array<het_function, most_task_arguments + 1> f = {};
	for (uint32_t n = 0; n < f.size(); n++)
		f[n] = {names[n], do_nothing, n};
	return f;
}

class het_tasks
{
      public:
	explicit het_tasks(unsigned most)
	    : program_(het::sources().functions(functions())), data_(size_t{most} * most_task_arguments), events_(most)
	{
		for (const het_function &f : functions())
			kernels_.emplace_back(program_, f.name);
	}

	double run(const task_batch &b)
	{
		stopwatch watch;
		for (unsigned i = 0; i < b.tasks; i++)
			launch(b, i);
		het::check(het_finish(queue_.get()), "het_finish");
		for (unsigned i = 0; by_event(b) && i < b.tasks; i++)
			het_event_release(events_[i]);
		return watch.lap() / b.tasks;
	}

      private:
	static bool by_event(const task_batch &b) { return b.chain && !b.arguments; }

	void launch(const task_batch &b, unsigned i)
	{
		het_arg args[most_task_arguments] = {};
		line *first = &data_[b.chain ? 0 : size_t{i} * b.arguments];
		for (unsigned n = 0; n < b.arguments; n++)
			args[n] = {HET_ARG_RANGE, HET_READ_WRITE, sizeof(line), first + n, nullptr, nullptr};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernels_[b.arguments].get();
		l.dimensions = 1;
		l.global[0] = 1;
		l.arg_size = sizeof(het_arg);
		l.nargs = b.arguments;
		l.args = args;
		l.nwaits = by_event(b) && i;
		l.waits = l.nwaits ? &events_[i - 1] : nullptr;
		het::check(het_launch(queue_.get(), &l, by_event(b) ? &events_[i] : nullptr), "het_launch");
	}

	het::queue queue_{uint32_t{0}};
	het::program program_;
	std::vector<het::kernel> kernels_;
	std::vector<line> data_;
	std::vector<het_event *> events_;
};

} // namespace

run_tasks start_het_tasks(unsigned most)
{
	setenv("HET_DEVICES", "host", 1);
	auto tasks = std::make_shared<het_tasks>(most);
	return [tasks](const task_batch &b) { return tasks->run(b); };
}

} // namespace bench
