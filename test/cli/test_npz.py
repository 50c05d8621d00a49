# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Archives that NumPy and zipfile write are read, whichever way their members are packed; damaged and hostile ones are errors that cost no memory."""

import io
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from command import COMMAND, tenon


def identity(folder, kind):
    path = folder / "identity.mlir"
    path.write_text(f"func.func @main(%x: tensor<{kind}>) -> tensor<{kind}> {{ return %x : tensor<{kind}> }}")
    return path


def read(folder, path, key, kind):
    tenon("run", identity(folder, kind), "-i", f"{path}:{key}", "-o", folder / "out.npy")
    return np.load(folder / "out.npy")


def refused(folder, path, key="x", kind="4xf32", **options):
    return tenon("run", identity(folder, kind), "-i", f"{path}:{key}", code=1, **options)[1]


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write_members(path, members, method=zipfile.ZIP_STORED, **options):
    with zipfile.ZipFile(path, "w", method, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def patch(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


ARRAYS = {
    "zeros": np.zeros((100, 1000), np.float32),
    "noise": np.random.default_rng(7).random((50, 400)).astype(np.float32),
    "steps": np.arange(20000, dtype=np.float32).reshape(100, 200),
    "letters": np.frombuffer(b"abracadabra " * 5000, np.uint8).reshape(300, 200),
    "empty": np.zeros((0, 3), np.float32),
    "one": np.float64(7.5),
    "fortran": np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
    "big_endian": np.arange(5, dtype=">f8"),
}
KINDS = {"f4": "f32", "u1": "ui8", "f8": "f64", "i4": "i32"}


def kind_of(array):
    return "x".join([str(size) for size in array.shape] + [KINDS[array.dtype.str[1:]]])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_numpy_are_read(folder, save, name):
    path = folder / f"arrays_{save.__name__}.npz"
    if not path.exists():
        save(path, **ARRAYS)
    found = read(folder, path, name, kind_of(ARRAYS[name]))
    assert found.shape == ARRAYS[name].shape and np.array_equal(found, ARRAYS[name])


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_every_level_of_compression_is_read(folder, level):
    data = npy(ARRAYS["steps"])
    path = write_members(folder / f"level{level}.npz", {"x.npy": data}, zipfile.ZIP_DEFLATED, compresslevel=level)
    assert np.array_equal(read(folder, path, "x", "100x200xf32"), ARRAYS["steps"])


def test_an_archive_that_was_streamed_has_its_sizes_behind_its_members(folder):
    class Pipe(io.RawIOBase):
        """What cannot be rewound: zipfile then writes the sizes behind each member."""

        def __init__(self, file):
            self.file = file

        def writable(self):
            return True

        def write(self, data):
            return self.file.write(data)

    path = folder / "streamed.npz"
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file), "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("steps", "noise"):
            archive.writestr(f"{name}.npy", npy(ARRAYS[name]))
    assert np.array_equal(read(folder, path, "noise", "50x400xf32"), ARRAYS["noise"])


def test_headers_of_64_bits_are_read(folder):
    path = folder / "wide.npz"
    with zipfile.ZipFile(path, "w") as archive, archive.open("x.npy", "w", force_zip64=True) as member:
        member.write(npy(np.arange(4, dtype=np.float32)))
    assert read(folder, path, "x", "4xf32").tolist() == [0, 1, 2, 3]


def test_an_archive_of_many_members_is_read(folder):
    path = write_members(folder / "many.npz", {f"x{i}.npy": npy(np.float32(i)) for i in range(66000)})
    assert read(folder, path, "x65999", "f32") == 65999


def test_comments_folders_and_other_members_are_no_hindrance(folder):
    path = folder / "mixed.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = b"PK\5\6 is in this comment"
        archive.mkdir("folder") if hasattr(archive, "mkdir") else archive.writestr("folder/", "")
        archive.writestr("README.txt", "hello")
        archive.writestr("name.npy", npy(np.array("abc")))
        archive.writestr("folder/x.npy", npy(np.ones(4, np.float32)))
    assert read(folder, path, "folder/x", "4xf32").tolist() == [1] * 4
    assert "mixed.npz:README.txt: this member of the archive is not a .npy file" in refused(folder, path, "README.txt")
    assert "mixed.npz:name: the array has the dtype '<U3', which Tenon does not have" in refused(folder, path, "name")
    assert "there is no array 'y'; there are: README.txt, name, folder/x" in refused(folder, path, "y")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_are_named(folder, method):
    path = write_members(folder / f"method{method}.npz", {"x.npy": npy(np.ones(4, np.float32))}, method)
    assert f"this member is compressed by method {method}; expected 0 (stored) or 8 (deflated)" in refused(folder, path)


def test_damaged_elements_are_found_by_the_checksum(folder):
    path = write_members(folder / "damaged.npz", {"x.npy": npy(np.arange(1000, dtype=np.float32))})
    patch(path, 2000, b"\x55\xaa")
    assert "damaged.npz:x: the checksum is 0x" in refused(folder, path, kind="1000xf32")


@pytest.mark.parametrize("at", range(200, 1400, 100))
def test_damaged_compressed_elements_are_errors(folder, at):
    path = write_members(folder / "damaged.npz", {"x.npy": npy(np.arange(1000, dtype=np.float32))}, zipfile.ZIP_DEFLATED)
    patch(path, at, bytes([path.read_bytes()[at] ^ 0x55]))
    assert "damaged.npz:x: " in refused(folder, path, kind="1000xf32")


def test_members_that_overlap_are_refused(folder):
    path = write_members(folder / "overlap.npz", {"x.npy": npy(np.ones(4, np.float32)), "y.npy": npy(np.ones(4, np.float32))})
    data = path.read_bytes()
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)
    patch(path, second + 42, struct.pack("<I", 0))
    assert "the archive is damaged: two members overlap" in refused(folder, path)


