# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This sets up and installs. `install` never touches the kernel: modules_install (mk/vm.mk) does.

packages:
	@scripts/setup.sh packages

setup: packages
	@scripts/setup.sh udev

clean:
	rm -rf build build-* $(B) compile_commands.json

installed_lib := libhet.so.$(VERSION)
headers := $(wildcard lib/include/*.h runtime/include/*.h runtime/include/*.hpp)
man_pages = $(wildcard $(B)/docs/man/*)
# These are also the names under which a page of section 3 can be found besides its own (see Documentation/conf.py).
man_names = $(basename $(notdir $(wildcard Documentation/man/*.rst))) \
	$(addsuffix .3,$(shell sed -n 's/^\.\. also: //p' Documentation/man/*.3.rst))

# Debian has a folder for packages of its own, and one for each version of Python for what comes from elsewhere.
python_version = $(shell /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
PYTHONDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/python3,$(PREFIX)/lib/python$(python_version))/dist-packages
installed_python := $(notdir $(wildcard python/het/*.py python/het/*.pyi python/het/py.typed)) _het.so

# het-openmp finds the libraries from where it is.
from_bin = $(shell realpath -m --relative-to=$(BINDIR) $(LIBDIR))

install: lib opencl openmp mpi tools $(B)/libhet.pc $(if $(python_package),$(B)/python-installed/_het.so)
	install -d $(addprefix $(DESTDIR),$(LIBDIR)/pkgconfig $(INCLUDEDIR))
	install -m 644 $(B)/libhet.so $(DESTDIR)$(LIBDIR)/$(installed_lib)
	ln -sf $(installed_lib) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libhet.so
	install -m 644 $(B)/$(COMPAT_SONAME) $(DESTDIR)$(LIBDIR)
ifneq ($(libhetmpi),)
	install -m 644 $(libhetmpi) $(DESTDIR)$(LIBDIR)
endif
ifneq ($(libhetcl),)
	install -D -m 644 -t $(DESTDIR)$(OPENCLDIR) $(B)/libhetcl.so
	install -D -m 644 -t $(DESTDIR)$(INCLUDEDIR)/CL opencl/include/CL/cl_ext_het.h
	install -d $(DESTDIR)$(VENDORDIR)
	echo $(OPENCLDIR)/libhetcl.so >$(DESTDIR)$(VENDORDIR)/het.icd
endif
ifneq ($(openmp_plugin),)
	install -D -m 644 -t $(DESTDIR)$(LIBDIR)/libhet-openmp $(openmp_plugin)
	install -d $(DESTDIR)$(BINDIR)
	sed -e 's|@LIBRARY@|$(from_bin)|' -e 's|@PLUGIN@|$(from_bin)/libhet-openmp|' openmp/het-openmp \
		>$(DESTDIR)$(BINDIR)/het-openmp && chmod 755 $(DESTDIR)$(BINDIR)/het-openmp
endif
	install -m 644 $(headers) $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $(B)/libhet.pc $(DESTDIR)$(LIBDIR)/pkgconfig
ifneq ($(python_package),)
	install -D -m 644 -t $(DESTDIR)$(PYTHONDIR)/het $(python_texts) $(B)/python-installed/_het.so
endif
ifneq ($(tool_srcs),)
	install -d $(DESTDIR)$(BINDIR)
	install $(tools) $(DESTDIR)$(BINDIR)
endif
	$(foreach p,$(man_pages),install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $p)) $p;)
	$(if $(DESTDIR),,-ldconfig)

# The same names are removed, whatever of them was installed.
uninstall:
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(installed_lib) $(SONAME) libhet.so $(COMPAT_SONAME) $(MPI_SONAME))
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/libhet.pc $(DESTDIR)$(OPENCLDIR)/libhetcl.so
	rm -f $(DESTDIR)$(VENDORDIR)/het.icd $(DESTDIR)$(INCLUDEDIR)/CL/cl_ext_het.h
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(notdir $(headers)))
	rm -f $(addprefix $(DESTDIR)$(PYTHONDIR)/het/,$(installed_python))
	rm -rf $(DESTDIR)$(PYTHONDIR)/het/__pycache__
	$(if $(wildcard $(DESTDIR)$(PYTHONDIR)/het),rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PYTHONDIR)/het)
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(basename $(notdir $(wildcard tools/*.cc))))
	rm -f $(DESTDIR)$(BINDIR)/het-openmp $(DESTDIR)$(LIBDIR)/libhet-openmp/libgomp-plugin-nvptx.so.1
	$(if $(wildcard $(DESTDIR)$(LIBDIR)/libhet-openmp),rmdir --ignore-fail-on-non-empty $(DESTDIR)$(LIBDIR)/libhet-openmp)
	rm -f $(foreach p,$(man_names),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $p))/$p)

below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$1)
.PHONY: $(B)/libhet.pc
$(B)/libhet.pc: lib/libhet.pc.in
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

.PHONY: packages setup clean install uninstall
