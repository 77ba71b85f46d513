// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory.h"

#include "callback.h"
#include "calls.h"
#include "codes.h"
#include "frees.h"
#include "image_places.h"
#include "info.h"
#include "queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

namespace hetcl
{

namespace
{

using memory = _cl_mem;

constexpr cl_mem_flags device_access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags pointer_use = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags host_access = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

bool has_several(cl_mem_flags flags)
{
	return (flags & (flags - 1)) != 0;
}

} // namespace

bool are_possible_flags(cl_mem_flags f)
{
	const bool uses = f & CL_MEM_USE_HOST_PTR && f & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return !(f & ~(device_access | pointer_use | host_access)) && !has_several(f & device_access) &&
	       !has_several(f & host_access) && !uses;
}

cl_mem_flags with_access(cl_mem_flags f)
{
	return f & device_access ? f : f | CL_MEM_READ_WRITE;
}

// What a part is not told it has from the whole.
cl_mem_flags flags_of_part(cl_mem_flags whole, cl_mem_flags part)
{
	cl_mem_flags f = part | (whole & pointer_use);
	if (!(part & device_access))
		f |= whole & device_access;
	if (!(part & host_access))
		f |= whole & host_access;
	return f;
}

bool part_may_have(cl_mem_flags whole, cl_mem_flags part)
{
	if (!are_possible_flags(part) || part & pointer_use)
		return false;
	const cl_mem_flags device = part & device_access, host = part & host_access;
	if (device && !(whole & CL_MEM_READ_WRITE) && device != (whole & device_access))
		return false;
	if (whole & CL_MEM_HOST_WRITE_ONLY && host & CL_MEM_HOST_READ_ONLY)
		return false;
	if (whole & CL_MEM_HOST_READ_ONLY && host & CL_MEM_HOST_WRITE_ONLY)
		return false;
	return !(whole & CL_MEM_HOST_NO_ACCESS) || !(host & ~CL_MEM_HOST_NO_ACCESS);
}

namespace
{

cl_int check_buffer(cl_context c, cl_mem_flags flags, size_t size, const void *host)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	if (!are_possible_flags(flags))
		return CL_INVALID_VALUE;
	const bool fits = std::any_of(c->devices.begin(), c->devices.end(),
				      [&](cl_device_id d) { return size <= d->allocation; });
	if (!size || !fits)
		return CL_INVALID_BUFFER_SIZE;
	const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return wants_host == (host != nullptr) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_mem make_buffer(cl_context c, cl_mem_flags flags, size_t size, void *host, std::vector<cl_mem_properties> properties,
		   cl_int *error)
{
	het_memory *made = nullptr;
	const bool wraps = flags & CL_MEM_USE_HOST_PTR;
	if (wraps)
		watch_frees();
	if (int err = wraps ? het_memory_wrap(host, size, &made) : het_memory_create(size, &made))
		return refuse(err == HET_ENOMEM ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code_of(err), error);
	auto *m = new memory;
	m->context = held(c);
	m->flags = with_access(flags);
	m->size = size;
	m->host_pointer = wraps ? host : nullptr;
	m->properties = std::move(properties);
	m->memory.reset(made);
	if (flags & CL_MEM_COPY_HOST_PTR)
		memcpy(het_memory_pointer(made), host, size);
	return give(m, CL_SUCCESS, error);
}

// --- the end of an object --------------------------------------------------------

// The last thing for an object that the program is to hear of, or whose memory is the program's.
struct remains {
	owner<het_memory, het_memory_release> bytes;
	farewells when_gone;

	std::mutex lock;
	std::condition_variable changed;
	bool are_free = false;  // no command uses the bytes
	bool are_alone = false; // nobody waits for that any longer

