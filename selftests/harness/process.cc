// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "process.h"

#include "allowance.h"
#include "base/process.h"
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
	char line[32];
	snprintf(line, sizeof line, " after %.1f s", seconds);
	return het::text_of_status(status) + line;
}

namespace
{

ending watch(het::child_process &process, double seconds)
{
	ending e;
	uint64_t start = now_ns();
	allowance limit(process.id(), seconds * (with_tsan ? 6 : with_asan ? 3 : 1));
	while (!process.has_ended()) {
		e.why_ended = limit.over();
		if (!e.why_ended.empty())
			process.end();
		else
			sleep_ms(2);
	}
	e.status = process.status();
	e.seconds = seconds_since(start);
	return e;
}

} // namespace

ending wait_for(int pid, double seconds)
{
	het::child_process process(pid);
	return watch(process, seconds);
}

ending run_process(double seconds, const std::function<void()> &body)
{
	het::child_process process(body);
	return watch(process, seconds);
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
		_exit(4); // silent: the process has given the reason of the skip
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
