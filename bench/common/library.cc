// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/library.h"

#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace bench
{

namespace
{

// Collects what is written to stderr while it lives.
class stderr_capture
{
      public:
	stderr_capture() : file_(memfd_create("stderr", MFD_CLOEXEC)), saved_(dup(2)) { dup2(file_, 2); }
	~stderr_capture()
	{
		dup2(saved_, 2);
		close(saved_);
		close(file_);
	}
	stderr_capture(const stderr_capture &) = delete;
	stderr_capture &operator=(const stderr_capture &) = delete;

	std::string text() const
	{
		char buf[2048];
		ssize_t n = pread(file_, buf, sizeof(buf), 0);
		while (n > 0 && buf[n - 1] == '\n')
			--n;
		return n > 0 ? std::string(buf, size_t(n)) : "";
	}

      private:
	int file_, saved_;
};

void pass_on(const std::string &text)
{
	if (!text.empty())
		fprintf(stderr, "%s\n", text.c_str());
}

} // namespace

void check(int code, const char *call)
{
	if (code < 0)
		throw std::runtime_error(std::string(call) + ": " + gpuvm_strerror(code));
}

namespace
{

void start(unsigned n, void **handles, int flags)
{
	int code;
	std::string said;
	{
		stderr_capture capture;
		code = gpuvm_init(n, handles, GPUVM_STAT | flags);
		said = capture.text();
	}
	if (code < 0)
		throw std::runtime_error(said.empty() ? std::string("gpuvm_init: ") + gpuvm_strerror(code) : said);
	if (!(flags & GPUVM_TRAP_MASK))
		pass_on(said);
}

} // namespace

void start_library(const std::vector<device *> &devices, int flags)
{
	std::vector<void *> handles;
	for (device *d : devices)
		handles.push_back(d->handle());
	start(unsigned(handles.size()), handles.data(), devices[0]->api() | flags);
}

void start_library_on_first(int api, int flags)
{
	start(1, nullptr, api | flags);
}

linked_array::linked_array(void *array, size_t nbytes, unsigned idev, void *buffer, int flags)
    : array_(array), idev_(idev)
{
	int code = gpuvm_link(array, nbytes, idev, buffer, flags);
	if (code < 0)
		array_ = nullptr;
	check(code, "gpuvm_link");
}

json describe_library()
{
	return {{"trap", library_stat<const char *>(GPUVM_STAT_TRAP)},
		{"reason", library_stat<const char *>(GPUVM_STAT_TRAP_REASON)}};
}

} // namespace bench
