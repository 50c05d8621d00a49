"""StableHLO programs as functions of arrays."""

import collections
import os

from . import core

__all__ = ["Program", "Value", "load"]

Value = collections.namedtuple("Value", ["name", "shape", "dtype"])
Value.__doc__ = "An input or output of a program. Unknown dimensions are None."


class Program(core.Program):
    """A compiled program: call it with its inputs, by position or by name.

    Inputs are arrays of any package (the buffer protocol, DLPack, __array__) or nested lists of numbers. Arrays must have the
    input's dtype and shape; numbers and lists take its dtype. The result is an array of tenon.core, which NumPy, JAX and PyTorch take
    without a copy, or a tuple of them if there are several outputs.

    Thread-safe: any number of calls may be in progress at once, and Python's lock is released meanwhile.
    """

    def __call__(self, *inputs, donate=None, timeout=0, **named):
        """Runs the program.

        donate: numbers or names of inputs whose memory the run may overwrite, where nothing else uses it.
        timeout: seconds after which the run fails; 0: no limit.

        Raises TypeError for inputs that are missing or unknown, ValueError for those of another type, RuntimeError if a kernel fails.
        """
        return self.run(inputs, named, donate, timeout)

    @property
    def inputs(self):
        return tuple(Value(*it) for it in super().inputs)

    @property
    def outputs(self):
        return tuple(Value(*it) for it in super().outputs)

    def to_text(self, stage="program"):
        """The program at a stage: "ir" as it was read, "pass" after the passes, "plan" of its memory, "program" with kernels."""
        return self.print(stage, "text")

    def __repr__(self):
        return f"<tenon.Program: {', '.join(map(_spell, self.inputs))} -> {', '.join(map(_spell, self.outputs))}>"

    def _repr_svg_(self):
        """The memory of a run over time, for notebooks."""
        return self.print("plan", "svg")


def _spell(value):
    shape = "".join(f"{'?' if size is None else size}x" for size in value.shape)
    return f"{value.name + ': ' if value.name else ''}{shape}{value.dtype.name if value.dtype else 'token'}"


def load(source, *, function=None, device=None):
    """Compiles a StableHLO program, as text or as a portable artifact (what jax.export writes).

    source: a path, or the module itself as bytes.
    function: of the module; None: `main`, or the only one.
    device: tenon.core.cpu and so on; None: the default.

    Raises FileNotFoundError if there is no such file, ValueError with the place in the text for a module that is not valid,
    NotImplementedError for what is not supported.
    """
    return Program(bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else os.fspath(source), function, device)
