// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compilers are programs of their own, and are called with this.
#pragma once

#include <string>
#include <vector>

namespace tool::fat
{

bool is_installed(const std::string &program);

// Runs a program, which is looked for in PATH. Returns what it printed; throws that, in one line, if it does not end
// with 0.
std::string run(const std::vector<std::string> &command);

// This is a folder that is gone with its contents at the end.
class work_folder
{
      public:
	work_folder();
	work_folder(const work_folder &) = delete;
	work_folder &operator=(const work_folder &) = delete;
	~work_folder();
	std::string file(const std::string &name) const { return path_ + "/" + name; }

      private:
	std::string path_;
};

} // namespace tool::fat
