// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "child.h"

#include "clock.h"
#include "hang.h"

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace selftest
{

namespace
{
constexpr int skip_status = 4;
// The reason of a skip goes to this descriptor, which survives restart_with().
constexpr int result_descriptor = 198;
constexpr size_t most_output = 32 << 10;
constexpr char restarted[] = "HET_TEST_RESTARTED";

void write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);
		if (done <= 0)
			return;
		text += done;
		n -= done;
	}
}

void write_line(const char *prefix, const char *fmt, va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof line, "%s", prefix);
	n += vsnprintf(line + n, sizeof line - n - 1, fmt, args);
	n = std::min<int>(n, sizeof line - 2);
	line[n++] = '\n';
	write_all(STDERR_FILENO, line, n);
}

void become_child(int output, int result)
{
	setpgid(0, 0);
	int null = open("/dev/null", O_RDONLY);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	dup2(result, result_descriptor);
	close(null);
}

bool sanitizer_reported(const std::string &output)
{
	for (const char *mark : {"WARNING: ThreadSanitizer", "ERROR: AddressSanitizer", "ERROR: LeakSanitizer",
				 "runtime error: ", "terminate called"})
		if (output.find(mark) != std::string::npos)
			return true;
	return false;
}
} // namespace

void run_here(const test_case &c, const options &opt, uint64_t seed)
{
	context t{c.v, c.name, seed, random_source(seed ^ std::hash<std::string>()(c.name)), opt.full, opt.patience};
	c.what->body(t);
	_exit(0);
}

child::child(const test_case &c, const options &opt, uint64_t seed) : seed_(seed), start_ns_(now_ns())
{
	het::tube output = het::make_tube(), result = het::make_tube();
	fflush(stdout);
	process_.emplace([&] {
		become_child(output.in.get(), result.in.get());
		run_here(c, opt, seed);
	});
	const pid_t id = process_->id();
	setpgid(id, id);
	allowance_.emplace(id, c.what->seconds * opt.patience * (opt.full ? 6 : 1));
	pidfd_ = het::descriptor(int(syscall(SYS_pidfd_open, id, 0)));
	output_ = std::move(output.out);
	result_ = std::move(result.out);
	fcntl(output_.get(), F_SETFL, O_NONBLOCK);
	fcntl(result_.get(), F_SETFL, O_NONBLOCK);
}

void child::drain()
{
	char text[4096];
	for (ssize_t n; (n = read(output_.get(), text, sizeof text)) > 0;)
		if (diagnostics_.size() < most_output)
			diagnostics_.append(text, n);
	for (ssize_t n; (n = read(result_.get(), text, sizeof text)) > 0;)
		reason_.append(text, n);
}

void child::judge(int status)
{
	bool exited = WIFEXITED(status);
	if (exited && WEXITSTATUS(status) == 0)
		outcome_ = outcome::passed;
	else if (exited && WEXITSTATUS(status) == skip_status && !reason_.empty())
		outcome_ = outcome::skipped;
	else
		outcome_ = outcome::failed;
	if (sanitizer_reported(diagnostics_))
		outcome_ = outcome::failed;
	if (outcome_ == outcome::failed && !(exited && WEXITSTATUS(status) == 1)) {
		diagnostics_ += "\nit " + het::text_of_status(status);
	}
	if (outcome_ == outcome::failed)
		diagnostics_ += "\nseed " + std::to_string(seed_);
}

void child::give_up(const std::string &why)
{
	diagnostics_ += "\nended: " + why + "; threads:\n" + describe_threads(process_->id());
	outcome_ = outcome::failed;
	kill(-process_->id(), SIGKILL);
	process_->wait();
	diagnostics_ += "seed " + std::to_string(seed_);
}

outcome child::step()
{
	if (outcome_ != outcome::running)
		return outcome_;
	const bool ended = process_->has_ended();
	drain();
	ran_for_ = seconds_since(start_ns_);
	if (ended) {
		kill(-process_->id(), SIGKILL);
		judge(process_->status());
	} else if (auto why = allowance_->over(); !why.empty()) {
		give_up(why);
	}
	return outcome_;
}

namespace
{
void (*teller)(void *);
void *teller_arg;
std::atomic<bool> told;
} // namespace

void on_failure(void (*tell)(void *), void *arg)
{
	teller = tell;
	teller_arg = arg;
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
	const char *slash = strrchr(file, '/');
	char prefix[128];
	snprintf(prefix, sizeof prefix, "FAILED %s:%d: ", slash ? slash + 1 : file, line);
	va_list args;
	va_start(args, fmt);
	write_line(prefix, fmt, args);
	va_end(args);
	if (teller && !told.exchange(true))
		teller(teller_arg);
	_exit(1);
}

void note(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	write_line("", fmt, args);
	va_end(args);
}

void skip(const char *fmt, ...)
{
	char reason[512];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(reason, sizeof reason, fmt, args);
	va_end(args);
	n = std::min<int>(n, sizeof reason - 1);
	bool in_child = fcntl(result_descriptor, F_GETFD) != -1;
	write_all(in_child ? result_descriptor : STDERR_FILENO, reason, n);
	_exit(skip_status);
}

void skip_under_tsan(const char *why)
{
	if (with_tsan)
		skip("ThreadSanitizer: %s", why);
}

void skip_under_sanitizers(const char *why)
{
	if (with_sanitizer)
		skip("sanitizer: %s", why);
}

void check_bytes(const char *file, int line, const void *got, const void *want, size_t n, const char *what)
{
	if (!memcmp(got, want, n))
		return;
	auto g = static_cast<const volatile uint8_t *>(got);
	auto w = static_cast<const uint8_t *>(want);
	size_t first = 0, differing = 0;
	for (size_t i = n; i-- > 0;)
		if (g[i] != w[i]) {
			first = i;
			differing++;
		}
	if (!differing)
		fail_at(file, line, "%s: memcmp saw a difference in %zu bytes that was gone when looked at again", what,
			n);
	fail_at(file, line, "%s: byte %zu of %zu (address %p) is %#x, not %#x; %zu bytes differ", what, first, n,
		static_cast<const void *>(static_cast<const char *>(got) + first), g[first], w[first], differing);
}

void restart_with(const context &t, const std::vector<const char *> &environment)
{
	if (getenv(restarted))
		return;
	for (const char *setting : environment)
		if (putenv(const_cast<char *>(setting)))
			FAIL("putenv: %s", strerror(errno));
	setenv(restarted, "1", 1);
	if (t.full)
		setenv("HET_TEST_FULL", "1", 1);
	std::string name = "--case=" + t.name, seed = "--seed=" + std::to_string(t.seed);
	execl("/proc/self/exe", "selftest", name.c_str(), seed.c_str(), nullptr);
	FAIL("exec: %s", strerror(errno));
}

} // namespace selftest
