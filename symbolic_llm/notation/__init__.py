"""Every letter, once, in groups

The order of the groups, and of the declarations in each, is the order in which factors are written, so that
`n_bytes·F/(2·W)` prints as its authors wrote it.
"""

from __future__ import annotations

# isort: off
from . import (  # one after the other: each declares its letters
    model, storage, work, memory, state, index, compression, operations, products, chunks, head, machine, time,
    serving, money, speculation, apart, precision, tiles, routing, devices,
)  # fmt: skip
from .model import (
    P as P,
    a as a,
    a_prompt as a_prompt,
    P_total as P_total,
    P_active as P_active,
    P_attention as P_attention,
    P_mlp as P_mlp,
    P_block as P_block,
    P_embedding as P_embedding,
    P_projection as P_projection,
    P_vector as P_vector,
    P_qk_norm as P_qk_norm,
    P_bias as P_bias,
    P_router as P_router,
    P_gate as P_gate,
    P_slopes as P_slopes,
    P_expert as P_expert,
    P_read as P_read,
    P_prompt as P_prompt,
    P_all as P_all,
    n_blocks as n_blocks,
    n_moe as n_moe,
    n_global as n_global,
    n_local as n_local,
    n_experts as n_experts,
    n_active as n_active,
    n_distinct as n_distinct,
    n_distinct_prompt as n_distinct_prompt,
    n_kv_full as n_kv_full,
    n_global_own as n_global_own,
    n_local_own as n_local_own,
    d_block as d_block,
    d_learned as d_learned,
    n_vocab_block as n_vocab_block,
    d_head_full as d_head_full,
    n_vocab as n_vocab,
    n_heads as n_heads,
    n_kv_heads as n_kv_heads,
    d_head as d_head,
    d_model as d_model,
    n_positions as n_positions,
    d_ff as d_ff,
    d_expert as d_expert,
    d_shared as d_shared,
    d_experts as d_experts,
    d_embedding as d_embedding,
    d_latent as d_latent,
    d_query as d_query,
    d_rope as d_rope,
    d_nope as d_nope,
    d_value as d_value,
)
from .storage import (
    n_bits as n_bits,
    n_block as n_block,
    n_scale as n_scale,
    n_bytes as n_bytes,
    n_bytes_2 as n_bytes_2,
    n_bytes_kv as n_bytes_kv,
    n_bytes_act as n_bytes_act,
)
from .work import (
    B as B,
    B_star as B_star,
    B_star_cache as B_star_cache,
    T_star as T_star,
    N as N,
    SUMS as _OF_ALL,
    M_seq as M_seq,
    D_seq as D_seq,
    D_weights as D_weights,
    D_weights_prompt as D_weights_prompt,
    D_weights_all as D_weights_all,
    C_seq as C_seq,
    D_prompt as D_prompt,
    C_prompt as C_prompt,
    n_window as n_window,
    N_critical as N_critical,
    n_limit as n_limit,
    N_fit as N_fit,
    N_largest as N_largest,
    n_new as n_new,
    i_token as i_token,
    d as d,
    b_q as b_q,
    m as m,
    n as n,
    k as k,
)
from .memory import (
    m_layer as m_layer,
    m_token as m_token,
    m_local as m_local,
    M_cache as M_cache,
    M_weights as M_weights,
    M_footprint as M_footprint,
    M as M,
    M_left as M_left,
    n_fit as n_fit,
    B_fit as B_fit,
    B_target as B_target,
    D_step as D_step,
    D_generation as D_generation,
)
from .state import (
    n_state as n_state,
    n_state_heads as n_state_heads,
    n_state_groups as n_state_groups,
    d_state_key as d_state_key,
    d_state_value as d_state_value,
    n_kernel as n_kernel,
    n_conv as n_conv,
    d_conv as d_conv,
    m_conv as m_conv,
    n_products as n_products,
    n_bytes_state as n_bytes_state,
    m_state as m_state,
    C_state as C_state,
    P_state as P_state,
    P_taps as P_taps,
    P_state_norm as P_state_norm,
)
from .index import n_index as n_index, n_index_heads as n_index_heads, d_index as d_index, n_picked as n_picked
from .index import N_picked as N_picked, P_index as P_index, m_index as m_index, m_latent as m_latent
from .index import a_index as a_index, a_picked as a_picked
from .index import N_fewer_bytes as N_fewer_bytes, N_fewer_flops as N_fewer_flops
from .compression import n_csa as n_csa, n_hca as n_hca, r_csa as r_csa, r_hca as r_hca, n_streams as n_streams
from .compression import n_output_groups as n_output_groups, d_output as d_output, m_waiting as m_waiting
from .compression import P_compressor as P_compressor, P_beside as P_beside, P_streams as P_streams
from .compression import P_mixing as P_mixing, d_streams as d_streams, D_waiting as D_waiting
from .operations import (
    C_vector as C_vector,
    C_matrix as C_matrix,
    C_decode as C_decode,
    C_prefill as C_prefill,
    C_step as C_step,
)
from .operations import C_token as C_token
from .products import D_matrix as D_matrix, F_matrix as F_matrix, I_matrix as I_matrix, T_matrix as T_matrix
from .chunks import (
    n_chunk as n_chunk,
    N_prompt as N_prompt,
    n_free as n_free,
    T_mixed as T_mixed,
    T_mixed_device as T_mixed_device,
    T_added as T_added,
    C_chunk as C_chunk,
    D_chunk as D_chunk,
    C_chunk_device as C_chunk_device,
    D_chunk_device as D_chunk_device,
    n_distinct_mixed as n_distinct_mixed,
    P_mixed as P_mixed,
    D_weights_mixed as D_weights_mixed,
)
from .head import (
    D_textbook as D_textbook,
    C_textbook as C_textbook,
    I_textbook as I_textbook,
    I_limit as I_limit,
    D_query as D_query,
    C_query as C_query,
    I_query as I_query,
    I_query_limit as I_query_limit,
    C_stable as C_stable,
    C_softmax as C_softmax,
    D_scaled as D_scaled,
    D_tiled as D_tiled,
)
from .machine import F as F, F_2 as F_2, W as W, I_ridge as I_ridge
from .serving import (
    M_reserve as M_reserve,
    m_act as m_act,
    B_read as B_read,
    B_compute as B_compute,
    B_largest as B_largest,
)
from .time import (
    T_memory as T_memory,
    T_compute as T_compute,
    T_step as T_step,
    T_target as T_target,
    T_memory_cache as T_memory_cache,
    T_compute_cache as T_compute_cache,
    R as R,
    T_prefill as T_prefill,
    T_decode as T_decode,
    T_output as T_output,
    T_generation as T_generation,
)
from .devices import (
    n_tensor as n_tensor,
    n_reduces as n_reduces,
    D_reduce as D_reduce,
    n_kv_device as n_kv_device,
    n_room as n_room,
    P_device as P_device,
    P_read_device as P_read_device,
    C_device as C_device,
    m_device as m_device,
    M_seq_device as M_seq_device,
    D_seq_device as D_seq_device,
    C_seq_device as C_seq_device,
    D_prompt_device as D_prompt_device,
    C_prompt_device as C_prompt_device,
    P_held as P_held,
    M_device as M_device,
    B_devices as B_devices,
    M_own as M_own,
    P_more as P_more,
    B_own as B_own,
    W_link as W_link,
    T_link as T_link,
    T_reduce as T_reduce,
    T_alone as T_alone,
    n_fastest as n_fastest,
    n_stages as n_stages,
    n_micro as n_micro,
    T_stage as T_stage,
    T_hop as T_hop,
    x_bubble as x_bubble,
    T_pipeline as T_pipeline,
    n_expert_devices as n_expert_devices,
    D_exchange as D_exchange,
)

