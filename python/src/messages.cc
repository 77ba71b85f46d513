// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "messages.h"

#include <atomic>
#include <map>
#include <mutex>

namespace het::python
{

namespace
{

struct messages {
	std::mutex lock;
	std::map<het_event *, std::string> of;
};

// Threads of the library's may still come here when the process exits.
messages &all()
{
	static auto *const m = new messages;
	return *m;
}

constinit std::atomic<bool> is_any{false};
constexpr size_t most = 1000; // are kept of those that nobody has asked for

} // namespace

void note_message(int, het_event *event, const char *message, void *)
{
	std::lock_guard g(all().lock);
	if (all().of.size() >= most)
		all().of.clear();
	all().of[event] = message;
	is_any = true;
}

void forget_message(het_event *event)
{
	if (!is_any)
		return;
	std::lock_guard g(all().lock);
	all().of.erase(event);
}

std::string message_of(het_event *event, int status)
{
	std::lock_guard g(all().lock);
	auto found = all().of.find(event);
	return found == all().of.end() ? het_strerror(status) : found->second;
}

} // namespace het::python
