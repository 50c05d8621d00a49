import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release")) / "python"))
