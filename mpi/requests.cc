// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "requests.h"

#include <atomic>
#include <list>
#include <map>
#include <mutex>

namespace hetmpi
{

namespace
{

struct freed {
	MPI_Request request;
	std::list<under_way> messages;
};

struct requests {
	std::mutex lock;
	std::atomic<uint64_t> begun{0};
	std::multimap<MPI_Request, under_way> under_way_now;
	std::map<MPI_Request, persistent> kept;
	std::list<freed> nobodys;
};

requests &all()
{
	static requests *r = new requests;
	return *r;
}

// The copy out of a stand-in may take long, or wait for a kernel, and nobody else is to wait for that.
std::list<under_way> take_out(MPI_Request r, uint64_t begun_before = UINT64_MAX)
{
	std::list<under_way> taken;
	std::lock_guard guard(all().lock);
	auto found = all().under_way_now.equal_range(r);
	for (auto f = found.first; f != found.second;) {
		if (f->second.number > begun_before) {
			++f;
			continue;
		}
		taken.push_back(std::move(f->second));
		f = all().under_way_now.erase(f);
	}
	return taken;
}

// One that is persistent is there still when it is over.
void free_at_last(MPI_Request &r)
{
	if (r != MPI_REQUEST_NULL)
		PMPI_Request_free(&r);
}

int give(std::list<under_way> &messages, const MPI_Status &status)
{
	int err = MPI_SUCCESS;
	for (under_way &m : messages) {
		if (int e = m.give(status))
			err = m.whose.report(e);
	}
	return err;
}

// The first that is over, or with @wait the first of all.
std::list<freed> take_freed(bool wait, MPI_Status *status)
{
	std::list<freed> taken;
	std::lock_guard guard(all().lock);
	for (auto f = all().nobodys.begin(); f != all().nobodys.end(); ++f) {
		int done = wait;
		if (!wait && PMPI_Test(&f->request, &done, status))
			done = 0;
		if (done) {
			taken.splice(taken.end(), all().nobodys, f);
			break;
		}
	}
	return taken;
}

void look_after_freed()
{
	MPI_Status status = {};
	for (std::list<freed> f; !(f = take_freed(false, &status)).empty();) {
		free_at_last(f.front().request);
		give(f.front().messages, status);
	}
}

} // namespace

void began(MPI_Request r, under_way &&message)
{
	if (message.bytes.is_empty())
		return;
	std::lock_guard guard(all().lock);
	message.number = ++all().begun;
	all().under_way_now.emplace(r, std::move(message));
}

uint64_t begun()
{
	return all().begun;
}

int finished(MPI_Request r, uint64_t begun_before, const MPI_Status &status)
{
	std::list<under_way> messages = take_out(r, begun_before);
	const int err = give(messages, status);
	look_after_freed();
	return err;
}

void failed(MPI_Request r, uint64_t begun_before)
{
	take_out(r, begun_before);
}

void made(MPI_Request r, persistent p)
{
	std::lock_guard guard(all().lock);
	all().kept.insert_or_assign(r, std::move(p));
}

int start(MPI_Request r)
{
	persistent p;
	{
		std::lock_guard guard(all().lock);
		auto found = all().kept.find(r);
		if (found == all().kept.end())
			return MPI_SUCCESS;
		p = found->second;
	}
	hold h;
	// MPI has the message's own place where there was no stand-in when the request was made.
	if (int err = p.instead ? h.take(p.m, p.instead) : h.take_in_place(p.m))
		return p.whose.report(err);
	began(r, {std::move(h), p.whose, told_by::receive});
	return MPI_SUCCESS;
}

bool forgotten(MPI_Request r)
{
	std::list<under_way> messages = take_out(r);
	std::lock_guard guard(all().lock);
	all().kept.erase(r);
	if (messages.empty())
		return false;
	all().nobodys.push_back({r, std::move(messages)});
	return true;
}

void finish_all()
{
	MPI_Status status = {};
	for (std::list<freed> f; !(f = take_freed(true, nullptr)).empty();) {
		if (!PMPI_Wait(&f.front().request, &status))
			give(f.front().messages, status);
		free_at_last(f.front().request);
	}
	std::lock_guard guard(all().lock);
	all().under_way_now.clear();
	all().kept.clear();
}

} // namespace hetmpi
