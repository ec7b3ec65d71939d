"""The load of a server

A server prefills the prompts whose answers it decodes. How much it gives follows from two throughputs, that of its
prefills and that of its decoding steps, and from how many tokens of each kind arrive. So does how many servers keep up.
Either throughput may be a measured one, and a server may be several devices together.
"""

ORDER = ("served_throughput", "time_between_tokens", "stable_load")
