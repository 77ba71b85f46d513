// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/clock.h"
#include "measure/tasks.h"

#include <stdexcept>

#if __has_include(<starpu.h>)

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <starpu.h>
#include <vector>

namespace bench
{

namespace
{

void starpu_check(int err, const char *call)
{
	if (err)
		throw std::runtime_error(std::string(call) + " failed");
}

void do_nothing(void **, void *) {}

class starpu_tasks
{
      public:
	starpu_tasks(unsigned most, const std::string &scheduler)
	    : scheduler_(scheduler), data_(size_t{most} * most_task_arguments * line), handles_(data_.size() / line),
	      tasks_(most)
	{
		starpu_conf conf;
		starpu_check(starpu_conf_init(&conf), "starpu_conf_init");
		conf.sched_policy_name = scheduler_.c_str();
		conf.ncpus = 1;
		conf.ncuda = conf.nopencl = 0;
		starpu_check(starpu_init(&conf), "starpu_init");
		for (size_t i = 0; i < handles_.size(); i++)
			starpu_vector_data_register(&handles_[i], STARPU_MAIN_RAM, uintptr_t(&data_[i * line]), line,
						    1);
		for (int n = 0; n <= int(most_task_arguments); n++) {
			starpu_codelet_init(&codelets_[n]);
			codelets_[n].cpu_funcs[0] = do_nothing;
			codelets_[n].nbuffers = n;
			for (int i = 0; i < n; i++)
				codelets_[n].modes[i] = STARPU_RW;
		}
	}

	double run(const task_batch &b)
	{
		stopwatch watch;
		for (unsigned i = 0; i < b.tasks; i++)
			submit(b, i);
		starpu_check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
		for (unsigned i = 0; by_event(b) && i < b.tasks; i++)
			starpu_task_destroy(tasks_[i]);
		return watch.lap() / b.tasks;
	}

      private:
	static constexpr size_t line = 64; // a task uses so many bytes of each array

	static bool by_event(const task_batch &b) { return b.chain && !b.arguments; }

	void submit(const task_batch &b, unsigned i)
	{
		starpu_task *t = starpu_task_create();
		t->cl = &codelets_[b.arguments];
		const size_t first = b.chain ? 0 : size_t{i} * b.arguments;
		for (unsigned n = 0; n < b.arguments; n++)
			t->handles[n] = handles_[first + n];
		if (by_event(b)) {
			t->destroy = 0; // the next task names this one
			tasks_[i] = t;
			if (i)
				starpu_task_declare_deps_array(t, 1, &tasks_[i - 1]);
		}
		starpu_check(starpu_task_submit(t), "starpu_task_submit");
	}

	const std::string scheduler_;
	std::vector<char> data_;
	std::vector<starpu_data_handle_t> handles_;
	std::vector<starpu_task *> tasks_;
	starpu_codelet codelets_[most_task_arguments + 1];
};

} // namespace

run_tasks start_starpu_tasks(unsigned most, const std::string &scheduler)
{
	setenv("STARPU_SILENT", "1", 0);
	// The object lives as long as the process, since the worker may be at it.
	auto tasks = std::make_shared<starpu_tasks>(most, scheduler);
	return [tasks](const task_batch &b) { return tasks->run(b); };
}

bool has_starpu()
{
	return true;
}

} // namespace bench

#else

namespace bench
{

run_tasks start_starpu_tasks(unsigned, const std::string &)
{
	throw std::runtime_error("built without StarPU");
}

bool has_starpu()
{
	return false;
}

} // namespace bench

#endif
