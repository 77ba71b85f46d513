// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fixture.h"

#include "pattern.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace selftest
{

int trap_flag(uint32_t trap)
{
	switch (trap) {
	case trap::kmod:
		return GPUVM_TRAP_KMOD;
	case trap::uffd:
		return GPUVM_TRAP_UFFD;
	case trap::uffd_sigbus:
		return GPUVM_TRAP_UFFD_SIGBUS;
	case trap::sigsegv:
		return GPUVM_TRAP_SIGSEGV;
	case trap::sigsegv_stop:
		return GPUVM_TRAP_SIGSEGV_STOP;
	}
	return 0;
}

stderr_capture::stderr_capture()
{
	fflush(stderr);
	saved_ = dup(STDERR_FILENO);
	file_ = memfd_create("stderr", MFD_CLOEXEC);
	dup2(file_, STDERR_FILENO);
}

std::string stderr_capture::text()
{
	if (saved_ == -1)
		return "";
	dup2(saved_, STDERR_FILENO);
	close(saved_);
	saved_ = -1;
	char buffer[2048];
	ssize_t n = pread(file_, buffer, sizeof buffer, 0);
	close(file_);
	return std::string(buffer, n > 0 ? n : 0);
}

stderr_capture::~stderr_capture()
{
	text();
}

namespace
{
std::string one_line(std::string text)
{
	while (!text.empty() && text.back() == '\n')
		text.pop_back();
	for (char &c : text)
		if (c == '\n')
			c = ';';
	return text;
}
} // namespace

fixture::fixture(const context &t, int flags)
{
	// The trap sigsegv-stop has to know the driver's threads.
	bool stop = t.v.trap == trap::sigsegv_stop;
	if (stop)
		CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT));
	machine_ = make_machine(t);
	if (stop)
		CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT));
	stderr_capture capture;
	int err = machine_->init(flags | trap_flag(t.v.trap));
	std::string said = one_line(capture.text());
	if (err == GPUVM_EPROT)
		skip("%s", said.empty() ? gpuvm_strerror(err) : said.c_str());
	if (err)
		FAIL("gpuvm_init: %d, %s; %s", err, gpuvm_strerror(err), said.c_str());
	if (!said.empty())
		note("%s", said.c_str());
}

unsigned long long count_of(int parameter)
{
	unsigned long long value = 0;
	CHECK_OK(gpuvm_stat(parameter, &value));
	return value;
}

array::array(fixture &fx, uint32_t kind, size_t n, uint32_t seed)
    : fx_(fx), block_(kind, n), data_(block_.data()), size_(n)
{
	prepare(seed);
}

array::array(fixture &fx, uint8_t *data, size_t n, uint32_t seed) : fx_(fx), data_(data), size_(n)
{
	prepare(seed);
}

void array::prepare(uint32_t seed)
{
	model_.resize(size_);
	fill_pattern(model_.data(), 0, size_, seed);
	memcpy(data_, model_.data(), size_);
	for (unsigned i = 0; i < fx_.devices(); i++)
		buffers_.push_back(fx_.dev().new_buffer(i, size_));
}

array::~array()
{
	if (data_)
		unlink_everywhere();
	for (unsigned i = 0; i < buffers_.size(); i++)
		fx_.dev().free_buffer(i, buffers_[i]);
}

void array::abandon()
{
	block_.forget();
	data_ = nullptr;
}

void array::link(unsigned dev, int flags)
{
	CHECK_OK(gpuvm_link(data_, size_, dev, buffers_[dev], flags));
}

void array::link_everywhere()
{
	for (unsigned i = 0; i < fx_.devices(); i++)
		link(i);
}

void array::unlink_everywhere()
{
	for (unsigned i = 0; i < fx_.devices(); i++)
		if (gpuvm_xlate(data_, i))
			CHECK_OK(gpuvm_unlink(data_, i));
}

void array::kernel_on(unsigned dev, int access, const kernel &k)
{
	CHECK_OK(gpuvm_kernel_begin(data_, dev, access));
	fx_.dev().run(dev, buffers_[dev], k);
	CHECK_OK(gpuvm_kernel_end(data_, dev));
	apply(k, model_.data());
}

void array::run(unsigned dev, const kernel &k)
{
	fx_.dev().run(dev, buffers_[dev], k);
	apply(k, model_.data());
}

void array::write_on_host(size_t off, size_t n, uint32_t seed)
{
	fill_pattern(data_, off, n, seed);
	fill_pattern(model_.data(), off, n, seed);
}

void array::check(size_t off, size_t n, const char *what)
{
	CHECK_BYTES(data_ + off, model_.data() + off, n, what);
}

void array::check_buffer(unsigned dev, const char *what)
{
	std::vector<uint8_t> bytes(size_);
	fx_.dev().read(dev, buffers_[dev], 0, bytes.data(), size_);
	CHECK_BYTES(bytes.data(), model_.data(), size_, what);
}

void array::check_sum(unsigned dev)
{
	uint64_t want = 0;
	for (uint8_t b : model_)
		want += b;
	CHECK_EQ(fx_.dev().sum(dev, buffers_[dev], 0, size_), want);
}

} // namespace selftest
