"""Windows

A block with a window attends to the last so many tokens and keeps no others. So it keeps and meets as much as any
block until the window is full, and no more from then on.
"""

ORDER = (
    "local_kv_bytes_per_token",
    "windowed_context_bytes",
)
