// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The default trap is a userfaultfd whose events the resolvers read. The toucher sleeps in the kernel, whatever it was
// doing there (a load, write(2), direct I/O), and no signal is involved.
#include "trap/event_waiter.h"
#include "trap/on_userfaultfd.h"

#include <cerrno>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <unistd.h>

namespace het
{

namespace
{

class uffd_trap final : public on_userfaultfd<trap>
{
      public:
	explicit uffd_trap(userfaultfd &&u) : on_userfaultfd(std::move(u)) {}

	bool open(const char **why) { return waiter_.open(why); }

	const char *name() const override { return "uffd"; }
	trap_features features() const override
	{
		return {.kernel_touches = uffd_.kernel_mode(), .shared_reads = uffd_.continue_wp(), .by_page = true};
	}

	int unwatch(const pages &p) override { return uffd_.unregister(p.at); }
	int admit(const pages &p, access to) override;
	void wake(const pages &p) override { uffd_.wake(p.at); }

	bool next(touch &t, wait_policy p) override
	{
		return waiter_.next(uffd_.file().number(), p, [&] { return read_event(t); });
	}
	void interrupt() override { waiter_.interrupt(); }
	bool has_touch() const override;
	void forked_child() override {}

      private:
	bool read_event(touch &t);

	event_waiter waiter_;
};

int uffd_trap::admit(const pages &p, access to)
{
	int err = show(p.at, to);
	if (err != -EEXIST)
		return err;
	uffd_.wake(p.at);
	return 0;
}

bool uffd_trap::read_event(touch &t)
{
	uffd_msg m;
	if (read(uffd_.file().get(), &m, sizeof(m)) != sizeof(m) || m.event != UFFD_EVENT_PAGEFAULT)
		return false;
	t.addr = m.arg.pagefault.address;
	t.write = m.arg.pagefault.flags & (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP);
	return true;
}

bool uffd_trap::has_touch() const
{
	pollfd fd{uffd_.file().number(), POLLIN, 0};
	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN);
}

} // namespace

std::unique_ptr<trap> make_uffd_trap(const touch_sink &, const char **why)
{
	std::optional<userfaultfd> u = userfaultfd::open(0, why);
	if (!u)
		return nullptr;
	auto t = std::make_unique<uffd_trap>(std::move(*u));
	return t->open(why) ? std::move(t) : nullptr;
}

} // namespace het
