// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The parts of the test, each of a kind of MPI's calls.
#pragma once

#include "ranks.h"

namespace mpi_test
{

// Without libhet-mpi (@plain) nothing keeps kernels off a message, and others see a window's array itself.
std::vector<test_case> message_cases(bool plain);
// These are for fake GPUs, which refuse one copy to them (FAKE_CUDA_FAIL).
std::vector<test_case> few_cases();
std::vector<test_case> collective_cases();
std::vector<test_case> file_cases();
std::vector<test_case> window_cases(bool plain);
// What lies near each other, or in each other.
std::vector<test_case> near_cases();
// What comes between two steps of a call, and what fails.
std::vector<test_case> moment_cases();

} // namespace mpi_test
