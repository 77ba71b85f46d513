// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The library exports this: the API, and the functions that it interposes.
#pragma once

#define GPUVM_PUBLIC extern "C" __attribute__((visibility("default")))
