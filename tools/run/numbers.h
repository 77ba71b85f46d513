// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads numbers of the command line. All functions throw std::runtime_error with a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tool::run
{

// Reads digits, with K, M or G behind them for powers of 1024. @what says whose they are, for the message.
uint64_t parse_size(const std::string &text, const std::string &what);
// Reads the same, with a sign before them or none.
int64_t parse_distance(const std::string &text, const std::string &what);

std::vector<std::string> split(const std::string &text, char at);

// Holds one number for each dimension, which stand with commas between.
struct extent {
	unsigned dimensions = 0;
	std::array<size_t, 3> size = {};
};
extent parse_extent(const std::string &text, const std::string &what);

} // namespace tool::run
