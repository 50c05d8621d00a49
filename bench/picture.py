"""Draws docs/performance.svg from the first table of docs/performance.md: how many times faster than the peer.

    python3 bench/picture.py            writes the picture
    python3 bench/picture.py --check    fails if the picture is not that of the table
"""

import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
PICTURE = ROOT / "docs/performance.svg"
ROW = re.compile(r"^\| (.+?) \| ([\d.]+) (\w+) \| ([\d.]+) (\w+) \|", re.MULTILINE)

LABELS, BARS, HEIGHT, TOP = 420, 400, 26, 34


def rows():
    """What was measured, Tenon's time, the peer's time, and their ratio."""
    table = PAGE.read_text().split("## At a glance")[1].split("![")[0]
    for name, mine, unit, other, other_unit in ROW.findall(table):
        assert unit == other_unit, name
        yield name.replace("`", ""), f"{mine} {unit}", f"{other} {unit}", float(other) / float(mine)


def draw():
    measured = list(rows())
    decades = math.ceil(max(math.log10(ratio) for *_, ratio in measured))
    width, height = LABELS + BARS + 90, TOP + HEIGHT * len(measured) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for decade in range(decades + 1):
        x = LABELS + BARS * decade / decades
        out += [f'<line x1="{x:.0f}" y1="{TOP - 8}" x2="{x:.0f}" y2="{height - 8}" stroke="#d0d7de"/>',
                f'<text x="{x:.0f}" y="{TOP - 14}" text-anchor="middle" fill="#57606a">{10 ** decade:,} times</text>']
    for number, (name, mine, other, ratio) in enumerate(measured):
        y = TOP + HEIGHT * number
        length = BARS * math.log10(ratio) / decades
        out += [f'<text x="{LABELS - 8}" y="{y + 15}" text-anchor="end" fill="#1f2328">{html.escape(name)}</text>',
                f'<rect x="{LABELS}" y="{y + 2}" width="{length:.0f}" height="{HEIGHT - 8}" rx="2" fill="#2f6f9f">'
                f'<title>{mine} against {other}</title></rect>',
                f'<text x="{LABELS + length + 6:.0f}" y="{y + 15}" fill="#1f2328">{ratio:,.0f}</text>']
    return "\n".join([*out, "</svg>", ""])


def main():
    picture = draw()
    if sys.argv[1:] != ["--check"]:
        PICTURE.write_text(picture)
    elif PICTURE.read_text() != picture:
        raise SystemExit("docs/performance.svg is not the picture of docs/performance.md: run bench/picture.py")


if __name__ == "__main__":
    main()
