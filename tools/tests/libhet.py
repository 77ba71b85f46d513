# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Structures of het.h, for tests that call the library."""

import ctypes


class ProgramArguments(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("source", ctypes.c_char_p),
        ("options", ctypes.c_char_p),
        ("functions", ctypes.c_void_p),
        ("nfunctions", ctypes.c_size_t),
        ("images", ctypes.c_void_p),
        ("nimages", ctypes.c_size_t),
        ("fat_binary", ctypes.c_void_p),
        ("fat_binary_size", ctypes.c_size_t),
        ("file", ctypes.c_char_p),
        ("section", ctypes.c_char_p),
    ]


class Argument(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("access", ctypes.c_uint32),
        ("nbytes", ctypes.c_size_t),
        ("pointer", ctypes.c_void_p),
        ("memory", ctypes.c_void_p),
    ]


class LaunchArguments(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("kernel", ctypes.c_void_p),
        ("dimensions", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("global_", ctypes.c_size_t * 3),
        ("offset", ctypes.c_size_t * 3),
        ("local", ctypes.c_size_t * 3),
        ("arg_size", ctypes.c_size_t),
        ("nargs", ctypes.c_size_t),
        ("args", ctypes.c_void_p),
        ("nwaits", ctypes.c_size_t),
        ("waits", ctypes.c_void_p),
        ("device", ctypes.c_void_p),
    ]
