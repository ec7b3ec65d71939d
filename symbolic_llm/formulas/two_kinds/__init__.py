"""Heads of two kinds

Gemma 4 attends to a window in most blocks, and in the others to the whole context with fewer and wider key/value heads,
whose keys and values come from one matrix. So a token takes other bytes and other operations in the two kinds of
blocks: what the windows save of the cache is another share than what they save of the arithmetic.

In the small ones of Gemma 4 the last blocks keep nothing: they attend to what the last block of their kind before them
keeps. So fewer blocks keep a token than read it, and these have matrices for queries and output alone.

In MiMo-V2-Flash the heads of a window are twice as many, and in all blocks values are narrower than keys. What is kept
of a token is then a sum of both, and so is what it is multiplied with.
"""

ORDER = ("shared_key_attention_parameters", "two_width_attention_parameters")
