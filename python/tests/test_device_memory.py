# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Raw memory, textures and samplers: what one device alone has."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import het

from conftest import Kernels

IMAGES = """
kernel void shift(read_only image2d_t from, write_only image2d_t to, sampler_t s)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(to, at, read_imageui(from, s, at + (int2)(1, 0)) + 1);
}
kernel void between(read_only image2d_t from, sampler_t s, global float *out, float step)
{
	size_t i = get_global_id(0);
	out[i] = read_imagef(from, s, (float2)(i * step, 0.5f)).x;
}
"""


# --- raw memory ---------------------------------------------------------------------------


def test_bytes_go_there_and_come_back(kernels: Kernels) -> None:
    memory = het.Memory(kernels.device, 4000)
    assert memory.nbytes == len(memory) == 4000 and memory.device == kernels.device and memory.address % 128 == 0
    x, y = np.arange(1000, dtype=np.int32), np.zeros(1000, np.int32)
    memory.copy_from(x)
    assert memory.copy_to(y).done
    assert (x == y).all()
    part = memory.at(400)
    assert part.nbytes == 3600 and part.address == memory.address + 400
    part.copy_from(np.full(10, -1, np.int32))
    memory.copy_to(y)
    assert (y[100:110] == -1).all() and (np.delete(y, slice(100, 110)) == np.delete(x, slice(100, 110))).all()


def test_kernels_take_it_for_pointers(kernels: Kernels) -> None:
    n = 1000
    memory, x = het.Memory(kernels.device, 4 * n), np.arange(n, dtype=np.int32)
    kernels.fill[n](memory, np.int32(5), device=kernels.device)
    kernels.fill[10](memory.at(400), np.int32(6))
    event = kernels.add_ints[n](memory, x, np.int32(2))
    assert [part.device for part in event.parts] == [kernels.device]
    expected = np.arange(n, dtype=np.int32) + 10
    expected[100:110] += 2
    assert (x == expected).all()


def test_the_last_device_has_memory_too(kernels: Kernels) -> None:
    """A launch runs where its memory is."""
    device = [d for d in het.devices() if d.kind == kernels.device.kind][-1]
    memory, x = het.Memory(device, 400), np.zeros(100, np.int32)
    event = kernels.fill[100](memory, np.int32(8))
    memory.copy_to(x)
    assert [part.device for part in event.parts] == [device] and (x == 8).all()


def test_an_array_on_the_device_is_copied_as_it_is(kernels: Kernels) -> None:
    x, y = np.zeros(50000, np.int32), np.zeros(50000, np.int32)
    memory = het.Memory(kernels.device, x.nbytes)
    with het.Queue([kernels.device], in_order=True) as queue:
        kernels.fill[len(x)].start(x, np.int32(3), queue=queue)
        memory.copy_from(x, queue=queue, wait=False)
        kernels.add_strided[len(x)].start(memory, np.int32(1), np.int32(4), queue=queue)
        event = memory.copy_to(y, queue=queue, wait=False)
        event.wait()
    assert (x == 3).all() and (y == 7).all()


def test_it_lives_as_long_as_a_part_of_it(kernels: Kernels) -> None:
    before = kernels.device.memory_use()["raw"]
    rest = het.Memory(kernels.device, 1 << 20).at(1 << 19)
    gc.collect()
    assert kernels.device.memory_use()["raw"] >= before
    x = np.full(100, 7, np.uint8)
    rest.copy_from(x)
    x[:] = 0
    rest.copy_to(x)
    assert (x == 7).all()
    del rest
    assert kernels.device.memory_use()["raw"] == before


def test_a_launch_keeps_it(kernels: Kernels) -> None:
    go_on = het.user_event()
    y = np.ones(100, np.int32)
    memory = het.Memory(kernels.device, 400)
    memory.copy_from(np.full(100, 2, np.int32))
    event = kernels.add_ints[100].start(memory, y, np.int32(3), device=kernels.device, after=go_on)
    del memory
    gc.collect()
    go_on.set()
    event.wait()
    assert (y == 7).all()


def test_what_does_not_suit_memory(kernels: Kernels) -> None:
    memory = het.Memory(kernels.device, 100)
    fixed = np.zeros(10, np.uint8)
    fixed.flags.writeable = False
    memory.copy_from(fixed)
    with pytest.raises(ValueError, match="read-only"):
        memory.copy_to(fixed)
    with pytest.raises(ValueError, match="101 bytes, and the memory 100"):
        memory.copy_from(np.zeros(101, np.uint8))
    with pytest.raises(ValueError, match="follow each other"):
        memory.copy_to(np.zeros(20, np.uint8)[::2])
    with pytest.raises(ValueError, match="follow each other"):
        memory.copy_from(np.zeros((5, 4), np.uint8).T)
    with pytest.raises(TypeError, match="is no array"):
        memory.copy_from(3)
    with pytest.raises(TypeError, match="queue= takes"):
        memory.copy_from(fixed, queue="mine")
    with pytest.raises(ValueError, match="none at 100"):
        memory.at(100)
    with pytest.raises(het.ArgumentError):
        het.Memory(kernels.device, 0)
    with pytest.raises(TypeError, match="give it as it is"):
        kernels.fill[10](het.written(memory), np.int32(1))


def test_memory_is_no_value(described: Kernels) -> None:
    memory = het.Memory(described.device, 100)
    with pytest.raises(TypeError, match="argument 1 .*this is no pointer"):
        described.fill[10](memory, memory)


# --- textures -----------------------------------------------------------------------------


def texture_or_skip(*args: Any, **named: Any) -> het.Texture:
    try:
        return het.Texture(*args, **named)
    except het.NoDevice:
        pytest.skip("the device has no textures")


