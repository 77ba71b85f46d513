// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a driver's compiler has made is there for the next process.
#include "fake/fake_cuda.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace selftest;
namespace fs = std::filesystem;

namespace
{

// The cache gets an empty folder, which is gone at the end.
class cache_folder
{
      public:
	// Restarts the case with the folder, and with @setting.
	cache_folder(const context &t, const char *setting)
	{
		char name[] = "/tmp/het-cache-XXXXXX";
		const char *mine = getenv("HET_TEST_CACHE");
		CHECK(mine || mkdtemp(name));
		path_ = mine ? mine : name;
		setenv("HET_TEST_CACHE", path_.c_str(), 1);
		setenv("XDG_CACHE_HOME", path_.c_str(), 1);
		// What several devices copy with is the driver's to keep.
		restart_with(t, {"HET_DEVICES=cuda", "HET_PATHS=direct", setting});
	}
	~cache_folder() { fs::remove_all(path_); }
	cache_folder(const cache_folder &) = delete;
	cache_folder &operator=(const cache_folder &) = delete;
	fs::path files() const { return path_ / "libhet"; }

      private:
	fs::path path_;
};

// Makes a program of two texts that are linked.
void make_linked(program_handle &program)
{
	const char other[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry more() { ret; }\n";
	const het_image images[] = {runtime_kernels(),
				    {.kind = HET_IMAGE_PTX, .flags = 0, .data = other, .nbytes = sizeof other - 1}};
	het_program_args p = {};
	p.size = sizeof p;
	p.images = images;
	p.nimages = 2;
	HET_OK(het_program_create(&p, program.out()));
}

// Returns how many texts the driver compiles in a process that launches kernels of three, of which two are linked. (The
// first text is that of the fixture.)
int compilations(const context &t)
{
	constexpr int least_status = 10; // leaves lower numbers to the harness
	ending e = run_process(20 * t.patience, [&] {
		runtime_fixture fx(t);
		program_handle program;
		make_linked(program);
		kernel_handle add;
		HET_OK(het_kernel_create(program, "add", add.out()));
		std::vector<uint8_t> bytes(6400, 1);
		uint8_t two = 2;
		fx.run(add, bytes.size(), {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(two)});
		fx.run(fx.add, bytes.size(), {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(two)});
		CHECK_EQ(bytes[6399], 5);
		_exit(least_status + fake_cuda_driver().compilations);
	});
	int status = e.by_itself() && WIFEXITED(e.status) ? WEXITSTATUS(e.status) : 0;
	if (status < least_status)
		expect_success(e, "a process with programs");
	return status - least_status;
}

} // namespace

TEST(a_second_process_compiles_nothing, .traps = trap::best, .devices = device::cuda)
{
	cache_folder cache(t, "HET_CACHE_SIZE=1M");
	CHECK_EQ(compilations(t), 3);
	CHECK_EQ(compilations(t), 0);
}

TEST(damaged_entries_are_made_again, .traps = trap::best, .devices = device::cuda)
{
	cache_folder cache(t, "HET_CACHE_SIZE=1M");
	CHECK_EQ(compilations(t), 3);
	for (const auto &file : fs::directory_iterator(cache.files()))
		fs::resize_file(file, fs::file_size(file) - 1);
	CHECK_EQ(compilations(t), 3);
	CHECK_EQ(compilations(t), 0);
}

TEST(nothing_is_kept_if_that_is_not_wanted, .traps = trap::best, .devices = device::cuda)
{
	cache_folder cache(t, "HET_CACHE_SIZE=0");
	CHECK_EQ(compilations(t), 3);
	CHECK_EQ(compilations(t), 3);
	CHECK(!fs::exists(cache.files()));
}
