// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "device.h"

#include <functional>
#include <mutex>

namespace hetcl
{

// Functions of the program's that are called, the last one first, when an object goes.
class farewells
{
      public:
	void add(std::function<void()> f)
	{
		std::lock_guard g(lock_);
		all_.push_back(std::move(f));
	}
	bool empty() const
	{
		std::lock_guard g(lock_);
		return all_.empty();
	}
	// Nobody else uses it any longer.
	void take_over(farewells &other) { all_.swap(other.all_); }
	void call()
	{
		for (; !all_.empty(); all_.pop_back())
			all_.back()();
	}

      private:
	mutable std::mutex lock_;
	std::vector<std::function<void()>> all_;
};

} // namespace hetcl

struct _cl_context : hetcl::object<hetcl::kind::context> {
	~_cl_context();

	std::vector<cl_device_id> devices;
	std::vector<cl_context_properties> properties; // as given, with the 0 at the end
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *) = nullptr;
	void *notify_arg = nullptr;
	hetcl::farewells when_gone;

	bool has(cl_device_id d) const
	{
		for (cl_device_id mine : devices) {
			if (mine == d)
				return true;
		}
		return false;
	}
	// Tells the program of what has gone wrong.
	void tell(const char *what) const
	{
		if (notify)
			notify(what, nullptr, 0, notify_arg);
	}
};
