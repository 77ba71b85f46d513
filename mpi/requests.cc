// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "requests.h"

#include <list>
#include <map>
#include <mutex>

namespace hetmpi
{

namespace
{

struct requests {
	std::mutex lock;
	std::multimap<MPI_Request, hold> under_way;
	std::map<MPI_Request, persistent> kept;
	std::list<hold> nobodys;
};

requests &all()
{
	static requests *r = new requests;
	return *r;
}

} // namespace

void began(MPI_Request r, hold &&h)
{
	std::lock_guard guard(all().lock);
	all().under_way.emplace(r, std::move(h));
}

void finished(MPI_Request r)
{
	std::lock_guard guard(all().lock);
	auto found = all().under_way.find(r);
	if (found != all().under_way.end())
		all().under_way.erase(found);
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
	if (int err = h.take(p.at, p.u))
		return err;
	began(r, std::move(h));
	return MPI_SUCCESS;
}

void forgotten(MPI_Request r)
{
	std::lock_guard guard(all().lock);
	all().kept.erase(r);
	auto found = all().under_way.find(r);
	if (found == all().under_way.end())
		return;
	all().nobodys.push_back(std::move(found->second));
	all().under_way.erase(found);
}

void finished_all()
{
	std::lock_guard guard(all().lock);
	all().nobodys.clear();
	all().under_way.clear();
}

} // namespace hetmpi
