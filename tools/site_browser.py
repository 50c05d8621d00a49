# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Looks at every page of the site in a headless Chromium, on a light and on a dark page; tools/site --check runs it.

  build/site-venv/bin/python tools/site_browser.py FOLDER

Prints each problem: an error in the console, a file that does not load, a link that leads nowhere, a table or a page that
needs a scroll bar at 1280 pixels, a picture that is wider than the text, a text of a picture outside of its frame, a page that
is not dark where the reader's system is. Without Chromium or Playwright it says so, and nothing is looked at.
"""

import contextlib
import functools
import http.server
import pathlib
import shutil
import sys
import threading
import urllib.parse

WIDTH, HEIGHT = 1280, 800
TOLERANCE = 2  # pixels
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# What one page has: its links and the anchors that links may lead to, and what does not fit.
PAGE = """tolerance => {
  const seen = element => element.getClientRects().length > 0;
  const wide = element => element.scrollWidth > element.clientWidth + tolerance;
  const text = document.querySelector('article') || document.body;
  const right = text.getBoundingClientRect().right + tolerance;
  return {
    links: [...document.querySelectorAll('a[href]')].map(link => link.href),
    anchors: [...document.querySelectorAll('[id], a[name]')].map(element => element.id || element.name),
    isWide: wide(document.documentElement),
    tables: [...text.querySelectorAll('table')].filter(table => seen(table) && !table.closest('.highlight'))
      .filter(table => table.getBoundingClientRect().right > right || wide(table.parentElement))
      .map(table => table.innerText.slice(0, 40)),
    pictures: [...text.querySelectorAll('img')].filter(seen)
      .filter(picture => !picture.naturalWidth || picture.getBoundingClientRect().right > right).map(picture => picture.src),
    code: [...text.querySelectorAll('code.language-c, .language-c code, .language-python code')].map(code => code.children.length),
    background: getComputedStyle(document.body).backgroundColor,
  };
}"""

# The texts of a picture that leave it, or leave the smallest box that they are anchored in.
PICTURE = """tolerance => {
  const inside = (part, frame) => part.left >= frame.left - tolerance && part.right <= frame.right + tolerance &&
    part.top >= frame.top - tolerance && part.bottom <= frame.bottom + tolerance;
  const picture = document.documentElement.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('rect')].map(box => box.getBoundingClientRect());
  const area = box => box.width * box.height;
  return [...document.querySelectorAll('text')].filter(text => {
    const part = text.getBoundingClientRect(), y = (part.top + part.bottom) / 2;
    const x = {start: part.left + 1, middle: (part.left + part.right) / 2, end: part.right - 1}[getComputedStyle(text).textAnchor];
    const around = boxes.filter(box => box.left < x && x < box.right && box.top < y && y < box.bottom);
    const smallest = around.reduce((one, other) => !one || area(other) < area(one) ? other : one, null);
    return !inside(part, picture) || smallest && !inside(part, smallest);
  }).map(text => text.textContent);
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/favicon.ico":  # of a picture that is opened by itself
            self.send_response(http.HTTPStatus.NO_CONTENT)
            self.end_headers()
        else:
            super().do_GET()


@contextlib.contextmanager
def served(folder):
    """The address at which the folder can be read."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def is_dark(colour):
    """Of "rgb(r, g, b)"."""
    return sum(float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3]) < 3 * 100


class Visit:
    """One kind of reader, and the problems that pages have for them."""

    def __init__(self, browser, address, scheme):
        self.address, self.scheme, self.problems = address, scheme, []
        self.tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
        self.name = ""
        self.tab.on("console", lambda message: message.type == "error" and self.say(f"console: {message.text}"))
        self.tab.on("pageerror", lambda error: self.say(f"error: {error}"))
        self.tab.on("requestfailed", self.failed)
        self.tab.on("response", lambda response: response.status >= 400 and self.say(f"{response.url} does not load: {response.status}"))
        self.tab.on("request", lambda request: self.is_foreign(request.url) and self.say(f"loads {request.url}, which is not of the site"))

    def failed(self, request):
        if "ERR_ABORTED" not in (request.failure or ""):  # the next page was asked for meanwhile
            self.say(f"{request.url} does not load: {request.failure}")

    def is_foreign(self, url):
        return not url.startswith((self.address, "data:", "blob:"))

    def say(self, problem):
        self.problems.append(f"{self.name} ({self.scheme}): {problem}")

    def page(self, name):
        self.name = name
        self.tab.goto(f"{self.address}/{name}", wait_until="load")
        found = self.tab.evaluate(PAGE, TOLERANCE)
        if found["isWide"]:
            self.say(f"wider than {WIDTH} pixels")
        for table in found["tables"]:
            self.say(f"a table needs a scroll bar: {table!r}")
        for picture in found["pictures"]:
            self.say(f"the picture {picture} is missing, or wider than the text")
        if found["code"] and not any(found["code"]):
            self.say("code is not highlighted")
        if is_dark(found["background"]) != (self.scheme == "dark"):
            self.say(f"the background is {found['background']}")
        return found

    def picture(self, name):
        self.name = name
        self.tab.goto(f"{self.address}/{name}", wait_until="load")
        for text in self.tab.evaluate(PICTURE, TOLERANCE):
            self.say(f"{text!r} is outside of its frame")


def broken_links(address, pages, folder):
    """Those that lead to no file of the site, or to no anchor of a page."""
    for name, found in pages.items():
        for link in found["links"]:
            target, _, anchor = link.removeprefix(address + "/").partition("#")
            if not link.startswith(address):
                continue
            target = urllib.parse.unquote(target) or "index.html"
            target = target + "index.html" if target.endswith("/") else target
            if not (folder / target).is_file():
                yield f"{name}: the link to {target} leads nowhere"
            elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target]["anchors"]:
                yield f"{name}: {target} has no #{anchor}"


def look(browser, address, folder):
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
    pictures = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.svg"))
    light, dark = (Visit(browser, address, scheme) for scheme in ("light", "dark"))
    pages = {name: light.page(name) for name in names}
    for name in names:
        if "/" not in name or name.startswith("docs/"):
            dark.page(name)
    for visit in (light, dark):
        for name in pictures:
            visit.picture(name)
    return [*light.problems, *dark.problems, *sorted(set(broken_links(address, pages, folder)))]


def main(folder):
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("skipped: Playwright is not installed (tools/setup site browser)")
        return 0
    if not CHROMIUM:
        print("skipped: Chromium is not installed (tools/setup site browser)")
        return 0
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        problems = look(browser, address, folder)
        browser.close()
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
