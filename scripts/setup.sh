#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Sets a machine up for libhet.
#   setup.sh packages [GROUP]   installs the Debian packages that are missing: those that `make run` needs (run), also
#                               what `make bench` compares with (bench), or those that `make check` needs (check, the
#                               default), those that build the kernel module (modules), test it in a guest (vm), or
#                               build a kernel for that (vm-debug), build OpenCL's conformance suite (opencl), or build
#                               Debian's packages (deb) and test them (deb-check)
#   setup.sh udev               lets the group gpuvm open /dev/gpuvm and /dev/userfaultfd
# Root is asked for (through sudo) only where a package is missing. Where there is no apt, the script says
# what is missing and goes on: the build leaves out what can't be built.
set -u

build_packages=(g++ make pkg-config libnuma-dev systemtap-sdt-dev opencl-headers)
run_packages=(ocl-icd-opencl-dev ocl-icd-libopencl1 pocl-opencl-icd libpng-dev libcli11-dev nlohmann-json3-dev
	libelf-dev gnuplot-nox)
bench_packages=(libstarpu-dev)
check_packages=(python3 python3-numpy ccache libgtest-dev liburing-dev liblz4-1 libzstd1 clang clang-tidy clang-format
	libclang-rt-14-dev llvm-14-dev libclc-14 llvm-spirv-14 spirv-tools python3-sphinx graphviz linux-kbuild-6.1
	openmpi-bin libopenmpi-dev)

# Debian's packages are built with the first, and tested with the others.
deb_packages=(debhelper dpkg-dev fakeroot dh-dkms dh-python chrpath graphviz libcli11-dev libelf-dev libnuma-dev libopenmpi-dev llvm-14-dev
	nlohmann-json3-dev ocl-icd-opencl-dev opencl-headers pkg-config pybind11-dev python3-dev python3-sphinx
	systemtap-sdt-dev g++ make ccache)
deb_check_packages=(lintian diffoscope-minimal dkms kmod mmdebstrap autopkgtest linux-kbuild-6.1 xz-utils
	debian-archive-keyring)

# OpenMP programs for GPUs are compiled with this, where Debian has it.
[ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] || check_packages+=(gcc-12-offload-nvptx)
opencl_packages=(cmake ninja-build)
# Python's package het is built with the first two, and tested with numpy and the others.
python_packages=(python3-dev pybind11-dev python3-pytest python3-hypothesis mypy python3-scipy python3-h5py
	python3-pyopencl python3-ipython python3-numba python3-nbclient python3-ipykernel)

# Guests' kernels come from Debian's archive, also on a machine with another distribution's apt.
modules_packages=(gcc make libelf1 debian-archive-keyring)
vm_packages=("${modules_packages[@]}" python3 qemu-system-x86 busybox-static xz-utils)
vm_debug_packages=("${vm_packages[@]}" flex bison bc libelf-dev)

say() { echo "setup: $*"; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		say "this needs root, and there is no sudo: $*"
		return 1
	fi
}

is_installed() { # package
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# No guest does without these programs.
report_for_guests() { # group
	local needed=(gcc make) missing=() p
	[ "$1" = modules ] || needed+=(python3 qemu-system-x86_64 busybox xz)
	[ "$1" != vm-debug ] || needed+=(flex bison bc)
	for p in "${needed[@]}"; do
		command -v "$p" >/dev/null || missing+=("$p")
	done
	[ ${#missing[@]} -ne 0 ] || return 0
	say "no apt here to install what the guests need and was not found: ${missing[*]}" >&2
	return 1
}

# Names what the build will do without; fails only without a compiler, or for a guest.
report_without_apt() { # group
	local missing
	case $1 in modules | vm | vm-debug)
		report_for_guests "$1"
		return
		;;
	esac
	if ! command -v "${CXX:-g++}" >/dev/null; then
		say "there is no C++ compiler (${CXX:-g++}) and no apt to install one with" >&2
		return 1
	fi
	missing=$(scripts/probe.sh "${CXX:-g++}" -std=c++20 ${CPPFLAGS:-} | sed -n 's/^MISSING_HEADERS := //p')
	if [ -n "$missing" ]; then
		say "no apt here. Headers or libraries not found: $missing; what needs them is left out of the build"
	else
		say "no apt here, and nothing that the build needs is missing"
	fi
	return 0
}

install_packages() { # group
	local wanted missing=() p
	case $1 in
	run) wanted=("${build_packages[@]}" "${run_packages[@]}") ;;
	bench) wanted=("${build_packages[@]}" "${run_packages[@]}" "${bench_packages[@]}") ;;
	check) wanted=("${build_packages[@]}" "${run_packages[@]}" "${check_packages[@]}" "${python_packages[@]}") ;;
	modules) wanted=("${modules_packages[@]}") ;;
	vm) wanted=("${vm_packages[@]}") ;;
	vm-debug) wanted=("${vm_debug_packages[@]}") ;;
	deb) wanted=("${deb_packages[@]}") ;;
	deb-check) wanted=("${deb_packages[@]}" "${modules_packages[@]}" "${deb_check_packages[@]}") ;;
	opencl) wanted=("${build_packages[@]}" "${run_packages[@]}" "${opencl_packages[@]}") ;;
	*) say "there is no group of packages called $1" >&2 && return 2 ;;
	esac
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		report_without_apt "$1"
		return
	fi
	for p in "${wanted[@]}"; do
		is_installed "$p" || missing+=("$p")
	done
	if [ ${#missing[@]} -eq 0 ]; then
		say "all ${#wanted[@]} packages are there"
		return 0
	fi
	say "installing ${missing[*]}"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
			"${missing[@]}" || {
		say "apt could not install: ${missing[*]}" >&2
		return 1
	}
	rm -f build*/config.mk # what was probed before is out of date
}

# Both catch touches made by the kernel, which is a privilege of a group, not of everyone.
install_udev_rules() {
	local folder=/etc/udev/rules.d device
	if [ "$(id -u)" -ne 0 ]; then
		say "not root: the udev rules for /dev/gpuvm and /dev/userfaultfd are left out. Without them an ordinary user's"
		say "touches are caught in user mode only; 'sudo make setup' installs them"
		return 0
	fi
	if ! getent group gpuvm >/dev/null; then
		say "adding the group gpuvm"
		groupadd --system gpuvm || return 1
	fi
	say "writing 60-gpuvm.rules and 60-userfaultfd.rules to $folder: group gpuvm may open these devices"
	mkdir -p "$folder" && install -m 644 kmod/60-gpuvm.rules "$folder" &&
		echo 'KERNEL=="userfaultfd", GROUP="gpuvm", MODE="0660"' >"$folder/60-userfaultfd.rules" || return 1
	if command -v udevadm >/dev/null && udevadm control --reload 2>/dev/null; then
		udevadm trigger --sysname-match=userfaultfd --sysname-match=gpuvm
	else
		say "udev does not run here; setting group and mode of those devices directly that are there"
		for device in /dev/gpuvm /dev/userfaultfd; do
			[ ! -c "$device" ] || { chgrp gpuvm "$device" && chmod 0660 "$device"; } || return 1
		done
	fi
	[ -c /dev/userfaultfd ] || say "this kernel has no /dev/userfaultfd (it came with Linux 6.1); the rule waits for one that has"
	say "users join with: adduser NAME gpuvm"
}

cd "$(dirname "$0")/.." || exit 1
case ${1:-} in
packages) install_packages "${2:-check}" ;;
udev) install_udev_rules ;;
*)
	sed -n '3,12s/^# \?//p' "$0"
	exit 2
	;;
esac
