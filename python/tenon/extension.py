# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""For setup.py: packages with operations, built by `pip install .` and `python setup.py build_ext --inplace`.

    from setuptools import setup
    from tenon import extension

    setup(
        name="axpby",
        packages=["axpby"],
        ext_modules=[extension.Extension("axpby.axpby", ["axpby.c"])],
        cmdclass={"build_ext": extension.BuildExtension},
    )

puts axpby/libaxpby.so next to axpby/__init__.py, which loads it:

    from tenon.ops import load_package
    load_package(__name__)

so that `from axpby import axpby` works. Nothing here loads Tenon's library. pyproject.toml names the build's requirements:
`requires = ["setuptools>=70.1", "tenon-runtime"]`, and "cmake" and "ninja" for CMakeExtension where they are not installed.
"""

import os
import pathlib
import re
import shutil
import subprocess

import setuptools
from setuptools.command.build_ext import build_ext

from . import __main__ as places

__all__ = ["BuildExtension", "CMakeBuild", "CMakeExtension", "Extension"]


class Extension(setuptools.Extension):
    """A library of operations from C sources, without CMake: `Extension("pkg.name", ["name.c"])` is pkg/libname.so.

    Takes what setuptools.Extension takes. Tenon's headers are found, and nothing of Tenon is linked.

    kernels: of GPUs: a dict of lists of files, by the name of the `const tn_kernel_library_t` that their text becomes:
        Extension("pkg.rms_norm", ["rms_norm.c"], kernels={"rms_norm_kernels": ["rms_norm.cl"]}). Files that they include by
        #include "FILE" are next to them or in include_dirs.
    """

    def __init__(self, name, sources, *arguments, kernels=None, **keywords):
        super().__init__(name, sources, *arguments, **keywords)
        self.kernels = {library: list(files) for library, files in (kernels or {}).items()}
        self.depends = [*self.depends, *(file for files in self.kernels.values() for file in files)]


class CMakeExtension(setuptools.Extension):
    """Libraries of operations that a CMakeLists.txt builds: `CMakeExtension("pkg._ext")` puts them into the folder of pkg.

    name: of a module in the package; it says where, and there will be no such module.
    source_dir: of the CMakeLists.txt, from setup.py's folder.
    options: for CMake, such as ["-DUSE_X=ON"]. CMAKE_ARGS of the environment is added to them.
    """

    def __init__(self, name, source_dir="", options=()):
        super().__init__(name, sources=[])
        self.source_dir = os.path.abspath(source_dir)
        self.options = list(options)


class BuildExtension(build_ext):
    """build_ext for Extension and CMakeExtension; others are built as ever."""

    def build_extension(self, extension):
        folder = pathlib.Path(self.get_ext_fullpath(extension.name)).parent.absolute()
        if isinstance(extension, CMakeExtension):
            extension.folder = folder
            self.build_with_cmake(extension, folder)
        elif isinstance(extension, Extension):
            self.build_library(extension, folder)
        else:
            super().build_extension(extension)

    def get_ext_filename(self, fullname):
        extension = self.ext_map.get(fullname) if hasattr(self, "ext_map") else None
        extension = extension or next((it for it in self.extensions or [] if it.name == fullname), None)
        if not isinstance(extension, Extension):
            return super().get_ext_filename(fullname)
        *folders, name = fullname.split(".")
        return os.path.join(*folders, f"lib{name}.so")

    def copy_extensions_to_source(self):
        ours, others = [it for it in self.extensions if isinstance(it, CMakeExtension)], self.extensions
        self.extensions = [it for it in others if it not in ours]
        super().copy_extensions_to_source()
        self.extensions = others
        for extension in ours:
            package = extension.name.rpartition(".")[0]
            target = self.get_finalized_command("build_py").get_package_dir(package)
            for pattern in ["*.so", "*.kernels", "*.fatbin"]:
                for file in extension.folder.glob(pattern):
                    self.copy_file(file, os.path.join(target, file.name))

    def build_library(self, extension, folder):
        include = [str(places.PACKAGE / "include"), *(extension.include_dirs or [])]
        libraries = [self.write_kernels(library, files, extension.include_dirs or []) for library, files in extension.kernels.items()]
        objects = self.compiler.compile(
            [*extension.sources, *libraries], output_dir=self.build_temp, macros=extension.define_macros, include_dirs=include, debug=self.debug,
            extra_postargs=["-std=c11", "-O3", "-fPIC", *(extension.extra_compile_args or [])], depends=extension.depends)
        folder.mkdir(parents=True, exist_ok=True)
        self.compiler.link_shared_object(
            [*objects, *(extension.extra_objects or [])], str(folder / os.path.basename(self.get_ext_filename(extension.name))),
            libraries=extension.libraries, library_dirs=extension.library_dirs, runtime_library_dirs=extension.runtime_library_dirs,
            extra_postargs=["-Wl,-rpath,$ORIGIN", *(extension.extra_link_args or [])], debug=self.debug)

    def write_kernels(self, name, files, folders):
        """What tenon_add_kernel_library of CMake writes."""
        seen = set()
        text = "".join(bundle_kernels(pathlib.Path(file), folders, seen) + "\n" for file in files)
        source = ", ".join(map(str, text.encode()))
        path = pathlib.Path(self.build_temp, f"{name}.c")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#include <tenon/kernel.h>\nstatic const char source[] = {{{source}, 0}};\n"
                        f'extern __attribute__((visibility("hidden"))) const tn_kernel_library_t {name};\n'
                        f'const tn_kernel_library_t {name} = TN_KERNEL_LIBRARY("{name}", source);\n')
        return str(path)

    def build_with_cmake(self, extension, folder):
        if not shutil.which("cmake"):
            raise RuntimeError("CMake was not found; name it in build-system.requires of pyproject.toml, or install it")
        build = pathlib.Path(self.build_temp, extension.name).absolute()
        build.mkdir(parents=True, exist_ok=True)
        generator = ["-G", "Ninja"] if shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ else []
        jobs = str(self.parallel) if self.parallel and self.parallel is not True else str(os.cpu_count() or 1)
        subprocess.run(
            ["cmake", "-S", extension.source_dir, "-B", build, *generator, f"-DTenon_DIR={places.cmake_dir()}",
             f"-DCMAKE_BUILD_TYPE={'Debug' if self.debug else 'Release'}", f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={folder}",
             "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN", *extension.options,
             *os.environ.get("CMAKE_ARGS", "").split()], check=True)
        subprocess.run(["cmake", "--build", build, "--parallel", jobs], check=True)


def bundle_kernels(file, folders, seen):
    """The file with those that it includes by #include "FILE" in their place, each once; lines are counted as in the files."""
    seen.add(file.resolve())
    lines = [f'#line 1 "{file.name}"']
    for number, line in enumerate(file.read_text().split("\n"), 1):
        name = re.match(r'[ \t]*#[ \t]*include[ \t]*"([^"]+)"', line)
        if not name:
            lines.append(line)
            continue
        found = next((path for folder in [file.parent, *folders] if (path := pathlib.Path(folder, name[1])).exists()), None)
        if not found:
            raise FileNotFoundError(f"{file} includes \"{name[1]}\", which is neither next to it nor in include_dirs")
        if found.resolve() not in seen:
            lines += [bundle_kernels(found, folders, seen), f'#line {number} "{file.name}"']
        lines.append("")
    return "\n".join(lines)


CMakeBuild = BuildExtension  # the name that it has in mlx.extension
