// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A lane for a caller of the API, for the length of a scope. Taken before any array's lock: whoever has a lane may need
// that lock to get rid of it.
#pragma once

namespace het
{

class lane_lease
{
      public:
	lane_lease();
	~lane_lease();
	lane_lease(const lane_lease &) = delete;
	lane_lease &operator=(const lane_lease &) = delete;

	operator unsigned() const { return lane_; }

      private:
	unsigned lane_;
};

} // namespace het
