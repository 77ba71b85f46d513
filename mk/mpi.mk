# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds what stands before MPI's calls, libhet-mpi.so.0, which is preloaded.

mpi_kept := $(call keep,$(mpi_srcs))
libhetmpi := $(if $(and $(HAVE_MPI),$(mpi_kept),$(if $(SAN),,plain)),$(B)/$(MPI_SONAME))
mpi_tests := $(if $(libhetmpi),$(B)/selftests/mpi-messages)

# These programs are run by mpirun, and compute with kernels of bench/apps.
mpi_benches := $(if $(and $(libhetmpi),$(bench_kept)),$(patsubst bench/mpi/%.cc,$(B)/bin/mpi-%,$(call keep,$(mpi_bench_srcs))))

mpi_example := $(if $(libhetmpi),$(B)/examples/mpi/ring)

mpi: $(libhetmpi)
bench-programs: $(mpi_benches)
.PHONY: mpi
all: mpi
tests: $(mpi_tests) $(mpi_example)

$(B)/$(MPI_SONAME): $(call obj,$(mpi_srcs)) $(libhet)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -Wl,-soname,$(MPI_SONAME) -Wl,-z,defs -o $@ $(filter %.o,$^) $(B)/libhet.so \
		-Wl,-rpath,'$$ORIGIN' $(MPI_LIBS)

# Functions of the test stand before MPI's (selftests/mpi/below.cc).
$(B)/selftests/mpi-messages: $(call obj,$(mpi_test_srcs)) $(libhet) | $(libhetmpi)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) -rdynamic $(call rpath,..) $(MPI_LIBS)

$(B)/examples/mpi/ring: Documentation/examples/mpi/ring.c $(libhet) | $(libhetmpi)
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(CC) -O2 $(warnings) $(mpi_cflags) -Iruntime/include -Ilib/include $(ldflags) -o $@ $< $(B)/libhet.so \
		$(call rpath,../..) $(MPI_LIBS)

$(mpi_benches): $(B)/bin/mpi-%: $(B)/obj/bench/mpi/%.o
$(filter %/mpi-stencil,$(mpi_benches)): $(B)/obj/kernels/apps/stencil.o
$(filter %/mpi-matmul,$(mpi_benches)): $(B)/obj/kernels/apps/matmul.o
$(filter %/mpi-ping-pong,$(mpi_benches)): $(B)/obj/kernels/apps/vectoradd.o
$(mpi_benches): $(bench_archive) $(base_archive) $(json_archive) $(fatbin_archive) $(libhet) | $(libhetmpi)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(OPENCL_LIBS) $(MPI_LIBS) -ldl
