// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "stand_in.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <vector>

namespace hetmpi
{

namespace
{

// Elements are packed in batches of at most about so many bytes: MPI counts packed bytes with an int.
constexpr size_t batch_bytes = 64 << 20;

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

size_t bytes_of_element(MPI_Datatype type)
{
	MPI_Count size = 0;
	PMPI_Type_size_x(type, &size);
	return size > 0 ? size_t(size) : 0;
}

bool has_gaps(const message &m)
{
	return bytes_of_element(m.type) * size_t(m.count) != m.at.size();
}

void *element(void *buffer, MPI_Aint i, MPI_Datatype type)
{
	MPI_Aint lower = 0, extent = 0;
	PMPI_Type_get_extent(type, &lower, &extent);
	return static_cast<char *>(buffer) + i * extent;
}

} // namespace

bool stand_in::is_needed()
{
	int served = -1;
	gpuvm_stat(GPUVM_STAT_SYSTEM_TOUCHES, &served);
	if (served >= 0)
		return !served;
	static const bool may_be = is_any_device_apart();
	return may_be;
}

std::shared_ptr<stand_in> stand_in::make(const message &m)
{
	if (has_gaps(m) && bytes_of_element(m.type) > size_t(INT_MAX)) {
		fprintf(stderr, "libhet-mpi: an element of a type with gaps has more than 2 GiB: send smaller ones\n");
		return nullptr;
	}
	room r = room::of(m.at.size());
	if (!r) {
		fprintf(stderr, "libhet-mpi: there is no memory for a copy of a message of %zu bytes\n", m.at.size());
		return nullptr;
	}
	return std::make_shared<stand_in>(m, std::move(r));
}

stand_in::stand_in(const message &m, room &&r) : m_(m), room_(std::move(r)), has_gaps_(has_gaps(m))
{
	if (has_gaps_)
		PMPI_Type_dup(m.type, &m_.type);
}

stand_in::~stand_in()
{
	int is_over = 0;
	PMPI_Finalized(&is_over);
	if (has_gaps_ && !is_over)
		PMPI_Type_free(&m_.type);
}

void *stand_in::moved(const void *p) const
{
	return static_cast<char *>(room_.at()) + (reinterpret_cast<uintptr_t>(p) - m_.at.begin);
}

int stand_in::copy(const void *from, void *to) const
{
	if (has_gaps_)
		return copy_elements(from, to);
	const auto offset = ptrdiff_t(m_.at.begin - reinterpret_cast<uintptr_t>(m_.buffer));
	memcpy(static_cast<char *>(to) + offset, static_cast<const char *>(from) + offset, m_.at.size());
	return MPI_SUCCESS;
}

int stand_in::copy_elements(const void *from, void *to) const
{
	const size_t each = bytes_of_element(m_.type);
	const auto at_once = MPI_Aint(std::max<size_t>(batch_bytes / each, 1));
	std::vector<char> packed(each * size_t(std::min(at_once, m_.count)));
	for (MPI_Aint i = 0; i < m_.count; i += at_once) {
		const int n = int(std::min(at_once, m_.count - i)), size = int(each * size_t(n));
		void *source = element(const_cast<void *>(from), i, m_.type);
		int at = 0;
		int err = PMPI_Pack(source, n, m_.type, packed.data(), size, &at, MPI_COMM_SELF);
		at = 0;
		if (!err)
			err = PMPI_Unpack(packed.data(), size, &at, element(to, i, m_.type), n, m_.type, MPI_COMM_SELF);
		if (err)
			return err;
	}
	return MPI_SUCCESS;
}

} // namespace hetmpi
