// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "public_copy.h"

#include "hold.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>

namespace hetmpi
{

namespace
{

// So many bytes are compared at once. What is unchanged between two changes that are as near travels along.
constexpr size_t step = 64;

// Calls f(offset, bytes) for what is not equal.
template <typename F> void for_changes(const char *a, const char *b, size_t n, F f)
{
	size_t begin = 0, end = 0;
	for (size_t at = 0; at < n; at += step) {
		const size_t now = std::min(step, n - at);
		if (!memcmp(a + at, b + at, now))
			continue;
		const char *first = std::mismatch(a + at, a + at + now, b + at).first;
		size_t last = now;
		while (a[at + last - 1] == b[at + last - 1])
			last--;
		const auto here = size_t(first - a);
		if (end && here - end >= step) {
			f(begin, end - begin);
			begin = here;
		} else if (!end) {
			begin = here;
		}
		end = at + last;
	}
	if (end)
		f(begin, end - begin);
}

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
	hold h;
	if (int err = h.take_in_place(message_of(use::read, base_, MPI_Aint(nbytes_), MPI_BYTE)))
		return err;
	if (gpuvm_host_read(base_, nbytes_, own_.at()))
		return not_met("read from");
	for_changes(bytes_in(own_), bytes_in(agreed_), nbytes_, [&](size_t at, size_t n) {
		memcpy(bytes_in(public_) + at, bytes_in(own_) + at, n);
		memcpy(bytes_in(agreed_) + at, bytes_in(own_) + at, n);
	});
	return MPI_SUCCESS;
}

int public_copy::take()
{
	int err = 0;
	hold h;
	for_changes(bytes_in(public_), bytes_in(agreed_), nbytes_, [&](size_t at, size_t n) {
		if (err)
			return;
		if (h.is_empty())
			err = h.take_in_place(message_of(use::updated, base_, MPI_Aint(nbytes_), MPI_BYTE));
		// Others may be at work: what goes to the array is what they are thought to have written.
		memcpy(bytes_in(agreed_) + at, bytes_in(public_) + at, n);
		if (!err && gpuvm_host_write(static_cast<char *>(base_) + at, n, bytes_in(agreed_) + at))
			err = not_met("written to");
	});
	return err;
}

} // namespace hetmpi
