// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls compilers, which are programs of their own.
#pragma once

#include <string>
#include <vector>

namespace tool::fat
{

bool is_installed(const std::string &program);

// Runs a program, which is looked for in PATH. Returns what it printed; throws that, in one line, if its status is not
// 0.
std::string run(const std::vector<std::string> &command);

// Makes a folder, which is gone with its contents at the end.
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
