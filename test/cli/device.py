# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The devices of this machine."""

import json
import os
import subprocess


def all():
    listed = subprocess.run([os.environ["TENON_CLI"], "devices", "--json"], capture_output=True, text=True, check=True)
    return [device["name"] for device in json.loads(listed.stdout)]


def others():
    """Those whose memory the host cannot see."""
    return [name for name in all() if name != "cpu"]
