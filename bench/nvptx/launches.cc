// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// suites.py preloads this into CUDA programs. Where such a program launches a kernel for the first time, the kernel
// runs in each of its variants first, in turns, each time with the memory that it found. The program goes on with what
// its own launch made of it.
#include "ptx/passes/coalesce.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace het::ptx;

constexpr unsigned copies = 256;
constexpr size_t most_memory = size_t{8} << 30;
constexpr double long_us = 20000, too_long_us = 400000;

struct variant {
	std::string name, file; // "coalesce/64" and the end of its modules' names
	uint32_t one_of = 0;    // 0: the instrument is off
	uint32_t blocks = 0;    // one of so many blocks is sampled; 0: as many as suit the grid best
	std::vector<CUmodule> modules;
	std::vector<double> times;
	uint64_t sums[4] = {};
};

struct array {
	CUdeviceptr at;
	size_t bytes;
	CUdeviceptr saved = 0;
};

struct launch {
	CUkernel kernel;
	dim3 grid, block;
	void **arguments;
	size_t shared;
	CUstream stream;
};

std::string setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value ? value : otherwise;
}

template <class F> F *real(const char *name)
{
	return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}

std::vector<std::string> words(const std::string &list)
{
	std::vector<std::string> all;
	std::stringstream in(list);
	for (std::string word; std::getline(in, word, ',');)
		all.push_back(word);
	return all;
}

class bench
{
      public:
	bench()
	    : program_(setting("HET_PROGRAM", "program")), out_(fopen(setting("HET_OUT", "/dev/stdout").c_str(), "a"))
	{
		for (const auto &word : words(setting("HET_VARIANTS", "plain")))
			add_variant(word);
	}

	void keep(CUdeviceptr at, size_t bytes)
	{
		std::lock_guard hold(lock_);
		arrays_[at] = {at, bytes};
	}
	void forget(CUdeviceptr at)
	{
		std::lock_guard hold(lock_);
		arrays_.erase(at);
	}
	void look_at(const launch &l)
	{
		std::lock_guard hold(lock_);
		last_ = now();
		const char *name = nullptr;
		if (busy_ || cuKernelGetName(&name, l.kernel) ||
		    !seen_.insert({name, l.grid.x * l.grid.y * l.grid.z}).second || ++measured_[name] > 2)
			return;
		busy_ = true;
		cuCtxSynchronize();
		if (load() && save()) {
			run_all(name, l);
			give_up_copies();
		}
		busy_ = false;
		last_ = now();
	}

