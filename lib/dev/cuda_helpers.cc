// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_helpers.h"

#include "os/log.h"

#include <cstdio>
#include <new>
#include <sched.h>
#include <utility>

namespace het
{

// A GPU in its primary context, with the ports that it lends.
class cuda_helper
{
      public:
	cuda_helper(const cuda_api &cu, int ordinal) : cu_(cu), ordinal_(ordinal), member_(cu_, cuda_member::helper)
	{
		snprintf(name_, sizeof(name_), "CUDA device %d", ordinal);
	}
	~cuda_helper()
	{
		if (!context_)
			return;
		member_.leave();
		cu_.release_context(device_);
	}
	cuda_helper(const cuda_helper &) = delete;
	cuda_helper &operator=(const cuda_helper &) = delete;

	// Returns null, or why it can't help, which lives as long as this does.
	const char *open()
	{
		int err = cu_.get_device(&device_, ordinal_);
		if (!err)
			err = cu_.retain_context(&context_, device_);
		if (err) {
			snprintf(error_, sizeof(error_), "%s (%d)", cu_.name_of(err), err);
			return error_;
		}
		member_.join(name_, ordinal_, device_, context_);
		if (member_.number() == paths::most_gpus)
			return "others have taken all places";
		if (!member_.lent())
			return "there is no memory, or there are no streams";
		return member_.reaches_any() ? nullptr : "it can't access the memory of the devices that are used";
	}

      private:
	const cuda_api cu_;
	const int ordinal_;
	cu_device device_ = 0;
	cu_context context_ = nullptr;
	char name_[32], error_[64];
	cuda_member member_;
};

cuda_helpers::cuda_helpers() = default;
cuda_helpers::~cuda_helpers() = default;

// It is kept to the end of the process: devices may be closed by what runs then.
cuda_helpers &the_cuda_helpers()
{
	static cuda_helpers &the = *new cuda_helpers;
	return the;
}

// One that was named is wanted also if it is not there, which is told. The lock is held.
bool cuda_helpers::is_wanted(int ordinal) const
{
	const place &p = places_[ordinal];
	const paths::request &asked = the_cuda_table().asked;
	return devices_ && !p.devices && !p.is_vain && asked.asks_for(unsigned(ordinal)) &&
	       (ordinal < count_ || asked.helpers >> ordinal & 1);
}

std::unique_ptr<cuda_helper> cuda_helpers::open(const cuda_api &cu, int ordinal)
{
	std::unique_ptr<cuda_helper> made(new (std::nothrow) cuda_helper(cu, ordinal));
	const char *why_not = made ? made->open() : "there is no memory";
	if (why_not && !std::exchange(places_[ordinal].is_told, true))
		warn("HET_PATHS: CUDA device %d does not help with copies: %s", ordinal, why_not);
	if (why_not)
		made.reset();
	return made;
}

// Has the helper come or leave, until that is as wanted, which may change meanwhile. Returns false if another thread
// does that just now.
bool cuda_helpers::settle(const cuda_api &cu, int ordinal)
{
	place &p = places_[ordinal];
	for (;;) {
		std::unique_ptr<cuda_helper> changed;
		bool wanted;
		{
			guard held(lock_, lock_rank::leaf);
			wanted = is_wanted(ordinal);
			if (p.changes)
				return false;
			if (wanted == bool(p.helper))
				return true;
			p.changes = true;
			changed = std::move(p.helper);
		}
		if (wanted)
			changed = open(cu, ordinal);
		else
			changed.reset();
		guard held(lock_, lock_rank::leaf);
		p.is_vain = wanted && !changed;
		p.helper = std::move(changed);
		p.changes = false;
	}
}

void cuda_helpers::settle_all(const cuda_api &cu)
{
	for (int i = 0; i < most; i++)
		settle(cu, i);
}

void cuda_helpers::device_comes(const cuda_api &cu, int ordinal)
{
	if (ordinal >= most)
		return;
	{
		guard held(lock_, lock_rank::leaf);
		devices_++;
		places_[ordinal].devices++;
	}
	while (!settle(cu, ordinal))
		sched_yield();
}

void cuda_helpers::device_is_there(const cuda_api &cu)
{
	int count = 0;
	cu.device_count(&count);
	bool tells = !the_cuda_table().asked.is_understood;
	{
		guard held(lock_, lock_rank::leaf);
		count_ = count;
		for (place &p : places_)
			p.is_vain = false;
		tells = tells && !std::exchange(is_told_, true);
	}
	if (tells)
		warn("HET_PATHS=%s counts as not set: want direct, static, queue or latency, and, with commas between "
		     "them, all or CUDA's numbers of GPUs that shall help",
		     settings().paths);
	settle_all(cu);
}

void cuda_helpers::device_has_left(const cuda_api &cu, int ordinal)
{
	if (ordinal >= most)
		return;
	bool is_last;
	{
		guard held(lock_, lock_rank::leaf);
		places_[ordinal].devices--;
		is_last = !--devices_;
	}
	if (is_last)
		settle_all(cu);
}

} // namespace het
