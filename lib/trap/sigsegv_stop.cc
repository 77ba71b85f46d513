// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Implements the mechanism of libgpuvm 0.0.1: mprotect(), SIGSEGV, and all threads stopped from before the data comes
// until the pages are open. It is the baseline of the benchmark, offered for nothing else. (The original copied into
// the opened pages; here the same bytes go to the alias first, which costs the same and keeps one path for all traps.)
//
// A fetch is: stop_threads(), copy, admit(), resume_threads(). Where the copy does not end, as a thread that stands has
// what the driver waits for, the threads go on before it has: what has not arrived is not open, so they see nothing
// that is old. A toucher counts as stopped while it is in the signal handler, whatever it waits for there, and leaves
// it only while nobody is stopped, so it can't look at what admit() showed too early.
#include "trap/sigsegv.h"
#include "trap/stop_threads.h"

namespace het
{

namespace
{

class sigsegv_stop_trap final : public sigsegv_trap
{
      public:
	using sigsegv_trap::sigsegv_trap;

	bool open(const char **why) { return stopper_.open(why) && install(why); }

	const char *name() const override { return "sigsegv-stop"; }
	trap_features features() const override
	{
		trap_features f = sigsegv_trap::features();
		f.stops_threads = true;
		return f;
	}

	void stop_threads() override { stopper_.stop(); }
	void resume_threads() override { stopper_.resume(); }
	bool resume_threads_after(uint64_t ns) override { return stopper_.resume_after(ns); }

	void forked_child() override
	{
		stopper_.forked_child();
		sigsegv_trap::forked_child();
	}

      protected:
	bool touched(touch t) override
	{
		thread_stopper::parked until_resumed(stopper_);
		return sigsegv_trap::touched(t);
	}

      private:
	thread_stopper stopper_;
};

} // namespace

std::unique_ptr<trap> make_sigsegv_stop_trap(const touch_sink &sink, const char **why)
{
	auto t = std::make_unique<sigsegv_stop_trap>(sink);
	if (!t->open(why))
		return nullptr;
	*why = nullptr;
	return t;
}

} // namespace het
