# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Writes what README.md and docs/performance.md say of measurements, bench/results.md and docs/performance.svg, from figures.json.

    python3 bench/documents.py            writes them
    python3 bench/documents.py --check    fails if one of them says something else

A table of a document follows a comment that names it; results.md is written whole.
"""

import json
import math
import pathlib
import re
import statistics
import sys

import families
import picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = json.loads((ROOT / "bench/figures.json").read_text())
MARK = re.compile(r"(<!-- bench/documents\.py: (\w+) -->\n\n)((?:\|.*\n)+)")
RESULTS = "bench/results.md"
PICTURE = "docs/performance.svg"
COLUMNS = {"tenon_ms": "Tenon, ms", "without_libraries_ms": "without libraries", "xla_ms": "XLA", "numpy_ms": "NumPy", "mlx_ms": "MLX",
           "pytorch_ms": "PyTorch", "limit_ms": "limit"}
MODEL_COLUMNS = {"operations": "operations", "tenon_compile_ms": "compile, ms", "xla_compile_ms": "by XLA", "plan_mb": "plan, MB",
                 "xla_mb": "XLA's", "tenon_ms": "Tenon, ms", "without_libraries_ms": "without libraries", "xla_ms": "XLA, ms"}


def rows_of(script):
    return RECORD[script]["rows"]


def command_of(script):
    return f"`{RECORD[script]['command']}`"


def shown(value):
    """Three digits at most, without an exponent; nothing for what was not measured."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def ratios(rows, key="tenon_ms", peer="xla_ms"):
    """How many times as long the peer takes, by title."""
    return {title: row[peer] / row[key] for title, row in rows.items() if row.get(peer) and row.get(key)}


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def mean_cell(rows, **keys):
    values = ratios(rows, **keys).values()
    return f"{mean(values):.2f}" if values else ""


def extreme(rows, choose):
    return f"{choose(ratios(rows).values()):.2f}"


# -- what it costs


def costs():
    """What is measured, Tenon's figure, the peer's figure, their unit, the peer, the script."""
    call, walk, header = rows_of("call"), rows_of("walk"), rows_of("header")
    small, large = (call[f"{case}; custom.h, cc"] for case in ("1 operand, 1 result", "6 operands, 2 attributes, 2 results"))
    start, compile_ = walk["a process from start to printed result"], walk["x + 1, text to a runnable program"]
    block = walk["gradient of a transformer block, text to a runnable program"]
    python = rows_of("start")
    return [
        ("a process from start to printed result", start["tenon_ms"], start["jax_ms"], "ms", "Python and JAX", "walk"),
        ("the same in Python", python["tenon.core"]["ms"], python["JAX"]["ms"], "ms", "Python and JAX", "start"),
        ("a custom call with 1 operand, without the kernel's own time", small["tenon_ns"], small["xla_ns"], "ns", "XLA", "call"),
        ("a custom call with 6 operands, 2 attributes, 2 results", large["tenon_ns"], large["xla_ns"], "ns", "XLA", "call"),
        ("compiling a kernel (CPU time)", header["custom.h, gcc"]["cpu_s"], header["ffi.h, g++"]["cpu_s"], "s", "XLA's `ffi.h`", "header"),
        ("`x + 1` from text to a runnable program", compile_["tenon_ms"], compile_["xla_ms"], "ms", "XLA", "walk"),
        ("1000 custom calls from text to a runnable program", small["tenon_compile_ms"], small["xla_compile_ms"], "ms", "XLA", "call"),
        ("the gradient of a transformer block from text to a runnable program", block["tenon_ms"], block["xla_ms"], "ms", "XLA", "walk"),
    ]


README_COSTS = {0: "a process from start to printed result", 2: "a custom call, without the kernel's own time",
                4: "compiling a kernel (CPU time)", 5: "`x + 1` from text to a runnable program"}
# Sizes of files, which test/cli/test_documents.py compares with the build and with the installed jaxlib.
LIBRARY = ["library", "5 MB; needs only the C library", "jaxlib: 357 MB"]


def first_screen():
    rows, every = [LIBRARY], costs()
    for number, title in README_COSTS.items():
        _, mine, other, unit, peer, _ = every[number]
        rows.append([title, f"{shown(mine)} {unit}", f"{peer}: {shown(other)} {unit}"])
    return table(["Cost", "Tenon", "Alternative"], rows)


def at_a_glance():
    return table(["", "Tenon", "alternative", "ratio", "script"],
                 [[title, f"{shown(mine)} {unit}", f"{peer}: {shown(other)} {unit}", shown(other / mine),
                   "`" + re.search(r"bench/\S+", RECORD[script]["command"])[0] + "`"]
                  for title, mine, other, unit, peer, script in costs()])


