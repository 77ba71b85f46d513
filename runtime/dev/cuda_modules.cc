// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_modules.h"

#include "cache/user_store.h"
#include "os/descriptor.h"

#include <cstdio>
#include <fcntl.h>
#include <vector>

namespace het::rt
{

namespace
{

using cache::bytes;

// The driver's compiler and linker write to it.
class jit_log
{
      public:
	static constexpr unsigned noptions = 2;

	explicit jit_log(char *room) : values_{room, reinterpret_cast<void *>(cuda_log_size)} {}
	int *options() { return options_; }
	void **values() { return values_; }

      private:
	int options_[noptions] = {cu_jit_error_log, cu_jit_error_log_size};
	void *values_[noptions];
};

// Returns what identifies the compiler: a driver of the same version may have another one, so its build counts where it
// can be seen.
std::string identity_of(const cuda_calls &cu, const fatbin::abilities &can)
{
	char build[64] = "";
	descriptor file(open("/sys/module/nvidia/version", O_RDONLY | O_CLOEXEC));
	ssize_t n = file.get() < 0 ? 0 : read(file.get(), build, sizeof(build) - 1);
	int version = 0;
	cu.driver_version(&version);
	return std::to_string(version) + " " + std::string(build, n > 0 ? size_t(n) : 0) + " sm_" +
	       std::to_string(can.sm);
}

// Holds what the linker makes of the images.
class linking
{
      public:
	linking(const cuda_calls &cu, char *log) : cu_(cu), log_(log) {}
	linking(const linking &) = delete;
	linking &operator=(const linking &) = delete;
	~linking()
	{
		if (link_)
			cu_.destroy_link(link_);
	}

	// Returns a code of the driver's. @made lives as long as this.
	int run(std::span<const het_image> images, bytes &made)
	{
		int err = cu_.create_link(jit_log::noptions, log_.options(), log_.values(), &link_);
		for (const het_image &i : images)
			err = err ? err : add(i);
		void *data = nullptr;
		size_t size = 0;
		err = err ? err : cu_.complete_link(link_, &data, &size);
		made = {static_cast<std::byte *>(data), size};
		return err;
	}

      private:
	int add(const het_image &image)
	{
		bool ptx = image.kind == HET_IMAGE_PTX;
		// The size of a text counts its final 0.
		return cu_.add_to_link(link_, ptx ? cu_input_ptx : cu_input_cubin, const_cast<void *>(image.data),
				       image.nbytes + ptx, "image", 0, nullptr, nullptr);
	}

	const cuda_calls &cu_;
	jit_log log_;
	cu_link link_ = nullptr;
};

} // namespace

int load_cuda_images(const cuda_calls &cu, const fatbin::abilities &can, std::span<const het_image> images, char *log,
		     cu_module *module)
{
	if (images.size() == 1 && images[0].kind == HET_IMAGE_CUBIN) {
		jit_log jit(log);
		return cu.build_module(module, images[0].data, jit_log::noptions, jit.options(), jit.values());
	}
	const std::string identity = identity_of(cu, can);
	std::vector<bytes> parts = {cache::bytes_of(identity)};
	for (const het_image &i : images) {
		parts.push_back(std::as_bytes(std::span(&i.kind, 1)));
		parts.push_back({static_cast<const std::byte *>(i.data), i.nbytes});
	}
	const cache::key key = {"cuda", parts};
	const cache::store &kept = cache::user_store();
	if (cache::contents c = kept.get(key); c && !cu.load_module(module, c.value.data()))
		return 0;
	linking link(cu, log);
	bytes made;
	int err = link.run(images, made);
	err = err ? err : cu.load_module(module, made.data());
	if (!err)
		kept.put(key, made);
	return err;
}

} // namespace het::rt
