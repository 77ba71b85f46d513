// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/child.h"

#include "base/process.h"
#include "fatbin/document.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace tool::fat
{

bool is_installed(const std::string &program)
{
	const char *path = getenv("PATH");
	std::stringstream folders(path ? path : "/usr/bin:/bin");
	for (std::string folder; std::getline(folders, folder, ':');)
		if (::access(folder.append(1, '/').append(program).c_str(), X_OK) == 0)
			return true;
	return false;
}

std::string run(const std::vector<std::string> &command)
{
	const het::program_end end = het::run_program(command);
	if (end.error)
		throw std::runtime_error(command[0] + " can't be started");
	if (end.status)
		throw std::runtime_error(command[0] + ": " + plain(end.printed));
	return end.printed;
}

work_folder::work_folder() : path_(std::filesystem::temp_directory_path() / "het-fatbin-XXXXXX")
{
	if (!mkdtemp(path_.data()))
		throw std::runtime_error(path_ + ": no folder for temporary files can be made; set TMPDIR");
}

work_folder::~work_folder()
{
	std::error_code ignored;
	std::filesystem::remove_all(path_, ignored);
}

} // namespace tool::fat
