"""z = alpha * x + beta * y, an operation of its own."""

from tenon.ops import load_package

load_package(__name__)
