// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gets the bytes of arrays from files, or makes them. All functions throw std::runtime_error with a sentence.
#pragma once

#include "run/argument_text.h"
#include "run/element.h"

#include <vector>

namespace tool::run
{

std::vector<std::byte> read_file(const std::string &path);
void write_file(const std::string &path, const std::vector<std::byte> &bytes);

// Makes what the command line asks for, which is the same on every machine.
std::vector<std::byte> make_bytes(const argument_text &t, const element &of, uint64_t usual_elements);

} // namespace tool::run
