// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/child.h"

#include "fatbin/document.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace tool::fat
{

bool is_installed(const std::string &program)
{
	const char *path = getenv("PATH");
	std::stringstream folders(path ? path : "/usr/bin:/bin");
	for (std::string folder; std::getline(folders, folder, ':');)
		if (access(folder.append(1, '/').append(program).c_str(), X_OK) == 0)
			return true;
	return false;
}

namespace
{

// It may be empty.
std::string text_in(const std::string &file)
{
	std::error_code wrong;
	return std::filesystem::file_size(file, wrong) && !wrong ? read_file(file) : "";
}

} // namespace

std::string run(const std::vector<std::string> &command)
{
	work_folder work;
	std::string printed = work.file("printed");
	std::vector<char *> words;
	words.reserve(command.size() + 1);
	for (const auto &w : command)
		words.push_back(const_cast<char *>(w.c_str()));
	words.push_back(nullptr);
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	pid_t child;
	int err = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
	posix_spawn_file_actions_destroy(&files);
	int status = 0;
	if (err || waitpid(child, &status, 0) != child)
		throw std::runtime_error(command[0] + " can't be started");
	if (status)
		throw std::runtime_error(command[0] + ": " + plain(text_in(printed)));
	return text_in(printed);
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
