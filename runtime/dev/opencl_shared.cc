// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_shared.h"

#include <memory>
#include <mutex>
#include <new>

namespace het::rt
{

namespace
{

// NVIDIA's driver gives at the second try what it has refused.
constexpr unsigned most_tries = 8;

struct shared_block {
	const opencl_calls *cl;
	cl_context context;
	std::atomic<uint64_t> *gone;
	void *memory;
	shared_block *next;
};

// No lock of ours is taken while it is held.
std::mutex turn;
std::atomic<shared_block *> not_needed{nullptr};

void CL_CALLBACK note_gone(cl_mem, void *arg)
{
	auto *block = static_cast<shared_block *>(arg);
	block->gone->fetch_add(1);
	block->next = not_needed.load();
	while (!not_needed.compare_exchange_weak(block->next, block))
		;
}

// The caller holds @turn.
void free_gone()
{
	for (shared_block *b = not_needed.exchange(nullptr), *next; b; b = next) {
		next = b->next;
		b->cl->svm_free(b->context, b->memory);
		delete b;
	}
}

} // namespace

cl_mem make_shared_buffer(const opencl_calls &cl, cl_context context, size_t nbytes, std::atomic<uint64_t> &gone,
			  cl_int *error)
{
	std::lock_guard g(turn);
	free_gone();
	*error = CL_OUT_OF_HOST_MEMORY;
	std::unique_ptr<shared_block> block(new (std::nothrow) shared_block{&cl, context, &gone, nullptr, nullptr});
	if (!block)
		return nullptr;
	*error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	for (unsigned i = 0; !block->memory && i < most_tries; i++)
		block->memory = cl.svm_alloc(context, CL_MEM_READ_WRITE, nbytes, 0);
	if (!block->memory)
		return nullptr;
	cl_mem made = cl.create_buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, nbytes, block->memory, error);
	if (made)
		*error = cl.set_mem_object_destructor_callback(made, note_gone, block.get());
	if (*error == CL_SUCCESS) {
		(void)block.release(); // leaves it to note_gone()
		return made;           // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)
	}
	if (made)
		cl.release_mem_object(made);
	cl.svm_free(context, block->memory);
	return nullptr;
}

void release_buffer(const opencl_calls &cl, cl_mem buffer)
{
	std::lock_guard g(turn);
	cl.release_mem_object(buffer);
	free_gone();
}

} // namespace het::rt
