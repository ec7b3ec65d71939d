"""Embedding and output matrix

Every token has a row in the embedding, and the output matrix makes logits of the last vector. They may be one matrix;
where they are narrower than the model, two more lead from their width to its own and back.
"""

ORDER = (
    "embedding_parameters",
    "projection_parameters",
)
