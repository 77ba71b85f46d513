// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "base/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace het
{

namespace
{

[[noreturn]] void fail_with_errno(const char *what)
{
	throw std::system_error(errno, std::generic_category(), what);
}

pid_t start_copy(const std::function<void()> &body)
{
	const pid_t parent = getpid(), id = fork();
	if (id < 0)
		fail_with_errno("fork");
	if (id)
		return id;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) // the parent ended before the signal was asked for
		_exit(1);
	body();
	_exit(0);
}

} // namespace

tube make_tube()
{
	std::array<int, 2> ends;
	if (pipe2(ends.data(), O_CLOEXEC))
		fail_with_errno("pipe2");
	return {descriptor(ends[0]), descriptor(ends[1])};
}

child_process::child_process(const std::function<void()> &body) : id_(start_copy(body)) {}

child_process::~child_process()
{
	end();
}

void child_process::wait_with(int options)
{
	if (ended_)
		return;
	pid_t got;
	do
		got = waitpid(id_, &status_, options);
	while (got < 0 && errno == EINTR);
	ended_ = got != 0;
}

bool child_process::has_ended()
{
	wait_with(WNOHANG);
	return ended_;
}

void child_process::wait()
{
	wait_with(0);
}

void child_process::end()
{
	if (!has_ended())
		kill(id_, SIGKILL);
	wait();
}

std::string text_of_status(int status)
{
	if (!WIFSIGNALED(status))
		return "ended with status " + std::to_string(WEXITSTATUS(status));
	const int signal = WTERMSIG(status);
	return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

program_end run_program(const std::vector<std::string> &words, errors e)
{
	std::vector<char *> argv;
	argv.reserve(words.size() + 1);
	for (const auto &w : words)
		argv.push_back(const_cast<char *>(w.c_str()));
	argv.push_back(nullptr);
	tube output = make_tube();
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, output.in.get(), STDOUT_FILENO);
	if (e == errors::joined)
		posix_spawn_file_actions_adddup2(&files, output.in.get(), STDERR_FILENO);
	if (e == errors::dropped)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	program_end end;
	pid_t id = 0;
	end.error = posix_spawnp(&id, argv[0], &files, nullptr, argv.data(), environ);
	posix_spawn_file_actions_destroy(&files);
	if (end.error)
		return end;
	child_process child(id);
	output.in = descriptor();
	std::array<char, 4096> text;
	for (ssize_t n; (n = read(output.out.get(), text.data(), text.size())) > 0 || (n < 0 && errno == EINTR);)
		if (n > 0)
			end.printed.append(text.data(), size_t(n));
	child.wait();
	end.status = child.status();
	return end;
}

} // namespace het
