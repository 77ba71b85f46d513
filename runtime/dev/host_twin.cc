// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/host_twin.h"

#include "os/mapping.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace het::rt
{

namespace
{

class host_twin final : public device_twin
{
      public:
	explicit host_twin(size_t nbytes) : device_twin(nbytes), copy_(static_cast<char *>(map_private(nbytes))) {}
	~host_twin() override
	{
		if (copy_)
			unmap(range_of(copy_, room));
	}
	bool has_copy() const { return copy_; }

	int take(void *buffer, size_t offset, size_t nbytes, unsigned) override
	{
		bytes_ = static_cast<const char *>(buffer) + offset;
		nbytes_ = nbytes;
		memcpy(copy_, bytes_, nbytes);
		return 0;
	}
	int compare(uint8_t *changed) override
	{
		for (size_t at = 0; at < nbytes_; at += twin_unit)
			*changed++ = memcmp(bytes_ + at, copy_ + at, std::min(twin_unit, nbytes_ - at)) != 0;
		return 0;
	}

      private:
	char *const copy_;
	const char *bytes_ = nullptr;
	size_t nbytes_ = 0;
};

} // namespace

std::unique_ptr<device_twin> make_host_twin(size_t nbytes)
{
	std::unique_ptr<host_twin> t(new (std::nothrow) host_twin(nbytes));
	return t && t->has_copy() ? std::move(t) : nullptr;
}

} // namespace het::rt
