// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Random programs of commands on a few buffers, on two queues, whose every byte is known. CL_TEST_STEPS says how long
// they are.
#include "test.h"

#include <CL/cl_ext_het.h>
#include <algorithm>
#include <deque>

using namespace cltest;

namespace
{

constexpr char source[] =
	"kernel void add(global uchar *a, uchar v, uint n) { uint i = get_global_id(0); if (i < n) a[i] += v; }\n"
	"kernel void blend(global const uchar *from, global uchar *to, uint n)\n"
	"{ uint i = get_global_id(0); if (i < n) to[i] = 3 * to[i] + from[i]; }\n";

// All of a buffer is copied in another way than little of it (runtime/core/transfer.cc).
constexpr size_t nbuffers = 4, size = 320 * 1024;

// A buffer, or a part of one, and where its bytes are in the model.
struct place {
	cl_mem memory = nullptr;
	size_t whole = 0, at = 0, n = 0;
};

class program
{
      public:
	explicit program(fixture &f);
	~program();
	program(const program &) = delete;
	program &operator=(const program &) = delete;
	void step();
	void check();
	// How many launches ran on several devices.
	size_t shared() const { return shared_; }

      private:
	struct buffer {
		cl_mem memory = nullptr;
		std::vector<unsigned char> model, host; // host is the buffer's memory, or empty
		cl_event last = nullptr;
	};
	struct expected {
		std::vector<unsigned char> got, wanted;
	};

	place any_place();
	// All of a place, now and then.
	void any_part(const place &p, size_t &at, size_t &n);
	size_t any_length(size_t most) { return 1 + fx_.below(std::min<size_t>(most, fx_.below(8) ? 3000 : most)); }
	cl_command_queue any_queue() { return queues_[fx_.below(2)]; }
	unsigned char *model(const place &p, size_t at) { return &buffers_[p.whole].model[p.at + at]; }
	std::vector<cl_event> behind(std::initializer_list<size_t> wholes) const;
	void end(cl_event e, std::initializer_list<size_t> wholes);
	void launch(cl_kernel k, size_t n, std::initializer_list<size_t> wholes);

	void write(const place &p);
	void read(const place &p);
	void fill(const place &p);
	void copy(const place &from, const place &to);
	void copy_rect(const place &from, const place &to);
	void map(const place &p);
	void add(const place &p);
	void mix(const place &from, const place &to);

