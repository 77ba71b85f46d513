// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/crew.h"

#include "os/clock.h"
#include "os/lock.h"
#include "os/log.h"
#include "os/thread.h"

#include <algorithm>
#include <climits>
#include <new>

namespace het::rt
{

namespace
{

constexpr unsigned most_helpers = 63;
// Groups have this size where the program leaves it to us.
constexpr size_t default_local = 1024;
constexpr size_t host_local_alignment = 128;
constexpr int spins_before_sleep = 2000;

// The argument may begin outside of its buffer, so this is no arithmetic on pointers.
void *byte_of(const device_arg &a)
{
	return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(a.buffer) + a.offset);
}

// Holds a job while threads are at it.
class running_job
{
      public:
	explicit running_job(const group_job &job) : job_(job)
	{
		const launch_shape &s = *job.shape;
		pattern_.dimensions = s.dimensions;
		for (unsigned d = 0; d < 3; d++) {
			pattern_.global[d] = s.global[d];
			pattern_.offset[d] = s.offset[d];
			pattern_.local[d] = s.has_local() ? s.local[d] : d ? 1 : std::min(s.global[0], default_local);
			pattern_.groups[d] = (s.global[d] + pattern_.local[d] - 1) / pattern_.local[d];
			total_ *= pattern_.groups[d];
		}
		if (s.part.count) {
			size_t row = total_ / pattern_.groups[s.part.along];
			first_ = s.part.first * row;
			total_ = s.part.count * row;
		}
		for (const device_arg &a : job.args)
			local_bytes_ += a.kind == HET_ARG_LOCAL ? round_up(a.nbytes, host_local_alignment) : 0;
	}

	size_t groups() const { return total_; }
	// Allocates the pointers and the local memory of @threads threads.
	bool allocate(size_t threads)
	{
		threads_ = threads;
		block_ = std::max<size_t>(1, total_ / (8 * threads));
		size_t npointers = threads * job_.args.size(), n = threads * local_bytes_;
		pointers_ = some_pointers_;
		if (npointers > std::size(some_pointers_)) {
			more_pointers_.reset(new (std::nothrow) void *[npointers]);
			pointers_ = more_pointers_.get();
		}
		local_.reset(
			n ? static_cast<char *>(operator new (n, std::align_val_t{host_local_alignment}, std::nothrow))
			  : nullptr);
		return pointers_ && (!n || local_);
	}

	// Takes blocks of groups until none is left. @between is null, or run between groups.
	void work(interlude *between = nullptr)
	{
		// A helper may come back to the job that it has just left, and find its own slot and all others taken.
		size_t slot = slots_.fetch_add(1);
		if (slot >= threads_)
			return;
		const program_code here;
		faults_taken by_touches;
		void **pointers = point(slot);
		het_group g = pattern_;
		for (;;) {
			size_t first = next_.fetch_add(block_);
			if (first >= total_)
				return;
			for (size_t i = first; i < std::min(total_, first + block_); i++) {
				place(g, first_ + i);
				job_.run(&g, pointers);
				if (between && between->is_wanted())
					between->run();
			}
		}
	}

      private:
	struct aligned_delete {
		void operator()(char *p) const { operator delete (p, std::align_val_t{host_local_alignment}); }
	};

	void **point(size_t slot)
	{
		void **pointers = pointers_ + slot * job_.args.size();
		char *local = local_.get() + slot * local_bytes_;
		for (size_t i = 0; i < job_.args.size(); i++) {
			const device_arg &a = job_.args[i];
			if (a.kind == HET_ARG_LOCAL)
				pointers[i] = local;
			else
				pointers[i] = a.buffer ? byte_of(a) : a.pointer;
			local += a.kind == HET_ARG_LOCAL ? round_up(a.nbytes, host_local_alignment) : 0;
		}
		return pointers;
	}

	static void place(het_group &g, size_t number)
	{
		for (unsigned d = 0; d < 3; d++) {
			g.group[d] = number % g.groups[d];
			number /= g.groups[d];
			size_t before = g.group[d] * g.local[d];
			g.first[d] = g.offset[d] + before;
			g.items[d] = std::min(g.local[d], g.global[d] - before);
		}
	}

	const group_job &job_;
	het_group pattern_ = {};
	size_t threads_ = 1, first_ = 0, total_ = 1, block_ = 1, local_bytes_ = 0;
	void **pointers_ = nullptr;
	void *some_pointers_[16];
	std::unique_ptr<void *[]> more_pointers_;
	std::unique_ptr<char, aligned_delete> local_;
	std::atomic<unsigned> slots_{0};
	std::atomic<size_t> next_{0};
};

// The crew is the helpers, and the one job that they help with. Another job that comes meanwhile runs on its caller's
// thread alone.
class crew
{
      public:
	// Starts them when it is first asked.
	unsigned size()
	{
		static const unsigned helpers = start();
		return helpers;
	}

	bool try_help(running_job &job, interlude *between)
	{
		bool free = false;
		if (!taken_.compare_exchange_strong(free, true))
			return false;
		job_.store(&job);
		generation_.fetch_add(1);
		futex_wake(&generation_, INT_MAX);
		job.work(between);
		// From here on nobody comes in; those who are inside finish their block.
		job_.store(nullptr);
		for (int i = 0; inside_.load() && i < spins_before_sleep; i++)
			cpu_pause();
		while (uint32_t n = inside_.load())
			futex_wait(&inside_, n);
		taken_.store(false);
		return true;
	}

      private:
	unsigned start()
	{
		unsigned wanted = std::min(usable_cores() - 1, most_helpers), n = 0;
		while (n < wanted && start_thread("het-crew", help, this))
			n++;
		return n;
	}

	static void help(void *arg)
	{
		auto &c = *static_cast<crew *>(arg);
		faults_taken by_touches;
		for (uint32_t seen = 0;;) {
			futex_wait(&c.generation_, seen);
			seen = c.generation_.load();
			c.inside_.fetch_add(1);
			if (running_job *job = c.job_.load())
				job->work();
			if (c.inside_.fetch_sub(1) == 1)
				futex_wake(&c.inside_, 1);
		}
	}

	std::atomic<bool> taken_{false};
	std::atomic<uint32_t> generation_{0}, inside_{0};
	std::atomic<running_job *> job_{nullptr};
};

constinit crew the_crew;

} // namespace

int run_groups(const group_job &job)
{
	running_job running(job);
	if (!running.groups())
		return 0;
	unsigned helpers = running.groups() > 1 ? the_crew.size() : 0;
	if (!running.allocate(1 + helpers))
		return fail(HET_ENOMEM, "host: no memory for the arguments of a kernel");
	if (!helpers || !the_crew.try_help(running, job.between))
		running.work(job.between);
	return 0;
}

} // namespace het::rt