def test_two_members_of_one_name_are_refused(folder):
    path = folder / "twice.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", npy(np.ones(4, np.float32)))
        archive.writestr("x", npy(np.ones(4, np.float32)))
    assert "there are two arrays 'x'" in refused(folder, path)


@pytest.mark.parametrize("cut", [0, 1, 4, 21, 22, 60, 200])
def test_archives_that_are_cut_off_are_errors(folder, cut):
    path = write_members(folder / f"cut{cut}.npz", {"x.npy": npy(np.ones(4, np.float32))})
    path.write_bytes(path.read_bytes()[:cut])
    assert "this is not a .npz archive, or its end is missing" in refused(folder, path)


def test_damaged_directories_are_errors(folder):
    whole = write_members(folder / "whole.npz", {"x.npy": npy(np.ones(4, np.float32)), "y.npy": npy(np.ones(4, np.float32))}).read_bytes()
    begin, path, program = whole.index(b"PK\1\2"), folder / "bits.npz", identity(folder, "4xf32")
    for at in range(begin, len(whole), 3):
        data = bytearray(whole)
        data[at] ^= 0xFF
        path.write_bytes(data)
        done = subprocess.run([COMMAND, "run", program, "-i", f"{path}:x"], capture_output=True, text=True, timeout=600)
        assert done.returncode in (0, 1), (at, done)


def bomb(folder, name, shape, zeros, stated=None):
    """A header that promises much, in front of zeros that were deflated to a thousandth."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({shape},), }}".ljust(117) + "\n"
    header = b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive, archive.open("x.npy", "w", force_zip64=True) as member:
        member.write(header)
        for _ in range(zeros):
            member.write(bytes(1 << 20))
    if stated is not None:
        data = path.read_bytes()
        patch(path, data.index(b"PK\1\2") + 24, struct.pack("<I", stated))
    return path


def peak_of(folder, path, kind, *options):
    """The error, and the largest memory of the command in KiB."""
    code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode); print(done.stderr)")
    out = subprocess.run([sys.executable, "-c", code, COMMAND, "run", identity(folder, kind), "-i", f"{path}:x", *options],
                         check=True, capture_output=True, text=True).stdout
    numbers, error = out.split("\n", 1)
    peak, returned = map(int, numbers.split())
    assert returned == 1
    return error, peak


MUCH = 200 << 20


def test_sizes_are_looked_at_before_anything_is_inflated(folder):
    path = bomb(folder, "bomb.npz", MUCH, MUCH >> 20)
    assert path.stat().st_size < 1 << 20
    error, peak = peak_of(folder, path, f"{MUCH}xui8", "--memory-limit", "16M")
    assert "asked for 209715200 bytes" in error and peak < 100 << 10
    error, peak = peak_of(folder, path, "4xui8")
    assert "the array is tensor<209715200xui8>; expected tensor<4xui8>" in error and peak < 100 << 10


def test_more_bytes_than_the_archive_states_are_not_taken(folder):
    header_length = 128
    path = bomb(folder, "liar.npz", 1000, MUCH >> 20, stated=header_length + 1000)
    error, peak = peak_of(folder, path, "1000xui8")
    assert f"there are more than the {header_length + 1000} bytes that the archive states" in error and peak < 100 << 10


def test_a_size_that_the_shape_does_not_have_is_an_error(folder):
    path = bomb(folder, "short.npz", 4, 1)
    assert "1048576 bytes of elements; the shape needs 4" in refused(folder, path, kind="4xui8")


def test_what_is_written_is_read_by_numpy_and_again(folder):
    path = folder / "written.npz"
    tenon("run", identity(folder, "3xf32"), "-i", "iota", "-o", f"{path}:größe/x")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and archive.namelist() == ["größe/x.npy"]
    assert np.load(path)["größe/x"].tolist() == [0, 1, 2]
    assert read(folder, path, "größe/x", "3xf32").tolist() == [0, 1, 2]


def test_without_zlib_stored_members_are_read_and_deflated_ones_say_what_is_missing(folder, tmp_path):
    (tmp_path / "libz.so.1").write_text("not a library")
    stored = write_members(folder / "plain.npz", {"x.npy": npy(np.ones(4, np.float32))})
    packed = write_members(folder / "packed.npz", {"x.npy": npy(np.ones(4, np.float32))}, zipfile.ZIP_DEFLATED)
    tenon("run", identity(folder, "4xf32"), "-i", f"{stored}:x", LD_LIBRARY_PATH=str(tmp_path))
    error = refused(folder, packed, LD_LIBRARY_PATH=str(tmp_path))
    assert "packed.npz:x: it is compressed, and zlib (libz.so.1), which inflates it, cannot be loaded" in error
