// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A process may have vm.max_map_count mappings. Some are kept in reserve for calls that can't tell their caller to come
// again: memory that is freed, and fork.
#pragma once

namespace het
{

// Makes the reserve, or makes it whole again, as far as that is possible. The caller holds the structure lock.
void keep_spare_mappings();
// They can be used up until keep_spare_mappings(). The caller holds the structure lock.
void spend_spare_mappings();

} // namespace het