# -- kernels and models


def kernels():
    ledger = rows_of("ledger")
    rows = []
    for family, group in families.grouped(families.KERNELS, ledger).items():
        rows.append([family, str(len(group)), mean_cell(group), extreme(group, min), extreme(group, max),
                     *(mean_cell(group, peer=f"{peer}_ms") for peer in ("numpy", "mlx", "pytorch"))])
    return table(["family", "rows", "XLA / Tenon", "lowest", "highest", "NumPy / Tenon", "MLX / Tenon", "PyTorch / Tenon"], rows)


def slow():
    """Every kernel and model that takes longer than in XLA by more than a tenth."""
    every = [(ratio, title, row) for script in ("ledger", "models") for (title, ratio), row in
             zip(ratios(rows_of(script)).items(), rows_of(script).values())]
    return table(["", "Tenon, ms", "XLA, ms", "XLA / Tenon"],
                 [[title, shown(row["tenon_ms"]), shown(row["xla_ms"]), f"{ratio:.2f}"] for ratio, title, row in sorted(every, key=lambda it: it[0])
                  if ratio < 0.9])


def models():
    rows = []
    for family, group in families.grouped(families.MODELS, rows_of("models")).items():
        rows.append([family, str(len(group)), mean_cell(group), extreme(group, min), extreme(group, max),
                     mean_cell(group, key="tenon_compile_ms", peer="xla_compile_ms"), mean_cell(group, key="plan_mb", peer="xla_mb")])
    return table(["family", "models", "XLA / Tenon", "lowest", "highest", "compile time, XLA / Tenon", "temporaries, XLA / Tenon"], rows)


def python():
    calls, operation, start, training = (rows_of(name) for name in ("dispatch", "operation", "start", "transformer"))
    rows = [[f"`{title}`, lazily" if title != "eval(x + y)" else f"`{title}`", f"{shown(row['tenon_us'])} us", f"{shown(row['mlx_us'])} us"]
            for title, row in calls.items()]
    chain = calls["x + y"]
    rows.insert(1, ["its evaluation, in a chain of 2000", f"{shown(chain['tenon_evaluation_us'])} us", f"{shown(chain['mlx_evaluation_us'])} us"])
    rows += [[f"a user's operation, `{title}`, lazily", f"{shown(row['tenon_us'])} us", ""] for title, row in operation.items()]
    rows.append([f"a process from start to the first result (Python alone: {shown(start['Python alone']['ms'])} ms)",
                 *(f"{shown(start[core]['ms'])} ms" for core in ("tenon.core", "mlx.core"))])
    for how, title in (("plain", "a training step of a transformer block of `mlx.nn` (batch 4, 32 tokens, width 64, Adam)"), ("compiled", "the same, compiled")):
        step = training[how]
        rows.append([title, *(f"{shown(step[f'{core}_ms'])} ms, {step[f'{core}_mib']} MiB" for core in ("tenon", "mlx"))])
    return table(["", "`tenon.core`", "`mlx.core`"], rows)


GPU = {"add": "x + y", "tanh(x) * y + x": "tanh(x) y + x", "axpby (a custom call)": "a x + b y as a custom operation",
       "softmax": "softmax of rows"}


def gpu():
    rows = rows_of("gpu")
    titles = [title.removesuffix(", 4096 x 4096") for title in rows if title.endswith(", 4096 x 4096")]
    return table(["", "4096 x 4096 f32, ms", "GB/s", "8192 x 8192 f32, ms", "GB/s"],
                 [[GPU.get(title, title), *(shown(rows[f"{title}, {n} x {n}"][key]) for n in (4096, 8192) for key in ("ms", "gb_s"))]
                  for title in titles])


# -- the long tables


def ledger_table(rows, columns):
    return table(["", *columns.values(), "XLA / Tenon"],
                 [[title, *(shown(row.get(key)) for key in columns), f"{row['xla_ms'] / row['tenon_ms']:.2f}"] for title, row in rows.items()])


def call_table():
    return table(["call", "the handler, ns", "Tenon's own", "XLA's own", "1000 calls compiled, ms", "by XLA"],
                 [[title, *(shown(row.get(key)) for key in ("handler_ns", "tenon_ns", "xla_ns", "tenon_compile_ms", "xla_compile_ms"))]
                  for title, row in rows_of("call").items()])


def column(key):
    """Of "tenon_first_ms": "Tenon first, ms"."""
    names = {"tenon": "Tenon", "xla": "XLA", "jax": "JAX", "mlx": "MLX", "mib": "MiB"}
    *words, unit = [names.get(word, word) for word in key.replace("gb_s", "GB/s").split("_")]
    return f"{' '.join(words)}, {unit}" if words else unit


