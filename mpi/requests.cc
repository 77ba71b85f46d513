// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "requests.h"

#include <list>
#include <map>
#include <mutex>

namespace hetmpi
{

namespace
{

struct freed {
	MPI_Request request;
	hold bytes;
};

struct requests {
	std::mutex lock;
	std::multimap<MPI_Request, hold> under_way;
	std::map<MPI_Request, persistent> kept;
	std::list<freed> nobodys;
};

requests &all()
{
	static requests *r = new requests;
	return *r;
}

// The copy out of a stand-in may take long, or wait for a kernel, and nobody else is to wait for that.
hold take_out(MPI_Request r)
{
	std::lock_guard guard(all().lock);
	auto found = all().under_way.find(r);
	if (found == all().under_way.end())
		return {};
	hold h = std::move(found->second);
	all().under_way.erase(found);
	return h;
}

// One that is persistent is there still when it is over.
void free_at_last(MPI_Request &r)
{
	if (r != MPI_REQUEST_NULL)
		PMPI_Request_free(&r);
}

void look_after_freed()
{
	std::list<freed> over;
	std::lock_guard guard(all().lock);
	for (auto f = all().nobodys.begin(); f != all().nobodys.end();) {
		auto next = std::next(f);
		int done = 0;
		if (!PMPI_Test(&f->request, &done, MPI_STATUS_IGNORE) && done) {
			free_at_last(f->request);
			over.splice(over.end(), all().nobodys, f);
		}
		f = next;
	}
}

} // namespace

void began(MPI_Request r, hold &&h)
{
	std::lock_guard guard(all().lock);
	all().under_way.emplace(r, std::move(h));
}

void finished(MPI_Request r)
{
	take_out(r);
	look_after_freed();
}

void made(MPI_Request r, persistent p)
{
	std::lock_guard guard(all().lock);
	all().kept.insert_or_assign(r, p);
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
	if (int err = h.take(p.m, p.instead))
		return err;
	began(r, std::move(h));
	return MPI_SUCCESS;
}

bool forgotten(MPI_Request r)
{
	hold h = take_out(r);
	std::lock_guard guard(all().lock);
	all().kept.erase(r);
	if (h.is_empty())
		return false;
	all().nobodys.push_back({r, std::move(h)});
	return true;
}

void free_freed()
{
	look_after_freed();
	std::lock_guard guard(all().lock);
	for (freed &f : all().nobodys)
		free_at_last(f.request);
}

void finished_all()
{
	std::lock_guard guard(all().lock);
	all().nobodys.clear();
	all().under_way.clear();
	all().kept.clear();
}

} // namespace hetmpi
