// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tool
{

// One block of LZ4 without a frame. Nothing if it does not give exactly @size bytes.
std::optional<std::string> decompress_lz4(std::string_view block, size_t size);

// Zstandard, through libzstd.so.1. @why: what went wrong.
std::optional<std::string> decompress_zstd(std::string_view frame, size_t size, std::string *why);

} // namespace tool
