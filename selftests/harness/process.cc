// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "process.h"

#include "allowance.h"
#include "clock.h"
#include "test.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace selftest
{

bool ending::exited(int code) const
{
	return by_itself() && WIFEXITED(status) && WEXITSTATUS(status) == code;
}

bool ending::killed_by(int signal) const
{
	return by_itself() && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

std::string ending::text() const
{
	if (!by_itself())
		return "had to be ended: " + why_ended;
	char line[96];
	if (WIFEXITED(status))
		snprintf(line, sizeof line, "exit status %d after %.1f s", WEXITSTATUS(status), seconds);
	else
		snprintf(line, sizeof line, "killed by signal %d (%s) after %.1f s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)), seconds);
	return line;
}

ending wait_for(int pid, double seconds)
{
	ending e;
	uint64_t start = now_ns();
	allowance limit(pid, seconds * (with_tsan ? 6 : with_asan ? 3 : 1));
	while (waitpid(pid, &e.status, WNOHANG) == 0) {
		e.why_ended = limit.over();
		if (!e.why_ended.empty()) {
			kill(pid, SIGKILL);
			waitpid(pid, &e.status, 0);
			break;
		}
		sleep_ms(2);
	}
	e.seconds = seconds_since(start);
	return e;
}

ending run_process(double seconds, const std::function<void()> &body)
{
	int pid = fork();
	if (pid == -1)
		FAIL("fork: %s", strerror(errno));
	if (pid == 0) {
		body();
		_exit(0);
	}
	return wait_for(pid, seconds);
}

std::string stderr_of_case(const context &t, const char *name)
{
	int file = memfd_create("stderr", 0);
	CHECK_SYS(file);
	ending e = run_process(100 * t.patience, [&] {
		CHECK_SYS(dup2(file, STDERR_FILENO));
		std::string chosen = std::string("--case=") + name, seed = "--seed=" + std::to_string(t.seed);
		execl("/proc/self/exe", "selftest", chosen.c_str(), seed.c_str(), nullptr);
		FAIL("exec: %s", strerror(errno));
	});
	std::string words(size_t(lseek(file, 0, SEEK_END)), 0);
	CHECK_EQ(pread(file, words.data(), words.size(), 0), words.size());
	close(file);
	note("%s", words.c_str());
	expect_success(e, name);
	return words;
}

void expect_success(const ending &e, const char *what)
{
	if (e.exited(4))
		_exit(4); // it has given the reason of the skip
	if (!e.exited(0))
		FAIL("%s: %s", what, e.text().c_str());
}

void expect_killed_by(const ending &e, int signal, const char *what)
{
	if (e.exited(4))
		_exit(4);
	if (!e.killed_by(signal))
		FAIL("%s: %s; expected signal %d (%s)", what, e.text().c_str(), signal, strsignal(signal));
}

std::string folder_of_programs()
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	CHECK(n > 0 && n < ssize_t(sizeof path));
	std::string program(path, n);
	return program.substr(0, program.rfind('/'));
}

} // namespace selftest
