# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""coverage_table.py SUMMARY: lines and branches by component, of what `llvm-cov export -summary-only` wrote."""

import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("src", "include", "cli", "python")


def component(path):
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] in ("src", "python") and len(parts) > 2 else parts[0]


def row(name, sums):
    cells = []
    for what in ("lines", "branches"):
        count, covered = sums[what]
        cells.append(f"{100 * covered / count:6.1f} %" if count else f"{'-':>8}")
    return f"{name:16} {sums['lines'][0]:7} {cells[0]} {sums['branches'][0]:9} {cells[1]}"


def main(summary):
    totals = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
    for file in json.loads(pathlib.Path(summary).read_text())["data"][0]["files"]:
        path = pathlib.Path(file["filename"]).resolve()
        if not any(path.is_relative_to(ROOT / part) for part in PARTS):
            continue
        for name in (component(path), "all"):
            for what, sums in totals[name].items():
                sums[0] += file["summary"][what]["count"]
                sums[1] += file["summary"][what]["covered"]
    print(f"{'component':16} {'lines':>7} {'reached':>8} {'branches':>9} {'reached':>8}")
    for name in sorted(totals, key=lambda name: (name == "all", name)):
        print(row(name, totals[name]))


if __name__ == "__main__":
    main(sys.argv[1])
