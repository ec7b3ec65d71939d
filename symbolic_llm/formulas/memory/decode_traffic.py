"""Bytes moved by one decoding step

Everything that crosses the memory bus when each sequence gets one new token: the weights once for the whole batch, the
embedding of each new token, and the cache of each sequence, which first takes in the new token and then is read.
Activations stay on the chip. The first term does not grow with the batch, but for the experts that only some of its
sequences pick: that is why batching pays.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import B, D_seq, D_step, D_weights, P_embedding, m_token, n_bytes, n_vocab
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import ONE, TOKEN

embedding_row = count(1, "each new token looks up its row of the embedding", ONE / TOKEN)
ROWS = B * one_token * embedding_row * P_embedding / n_vocab * n_bytes
WRITES = B * one_token * m_token

FORMULA = Formula(
    __name__,
    claim=Eq(D_step, D_weights + ROWS + B * D_seq + WRITES),
    models=CACHED,
    uses=(weight_bytes_read, embedding_parameters, context_bytes_read, kv_bytes_per_token),
    steps=(
        premise(
            D_weights,
            "every matrix that some sequence needs is read once, whatever the batch",
            measured_by="decode.bytes_moved[!embedding, !*.cache]",
        ),
        add(
            ROWS,
            D_weights + ROWS,
            "the embeddings of the new tokens",
            measured_by="decode.bytes_moved[embedding]",
        ),
        add(
            WRITES,
            D_weights + ROWS + WRITES,
            "their keys and values are stored",
            measured_by="decode.bytes_stored",
        ),
        add(B * D_seq, CLAIM, "what is kept is read", measured_by="decode.bytes_of_sequences"),
    ),
    measured_by="decode.bytes_moved",
    example={"model": "llama-2-7b", "weights": "fp16", "cache": "fp16", "N": 4096, "B": 1},
)
