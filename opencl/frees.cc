// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libhet answers free() and its like in the C library's place, to take memory from devices before it goes. But the
// loader opens us when the program is bound to the C library already. So its calls, and those of its libraries, are
// bound anew: the slots through which they go get the address of libhet's function.
//
// Nothing is changed where the program brings an allocator of its own (or a sanitizer's): libhet would hand its memory
// to the C library. Where libhet is linked or preloaded, there is nothing to change.
#include "frees.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace hetcl
{

namespace
{

#if defined(__x86_64__)
constexpr uint32_t call_slot = R_X86_64_JUMP_SLOT, address_slot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t call_slot = R_AARCH64_JUMP_SLOT, address_slot = R_AARCH64_GLOB_DAT;
#else
constexpr uint32_t call_slot = UINT32_MAX, address_slot = UINT32_MAX;
#endif

// One of the calls, and who answers it.
struct call {
	const char *name;
	uintptr_t of_libc;
	uintptr_t ours; // 0 if the program's are not to be bound anew
};

struct plan {
	call calls[5] = {{"free", 0, 0}, {"realloc", 0, 0}, {"reallocarray", 0, 0}, {"munmap", 0, 0}, {"mremap", 0, 0}};
	uintptr_t libc = 0, libhet = 0; // where they begin
	bool has_changed = false;       // since it was last looked at
};

uintptr_t begin_of(uintptr_t function)
{
	Dl_info info = {};
	return dladdr(reinterpret_cast<void *>(function), &info) ? reinterpret_cast<uintptr_t>(info.dli_fbase) : 0;
}

plan make_plan()
{
	plan p;
	void *libhet = dlopen("libhet.so.0", RTLD_LAZY | RTLD_NOLOAD), *libc = dlopen("libc.so.6", RTLD_LAZY);
	if (!libhet || !libc)
		return p;
	for (call &c : p.calls) {
		const auto find = [&](void *where) { return reinterpret_cast<uintptr_t>(dlsym(where, c.name)); };
		c.of_libc = find(libc);
		if (find(RTLD_DEFAULT) == c.of_libc && find(libhet) != c.of_libc)
			c.ours = find(libhet);
		p.libc = begin_of(c.of_libc);
		p.libhet = c.ours ? begin_of(c.ours) : p.libhet;
	}
	return p;
}

// What is needed of an object that is loaded.
struct object_view {
	uintptr_t base, end;
	uintptr_t sealed, sealed_end; // read-only since it was loaded
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * relocations[2];
	size_t counts[2];
};

// The C library has put the object's base into most of these addresses, not into all.
template <class T> const T *at(const object_view &o, uintptr_t address)
{
	return reinterpret_cast<const T *>(address < o.base ? o.base + address : address);
}

void read_dynamic(object_view &o, const ElfW(Dyn) * d)
{
	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB:
			o.symbols = at<ElfW(Sym)>(o, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			o.names = at<char>(o, d->d_un.d_ptr);
			break;
		case DT_JMPREL:
			o.relocations[0] = at<ElfW(Rela)>(o, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			o.counts[0] = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			o.relocations[1] = at<ElfW(Rela)>(o, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			o.counts[1] = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		default:
			break;
		}
	}
}

object_view look_at(const dl_phdr_info &info)
{
	object_view o = {};
	o.base = o.end = info.dlpi_addr;
	const ElfW(Dyn) *dynamic = nullptr;
	for (int i = 0; i < info.dlpi_phnum; i++) {
		const ElfW(Phdr) &h = info.dlpi_phdr[i];
		const uintptr_t begin = info.dlpi_addr + h.p_vaddr;
		if (h.p_type == PT_LOAD && begin + h.p_memsz > o.end)
			o.end = begin + h.p_memsz;
		if (h.p_type == PT_DYNAMIC)
			dynamic = reinterpret_cast<const ElfW(Dyn) *>(begin);
		if (h.p_type == PT_GNU_RELRO) {
			o.sealed = begin;
			o.sealed_end = begin + h.p_memsz;
		}
	}
	if (dynamic)
		read_dynamic(o, dynamic);
	return o;
}

// A slot that is not bound yet leads into its own object.
bool is_of_libc(const object_view &o, const call &c, uintptr_t value)
{
	return value == c.of_libc || (value >= o.base && value < o.end);
}

// Returns whether it has done anything.
bool bind(const object_view &o, const call &c, uintptr_t slot)
{
	auto &value = *reinterpret_cast<std::atomic<uintptr_t> *>(slot);
	if (!is_of_libc(o, c, value.load(std::memory_order_relaxed)))
		return false;
	const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
	auto *first = reinterpret_cast<void *>(slot & ~(page - 1));
	const bool is_sealed = slot >= o.sealed && slot < (o.sealed_end & ~(page - 1));
	if (is_sealed && mprotect(first, page, PROT_READ | PROT_WRITE))
		return false;
	value.store(c.ours, std::memory_order_relaxed);
	if (is_sealed)
		mprotect(first, page, PROT_READ);
	return true;
}

void bind_all(const object_view &o, plan &p)
{
	for (int table = 0; table < 2; table++) {
		for (size_t i = 0; i < o.counts[table]; i++) {
			const ElfW(Rela) &r = o.relocations[table][i];
			const auto type = uint32_t(ELF64_R_TYPE(r.r_info));
			if (type != call_slot && type != address_slot)
				continue;
			const ElfW(Sym) &symbol = o.symbols[ELF64_R_SYM(r.r_info)];
			if (symbol.st_shndx != SHN_UNDEF) // means that the object has its own
				continue;
			const char *name = o.names + symbol.st_name;
			for (const call &c : p.calls) {
				if (c.ours && !strcmp(name, c.name))
					p.has_changed |= bind(o, c, o.base + r.r_offset);
			}
		}
	}
}

// These two go on calling the C library's functions.
bool is_below(const object_view &o, const plan &p)
{
	return o.base == p.libc || o.base == p.libhet;
}

int visit(dl_phdr_info *info, size_t, void *arg)
{
	auto &p = *static_cast<plan *>(arg);
	const object_view o = look_at(*info);
	if (o.symbols && o.names && !is_below(o, p))
		bind_all(o, p);
	return 0;
}

// Counts the libraries that have come so far.
int count(dl_phdr_info *info, size_t, void *arg)
{
	*static_cast<unsigned long long *>(arg) = info->dlpi_adds;
	return 1;
}

} // namespace

// The loader may be binding a slot in another thread just now, and write over what was put there: so all is looked at
// until nothing had to be changed.
void watch_frees()
{
	static std::mutex lock;
	static plan p = make_plan();
	static unsigned long long seen = 0;
	unsigned long long now = 0;
	dl_iterate_phdr(count, &now);
	const std::lock_guard g(lock);
	if (!p.libhet || (now == seen && !p.has_changed))
		return;
	p.has_changed = false;
	dl_iterate_phdr(visit, &p);
	seen = now;
}

} // namespace hetcl