def plain_table(script):
    """All rows as they are recorded."""
    rows = rows_of(script)
    keys = list(dict.fromkeys(key for row in rows.values() for key in row))
    return table(["", *map(column, keys)], [[title, *(shown(row.get(key)) for key in keys)] for title, row in rows.items()])


def section(script, heading, remark, *tables):
    where = f"{RECORD[script]['measured']}, {RECORD[script]['machine']}."
    return "\n".join([f"## {heading}\n", f"{command_of(script)}\n", f"{where} {remark}".rstrip() + "\n", *tables])


def means(rows):
    peers = [("Tenon", mean_cell(rows)), ("Tenon without libraries", mean_cell(rows, key="without_libraries_ms"))]
    other = [f"{name}'s over Tenon's {mean_cell(rows, peer=f'{name.lower()}_ms')} ({len(ratios(rows, peer=f'{name.lower()}_ms'))} rows)"
             for name in ("NumPy", "MLX", "PyTorch") if ratios(rows, peer=f"{name.lower()}_ms")]
    text = "XLA's time over that of " + ", ".join(f"{name}: {value}" for name, value in peers)
    return f"Geometric means of {len(rows)} rows. " + "; ".join([text, *other]) + ".\n"


def results():
    ledger = families.grouped(families.KERNELS, rows_of("ledger"))
    loops = ledger.pop("loops of small operations")
    every = {title: row for group in ledger.values() for title, row in group.items()}
    parts = ["# Results\n", "Every row from which [docs/performance.md](../docs/performance.md) is derived, as recorded in `figures.json`. A script with\n"
             "`--record` writes its rows of the record, `python3 bench/documents.py` this page. An empty cell was not measured.\n"]
    parts.append(section("walk", "Start and compilation", "", plain_table("walk")))
    parts.append(section("call", "Custom calls", "The runtime's own time is what a call takes beyond the handler.", call_table()))
    parts.append(section("header", "Compiling a kernel", "One elementwise handler, `-O2`.", table(
        ["", "CPU s", "memory, MiB"], [[title, shown(row["cpu_s"]), shown(row["mib"])] for title, row in rows_of("header").items()])))
    parts.append(section("ledger", "Kernels", "The limit is what NumPy's copies and matrix products reach; its copies read what they write, so "
                         "stores and reads alone can be faster.", means(every),
                         *(f"### {family[0].upper()}{family[1:]}\n\n{ledger_table(group, COLUMNS)}" for family, group in ledger.items()),
                         "### Loops of small operations\n\nTenon interprets them as threaded code; XLA compiles them.\n\n"
                         + ledger_table(loops, {key: COLUMNS[key] for key in ("tenon_ms", "without_libraries_ms", "xla_ms")})))
    parts.append(section("models", "Models", "Random weights, exported by `jax.export`; both run the same module on the same arrays. The plan is the "
                         "memory of temporaries.", means(rows_of("models")), ledger_table(rows_of("models"), MODEL_COLUMNS)))
    for script, heading in (("dispatch", "Python: calls"), ("operation", "Python: a user's operation"), ("start", "Python: start"),
                            ("transformer", "Python: a training step"), ("gpu", "GPU")):
        parts.append(section(script, heading, "", plain_table(script)))
    return "\n".join(parts)


TABLES = {"first_screen": first_screen, "at_a_glance": at_a_glance, "kernels": kernels, "slow": slow, "models": models, "python": python, "gpu": gpu}


def bars():
    """The rows of the picture: a title, and the lowest, mean and highest of how many times as fast Tenon is."""
    every = families.grouped(families.KERNELS, rows_of("ledger")) | {f"models: {family}": group for family, group in families.grouped(
        families.MODELS, rows_of("models")).items()}
    shares = {family: list(ratios(group).values()) for family, group in every.items()}
    single = [(title.replace("`", ""), *[other / mine] * 3) for title, mine, other, *_ in costs()]
    return {"Costs": single, "Kernels and models": [(family, min(values), mean(values), max(values)) for family, values in shares.items()]}


def written():
    """Every file that is made from the record, and what it should hold."""
    for name in ("README.md", "docs/performance.md"):
        text = (ROOT / name).read_text()
        yield name, MARK.sub(lambda match: match[1] + TABLES[match[2]](), text)
    yield RESULTS, results()
    yield PICTURE, picture.draw(bars())


def main():
    for name, text in written():
        path = ROOT / name
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            raise SystemExit(f"{name} says something else than bench/figures.json: run bench/documents.py")


if __name__ == "__main__":
    main()
