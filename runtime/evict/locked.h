// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Holds a lock of rank leaf. Only the runtime's threads wait for it, so signals need not be blocked.
#pragma once

#include "os/lock.h"

namespace het::rt
{

class locked
{
      public:
	explicit locked(futex_lock &l) : lock_(l) { lock_.lock(lock_rank::leaf); }
	~locked() { lock_.unlock(lock_rank::leaf); }
	locked(const locked &) = delete;
	locked &operator=(const locked &) = delete;

      private:
	futex_lock &lock_;
};

} // namespace het::rt