	fixture &fx_;
	cl_command_queue queues_[2];
	cl_kernel add_, mix_;
	buffer buffers_[nbuffers];
	std::vector<place> parts_;
	std::deque<std::vector<unsigned char>> sources_;
	std::deque<expected> reads_;
	std::vector<cl_event> launches_;
	size_t shared_ = 0;
};

// Where commands have no events to wait for, they come with a null list.
const cl_event *list(const std::vector<cl_event> &v)
{
	return v.empty() ? nullptr : v.data();
}

program::program(fixture &f)
    : fx_(f), queues_{f.queue, f.unordered()}, add_(f.kernel(source, "add")), mix_(f.kernel(source, "blend"))
{
	const size_t align = info<cl_uint>(clGetDeviceInfo, f.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
	for (size_t i = 0; i < nbuffers; i++) {
		buffer &b = buffers_[i];
		b.model.resize(size);
		for (unsigned char &c : b.model)
			c = (unsigned char)(f.random());
		b.host = i % 2 ? b.model : std::vector<unsigned char>();
		b.memory = i % 2 ? f.buffer(size, CL_MEM_USE_HOST_PTR, b.host.data())
				 : f.buffer(size, CL_MEM_COPY_HOST_PTR, b.model.data());
		parts_.push_back({b.memory, i, 0, size});
		const cl_buffer_region r = {align * (1 + f.below(100)), any_length(size / 2)};
		cl_int err = CL_SUCCESS;
		cl_mem part = clCreateSubBuffer(b.memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
		OK(err);
		parts_.push_back({part, i, r.origin, r.size});
	}
}

program::~program()
{
	for (place &p : parts_)
		OK(clReleaseMemObject(p.memory));
	for (buffer &b : buffers_) {
		if (b.last)
			OK(clReleaseEvent(b.last));
	}
	OK(clReleaseKernel(add_));
	OK(clReleaseKernel(mix_));
	OK(clReleaseCommandQueue(queues_[1]));
}

void program::any_part(const place &p, size_t &at, size_t &n)
{
	const bool all = fx_.below(8) == 0;
	at = all ? 0 : fx_.below(p.n);
	n = all ? p.n : any_length(p.n - at);
}

place program::any_place()
{
	return parts_[fx_.below(parts_.size())];
}

std::vector<cl_event> program::behind(std::initializer_list<size_t> wholes) const
{
	std::vector<cl_event> v;
	for (size_t w : wholes) {
		if (buffers_[w].last)
			v.push_back(buffers_[w].last);
	}
	return v;
}

// Later commands on these buffers come behind this one.
void program::end(cl_event e, std::initializer_list<size_t> wholes)
{
	for (size_t w : wholes) {
		if (buffers_[w].last)
			OK(clReleaseEvent(buffers_[w].last));
		OK(clRetainEvent(e));
		buffers_[w].last = e;
	}
	OK(clReleaseEvent(e));
}

void program::launch(cl_kernel k, size_t n, std::initializer_list<size_t> wholes)
{
	const size_t local = 64, global = (n + local - 1) / local * local;
	const auto waits = behind(wholes);
	cl_event e = nullptr;
	OK(clEnqueueNDRangeKernel(any_queue(), k, 1, nullptr, &global, &local, cl_uint(waits.size()), list(waits), &e));
	OK(clRetainEvent(e));
	launches_.push_back(e);
	end(e, wholes);
}

void program::write(const place &p)
{
	size_t at, n;
	any_part(p, at, n);
	std::vector<unsigned char> &from = sources_.emplace_back(n);
	for (unsigned char &c : from)
		c = (unsigned char)(fx_.random());
	const auto waits = behind({p.whole});
	cl_event e = nullptr;
	OK(clEnqueueWriteBuffer(any_queue(), p.memory, fx_.below(4) == 0, at, n, from.data(), cl_uint(waits.size()),
				list(waits), &e));
	std::copy(from.begin(), from.end(), model(p, at));
	end(e, {p.whole});
}

void program::read(const place &p)
{
	size_t at, n;
	any_part(p, at, n);
	expected &x = reads_.emplace_back();
	x.got.resize(n);
	x.wanted.assign(model(p, at), model(p, at) + n);
	const auto waits = behind({p.whole});
	cl_event e = nullptr;
	OK(clEnqueueReadBuffer(any_queue(), p.memory, fx_.below(4) == 0, at, n, x.got.data(), cl_uint(waits.size()),
			       list(waits), &e));
	end(e, {p.whole});
}

void program::fill(const place &p)
{
	const size_t width = size_t{1} << fx_.below(5);
	const size_t at = fx_.below(p.n) / width * width, n = any_length(p.n - at) / width * width;
	unsigned char pattern[16];
	for (unsigned char &c : pattern)
		c = (unsigned char)(fx_.random());
	const auto waits = behind({p.whole});
	cl_event e = nullptr;
	OK(clEnqueueFillBuffer(any_queue(), p.memory, pattern, width, at, n, cl_uint(waits.size()), list(waits), &e));
	for (size_t i = 0; i < n; i++)
		*model(p, at + i) = pattern[i % width];
	end(e, {p.whole});
}

void program::copy(const place &from, const place &to)
{
	const size_t at = fx_.below(from.n), to_at = fx_.below(to.n),
		     n = any_length(std::min(from.n - at, to.n - to_at));
	const auto waits = behind({from.whole, to.whole});
	cl_event e = nullptr;
	const cl_int err = clEnqueueCopyBuffer(any_queue(), from.memory, to.memory, at, to_at, n, cl_uint(waits.size()),
					       list(waits), &e);
	const size_t begins[] = {from.at + at, to.at + to_at};
	if (from.whole == to.whole && std::max(begins[0], begins[1]) - std::min(begins[0], begins[1]) < n) {
		CHECK_EQ(err, CL_MEM_COPY_OVERLAP);
		return;
	}
	OK(err);
	std::copy_n(model(from, at), n, model(to, to_at));
	end(e, {from.whole, to.whole});
}

void program::copy_rect(const place &from, const place &to)
{
	if (from.whole == to.whole)
		return;
	const size_t region[3] = {1 + fx_.below(40), 1 + fx_.below(10), 1 + fx_.below(3)};
	const size_t row = region[0] + fx_.below(30), slice = row * (region[1] + fx_.below(5));
	const size_t at[3] = {fx_.below(20), fx_.below(3), fx_.below(2)}, to_at[3] = {fx_.below(20), 0, fx_.below(2)};
	auto place_of = [&](const size_t(&o)[3], size_t x, size_t y, size_t z) {
		return (o[2] + z) * slice + (o[1] + y) * row + o[0] + x;
	};
	auto last_of = [&](const size_t(&o)[3]) { return place_of(o, region[0] - 1, region[1] - 1, region[2] - 1); };
	if (last_of(at) >= from.n || last_of(to_at) >= to.n)
		return;
	const auto waits = behind({from.whole, to.whole});
	cl_event e = nullptr;
	OK(clEnqueueCopyBufferRect(any_queue(), from.memory, to.memory, at, to_at, region, row, slice, row, slice,
				   cl_uint(waits.size()), list(waits), &e));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			std::copy_n(model(from, place_of(at, 0, y, z)), region[0], model(to, place_of(to_at, 0, y, z)));
	end(e, {from.whole, to.whole});
}

void program::map(const place &p)
{
	const size_t at = fx_.below(p.n), n = any_length(p.n - at);
	const bool writes = fx_.below(2);
	const auto waits = behind({p.whole});
	cl_int err = CL_SUCCESS;
	auto *bytes = static_cast<unsigned char *>(
		clEnqueueMapBuffer(any_queue(), p.memory, CL_TRUE, writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ,
				   at, n, cl_uint(waits.size()), list(waits), nullptr, &err));
	OK(err);
	CHECK(std::equal(bytes, bytes + n, model(p, at)));
	for (size_t i = 0; writes && i < n; i += 7)
		bytes[i] = *model(p, at + i) = (unsigned char)(fx_.random());
	cl_event e = nullptr;
	OK(clEnqueueUnmapMemObject(any_queue(), p.memory, bytes, 0, nullptr, &e));
	end(e, {p.whole});
}

void program::add(const place &p)
{
	const auto v = (unsigned char)(fx_.random());
	const auto n = cl_uint(any_length(p.n));
	set(add_, 0, p.memory);
	set(add_, 1, v);
	set(add_, 2, n);
	launch(add_, n, {p.whole});
	for (size_t i = 0; i < n; i++)
		*model(p, i) = (unsigned char)(*model(p, i) + v);
}

void program::mix(const place &from, const place &to)
{
	if (from.whole == to.whole)
		return;
	const auto n = cl_uint(any_length(std::min(from.n, to.n)));
	set(mix_, 0, from.memory);
	set(mix_, 1, to.memory);
	set(mix_, 2, n);
	launch(mix_, n, {from.whole, to.whole});
	for (size_t i = 0; i < n; i++)
		*model(to, i) = (unsigned char)(3 * *model(to, i) + *model(from, i));
}

void program::step()
{
	switch (fx_.below(8)) {
	case 0:
		return write(any_place());
	case 1:
		return read(any_place());
	case 2:
		return fill(any_place());
	case 3:
		return copy(any_place(), any_place());
	case 4:
		return copy_rect(any_place(), any_place());
	case 5:
		return map(any_place());
	case 6:
		return add(any_place());
	default:
		return mix(any_place(), any_place());
	}
}

void program::check()
{
	for (cl_command_queue q : queues_)
		OK(clFinish(q));
	for (const expected &x : reads_)
		CHECK(x.got == x.wanted);
	reads_.clear();
	sources_.clear();
	for (cl_event e : launches_) {
		shared_ += info<cl_uint>(clGetEventInfo, e, CL_EVENT_PARTS_HET) > 1;
		OK(clReleaseEvent(e));
	}
	launches_.clear();
	for (buffer &b : buffers_) {
		std::vector<unsigned char> got(size);
		OK(clEnqueueReadBuffer(queues_[0], b.memory, CL_TRUE, 0, size, got.data(), 0, nullptr, nullptr));
		CHECK(got == b.model);
	}
}

} // namespace

TEST(random_programs)
{
	const char *steps = getenv("CL_TEST_STEPS");
	program p(fx);
	for (unsigned long i = 1, n = steps ? strtoul(steps, nullptr, 0) : 1000; i <= n; i++) {
		p.step();
		if (i % 100 == 0)
			p.check();
	}
	p.check();
	printf("# %zu launches were shared\n", p.shared());
	const bool is_several = text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).starts_with("2 joint");
	CHECK(!is_several || p.shared() || !makes_binaries());
}
