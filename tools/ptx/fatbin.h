// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds PTX texts inside NVIDIA's fat binaries, also where these lie in an object or a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tool
{

struct fatbin_texts {
	std::vector<std::string> texts;
	std::vector<std::string> problems; // say why some could not be read
};

// Finds every fat binary in @bytes. Texts may be compressed with LZ4 or Zstandard, as nvcc does; that needs liblz4.so.1
// or libzstd.so.1.
fatbin_texts read_fatbins(std::string_view bytes);

} // namespace tool
