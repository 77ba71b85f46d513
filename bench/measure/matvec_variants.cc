// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/matvec_variants.h"

#include "common/clock.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bench
{

namespace
{

size_t whole_pages(size_t nbytes)
{
	return (nbytes + page_size - 1) / page_size * page_size;
}

// Everything goes to the device and comes back, each time. The host does the same work in between as in
// libhet_copy: it writes a byte in each page.
class full_copy_way final : public matvec_way
{
      public:
	using matvec_way::matvec_way;
	void iterate(matvec_phases &sum) override
	{
		stopwatch watch;
		for (matvec_operand *o : all())
			device_.write(o->dev.get(), 0, o->host.data(), o->size());
		sum.copy += watch.lap();
		run_kernel();
		watch.lap();
		for (matvec_operand *o : all())
			device_.read(o->dev.get(), 0, o->host.data(), o->size());
		sum.copy += watch.lap();
		for (matvec_operand *o : all())
			write_each_page(o->host.data(), o->size());
		swap();
	}
};

// A careful programmer writes it like this: operands go over once, and the result comes back at the end.
class auto_sync_way final : public matvec_way
{
      public:
	auto_sync_way(device &d, const matvec_problem &p, const matvec_options &options) : matvec_way(d, p, options)
	{
		for (matvec_operand *o : all())
			d.write(o->dev.get(), 0, o->host.data(), o->size());
	}
	void iterate(matvec_phases &) override
	{
		run_kernel();
		swap();
	}
	const float *result() override
	{
		device_.read(x().dev.get(), 0, x().host.data(), x().size());
		return matvec_way::result();
	}
};

// The library keeps the arrays consistent; what the host touches in between is up to the variant.
class libhet_way : public matvec_way
{
      public:
	libhet_way(device &d, unsigned idev, const matvec_problem &p, const matvec_options &options)
	    : matvec_way(d, p, options), idev_(idev)
	{
		for (matvec_operand *o : all())
			links_.emplace_back(o->host.data(), o->size(), idev, o->dev.get(), GPUVM_ON_HOST);
	}

	void iterate(matvec_phases &sum) override
	{
		begin_and_end(sum);
		timed(sum.fault, sum.copy, [this] { touch(); });
		swap();
	}

      protected:
	// Does the host's part of an iteration.
	virtual void touch() {}
	virtual int input_access() const { return GPUVM_READ_ONLY; }
	virtual int output_access() const { return GPUVM_WRITE_ONLY; }

      private:
	// Adds the time of @work to @to, less what the library spent in copies meanwhile, which goes to @copies.
	// Copies of several resolvers at once count for no longer than the work took.
	template <typename F> static void timed(double &to, double &copies, F work)
	{
		double copied = copy_time_us();
		stopwatch watch;
		work();
		double took = watch.lap();
		copied = std::min(copy_time_us() - copied, took);
		copies += copied;
		to += took - copied;
	}

	void begin_and_end(matvec_phases &sum)
	{
		timed(sum.overhead, sum.copy, [this] {
			for (matvec_operand *o : {&A_, &b_, &x()})
				check(gpuvm_kernel_begin(o->host.data(), idev_, input_access()), "gpuvm_kernel_begin");
			check(gpuvm_kernel_begin(y().host.data(), idev_, output_access()), "gpuvm_kernel_begin");
		});
		run_kernel();
		timed(sum.overhead, sum.copy, [this] {
			for (matvec_operand *o : all())
				check(gpuvm_kernel_end(o->host.data(), idev_), "gpuvm_kernel_end");
		});
	}

	unsigned idev_;
	std::vector<linked_array> links_;
};

// The host writes in each page of everything. With read-write for all operands everything travels both ways, as in
// full_copy; with the access that the kernel needs, A, b and x go to the device only and y comes back only.
class libhet_copy_way final : public libhet_way
{
      public:
	libhet_copy_way(device &d, unsigned idev, const matvec_problem &p, const matvec_options &options)
	    : libhet_way(d, idev, p, options), declared_(options.declared_access)
	{
	}

      protected:
	void touch() override
	{
		for (matvec_operand *o : all())
			write_each_page(o->host.data(), o->size());
	}
	int input_access() const override { return declared_ ? GPUVM_READ_ONLY : GPUVM_READ_WRITE; }
	int output_access() const override { return declared_ ? GPUVM_WRITE_ONLY : GPUVM_READ_WRITE; }

      private:
	bool declared_;
};

// The host touches one page of the vector that the kernel has just written, as a variable beside it in
// the page would be touched.
class libhet_false_way final : public libhet_way
{
      public:
	libhet_false_way(device &d, unsigned idev, const matvec_problem &p, const matvec_options &options)
	    : libhet_way(d, idev, p, options), read_(options.read_touch)
	{
	}

      protected:
	void touch() override
	{
		auto page = reinterpret_cast<void *>(whole_pages(reinterpret_cast<uintptr_t>(y().host.data())));
		if (read_)
			read_each_page(page, 1);
		else
			write_each_page(page, 1);
	}

      private:
	bool read_;
};

} // namespace

// An array without edges ends at a page boundary, too.
matvec_operand::matvec_operand(device &d, const std::vector<float> &values, bool edges)
    : host(edges ? values.size() * sizeof(float) : whole_pages(values.size() * sizeof(float)), edges),
      dev(d, host.size())
{
	memset(host.data(), 0, host.size());
	memcpy(host.data(), values.data(), values.size() * sizeof(float));
}

matvec_way::matvec_way(device &d, const matvec_problem &p, const matvec_options &options)
    : device_(d), A_(d, p.A, options.edges), b_(d, p.b, options.edges), n_(p.n),
      tuned_(options.tuned), x_{{d, p.x0, options.edges}, {d, p.x0, options.edges}}
{
}

void matvec_way::run_kernel()
{
	launch_matvec(device_, tuned_, A_.dev.get(), x().dev.get(), b_.dev.get(), y().dev.get(), n_);
	device_.finish();
}

std::unique_ptr<matvec_way> make_matvec_way(matvec_variant variant, device &d, unsigned idev, const matvec_problem &p,
					    const matvec_options &options)
{
	switch (variant) {
	case full_copy:
		return std::make_unique<full_copy_way>(d, p, options);
	case auto_sync:
		return std::make_unique<auto_sync_way>(d, p, options);
	case libhet:
		return std::make_unique<libhet_way>(d, idev, p, options);
	case libhet_copy:
		return std::make_unique<libhet_copy_way>(d, idev, p, options);
	case libhet_false:
		return std::make_unique<libhet_false_way>(d, idev, p, options);
	}
	return nullptr;
}

} // namespace bench
