// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/log.h"

#include "os/settings.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr size_t text_size = 400;
thread_local char last_text[text_size] __attribute__((tls_model("initial-exec")));

// Each line is one writev(2), so that lines of several threads do not mix. The C library's is not called: a thread that
// is cancelled there would keep its caller's locks.
void print(const char *text)
{
	char prefix[] = "libhet: ", newline[] = "\n";
	iovec parts[] = {{prefix, sizeof(prefix) - 1}, {const_cast<char *>(text), strlen(text)}, {newline, 1}};
	[[maybe_unused]] long n = syscall(SYS_writev, STDERR_FILENO, parts, 3);
}

} // namespace

int fail(int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(last_text, text_size, fmt, ap);
	va_end(ap);
	if (!settings().quiet)
		print(last_text);
	return code;
}

void warn(const char *fmt, ...)
{
	char text[text_size];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, text_size, fmt, ap);
	va_end(ap);
	if (!settings().quiet)
		print(text);
}

void die(const char *fmt, ...)
{
	char text[text_size];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, text_size, fmt, ap);
	va_end(ap);
	print(text);
	abort();
}

void inform(const char *fmt, ...)
{
	if (!settings().verbose)
		return;
	char text[text_size];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, text_size, fmt, ap);
	va_end(ap);
	print(text);
}

const char *last_error()
{
	return last_text;
}

void forget_last_error()
{
	last_text[0] = 0;
}

} // namespace het