	void end()
	{
		bytes.reset();
		when_gone.call();
	}
};

void unmap(het_memory *m, void *pointer)
{
	het_unmap_args a = {};
	a.size = sizeof(a);
	a.memory = m;
	a.pointer = pointer;
	het_unmap(own_queue(), &a, nullptr);
}

// Taking memory from devices takes its time, which a thread of the runtime's must not spend.
void note_free(het_event *, int, void *arg)
{
	const std::unique_ptr<std::shared_ptr<remains>> r(static_cast<std::shared_ptr<remains> *>(arg));
	std::lock_guard g((*r)->lock);
	(*r)->are_free = true;
	(*r)->changed.notify_all();
	if ((*r)->are_alone)
		std::thread([last = *r] { last->end(); }).detach();
}

// Returns whether the bytes became free. Commands may wait for what the caller is yet to do, and those that end in this
// thread can't be waited for.
bool wait_until_free(remains &r)
{
	constexpr auto longest = std::chrono::milliseconds(100);
	std::unique_lock g(r.lock);
	if (!is_in_callback())
		r.changed.wait_for(g, longest, [&] { return r.are_free; });
	r.are_alone = !r.are_free;
	return r.are_free;
}

// Commands that use the bytes have ended when the host may have them.
void end_after_commands(const std::shared_ptr<remains> &r, size_t nbytes, bool keeps_bytes)
{
	het_map_args a = {};
	a.size = sizeof(a);
	a.memory = r->bytes.get();
	a.nbytes = nbytes;
	a.access = keeps_bytes ? HET_READ_WRITE : HET_WRITE_ONLY;
	void *mapped = nullptr;
	het_event *done = nullptr;
	if (het_map(own_queue(), &a, &mapped, &done))
		return r->end();
	unmap(a.memory, mapped);
	auto note = std::make_unique<std::shared_ptr<remains>>(r);
	const int err = het_event_callback(done, note_free, note.get());
	if (!err)
		(void)note.release();
	het_event_release(done);
	if (err || wait_until_free(*r))
		r->end();
}

// Returns whether the program is to hear of the end of the object, or of one that it is a part of.
bool is_heard_of(const memory &m)
{
	return !m.when_gone.empty() || (m.whole && is_heard_of(*m.whole.get()));
}

// --- what is told of it -------------------------------------------------------------

const info_row<memory> rows[] = {
	{CL_MEM_TYPE,
	 [](const memory &m, answer &a) {
		 return a.value(m.image ? m.image->shape.image_type : cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
	 }},
	{CL_MEM_FLAGS, [](const memory &m, answer &a) { return a.value(m.flags); }},
	{CL_MEM_SIZE, [](const memory &m, answer &a) { return a.value(m.size); }},
	{CL_MEM_HOST_PTR, [](const memory &m, answer &a) { return a.value(m.host_pointer); }},
	{CL_MEM_MAP_COUNT, [](const memory &m, answer &a) { return a.value(m.nmaps()); }},
	{CL_MEM_REFERENCE_COUNT, [](const memory &m, answer &a) { return a.value(m.references.load()); }},
	{CL_MEM_CONTEXT, [](const memory &m, answer &a) { return a.value(m.context.get()); }},
	{CL_MEM_ASSOCIATED_MEMOBJECT, [](const memory &m, answer &a) { return a.value(m.whole.get()); }},
	{CL_MEM_OFFSET, [](const memory &m, answer &a) { return a.value(m.offset); }},
	{CL_MEM_USES_SVM_POINTER, [](const memory &, answer &a) { return a.value(cl_bool{CL_FALSE}); }},
	{CL_MEM_PROPERTIES, [](const memory &m, answer &a) { return a.list(m.properties); }},
};

} // namespace

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	const cl_int err = check_buffer(c, flags, size, host);
	return err ? refuse(err, error) : make_buffer(c, flags, size, host, {}, error);
}

cl_mem clCreateBufferWithProperties(cl_context c, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
				    void *host, cl_int *error)
{
	cl_int err = is_valid(c) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	if (!err && properties && *properties)
		err = CL_INVALID_PROPERTY; // there are none
	if (!err)
		err = check_buffer(c, flags, size, host);
	if (err)
		return refuse(err, error);
	return make_buffer(c, flags, size, host, std::vector<cl_mem_properties>(properties ? 1 : 0), error);
}

cl_mem clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *error)
{
	if (!buffer_or_none(whole) || whole->whole)
		return refuse(CL_INVALID_MEM_OBJECT, error);
	if (!part_may_have(whole->flags, flags) || type != CL_BUFFER_CREATE_TYPE_REGION || !info)
		return refuse(CL_INVALID_VALUE, error);
	const cl_buffer_region r = *static_cast<const cl_buffer_region *>(info);
	if (!r.size)
		return refuse(CL_INVALID_BUFFER_SIZE, error);
	if (!whole->has(r.origin, r.size))
		return refuse(CL_INVALID_VALUE, error);
	const auto &devices = whole->context->devices;
	if (std::none_of(devices.begin(), devices.end(), [&](cl_device_id d) { return r.origin % d->alignment == 0; }))
		return refuse(CL_MISALIGNED_SUB_BUFFER_OFFSET, error);
	het_memory *made = nullptr;
	if (int err = het_memory_part(whole->memory.get(), r.origin, r.size, &made))
		return refuse(code_of(err), error);
	auto *m = new memory;
	m->context = whole->context;
	m->flags = flags_of_part(whole->flags, flags);
	m->size = r.size;
	m->host_pointer = whole->host_pointer ? static_cast<char *>(whole->host_pointer) + r.origin : nullptr;
	m->whole = held(whole);
	m->offset = r.origin;
	m->memory.reset(made);
	return give(m, CL_SUCCESS, error);
}