@pytest.fixture
def device(kernels: Kernels) -> het.Device:
    texture_or_skip(kernels.device, (1,))
    return kernels.device


@pytest.fixture
def images(kernels: Kernels) -> Iterator[het.Program]:
    if kernels.device.kind != "opencl":
        pytest.skip("kernels with images are OpenCL C")
    texture_or_skip(kernels.device, (1,))
    yield het.Program(IMAGES)


DTYPES = {"unorm8": np.uint8, "snorm16": np.int16, "int32": np.int32, "uint8": np.uint8, "half": np.float16, "float": np.float32}


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_texels_are_numpys(kernels: Kernels, data: Any) -> None:
    """Any part of any texture comes back as it was written, and the rest stays."""
    layers = data.draw(st.booleans())
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=2 if layers else 1, max_size=3)))
    name = data.draw(st.sampled_from(sorted(DTYPES)))
    channels = data.draw(st.sampled_from([1, 4]))  # PoCL has no formats of two
    whole = (*shape, channels)
    texture = texture_or_skip(kernels.device, shape, name, channels, layers=layers)
    assert texture.shape == shape and texture.type == name and texture.channels == channels
    assert texture.device == kernels.device
    random = np.random.default_rng(1)
    model = random.integers(0, 100, whole).astype(DTYPES[name])
    texture.copy_from(model)
    part = tuple(data.draw(st.integers(1, n)) for n in shape)
    origin = tuple(data.draw(st.integers(0, n - p)) for n, p in zip(shape, part))
    values = random.integers(0, 100, (*part, channels)).astype(DTYPES[name])
    texture.copy_from(values if channels > 1 else values.reshape(part), origin=origin)
    where = tuple(slice(o, o + p) for o, p in zip(origin, part))
    model[where] = values
    back = np.empty_like(model)
    texture.copy_to(back)
    assert (back == model).all()
    back = np.empty_like(values)
    texture.copy_to(back, origin=origin)
    assert (back == values).all()


def test_kernels_read_and_write_textures(images: het.Program, kernels: Kernels) -> None:
    height, width = 30, 50
    pixels = np.random.default_rng(2).integers(0, 200, (height, width, 4)).astype(np.uint8)
    source, target = (het.Texture(kernels.device, (height, width), "uint8", 4) for _ in range(2))
    source.copy_from(pixels)
    sampler = het.Sampler(kernels.device, outside="edge")
    images["shift"][(width, height), None](source, target, sampler)
    images["shift"][(width, height), None].start(target, source, s=sampler)
    shown = np.empty_like(pixels)
    source.copy_to(shown)
    expected = pixels[:, np.minimum(np.arange(width) + 2, width - 1)] + 2
    assert (shown == expected).all()


def test_samplers_read_between(images: het.Program, kernels: Kernels) -> None:
    source = het.Texture(kernels.device, (1, 2))
    source.copy_from(np.array([[0, 1]], np.float32))
    out = np.empty(9, np.float32)
    sampler = het.Sampler(kernels.device, normalized=True, outside="edge", linear=True)
    images["between"][9](source, sampler, het.written(out), 1 / 8)
    assert np.allclose(out, np.clip(np.arange(9) / 4 - 0.5, 0, 1), atol=0.01)


def test_what_is_no_texture(images: het.Program, kernels: Kernels) -> None:
    texture, sampler = het.Texture(kernels.device, (4, 4), "uint8", 4), het.Sampler(kernels.device)
    x = np.zeros((4, 4, 4), np.uint8)
    shift = images["shift"][(4, 4), None]
    with pytest.raises(TypeError, match="argument 0 .*give a het.Texture"):
        shift(x, texture, sampler)
    with pytest.raises(TypeError, match="argument 2 .*give a het.Sampler"):
        shift(texture, texture, 1)
    with pytest.raises(TypeError, match="argument 1 .*this is no sampler"):
        shift(texture, sampler, sampler)
    with pytest.raises(ValueError, match="declaration of the image"):
        shift(het.written(texture), texture, sampler)
    with pytest.raises(TypeError, match="this is no image"):
        kernels.fill[4](texture, 1)


def test_what_textures_refuse(device: het.Device) -> None:
    texture = het.Texture(device, (4, 6), "uint8", 4)
    with pytest.raises(ValueError, match="a texture's type float64 is none of unorm8, "):
        het.Texture(device, (4,), "float64")
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        het.Texture(device, (1, 1, 1, 1))
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        het.Texture(device, (3,), layers=True)
    with pytest.raises(het.ArgumentError):
        het.Texture(device, (4,), channels=3)
    with pytest.raises(ValueError, match="outside= inside is none of undefined, edge, "):
        het.Sampler(device, outside="inside")
    with pytest.raises(TypeError, match="the array is of int8, and texels of type uint8 are of uint8"):
        texture.copy_from(np.zeros((4, 6, 4), np.int8))
    with pytest.raises(ValueError, match="needs 2 dimensions, and one of 4 channels behind them"):
        texture.copy_from(np.zeros((4, 6), np.uint8))
    with pytest.raises(ValueError, match="origin= has 1 numbers, and the texture 2 dimensions"):
        texture.copy_to(np.zeros((1, 1, 4), np.uint8), origin=(1,))
    with pytest.raises(het.ArgumentError):
        texture.copy_to(np.zeros((1, 1, 4), np.uint8), origin=(4, 0))


def test_devices_in_place_have_no_textures(kernels: Kernels) -> None:
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("this device has textures")
    with pytest.raises(het.NoDevice):
        het.Texture(kernels.device, (4,))
    with pytest.raises(het.NoDevice):
        het.Sampler(kernels.device)
