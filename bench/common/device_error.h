// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A driver's refusal, as an exception that says what helps.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench
{

class device_error : public std::runtime_error
{
      public:
	enum class kind : uint8_t {
		other,
		memory, // there is not enough of it
		build,  // the driver does not take the kernel
		lost,   // no call to the device will do anything any more
	};

	device_error(kind k, const std::string &what) : std::runtime_error(what), kind_(k) {}

	kind why() const { return kind_; }
	const char *cure() const
	{
		switch (kind_) {
		case kind::memory:
			return "let the device have memory: end what else uses it";
		case kind::build:
			return "a newer driver, if the device is to have what the kernel needs";
		case kind::lost:
			return "reset the device, or start the machine again, and see what the kernel's log says of it";
		case kind::other:
			break;
		}
		return "what the message names";
	}

      private:
	kind kind_;
};

} // namespace bench
