// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Half of what a unit test costs the compiler.
#include <gtest/gtest.h>
