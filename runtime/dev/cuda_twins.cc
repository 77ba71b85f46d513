// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_twins.h"

#include "dev/compare_kernel.h"
#include "os/log.h"

#include <het.h>
#include <new>

namespace het::rt
{

namespace
{

constexpr unsigned group = 256;
constexpr size_t bytes_of_thread = 16;

} // namespace

class cuda_twin final : public device_twin
{
      public:
	cuda_twin(cuda_twins &all, cu_context context, size_t room) : device_twin(room), all_(all), context_(context) {}
	~cuda_twin() override
	{
		cuda_current c(all_.cu_, context_);
		if (copy_)
			all_.cu_.free(copy_);
	}
	// Returns 0 or a code of the driver's.
	int allocate() { return all_.cu_.allocate(&copy_, marks_at() + twin_units(room)); }

	int take(void *buffer, size_t offset, size_t nbytes, unsigned lane) override
	{
		cuda_current c(all_.cu_, context_);
		at_ = reinterpret_cast<uintptr_t>(buffer) + offset;
		nbytes_ = nbytes;
		int err = c.error() ? c.error() : all_.lanes_.open(lane);
		if (!err && is_queued_ && queued_on_ != lane)
			err = all_.lanes_.synchronize(queued_on_);
		queued_on_ = lane;
		is_queued_ = true;
		if (!err)
			err = all_.cu_.copy_on_device(copy_, at_, nbytes, all_.lanes_.at(lane).stream);
		return err ? failed("copying a part of a buffer", err) : 0;
	}
	int compare(uint8_t *changed) override
	{
		cuda_current c(all_.cu_, context_);
		int err = c.error();
		if (!err)
			err = all_.compare(at_, copy_, nbytes_, copy_ + marks_at(), changed);
		is_queued_ = is_queued_ && err;
		return err ? failed("comparing what a kernel has written with what was there", err) : 0;
	}

      private:
	size_t marks_at() const { return twin_units(room) * twin_unit; }
	int failed(const char *what, int error) const
	{
		return fail(HET_EDEVICE, "%s failed: %s (%d)", what, all_.cu_.name_of(error), error);
	}

	cuda_twins &all_;
	const cu_context context_;
	cu_deviceptr copy_ = 0; // with the marks behind it
	cu_deviceptr at_ = 0;
	size_t nbytes_ = 0;
	// The copy may not have been made yet, on this lane: it is known to have been only where what comes behind it
	// was waited for, which it is not if the launch could not be submitted.
	bool is_queued_ = false;
	unsigned queued_on_ = 0;
};

int cuda_twins::open()
{
	int err = module_ ? 0 : cu_.load_module(&module_, compare_kernel_ptx);
	if (!err)
		err = cu_.get_function(&function_, module_, "compare");
	return err ? err : cu_.create_stream(&stream_, cu_stream_non_blocking, 0);
}

int cuda_twins::make(cu_context context, size_t nbytes, std::unique_ptr<device_twin> &made)
{
	if (int err = opening_.once([this] { return open(); }))
		return err;
	std::unique_ptr<cuda_twin> t(new (std::nothrow) cuda_twin(*this, context, nbytes));
	int err = t ? t->allocate() : int(cu_error_out_of_memory);
	if (!err)
		made = std::move(t);
	return err;
}

int cuda_twins::compare(cu_deviceptr now, cu_deviceptr before, size_t nbytes, cu_deviceptr marks, uint8_t *changed)
{
	size_t each = group * bytes_of_thread;
	auto groups = unsigned((nbytes + each - 1) / each);
	void *args[] = {&now, &before, &nbytes, &marks};
	int err = cu_.clear(marks, 0, twin_units(nbytes), stream_);
	if (!err)
		err = cu_.launch(function_, groups, 1, 1, group, 1, 1, 0, stream_, args, nullptr);
	if (!err)
		err = cu_.copy_to_host(changed, marks, twin_units(nbytes), stream_);
	int end = cu_.synchronize_stream(stream_);
	return err ? err : end;
}

} // namespace het::rt
