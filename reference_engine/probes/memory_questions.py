"""Questions about what is held, and what fits into memory"""

from __future__ import annotations

from .ledger_selections import ALL, CACHE_READ, EVERY, FULL, count
from .measures import AtLeastZero, Given, elsewhere
from .memory_search import Fits, Most
from .registry import about
from .runs import ANSWER, HELD, LOADED, PAGED, WEIGHTS
from .subjects import MODELS

about(WEIGHTS, *MODELS)(
    "weights.stored", "How many weights does it hold?", count("held", "weights.*", each=4), "P_total"
)
about(WEIGHTS, *MODELS)(
    "weights.bytes", "How many bytes do the packed weights hold?", count("held", "weights.*"), "M_weights"
)
about(LOADED, *MODELS)(
    "weights.loading_time",
    "How many bytes of packed weights arrive from a storage, at how many a second?",
    count("held", "weights.*") / "storage",
    "T_load",
)
about(WEIGHTS, "kept")(
    "weights.bytes_with_other_ends",
    "How many bytes do the packed weights hold where embedding and output matrix have a format of their own?",
    count("held", "weights.*"),
    "M_weights",
)
about(WEIGHTS, "kept")(
    "weights.mean_bytes",
    "How many bytes do the packed weights hold, embedding and output matrix in a format of their own, for how many?",
    count("held", "weights.*") / elsewhere(count("held", "weights.*", each=4), n_bytes=4, n_bytes_2=4),
    "n_bytes_mean",
)
about(HELD, *MODELS, batch=1, context=1)(
    "cache.bytes_of_a_token", "How many bytes does the cache hold for one token?", count("held", "cache.*"), "m_token"
)
about(HELD, "expanded and kept", batch=1, context=1)(
    "cache.bytes_of_an_expanded_token",
    "How many bytes of keys and values of heads does the cache hold for one token, made from its latent vector?",
    count("held", "cache.*"),
    "m_expanded",
)
about(HELD, "llama", n_blocks=1, batch=1, context=1)(
    "cache.bytes_of_a_token_in_a_layer",
    "How many bytes does the cache of a model of one layer hold for one token?",
    count("held", "cache.*"),
    "m_layer",
)
about(HELD, *EVERY)(
    "cache.bytes",
    "How many bytes do the caches of a batch hold, and states in the place of some?",
    count("held", "cache.*", "states.*"),
    "M_cache",
)
about(HELD, *MODELS, "hybrid", "picked", "compressing", batch=1)(
    "cache.bytes_of_a_sequence",
    "How many bytes do the caches of a sequence hold, and states in the place of some?",
    count("held", "cache.*", "states.*"),
    "M_seq",
)
_IN_PAGES = count("held", "cache.*")
about(PAGED, "llama", batch=1, widths=())(
    "cache.pages_of_a_sequence",
    "How many times the bytes of its first page do the pages of a sequence hold?",
    _IN_PAGES / elsewhere(_IN_PAGES, pages=1),
    "n_pages",
)
about(PAGED, *MODELS, "picked", batch=1, pages=1)(
    "cache.bytes_of_a_page",
    "How many bytes does the first page of a sequence hold, in all blocks?",
    _IN_PAGES,
    "m_page",
)
about(PAGED, *MODELS, "picked")(
    "cache.bytes_in_pages",
    "How many bytes do the pages hold in which the caches of a batch grow token by token?",
    _IN_PAGES,
    "M_paged",
)
about(ANSWER, *MODELS)(
    "cache.bytes_read_while_generating",
    "How many bytes of cache does it load to generate that many tokens after a prompt?",
    CACHE_READ,
    "D_generation",
)
about(HELD, *ALL)("memory.held", "How many bytes are held?", count("held"), "M_footprint")
_LEFT = AtLeastZero(Given("memory") - elsewhere(count("held", "weights.*"), run=WEIGHTS))
about(None, *MODELS)("memory.left", "How many bytes of memory are free once the weights are held?", _LEFT, "M_left")
about(HELD, *FULL, batch=1, context=1)(
    "memory.tokens_that_fit",
    "How many bytes do the held weights leave, for how many held by one token?",
    _LEFT / count("held", "cache.*"),
    "n_fit",
)
about(None, *ALL, more=("context",))(
    "memory.sequences_that_fit",
    "How large a batch can be allocated before the machine runs out of memory?",
    Most("batch"),
    "B_fit",
)
about(None, *MODELS, "picked", more=("batch",))(
    "memory.context_that_fits",
    "How long a context can be allocated for a batch before the machine runs out of memory?",
    Most("context"),
    "N_fit",
)
about(None, *ALL, more=("batch",))(
    "memory.longest_context",
    "How long a context, up to a limit, can be allocated for a batch before the machine runs out of memory?",
    Most("context", "limit"),
    "N_largest",
)
about(None, *ALL, more=("batch", "context"))(
    "memory.fits", "Can the weights and the caches of the batch be allocated?", Fits()
)
