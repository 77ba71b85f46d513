// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/bare_touch.h"

#include "common/clock.h"
#include "common/format.h"
#include "common/memory.h"
#include "common/owned.h"
#include "os/descriptor.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <thread>

// Debian 12's headers are older than these.
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace bench
{

namespace
{

void check(bool ok, const char *what)
{
	if (!ok)
		throw std::runtime_error(format("bare touch: %s: %s", what, strerror(errno)));
}

// One page of a memory file, so that its bytes stay when the mapping loses it.
class bare_page
{
      public:
	bare_page() : file_(memfd_create("bare", MFD_CLOEXEC))
	{
		check(file_.get() >= 0 && !ftruncate(file_.get(), off_t(page_size)), "memfd");
		mapping_ = {mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0), page_size};
		check(bool(mapping_), "mmap");
		memset(mapping_.data(), 1, page_size);
	}
	virtual ~bare_page() = default;
	double touch(double hold)
	{
		hold_ = hold;
		take();
		const double start = now_us();
		const char seen = *static_cast<volatile char *>(mapping_.data());
		const double took = now_us() - start;
		if (seen != 1)
			throw std::runtime_error("bare touch: other bytes");
		return took;
	}

      protected:
	virtual void take() { check(!madvise(mapping_.data(), page_size, MADV_DONTNEED), "madvise"); }
	// It is async-signal-safe.
	void hold() const
	{
		for (const double end = now_us() + hold_; hold_ > 0 && now_us() < end;)
			;
	}
	owned_mapping mapping_;

      private:
	het::descriptor file_;
	std::atomic<double> hold_{0};
};

int open_userfaultfd()
{
	if (het::descriptor dev(open("/dev/userfaultfd", O_RDWR | O_CLOEXEC)); dev.get() >= 0)
		return ioctl(dev.get(), USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
	return int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
}

class watched_page : public bare_page
{
      protected:
	explicit watched_page(uint64_t features) : uffd_(open_userfaultfd())
	{
		check(uffd_.get() >= 0, "userfaultfd");
		uffdio_api api{};
		api.api = UFFD_API;
		api.features = UFFD_FEATURE_MINOR_SHMEM | features;
		check(!ioctl(uffd_.get(), UFFDIO_API, &api), "UFFDIO_API");
		uffdio_register r{};
		r.range = {uintptr_t(mapping_.data()), page_size};
		r.mode = UFFDIO_REGISTER_MODE_MINOR;
		check(!ioctl(uffd_.get(), UFFDIO_REGISTER, &r), "UFFDIO_REGISTER");
	}
	// It is async-signal-safe.
	bool show() const
	{
		uffdio_continue c{};
		c.range = {uintptr_t(mapping_.data()), page_size};
		hold();
		return !ioctl(uffd_.get(), UFFDIO_CONTINUE, &c);
	}
	het::descriptor uffd_;
};

// A thread reads the event and shows the page.
class page_of_events final : public watched_page
{
      public:
	explicit page_of_events(bool spins) : watched_page(0), server_([this, spins] { serve(spins); }) {}
	~page_of_events() override
	{
		ends_ = true;
		server_.join();
	}

      private:
	void serve(bool spins) const
	{
		constexpr int patience_ms = 50;
		pollfd fd = {uffd_.get(), POLLIN, 0};
		while (!ends_) {
			uffd_msg m;
			if (!spins)
				poll(&fd, 1, patience_ms);
			if (read(uffd_.get(), &m, sizeof(m)) == sizeof(m))
				show();
		}
	}
	std::atomic<bool> ends_{false};
	std::thread server_;
};

class page_of_sigbus final : public watched_page
{
      public:
	page_of_sigbus() : watched_page(UFFD_FEATURE_SIGBUS)
	{
		it = this;
		struct sigaction a = {};
		a.sa_handler = [](int) { it->show(); };
		check(!sigaction(SIGBUS, &a, nullptr), "sigaction");
	}

      private:
	static inline const page_of_sigbus *it = nullptr;
};

class page_of_sigsegv final : public bare_page
{
      public:
	page_of_sigsegv()
	{
		it = this;
		struct sigaction a = {};
		a.sa_handler = [](int) {
			it->hold();
			mprotect(it->mapping_.data(), page_size, PROT_READ);
		};
		check(!sigaction(SIGSEGV, &a, nullptr), "sigaction");
	}

      private:
	void take() override { check(!mprotect(mapping_.data(), page_size, PROT_NONE), "mprotect"); }
	static inline const page_of_sigsegv *it = nullptr;
};

std::shared_ptr<bare_page> make_page(const std::string &trap, bool spins)
{
	if (trap == "uffd")
		return std::make_shared<page_of_events>(spins);
	if (trap == "uffd-sigbus")
		return std::make_shared<page_of_sigbus>();
	if (trap == "sigsegv")
		return std::make_shared<page_of_sigsegv>();
	throw std::runtime_error("trap " + trap + " is not to be had without the library");
}

} // namespace

answer_fn start_bare_touches(const std::string &trap, bool spins)
{
	auto page = make_page(trap, spins);
	return [page](const json &question) {
		std::vector<double> took;
		while (took.size() < question["samples"].get<size_t>())
			took.push_back(page->touch(question["hold"].get<double>()));
		return json(took);
	};
}

} // namespace bench
