// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "public_copy.h"

#include "hold.h"

#include <cstdio>
#include <cstring>
#include <gpuvm.h>

namespace hetmpi
{

namespace
{

// A copy to or from a device takes about as long for few bytes as for some hundreds.
constexpr size_t most_copies = 2;

char *bytes_in(const room &r)
{
	return static_cast<char *>(r.at());
}

int not_met(const char *what)
{
	fprintf(stderr, "libhet-mpi: the bytes of a window can't be %s a device\n", what);
	return MPI_ERR_BUFFER;
}

} // namespace

std::unique_ptr<public_copy> public_copy::of(void *base, size_t nbytes)
{
	std::unique_ptr<public_copy> p(new public_copy(base, nbytes));
	for (room *r : {&p->public_, &p->agreed_, &p->own_}) {
		*r = room::of(nbytes);
		if (!*r) {
			fprintf(stderr, "libhet-mpi: there is no memory for three copies of a window of %zu bytes\n",
				nbytes);
			return nullptr;
		}
	}
	// Others see what is there from the beginning.
	hold h;
	if (h.take_in_place(message_of(use::read, base, MPI_Aint(nbytes), MPI_BYTE)) ||
	    gpuvm_host_read(base, nbytes, p->at()))
		return nullptr;
	memcpy(p->agreed_.at(), p->at(), nbytes);
	return p;
}

int public_copy::show()
{
	std::lock_guard guard(lock_);
	hold h;
	if (int err = h.take_in_place(message_of(use::read, base_, MPI_Aint(nbytes_), MPI_BYTE)))
		return err;
	if (gpuvm_host_read(base_, nbytes_, own_.at()))
		return not_met("read from");
	for_changes(bytes_in(own_), bytes_in(agreed_), nbytes_, [&](const std::vector<change> &near) {
		for (const change &c : near) {
			memcpy(bytes_in(public_) + c.at, bytes_in(own_) + c.at, c.size);
			memcpy(bytes_in(agreed_) + c.at, bytes_in(own_) + c.at, c.size);
		}
	});
	return MPI_SUCCESS;
}

int public_copy::take()
{
	std::lock_guard guard(lock_);
	int err = 0;
	hold h;
	for_changes(bytes_in(public_), bytes_in(agreed_), nbytes_, [&](const std::vector<change> &near) {
		if (err)
			return;
		if (h.is_empty())
			err = h.take_in_place(message_of(use::updated, base_, MPI_Aint(nbytes_), MPI_BYTE));
		if (err)
			return;
		// Others may be at work: what goes to the array is what they are thought to have written.
		for (const change &c : near)
			memcpy(bytes_in(agreed_) + c.at, bytes_in(public_) + c.at, c.size);
		err = write(near);
	});
	return err;
}

// Writes what is agreed on to the array. Between many changes the array's own bytes come and go with them.
int public_copy::write(const std::vector<change> &near)
{
	auto write = [this](size_t at, size_t n, const room &from) {
		return gpuvm_host_write(static_cast<char *>(base_) + at, n, bytes_in(from) + at) ? not_met("written to")
												 : MPI_SUCCESS;
	};
	if (near.size() <= most_copies) {
		int err = MPI_SUCCESS;
		for (const change &c : near)
			err = err ? err : write(c.at, c.size, agreed_);
		return err;
	}
	const size_t at = near.front().at, n = near.back().end() - at;
	if (gpuvm_host_read(static_cast<char *>(base_) + at, n, bytes_in(own_) + at))
		return not_met("read from");
	for (const change &c : near)
		memcpy(bytes_in(own_) + c.at, bytes_in(agreed_) + c.at, c.size);
	return write(at, n, own_);
}

} // namespace hetmpi
