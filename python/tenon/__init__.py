"""Tenon: array programs with custom operations that are written once, in C."""
