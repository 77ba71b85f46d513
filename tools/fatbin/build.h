// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes a fat binary of OpenCL C, with all the images that the compilers here can make.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

struct build_request {
	std::string options;                 // as clBuildProgram() takes them
	std::vector<format::target> targets; // say which images are wanted
	std::vector<std::string> gpus;       // sm_NN for cubins
};

// Throws what the first device's compiler says if it refuses the source. What others refuse is the reason of an image
// that is not there.
document build(const std::string &source, const build_request &r);

} // namespace tool::fat
