// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The trap kmod uses the kernel module: it knows the state of each page, serves touches of what the host may use by
// itself, and posts the others to a ring. The toucher waits in the kernel, whatever it was doing there, and no signal
// is involved.
//
// Access is a state of the module's: write is HOST, read SHARED, none DEVICE. SHARED pages become HOST at the first
// host write, in the kernel; was_written() tells which.
#include "os/lock.h"
#include "os/mapping.h"
#include "os/module_context.h"
#include "trap/event_waiter.h"
#include "trap/trap.h"

#include <algorithm>

namespace het
{

namespace
{

class kmod_trap final : public trap
{
      public:
	kmod_trap(std::unique_ptr<module_context> module, std::unique_ptr<trap> holder)
	    : module_(std::move(module)), holder_(std::move(holder))
	{
	}

	bool open(const char **why) { return waiter_.open(why); }

	const char *name() const override { return "kmod"; }
	trap_features features() const override
	{
		bool shares = module_->can_share();
		return {.kernel_touches = true,
			.shared_reads = shares,
			.unseen_writes = shares,
			.tells_accesses = module_->can_tell_accesses()};
	}
	page_source *source() override { return module_.get(); }

	int hold(range old) override { return holder_->hold(old); }
	void unhold(range old) override { holder_->unhold(old); }

	// The pages come as those of the host.
	int watch(const pages &) override { return 0; }
	int unwatch(const pages &p) override { return set(p, page_state::host); }

	int protect(const pages &p, access to) override;
	int admit(const pages &p, access to) override;
	void wake(const pages &p) override;
	int spoil(const pages &p, const page_source &) override { return set(p, page_state::failed); }
	int heal(const pages &p, const page_source &) override { return protect(p, access::none); }
	bool was_written(const pages &p) const override { return module_->was_written(p.offset, p.at.size()); }

	void take_accesses(std::span<const pages> chunks, access *answers) override;

	bool next(touch &t, wait_policy p) override
	{
		return waiter_.next(module_->event_fd(), p, [&] { return take(t); });
	}
	void interrupt() override { waiter_.interrupt(); }
	bool has_touch() const override { return module_->has_touch(); }
	void forked_child() override { holder_->forked_child(); }

      private:
	int set(const pages &p, page_state to) const { return module_->set_state(p.offset, p.at.size(), to); }
	bool take(touch &t);

	std::unique_ptr<module_context> module_;
	// Holds private memory, which the module knows nothing of, while it is adopted.
	std::unique_ptr<trap> holder_;
	event_waiter waiter_;
	futex_lock taking_; // guards the ring's tail
};

int kmod_trap::protect(const pages &p, access to)
{
	return set(p, to == access::read && module_->can_share() ? page_state::shared : page_state::device);
}

int kmod_trap::admit(const pages &p, access to)
{
	return set(p, to == access::write ? page_state::host : page_state::shared);
}

void kmod_trap::wake(const pages &p)
{
	module_->wake(p.offset, p.at.size());
	// This wakes those, too, who were held where the pages are now.
	holder_->wake(p);
}

void kmod_trap::take_accesses(std::span<const pages> chunks, access *answers)
{
	constexpr size_t most = module_context::most_parts;
	while (!chunks.empty()) {
		size_t n = std::min(chunks.size(), most);
		module_context::part parts[most];
		for (size_t i = 0; i < n; i++)
			parts[i] = {chunks[i].offset, chunks[i].at.size()};
		module_->take_accesses({parts, n}, answers);
		chunks = chunks.subspan(n);
		answers += n;
	}
}

bool kmod_trap::take(touch &t)
{
	if (!module_->has_touch())
		return false;
	module_context::touch posted;
	taking_.lock(lock_rank::leaf);
	bool taken = module_->take(&posted);
	taking_.unlock(lock_rank::leaf);
	if (!taken)
		return false;
	t = {posted.address, posted.write, posted.offset};
	return true;
}

} // namespace

std::unique_ptr<trap> make_kmod_trap(const touch_sink &sink, const char **why)
{
	std::unique_ptr<module_context> module = module_context::open(why);
	if (!module)
		return nullptr;
	std::unique_ptr<trap> holder = make_uffd_trap(sink, why);
	if (!holder)
		holder = make_sigsegv_trap(sink, why);
	if (!holder)
		return nullptr;
	auto t = std::make_unique<kmod_trap>(std::move(module), std::move(holder));
	return t->open(why) ? std::move(t) : nullptr;
}

} // namespace het
