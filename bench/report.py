# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the scripts here print, and the record of it that the documents are written from."""

import importlib.metadata
import json
import os
import pathlib
import re
import time

RECORD = pathlib.Path(__file__).with_name("figures.json")


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def machine(*packages):
    """The processor, and the versions of what was measured."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    versions = [f"{package} {importlib.metadata.version(package)}" for package in packages]
    return "; ".join([f"{cores} cores of {model[1] if model else os.uname().machine}", *versions])


def rounded(value):
    """Three digits: more are noise."""
    return float(f"{value:.3g}") if isinstance(value, float) else value


def record(name, command, rows, where, keep=False):
    """Puts rows of figures into figures.json, under the name of their script, in the place of all rows there or, with `keep`,
    of those with the same titles. Then documents.py writes what the documents say of them."""
    everything = json.loads(RECORD.read_text())
    kept = everything[name]["rows"] if keep and name in everything else {}
    for title, figures in rows.items():
        kept[title] = {key: rounded(value) for key, value in figures.items() if value is not None}
    everything[name] = {"command": command, "measured": time.strftime("%B %Y"), "machine": where, "rows": kept}
    RECORD.write_text(written(everything))


def written(everything):
    """One line for each row, so that a difference can be read."""
    sections = []
    for name, section in sorted(everything.items()):
        head = [f"  {json.dumps(key)}: {json.dumps(section[key])}," for key in ("command", "measured", "machine")]
        rows = ",\n".join(f"   {json.dumps(title)}: {json.dumps(figures)}" for title, figures in section["rows"].items())
        sections.append("\n".join([f" {json.dumps(name)}: {{", *head, f'  "rows": {{\n{rows}\n  }}\n }}']))
    return "{\n" + ",\n".join(sections) + "\n}\n"
