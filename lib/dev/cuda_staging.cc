// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_staging.h"

namespace het
{

// The slot is free: of the pieces that are under way, at most as many as there are slots, this is the last.
int cuda_staging::start(const cuda_place &to, const cuda_place &from, size_t size)
{
	const cuda_place slot = on_host(ring_ + started_ % cuda_port::slots * cuda_port::slot_size);
	int err = exit_->start(slot, from, size);
	if (!err)
		err = entry_->start(to, slot, size, exit_->last_end());
	started_ += !err;
	return err;
}

// Where the first half has failed the second one may have copied what was in the slot before.
int cuda_staging::look()
{
	int err = exit_->look();
	return err ? err : entry_->look();
}

void cuda_staging::next()
{
	exit_->next();
	entry_->next();
}

void cuda_staging::drain()
{
	exit_->drain();
	entry_->drain();
}

} // namespace het
