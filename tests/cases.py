"""Presets that the tests of the answers ask with"""

from __future__ import annotations

A100 = {"hardware": "a100-80gb-pcie", "dtype": "fp16"}
A10 = {"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16"}
