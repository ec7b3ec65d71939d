"""Money and energy

A machine is paid for by the hour, whether it works or waits, and its tokens share the bill. So a token costs what the
seconds cost in which it is made, and whatever makes more tokens in a second makes them cheaper: a larger batch most of
all, until arithmetic takes as long as reading.
"""

ORDER = (
    "cost_per_token",
    "energy_per_token",
    "larger_batch_costs_no_more",
    "output_cost_ratio_with_cache",
)
