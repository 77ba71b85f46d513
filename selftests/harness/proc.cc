// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "proc.h"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <memory>

namespace selftest
{

std::vector<std::string> numbers_in(const std::string &folder)
{
	std::vector<std::string> names;
	std::unique_ptr<DIR, int (*)(DIR *)> dir(opendir(folder.c_str()), closedir);
	for (dirent *e; dir && (e = readdir(dir.get()));)
		if (atoi(e->d_name) > 0)
			names.push_back(e->d_name);
	return names;
}

// The name is the only field with blanks, and stands in parentheses.
std::string state_and_more(const std::string &folder)
{
	char text[1024];
	std::unique_ptr<FILE, int (*)(FILE *)> file(fopen((folder + "/stat").c_str(), "re"), fclose);
	std::string line(text, file ? fread(text, 1, sizeof text, file.get()) : 0);
	size_t name_ends = line.rfind(") ");
	return name_ends == line.npos ? "" : line.substr(name_ends + 2);
}

} // namespace selftest
