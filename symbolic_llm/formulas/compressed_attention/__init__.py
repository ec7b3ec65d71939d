"""Compressed attention

One vector of a token is key and value for all heads. A block keeps those of a window, and beyond it one entry for each
run of tokens: compressed sparse attention (CSA) of short runs, of which an index picks, heavily compressed attention
(HCA) of long ones. DeepSeek-V4 has it, with several residual streams that are mixed before each layer.
"""

ORDER = (
    "shared_vector_parameters",
    "compressor_parameters",
    "overlapping_compressor_parameters",
    "entry_index_parameters",
    "compression_vector_parameters",
    "stream_parameters",
    "stream_vector_parameters",
    "waiting_bytes",
)
