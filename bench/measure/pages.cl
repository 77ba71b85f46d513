// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels of pages.h use one word of an array, or one in each page.

kernel void stamp(global int *a, int at, int value)
{
	a[at] = value;
}

kernel void mark_pages(global int *a, int first)
{
	size_t page = get_global_id(0);
	a[page * 1024] = first + (int)page;
}

kernel void add_to_pages(global int *a, int pages, int value)
{
	size_t page = get_global_id(0);
	if (page < (size_t)pages)
		a[page * 1024] += value;
}
