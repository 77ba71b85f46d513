// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// GPUs that the process does not use help with the copies of those that it uses, if HET_PATHS asks for them: they lend
// their links, and 32 MiB of memory each.
//
// They come with the first CUDA device of the process and leave with the last one. A device of the process takes the
// place of the helper that is the same GPU, which leaves first. A helper that can't be opened is told, once, and the
// copies do without it.
#pragma once

#include "dev/cuda_member.h"
#include "paths/request.h"

#include <memory>

namespace het
{

class cuda_helper;

class cuda_helpers
{
      public:
	cuda_helpers();
	~cuda_helpers();
	cuda_helpers(const cuda_helpers &) = delete;
	cuda_helpers &operator=(const cuda_helpers &) = delete;

	// A device of the process, of this number among CUDA's, is about to join the others. No lock is held in any of
	// these, which may take as long as a copy does that a helper carries.
	void device_comes(const cuda_api &cu, int ordinal);
	// It has joined them. Helpers that could not be opened before are tried again.
	void device_is_there(const cuda_api &cu);
	// It has left them.
	void device_has_left(const cuda_api &cu, int ordinal);

      private:
	static constexpr int most = int(paths::request::most_numbers);

	// A GPU's place is changed by one thread at a time.
	struct place {
		std::unique_ptr<cuda_helper> helper;
		unsigned devices = 0; // of the process on this GPU
		bool changes = false;
		bool is_vain = false; // it could not be opened
		bool is_told = false;
	};

	bool is_wanted(int ordinal) const;
	bool settle(const cuda_api &cu, int ordinal);
	void settle_all(const cuda_api &cu);
	std::unique_ptr<cuda_helper> open(const cuda_api &cu, int ordinal);

	futex_lock lock_; // of what follows; no call is made under it
	place places_[most];
	unsigned devices_ = 0;
	int count_ = 0; // of the GPUs that there are
	bool is_told_ = false;
};
cuda_helpers &the_cuda_helpers();

} // namespace het
