"""Norms, biases and other vectors

What is no matrix: a weight for each number that a norm scales, a bias for each that a matrix gives, a sink for each
head. They are stored, and few beside the matrices; no product of a token is counted with them.
"""

ORDER = (
    "vector_parameters",
    "joint_query_key_norm_parameters",
    "query_key_value_biases",
)
