// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "handle.h"

struct _cl_platform_id : hetcl::object<hetcl::kind::platform> {
};

namespace hetcl
{

_cl_platform_id &platform();

} // namespace hetcl