from .money import (
    B_2 as B_2,
    B_cheapest as B_cheapest,
    price as price,
    u as u,
    power as power,
    power_idle as power_idle,
    c_token as c_token,
    J_token as J_token,
    r_output as r_output,
)
from .speculation import (
    alpha as alpha,
    gamma as gamma,
    n_step as n_step,
    T_draft as T_draft,
    T_verify as T_verify,
    S_draft as S_draft,
)
from .apart import (
    R_prefill as R_prefill,
    R_in as R_in,
    R_out as R_out,
    n_apart as n_apart,
    r_apart as r_apart,
    W_transfer as W_transfer,
)
from .precision import (
    n_superblock as n_superblock,
    n_shared as n_shared,
    P_high as P_high,
    n_bytes_mean as n_bytes_mean,
    T_overhead as T_overhead,
    T_read as T_read,
    T_measured as T_measured,
    G as G,
    G_limit as G_limit,
    U_memory as U_memory,
    U_compute as U_compute,
)
from .tiles import (
    b_k as b_k,
    n_prefix as n_prefix,
    M_tile as M_tile,
    C_tiled as C_tiled,
    D_prefix as D_prefix,
    D_saved as D_saved,
    M_saved as M_saved,
    B_prefix as B_prefix,
    I_cache as I_cache,
)
from .routing import n_shared_experts as n_shared_experts, U_experts as U_experts, B_expert as B_expert
from .routing import n_load as n_load

# isort: on
from .letter import LETTERS as LETTERS
from .letter import Letter as Letter
from .letter import called as called
from .letter import named as named

# Sums over the parts of a decoder, and over what a device has of them
SUMS = (
    *(*_OF_ALL, M_seq_device, D_seq_device, C_seq_device, D_prompt_device, C_prompt_device),
    *(D_weights_mixed, D_chunk, C_chunk, D_chunk_device, C_chunk_device),
)
GROUPS = (
    model,
    storage,
    work,
    memory,
    state,
    index,
    compression,
    operations,
    products,
    chunks,
    head,
    machine,
    time,
    serving,
    money,
    speculation,
    apart,
    precision,
    tiles,
    routing,
    devices,
)  # each called by its first line
