// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tool
{

enum class compression : uint8_t {
	lz4,  // one block, without a frame
	zstd, // a frame
};

// Returns nothing if it does not give exactly @size bytes, which are below 2 GiB; @why tells the reason then.
std::optional<std::string> decompress(compression how, std::string_view packed, size_t size, std::string *why);

} // namespace tool
