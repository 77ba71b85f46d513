// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "stand_in.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <het.h>
#include <vector>

namespace hetmpi
{

namespace
{

// What is aligned to so many bytes stays so.
constexpr uintptr_t alignment = 64;

// A copy from a device takes as long as one of a chunk does, if it is not large.
constexpr size_t chunk = 64 << 10, most_copies_a_chunk = 2;

bool is_any_device_apart()
{
	uint32_t count = 0;
	if (het_devices(0, nullptr, &count))
		return true;
	std::vector<het_device *> all(count);
	if (het_devices(count, all.data(), &count))
		return true;
	return std::any_of(all.begin(), all.end(), [](het_device *d) {
		het_device_info info = {};
		info.size = sizeof info;
		return het_device_describe(d, &info) || info.kind != HET_DEVICE_HOST;
	});
}

bool is_dense(size_t count, bytes hull)
{
	return count > most_copies_a_chunk * (hull.size() / chunk + 1);
}

int not_copied(const char *what)
{
	fprintf(stderr, "libhet-mpi: the bytes of a message can't be %s a device\n", what);
	return MPI_ERR_BUFFER;
}

MPI_Datatype own_type(MPI_Datatype type, bool *is_made)
{
	int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
	MPI_Datatype own = type;
	*is_made = type != MPI_DATATYPE_NULL &&
		   !PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) &&
		   combiner != MPI_COMBINER_NAMED && !PMPI_Type_dup(type, &own);
	return own;
}

} // namespace

bool stand_in::is_needed()
{
	int served = -1;
	gpuvm_stat(GPUVM_STAT_SYSTEM_TOUCHES, &served);
	if (served >= 0)
		return !served;
	return may_be_needed();
}

bool stand_in::may_be_needed()
{
	static const bool may_be = is_any_device_apart();
	return may_be;
}

bool stand_in::is_better(const message &m)
{
	return std::any_of(m.at.begin(), m.at.end(), [](const bytes &b) { return gpuvm_is_linked(b.ptr(), b.size()); });
}

std::shared_ptr<stand_in> stand_in::make(const message &m)
{
	room r = room::of(m.hull().size() + alignment);
	if (!r) {
		fprintf(stderr, "libhet-mpi: there is no memory for a copy of a message of %zu bytes\n",
			m.hull().size());
		return nullptr;
	}
	return std::make_shared<stand_in>(m, std::move(r));
}

stand_in::stand_in(const message &m, room &&r)
    : m_(m), room_(std::move(r)), first_(static_cast<char *>(room_.at()) + m.hull().begin % alignment)
{
	m_.type = own_type(m.type, &has_type_);
}

stand_in::~stand_in()
{
	int is_over = 0;
	PMPI_Finalized(&is_over);
	if (has_type_ && !is_over)
		PMPI_Type_free(&m_.type);
}

void *stand_in::moved(const void *p) const
{
	return first_ + (reinterpret_cast<uintptr_t>(p) - m_.hull().begin);
}

// Pieces that lie close together come along with what is between them.
int stand_in::copy_in()
{
	int err = 0;
	for_groups(m_.at, chunk, [&](const bytes *p, const bytes *behind, bytes hull) {
		if (is_dense(size_t(behind - p), hull)) {
			err = err ? err : gpuvm_host_read(hull.ptr(), hull.size(), moved(hull));
			return;
		}
		for (; p < behind && !err; p++)
			err = gpuvm_host_read(p->ptr(), p->size(), moved(*p));
	});
	return err ? not_copied("read from") : MPI_SUCCESS;
}

// What is between them stays as it is: touches bring it home.
int stand_in::copy_out(const pieces &some)
{
	int err = 0;
	for_groups(some, chunk, [&](const bytes *p, const bytes *behind, bytes hull) {
		const bool dense = is_dense(size_t(behind - p), hull);
		for (; p < behind && !err; p++) {
			if (dense)
				memcpy(p->ptr(), moved(*p), p->size());
			else
				err = gpuvm_host_write(p->ptr(), p->size(), moved(*p));
		}
	});
	return err ? not_copied("written to") : MPI_SUCCESS;
}

int stand_in::copy_out()
{
	return copy_out(m_.at);
}

int stand_in::copy_out(MPI_Count received)
{
	MPI_Count each = 0;
	if (PMPI_Type_size_x(m_.type, &each) || !each || received >= each * m_.count)
		return copy_out();
	const MPI_Aint whole = MPI_Aint(received / each);
	if (received % each) {
		if (int err = complete_element(whole, int(received % each)))
			return err;
	}
	pieces some;
	add_bytes(some, m_.buffer, whole + (received % each ? 1 : 0), m_.type);
	put_in_order(some);
	return copy_out(some);
}

// The rest of an element that was received in part is the array's.
int stand_in::complete_element(MPI_Aint i, int received)
{
	int size = 0, at = 0;
	MPI_Aint lower = 0, extent = 0;
	PMPI_Type_size(m_.type, &size);
	PMPI_Type_get_extent(m_.type, &lower, &extent);
	void *element = static_cast<char *>(m_.buffer) + i * extent;
	std::vector<char> packed(size_t(size), 0);
	int err = PMPI_Pack(moved(element), 1, m_.type, packed.data(), size, &at, MPI_COMM_SELF);
	const std::vector<char> head(packed.begin(), packed.begin() + received);
	pieces own;
	add_bytes(own, element, 1, m_.type);
	for (const bytes &b : own)
		err = err ? err : gpuvm_host_read(b.ptr(), b.size(), moved(b));
	at = 0;
	if (!err)
		err = PMPI_Pack(moved(element), 1, m_.type, packed.data(), size, &at, MPI_COMM_SELF);
	std::copy(head.begin(), head.end(), packed.begin());
	at = 0;
	if (!err)
		err = PMPI_Unpack(packed.data(), size, &at, moved(element), 1, m_.type, MPI_COMM_SELF);
	return err ? not_copied("read from") : MPI_SUCCESS;
}

} // namespace hetmpi
