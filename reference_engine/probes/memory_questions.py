"""Questions about what is held, and what fits into memory"""

from __future__ import annotations

from .ledger_selections import CACHE_READ, FULL, count, of_all, of_every, of_models
from .measures import Over, Quotient, elsewhere
from .memory_search import Fits, Left, Most
from .registry import question
from .runs import ANSWER, HELD, LOADED, PAGED, WEIGHTS
from .subjects import MODELS

of_models("weights.stored", "How many weights does it hold?", WEIGHTS, count("held", "weights.*", each=4), "P_total")
of_models(
    "weights.bytes", "How many bytes do the packed weights hold?", WEIGHTS, count("held", "weights.*"), "M_weights"
)
of_models(
    "weights.loading_time",
    "How many bytes of packed weights arrive from a storage, at how many a second?",
    LOADED,
    Over(count("held", "weights.*"), "storage"),
    "T_load",
)
question(
    "weights.bytes_with_other_ends",
    "How many bytes do the packed weights hold where embedding and output matrix have a format of their own?",
    WEIGHTS,
    count("held", "weights.*"),
    "M_weights",
    subjects=("kept",),
)
question(
    "weights.mean_bytes",
    "How many bytes do the packed weights hold, embedding and output matrix in a format of their own, for how many?",
    WEIGHTS,
    Quotient(count("held", "weights.*"), elsewhere(count("held", "weights.*", each=4), n_bytes=4, n_bytes_2=4)),
    "n_bytes_mean",
    subjects=("kept",),
)
of_models(
    "cache.bytes_of_a_token",
    "How many bytes does the cache hold for one token?",
    HELD,
    count("held", "cache.*"),
    "m_token",
    batch=1,
    context=1,
)
question(
    "cache.bytes_of_an_expanded_token",
    "How many bytes of keys and values of heads does the cache hold for one token, made from its latent vector?",
    HELD,
    count("held", "cache.*"),
    "m_expanded",
    subjects=("expanded and kept",),
    batch=1,
    context=1,
)
question(
    "cache.bytes_of_a_token_in_a_layer",
    "How many bytes does the cache of a model of one layer hold for one token?",
    HELD,
    count("held", "cache.*"),
    "m_layer",
    subjects=("llama",),
    n_blocks=1,
    batch=1,
    context=1,
)
of_every(
    "cache.bytes",
    "How many bytes do the caches of a batch hold, and states in the place of some?",
    HELD,
    count("held", "cache.*", "states.*"),
    "M_cache",
)
question(
    "cache.bytes_of_a_sequence",
    "How many bytes do the caches of a sequence hold, and states in the place of some?",
    HELD,
    count("held", "cache.*", "states.*"),
    "M_seq",
    subjects=(*MODELS, "hybrid", "picked", "compressing"),
    batch=1,
)
_IN_PAGES = count("held", "cache.*")
question(
    "cache.pages_of_a_sequence",
    "How many times the bytes of its first page do the pages of a sequence hold?",
    PAGED,
    Quotient(_IN_PAGES, elsewhere(_IN_PAGES, pages=1)),
    "n_pages",
    subjects=("llama",),
    batch=1,
    widths=(),
)
question(
    "cache.bytes_of_a_page",
    "How many bytes does the first page of a sequence hold, in all blocks?",
    PAGED,
    _IN_PAGES,
    "m_page",
    subjects=(*MODELS, "picked"),
    batch=1,
    pages=1,
)
question(
    "cache.bytes_in_pages",
    "How many bytes do the pages hold in which the caches of a batch grow token by token?",
    PAGED,
    _IN_PAGES,
    "M_paged",
    subjects=(*MODELS, "picked"),
)
of_models(
    "cache.bytes_read_while_generating",
    "How many bytes of cache does it load to generate that many tokens after a prompt?",
    ANSWER,
    CACHE_READ,
    "D_generation",
)
of_all("memory.held", "How many bytes are held?", HELD, count("held"), "M_footprint")
of_models("memory.left", "How many bytes of memory are free once the weights are held?", None, Left(), "M_left")
question(
    "memory.tokens_that_fit",
    "How many bytes do the held weights leave, for how many held by one token?",
    HELD,
    Left(count("held", "cache.*")),
    "n_fit",
    subjects=FULL,
    batch=1,
    context=1,
)
of_all(
    "memory.sequences_that_fit",
    "How large a batch can be allocated before the machine runs out of memory?",
    None,
    Most("batch"),
    "B_fit",
    more=("context",),
)
question(
    "memory.context_that_fits",
    "How long a context can be allocated for a batch before the machine runs out of memory?",
    None,
    Most("context"),
    "N_fit",
    subjects=(*MODELS, "picked"),
    more=("batch",),
)
of_all(
    "memory.longest_context",
    "How long a context, up to a limit, can be allocated for a batch before the machine runs out of memory?",
    None,
    Most("context", "limit"),
    "N_largest",
    more=("batch",),
)
of_all(
    "memory.fits", "Can the weights and the caches of the batch be allocated?", None, Fits(), more=("batch", "context")
)
