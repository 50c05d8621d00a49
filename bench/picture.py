# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Draws docs/performance.svg: how many times as fast as the alternative, on a logarithmic scale, losses left of 1.

documents.py writes the picture, from figures.json.
"""

import html
import math

LABELS, WIDTH, ROW, TOP, RIGHT = 480, 900, 22, 74, 62
LOWEST, HIGHEST = 0.25, 4000
TICKS = (0.5, 1, 2, 10, 100, 1000)
# Light, and dark where the reader's page is dark.
STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0 } .one { stroke: #59636e }
  .win { fill: #2f6f9f } .loss { fill: #bc4c00 } .mean { fill: #ffffff; stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9198a1 } .grid { stroke: #3d444d } .one { stroke: #9198a1 }
    .win { fill: #4c9fd6 } .loss { fill: #f0883e } .mean { fill: #0d1117; stroke: #e6edf3 }
  }
"""


def at(ratio):
    """Where a ratio is, from left to right."""
    share = (math.log(ratio) - math.log(LOWEST)) / (math.log(HIGHEST) - math.log(LOWEST))
    return round(LABELS + share * (WIDTH - RIGHT - LABELS), 1)


def text(x, y, content, kind="text", anchor="start", size=13, more=""):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}" font-size="{size}"{more}>{html.escape(content)}</text>'


def label(y, title):
    return text(LABELS - 10, y, title, anchor="end", size=12.5)


def bar(y, low, high, height):
    """From low to high, in two colours where 1 is between them."""
    for kind, left, right in (("loss", low, min(1, high)), ("win", max(1, low), high)):
        if right > left:
            yield f'<rect x="{at(left)}" y="{y}" width="{round(at(right) - at(left), 1)}" height="{height}" class="{kind}"/>'


def row(y, title, low, mean, high):
    yield label(y + 15, title)
    if low == high:
        yield from bar(y + 4, min(1, mean), max(1, mean), 14)
    else:
        yield from bar(y + 8, low, high, 6)
        yield f'<circle cx="{at(mean)}" cy="{y + 11}" r="4.5" class="mean"/>'
    yield text(at(max(1, high)) + 10, y + 15, f"{mean:,.0f}" if mean >= 10 else f"{mean:.2f}", size=12.5)


def draw(groups):
    """`groups`: by heading, rows of a title, and of how many times as fast at the lowest, in the mean, and at the highest."""
    height = TOP + sum(28 + ROW * len(rows) for rows in groups.values()) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="system-ui, -apple-system, \'Segoe UI\', \'DejaVu Sans\', sans-serif">',
           "<title>How many times as fast as the alternative Tenon is</title>", f"<style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{height}" rx="6" class="page"/>',
           text(16, 26, "The alternative's time / Tenon's time", size=15, more=' font-weight="bold"'),
           text(16, 45, "left of 1 Tenon is slower. Bars: one figure; lines: the slowest to the fastest row, with the geometric mean", "soft",
                size=12)]
    for tick in TICKS:
        kind = "one" if tick == 1 else "grid"
        out += [f'<line x1="{at(tick)}" y1="{TOP}" x2="{at(tick)}" y2="{height - 10}" class="{kind}"/>',
                text(at(tick), TOP - 6, f"{tick:,g}x", "soft", "middle", 12)]
    y = TOP
    for heading, rows in groups.items():
        out.append(text(16, y + 18, heading, size=13, more=' font-weight="bold"'))
        y += 28
        for one in rows:
            out += row(y, *one)
            y += ROW
    return "\n".join([*out, "</svg>", ""])
