"""What the window is held to; `run.py` prints it beside the figures."""

from __future__ import annotations

__all__ = ["TARGETS"]

TARGETS: dict[str, float] = {
    "window_paint_ratio": 1.6,
    "window_input_ratio": 2.5,
    "window_key_median_ms": 8,
    "window_key_p95_ms": 16,
    "window_stall_p99_ms": 16,
    "window_stall_worst_ms": 50,
    "window_reload_median_ms": 300,
    "window_reload_p95_ms": 300,
    "window_1000_files_p99_ms": 16,
    "window_1000_files_worst_ms": 50,
    "store_stall_worst_ms": 50,
    "inspector_stall_worst_ms": 50,
}
"""The most that each of these may be."""
