#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Prints C++ that defines the kernels of FILE.cl, and what het-fatbin made of them, as an object FILE_kernels:
#   kernel-text.sh FILE.cl FILE.ptx
set -eu
name=$(basename "${1%.cl}")
name=${name//-/_}_kernels
cat <<END
// Made from $1 and $2 by scripts/kernel-text.sh.
#include "common/kernel_text.h"
namespace bench
{
extern const kernel_text $name;
const kernel_text $name = {R"opencl($(cat "$1")
)opencl",
R"ptx($(cat "$2")
)ptx"};
}
END
