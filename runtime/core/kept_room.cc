// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kept_room.h"

#include "core/kept_home.h"
#include "os/inject.h"

namespace het::rt
{

bool give_back_kept(het_device &d, uint64_t nbytes)
{
	uint64_t gone = 0, more = 0;
	while (gone < nbytes) {
		void *const buffer = d.kept.take_arena(&more);
		if (!buffer && bring_to_go(d))
			continue;
		if (!buffer)
			break;
		d.compute->drop(buffer);
		d.memory.account.remove(memory_kind::kept, more);
		gone += more;
	}
	return gone;
}

void forget_kept(range in_buffer, const het_device *but)
{
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (&d != but && !(but && is_mutant(mutant::keeps_elsewhere)))
			d.kept.forget(in_buffer);
	}
}

} // namespace het::rt