      private:
	static double now()
	{
		return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
	}
	void add_variant(const std::string &word)
	{
		variant v;
		v.name = word;
		auto slash = word.find('/');
		v.file = word.substr(0, slash);
		if (slash != word.npos)
			v.one_of = uint32_t(atoi(word.c_str() + slash + 1));
		if (auto at = word.find('@'); at != word.npos)
			v.blocks = uint32_t(atoi(word.c_str() + at + 1));
		variants_.push_back(v);
	}
	// A program that does not launch any more compares with the host's results, so this looks.
	void watch()
	{
		std::thread([this] {
			while (now() - last_ < 2 || busy_)
				usleep(100000);
			_exit(0);
		}).detach();
	}
	bool load()
	{
		if (loaded_)
			return true;
		loaded_ = true;
		std::string stem = setting("HET_MODULES", ""); // up to the number of the module
		for (auto &v : variants_)
			for (int n = 0;; n++) {
				CUmodule m;
				std::string path = stem + std::to_string(n) + "." + v.file + ".cubin";
				if (access(path.c_str(), R_OK))
					break;
				if (int err = cuModuleLoad(&m, path.c_str()))
					fprintf(stderr, "launches: %s: error %d\n", path.c_str(), err);
				else
					v.modules.push_back(m);
			}
		cuEventCreate(&begin_, 0);
		cuEventCreate(&end_, 0);
		watch();
		return true;
	}
	bool save()
	{
		size_t bytes = 0;
		for (auto &[at, a] : arrays_)
			bytes += a.bytes;
		if (bytes > most_memory)
			return false;
		for (auto &[at, a] : arrays_)
			if (cuMemAlloc(&a.saved, a.bytes) || cuMemcpyDtoD(a.saved, a.at, a.bytes))
				return false;
		return true;
	}
	void restore()
	{
		for (auto &[at, a] : arrays_)
			cuMemcpyDtoD(a.at, a.saved, a.bytes);
		cuCtxSynchronize();
	}
	void give_up_copies()
	{
		restore();
		for (auto &[at, a] : arrays_) {
			cuMemFree(a.saved);
			a.saved = 0;
		}
	}
	CUfunction function_of(const variant &v, const char *name, const launch &l, CUmodule *from)
	{
		CUfunction f;
		for (CUmodule m : v.modules)
			if (!cuModuleGetFunction(&f, m, name)) {
				if (l.shared > 48 * 1024)
					cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
							   int(l.shared));
				*from = m;
				return f;
			}
		return nullptr;
	}
	// Gives the module's variables the values of the program's.
	void copy_variables(const launch &l, CUmodule to)
	{
		CUlibrary library;
		if (cuKernelGetLibrary(&library, l.kernel))
			return;
		for (const auto &name : words(setting("HET_VARIABLES", ""))) {
			CUdeviceptr theirs, ours;
			size_t bytes, more;
			if (!cuLibraryGetGlobal(&theirs, &bytes, library, name.c_str()) &&
			    !cuModuleGetGlobal(&ours, &more, to, name.c_str()))
				cuMemcpyDtoD(ours, theirs, std::min(bytes, more));
		}
	}
	void switch_on(const variant &v, const launch &l, CUmodule m, bool from_zero)
	{
		CUdeviceptr at;
		size_t bytes;
		if (cuModuleGetGlobal(&at, &bytes, m, "het_coalesce_table"))
			return;
		if (!counters_)
			cuMemAlloc(&counters_, counter_bytes);
		if (from_zero)
			cuMemsetD8(counters_, 0, counter_bytes);
		uint32_t sites = uint32_t(counter_bytes / copies / sizeof(coalesce_counters));
		coalesce_table t{};
		if (v.one_of) {
			auto sample = coalesce_sampled(v.one_of, uint64_t{l.grid.x} * l.grid.y * l.grid.z);
			if (v.blocks)
				sample = {coalesce_threshold(v.blocks),
					  uint32_t((uint64_t{v.blocks} << 32) / v.one_of - 1)};
			t = {sample.threshold, 0, counters_, copies - 1, sites, sample.rate, 0};
			if (bytes < sizeof(t))
				t.threshold = coalesce_threshold(v.one_of);
		}
		cuMemcpyHtoD(at, &t, std::min(bytes, sizeof(t)));
	}
	bool run(variant &v, const char *name, const launch &l, bool counts)
	{
		CUmodule m;
		CUfunction f = function_of(v, name, l, &m);
		if (!f)
			return false;
		switch_on(v, l, m, !counts);
		restore();
		copy_variables(l, m);
		cuEventRecord(begin_, l.stream);
		int err = cuLaunchKernel(f, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z,
					 unsigned(l.shared), l.stream, l.arguments, nullptr);
		cuEventRecord(end_, l.stream);
		if (!err)
			err = cuCtxSynchronize();
		if (err) {
			fprintf(stderr, "launches: %s, %s: error %d\n", v.name.c_str(), name, err);
			return false;
		}
		float ms = 0;
		cuEventElapsedTime(&ms, begin_, end_);
		if (counts)
			v.times.push_back(ms * 1e3);
		else if (v.one_of)
			sum(v);
		return true;
	}
	void sum(variant &v)
	{
		std::vector<uint64_t> all(counter_bytes / 8);
		cuMemcpyDtoH(all.data(), counters_, counter_bytes);
		std::fill(v.sums, v.sums + 4, 0);
		for (size_t n = 0; n < all.size(); n++)
			v.sums[n % 4] += all[n];
	}
	void run_all(const char *name, const launch &l)
	{
		for (auto &v : variants_) {
			v.times.clear();
			std::fill(v.sums, v.sums + 4, 0);
		}
		std::vector<variant *> able;
		for (auto &v : variants_)
			if (run(v, name, l, false) && run(v, name, l, true))
				able.push_back(&v);
		if (able.empty() || able[0] != &variants_[0])
			return;
		double first = variants_[0].times[0];
		if (first > too_long_us)
			return;
		int repeats = first > long_us ? 3 : 11;
		for (int n = 0; n < repeats; n++)
			for (variant *v : able)
				run(*v, name, l, true);
		report(name, l, able);
	}
	void report(const char *name, const launch &l, const std::vector<variant *> &able)
	{
		fprintf(out_,
			"{\"program\": \"%s\", \"kernel\": \"%.200s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]",
			program_.c_str(), name, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z);
		for (const char *what : {"us", "sums", "registers"}) {
			fprintf(out_, ", \"%s\": {", what);
			for (variant *v : able) {
				fprintf(out_, "%s\"%s\": ", v == able[0] ? "" : ", ", v->name.c_str());
				report(*v, what, name, l);
			}
			fprintf(out_, "}");
		}
		fprintf(out_, "}\n");
		fflush(out_);
	}
	void report(const variant &v, std::string_view what, const char *name, const launch &l)
	{
		if (what == "us") {
			for (size_t n = 1; n < v.times.size(); n++)
				fprintf(out_, "%s%.3f", n == 1 ? "[" : ", ", v.times[n]);
			fprintf(out_, "]");
		} else if (what == "sums") {
			fprintf(out_, "[%llu, %llu, %llu, %llu]", (unsigned long long)v.sums[0],
				(unsigned long long)v.sums[1], (unsigned long long)v.sums[2],
				(unsigned long long)v.sums[3]);
		} else {
			CUmodule m;
			int registers = 0;
			cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function_of(v, name, l, &m));
			fprintf(out_, "%d", registers);
		}
	}

	static constexpr size_t counter_bytes = size_t{32} * copies * 4096;
	std::string program_;
	FILE *out_;
	std::recursive_mutex lock_;
	std::vector<variant> variants_;
	std::map<CUdeviceptr, array> arrays_;
	std::set<std::pair<std::string, unsigned>> seen_; // kernels, and how many blocks they had
	std::map<std::string, int> measured_;
	CUdeviceptr counters_ = 0;
	CUevent begin_, end_;
	bool loaded_ = false;
	std::atomic<bool> busy_ = false;
	std::atomic<double> last_ = 0;
};

