// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The default trap: a userfaultfd whose events the resolvers read. The toucher sleeps in the kernel, whatever it
// was doing there (a load, write(2), direct I/O), and no signal is involved.
#include "os/clock.h"
#include "os/userfaultfd.h"
#include "trap/trap.h"

#include <atomic>
#include <cerrno>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace het
{

namespace
{

class uffd_trap final : public trap
{
      public:
	uffd_trap(userfaultfd &&u, int event) : uffd_(std::move(u)), event_(event) {}
	~uffd_trap() override { close(event_); }

	const char *name() const override { return "uffd"; }
	trap_features features() const override
	{
		return {.kernel_touches = uffd_.kernel_mode(), .shared_reads = uffd_.continue_wp(), .by_page = true};
	}

	int hold(range old) override;
	void unhold(range old) override;
	int watch(range r) override { return uffd_.register_shared(r); }
	int unwatch(range r) override { return uffd_.unregister(r); }
	int protect(range r, access to) override
	{
		return to == access::none ? drop_pages(r) : uffd_.write_protect(r, true);
	}
	int admit(range r, access to) override;
	void wake(range r) override { uffd_.wake(r); }

	bool next(touch &t, wait_policy p) override;
	void interrupt() override;
	bool has_touch() const override;
	void forked_child() override {}

      private:
	bool read_event(touch &t);

	userfaultfd uffd_;
	int event_;
	std::atomic<bool> interrupted_{false};
};

int uffd_trap::hold(range old)
{
	int err = uffd_.register_private(old);
	if (err)
		return err;
	err = uffd_.write_protect(old, true);
	if (err)
		unhold(old);
	return err;
}

void uffd_trap::unhold(range old)
{
	uffd_.write_protect(old, false);
	uffd_.unregister(old);
	uffd_.wake(old);
}

int uffd_trap::admit(range r, access to)
{
	int err = uffd_.continue_from(r, to == access::read);
	if (err != -EEXIST)
		return err;
	// The touched page is there already: shown read-only before, or mapped by another resolver since.
	if (to == access::write)
		return uffd_.write_protect(r, false);
	uffd_.wake(r);
	return 0;
}

bool uffd_trap::read_event(touch &t)
{
	uffd_msg m;
	if (read(uffd_.fd(), &m, sizeof(m)) != sizeof(m) || m.event != UFFD_EVENT_PAGEFAULT)
		return false;
	t.addr = m.arg.pagefault.address;
	t.write = m.arg.pagefault.flags & (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP);
	return true;
}

bool uffd_trap::next(touch &t, wait_policy p)
{
	uint64_t until = p.spin_ns ? now_ns() + p.spin_ns : 0;
	do {
		if (read_event(t))
			return true;
		if (interrupted_.exchange(false, std::memory_order_relaxed))
			break;
	} while (until && now_ns() < until);

	pollfd fds[] = {{uffd_.fd(), POLLIN, 0}, {event_, POLLIN, 0}};
	poll(fds, 2, -1);
	if (fds[1].revents) {
		uint64_t count;
		[[maybe_unused]] ssize_t n = read(event_, &count, sizeof(count));
		interrupted_.store(false, std::memory_order_relaxed);
		return false;
	}
	return read_event(t);
}

bool uffd_trap::has_touch() const
{
	pollfd fd{uffd_.fd(), POLLIN, 0};
	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN);
}

void uffd_trap::interrupt()
{
	interrupted_.store(true, std::memory_order_relaxed);
	uint64_t one = 1;
	[[maybe_unused]] ssize_t n = write(event_, &one, sizeof(one));
}

} // namespace

std::unique_ptr<trap> make_uffd_trap(const touch_sink &, const char **why)
{
	std::optional<userfaultfd> u = userfaultfd::open(0, why);
	if (!u)
		return nullptr;
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0) {
		*why = "no file descriptor is left (ulimit -n)";
		return nullptr;
	}
	return std::make_unique<uffd_trap>(std::move(*u), event);
}

} // namespace het
