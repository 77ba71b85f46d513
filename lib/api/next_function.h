// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace het
{

// Finds the function of the same name behind ours: the C library's, a sanitizer's, or that of another library which was
// linked after us.
template <class F> class next_function
{
      public:
	using finder = void *(*)(const char *name);

	// @fallback serves in the moment in which dlsym() itself calls the function. @elsewhere looks where dlsym()
	// does not.
	constexpr explicit next_function(const char *name, F fallback = nullptr, finder elsewhere = nullptr)
	    : name_(name), fallback_(fallback), elsewhere_(elsewhere)
	{
	}
	// Is async-signal-safe from the second call on.
	F get()
	{
		F f = found_.load(std::memory_order_acquire);
		return f ? f : look_up();
	}

      private:
	F look_up()
	{
		thread_local bool looking __attribute__((tls_model("initial-exec")));
		if (looking)
			return fallback_;
		looking = true;
		void *f = dlsym(RTLD_NEXT, name_);
		looking = false;
		if (!f && elsewhere_)
			f = elsewhere_(name_);
		found_.store(f ? reinterpret_cast<F>(f) : fallback_, std::memory_order_release);
		return found_.load(std::memory_order_relaxed);
	}

	const char *name_;
	F fallback_;
	finder elsewhere_;
	std::atomic<F> found_{nullptr};
};

} // namespace het
