# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A minimal Debian in a folder, in which nothing is installed but what a test installs. It needs root and debootstrap."""

import os
import pathlib
import re
import shutil
import subprocess

ENVIRONMENT = {"HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive"}
# /proc and /dev, for one command: they go with its namespace.
ENTER = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && cd / && exec chroot "$@"'


def what_is_missing():
    """Why there can be none here; None: nothing is missing."""
    if os.geteuid() != 0:
        return "a minimal Debian is made by root only"
    return next((f"{name} is not installed" for name in ("debootstrap", "unshare", "chroot") if not shutil.which(name)), None)


def mirror():
    texts = [path.read_text() for path in pathlib.Path("/etc/apt").rglob("*") if path.suffix in (".list", ".sources")]
    found = re.search(r"^(?:URIs: *|deb (?:\[.*?\] )?)(\S+/debian/?)\s", "\n".join(texts), re.MULTILINE)
    return found[1] if found else "http://deb.debian.org/debian"


def run(*command, log=None, **options):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **options)
    if log:
        pathlib.Path(log).write_text(done.stdout)
    assert done.returncode == 0, f"$ {' '.join(map(str, command))}\n{done.stdout[-8000:]}"
    return done.stdout


def base_system(cache, release):
    """The archive of a release with nothing but what every Debian has, made once."""
    archive = cache / f"debian-{release}.tar"
    if not archive.exists():
        folder = cache / f"debian-{release}.new"
        shutil.rmtree(folder, ignore_errors=True)
        # A debootstrap that is older than the release knows how to make the one that is always the newest.
        scripts = pathlib.Path("/usr/share/debootstrap/scripts")
        script = [] if (scripts / release).exists() else [scripts / "sid"]
        run("debootstrap", "--variant=minbase", "--include=ca-certificates", release, folder, mirror(), *script)
        run("tar", "-C", folder, "-cf", f"{archive}.new", ".")
        os.replace(f"{archive}.new", archive)
        shutil.rmtree(folder)
    return archive


class Debian:
    def __init__(self, root, cache, release="bookworm"):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True)
        run("tar", "-C", self.root, "-xf", base_system(cache, release))
        # How this machine reaches its mirrors.
        for name in ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"):
            if pathlib.Path(name).exists():
                shutil.copy(name, str(self.root) + name)
        for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copy(path, self.root / "etc/apt/apt.conf.d")
        # A mirror may be a copy of some day.
        (self.root / "etc/apt/apt.conf.d/10mirror").write_text('Acquire::Check-Valid-Until "false";\n')
        self.proxies = {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}

    def run(self, command, log=None, **environment):
        """A command of the shell, in the folder /srv."""
        settings = [f"{key}={value}" for key, value in (ENVIRONMENT | self.proxies | environment).items()]
        return run("unshare", "--mount", "sh", "-c", ENTER, "sh", self.root, "/usr/bin/env", "-i", *settings, "sh", "-c",
                   f"cd /srv && {command}", log=log)

    def install(self, *packages):
        self.run("apt-get -q update")
        self.run(f"apt-get -q -y install --no-install-recommends {' '.join(packages)}")

    def take(self, *paths):
        for path in paths:
            target = self.root / "srv" / pathlib.Path(path).name
            if pathlib.Path(path).is_dir():
                shutil.copytree(path, target)
            else:
                shutil.copy(path, target)
