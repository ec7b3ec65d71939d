"""A second memory

A model that does not fit may lie in two memories: some layers in the machine's own, the others in a larger and slower
one, such as the main memory of the host. These layers are multiplied where they lie, or streamed over a link in every
step. Of a model with experts, experts go to the second memory and all else stays; of any other, whole layers go.
"""

ORDER = ("layers_that_fit", "offloaded_step_time", "streaming_break_even", "experts_move_first")
