// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/plot.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

namespace bench
{

namespace
{

// Exit code, or a negative errno if the program could not be started.
int run_gnuplot(const std::string &script_path)
{
	char name[] = "gnuplot";
	std::string path = script_path;
	char *argv[] = {name, path.data(), nullptr};
	pid_t pid;
	int error = posix_spawnp(&pid, name, nullptr, nullptr, argv, environ);
	if (error)
		return -error;
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

} // namespace

std::string gnuplot_string(const std::string &text)
{
	std::string out = "'";
	for (char c : text)
		out += c == '\'' ? std::string("''") : std::string(1, c);
	return out + "'";
}

bool plot(const std::string &base, const std::string &script, unsigned width, unsigned height)
{
	const std::string path = base + ".gnuplot";
	const std::string size = " size " + std::to_string(width) + "," + std::to_string(height);
	auto folder = std::filesystem::path(base).parent_path();
	if (!folder.empty())
		std::filesystem::create_directories(folder);
	std::ofstream f(path);
	f << "set encoding utf8\n"
	  << "set terminal svg" << size << " background 'white'\nset output " << gnuplot_string(base + ".svg") << "\n"
	  << script << "unset output\nreset\n"
	  << "set terminal pngcairo" << size << "\nset output " << gnuplot_string(base + ".png") << "\n"
	  << script << "unset output\n";
	f.close();
	if (!f) {
		fprintf(stderr, "no plot: can't write %s\n", path.c_str());
		return false;
	}
	int code = run_gnuplot(path);
	if (code < 0)
		fprintf(stderr, "no plot: gnuplot can't be started (%s); install gnuplot-nox\n", strerror(-code));
	else if (code > 0)
		fprintf(stderr, "no plot: gnuplot failed with code %d on %s\n", code, path.c_str());
	else
		printf("plot: %s.svg, %s.png\n", base.c_str(), base.c_str());
	return code == 0;
}

} // namespace bench