cl_int clRetainMemObject(cl_mem m)
{
	return retain(m, CL_INVALID_MEM_OBJECT);
}

cl_int clReleaseMemObject(cl_mem m)
{
	return release(m, CL_INVALID_MEM_OBJECT);
}

cl_int clGetMemObjectInfo(cl_mem m, cl_mem_info what, size_t room, void *value, size_t *size)
{
	return is_valid(m) ? look_up(rows, what, *m, {room, value, size}) : CL_INVALID_MEM_OBJECT;
}

cl_int clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *notify)(cl_mem, void *), void *arg)
{
	if (!is_valid(m))
		return CL_INVALID_MEM_OBJECT;
	if (!notify)
		return CL_INVALID_VALUE;
	m->when_gone.add([=] { notify(m, arg); });
	return CL_SUCCESS;
}

} // namespace hetcl

using namespace hetcl;

_cl_mem::~_cl_mem()
{
	const bool is_quiet = when_gone.empty() && (whole || !host_pointer);
	const bool is_used_now = root().is_used.load(std::memory_order_relaxed);
	// Kernels use the textures of an image, and not the bytes of a buffer that it is of.
	if (memory && image && is_used_now && (!is_quiet || is_heard_of(*this)))
		end_textures(*this);
	if (!memory || is_quiet)
		return;
	if (!is_used_now) {
		memory.reset();
		when_gone.call();
		return;
	}
	auto r = std::make_shared<remains>();
	r->bytes = std::move(memory);
	r->when_gone.take_over(when_gone);
	end_after_commands(r, size, host_pointer != nullptr);
}

void _cl_mem::add_map(mapping m)
{
	std::lock_guard g(lock_);
	maps_.push_back(m);
}

_cl_mem::mapping _cl_mem::take_map(void *pointer)
{
	std::lock_guard g(lock_);
	const auto at =
		std::find_if(maps_.begin(), maps_.end(), [&](const mapping &m) { return m.pointer == pointer; });
	if (at == maps_.end())
		return {};
	const mapping taken = *at;
	maps_.erase(at);
	return taken;
}

cl_uint _cl_mem::nmaps() const
{
	std::lock_guard g(lock_);
	return cl_uint(maps_.size());
}
