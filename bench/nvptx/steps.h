/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
#pragma once

/* Newton's iteration takes enough steps for any float between 1 and 1000. */
#define NEWTON_STEPS 12
