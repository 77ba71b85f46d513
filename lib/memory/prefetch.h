// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fetches and shows what the host is expected to touch behind a kernel of whose end it has heard already.
//
// The host lost the chunks when the kernel began, as nothing was promised (usage::promised), and they are its device's.
// So nothing is reserved for the copies, and nobody waits for more than one piece of them. Between two pieces the array
// may be unlinked, and who comes first has a chunk: a touch fetches it itself, a kernel takes it, and what is not as
// the kernel before has left it stays so, and what was expected after that, but not after a later one. A touch in the
// piece that is under way waits for that, as it would for the fetch of another touch.
#pragma once

#include "memory/foreseen.h"

namespace het
{

// The next piece of the list comes home, which holds no chunk reserved. There is no list any more when nothing is left,
// or when its device can't be read: nothing has changed then, and a touch tries again. The caller holds no lock.
void prefetch(foreseen_chunks *f, const bytes_soon &soon);
// The rest of the list is left to touches.
void drop_foreseen(foreseen_chunks *f);

} // namespace het