bench &the_bench()
{
	static auto *b = new bench; // lives as long as the thread that watches
	return *b;
}

template <class T> CUdeviceptr address(T p)
{
	return reinterpret_cast<CUdeviceptr>(p);
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **p, size_t n)
{
	cudaError_t err = real<cudaError_t(void **, size_t)>("cudaMalloc")(p, n);
	if (!err && n)
		the_bench().keep(address(*p), n);
	return err;
}

cudaError_t cudaMallocManaged(void **p, size_t n, unsigned)
{
	return cudaMalloc(p, n);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	cudaError_t err =
		real<cudaError_t(void **, size_t *, size_t, size_t)>("cudaMallocPitch")(p, pitch, width, height);
	if (!err)
		the_bench().keep(address(*p), *pitch * height);
	return err;
}

cudaError_t cudaFree(void *p)
{
	the_bench().forget(address(p));
	return real<cudaError_t(void *)>("cudaFree")(p);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
			       cudaStream_t stream)
{
	the_bench().look_at({reinterpret_cast<CUkernel>(kernel), grid, block, arguments, shared, stream});
	using f = cudaError_t(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
	return real<f>("__cudaLaunchKernel")(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
			     cudaStream_t stream)
{
	cudaKernel_t kernel;
	if (!cudaGetKernel(&kernel, function))
		the_bench().look_at({reinterpret_cast<CUkernel>(kernel), grid, block, arguments, shared, stream});
	using f = cudaError_t(const void *, dim3, dim3, void **, size_t, cudaStream_t);
	return real<f>("cudaLaunchKernel")(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function, void **arguments)
{
	cudaKernel_t kernel;
	if (!cudaGetKernel(&kernel, function))
		the_bench().look_at({reinterpret_cast<CUkernel>(kernel), c->gridDim, c->blockDim, arguments,
				     c->dynamicSmemBytes, c->stream});
	using f = cudaError_t(const cudaLaunchConfig_t *, const void *, void **);
	return real<f>("cudaLaunchKernelExC")(c, function, arguments);
}
}
