# Written by `python -m symbolic_llm.cli.stub`: what a type checker is to know of the package's names.

from .answers.explanation import Explanation as Explanation
from .answers.solution import Solution as Solution
from .api import check as check
from .api import compile as compile
from .api import evaluate as evaluate
from .api import explain as explain
from .api import solve as solve
from .catalogue import catalogue as catalogue
from .errors import SymbolicLLMError as SymbolicLLMError
from .formula import Formula as Formula
from .models.model import Model as Model
from .reports.grid import Sweep as Sweep
from .reports.operations import Operations as Operations
from .reports.planning import Plan as Plan
from .reports.plotting import plot as plot
from .reports.sizing import Sizing as Sizing
from .reports.sweeping import sweep as sweep

__version__: str
__all__ = [
    "Formula",
    "SymbolicLLMError",
    "catalogue",
    "check",
    "compile",
    "evaluate",
    "explain",
    "solve",
]

activation_parameters: Formula
all_expert_weight_bytes_read: Formula
all_expert_weights_read: Formula
all_reduce_bytes: Formula
all_reduce_time: Formula
all_reduces: Formula
all_to_all_bytes: Formula
attainable_flops: Formula
attention_flops_per_context_token: Formula
attention_flops_per_picked_token: Formula
attention_gate_parameters: Formula
attention_intensity: Formula
attention_intensity_limit: Formula
attention_parameters: Formula
attention_weights_not_shared: Formula
balanced_load: Formula
batch_computed_in_time: Formula
batch_crossover: Formula
batch_crossover_with_cache: Formula
batch_limits: Formula
batch_read_in_time: Formula
batch_within_target: Formula
block_parameters: Formula
bytes_per_weight: Formula
cache_bytes_per_device: Formula
cache_intensity: Formula
cached_latent_bytes_per_token: Formula
capacity: Formula
causal_prefill_flops: Formula
cheapest_batch: Formula
chunk_price: Formula
compressed_query_parameters: Formula
compression_vector_parameters: Formula
compressor_parameters: Formula
compute_bound_drafts: Formula
compute_time: Formula
compute_time_with_attention: Formula
context_bytes: Formula
context_bytes_per_device: Formula
context_bytes_read: Formula
context_bytes_read_per_device: Formula
context_flops: Formula
context_flops_per_device: Formula
context_that_fits: Formula
convolution_bytes: Formula
convolution_parameters: Formula
cost_per_token: Formula
critical_context: Formula
crossover_existence: Formula
data_parallel_cache_bytes: Formula
data_parallel_crossover: Formula
data_parallel_reads_less: Formula
decode_attention_bytes: Formula
decode_attention_flops: Formula
decode_attention_intensity: Formula
decode_attention_intensity_limit: Formula
decode_flops: Formula
decode_product_flops: Formula
decode_time_with_cache: Formula
decode_traffic: Formula
delta_matrix_parameters: Formula
devices_apart: Formula
distinct_experts: Formula
drafts_too_slow: Formula
embedding_parameters: Formula
energy_per_token: Formula
entry_index_parameters: Formula
expanded_decode_flops: Formula
expert_batch_crossover: Formula
expert_parameters: Formula
expert_prefill_weights_read: Formula
expert_weights_read: Formula
fastest_devices: Formula
fewer_bytes_context: Formula
fewer_flops_context: Formula
flops_per_token: Formula
footprint: Formula
footprint_beside_reserve: Formula
footprint_per_device: Formula
free_chunk: Formula
free_chunk_with_attention: Formula
free_verification: Formula
full_quantization_gain: Formula
full_query_parameters: Formula
gated_convolution_parameters: Formula
gated_mlp_parameters: Formula
generation_time: Formula
gpt2_decode_flops: Formula
gpt2_multiplied_parameters: Formula
gpt2_parameters: Formula
grouped_attention_parameters: Formula
grouped_cache_intensity: Formula
hidden_transfer: Formula
hop_time: Formula
index_bytes_per_token: Formula
index_flops_per_context_token: Formula
index_parameters: Formula
joint_query_key_norm_parameters: Formula
kv_bytes_per_token: Formula
kv_bytes_per_token_and_layer: Formula
kv_bytes_read_while_generating: Formula
kv_bytes_total: Formula
kv_heads_per_device: Formula
larger_batch_costs_no_more: Formula
largest_batch: Formula
largest_context: Formula
largest_load: Formula
last_logits_prefill_flops: Formula
latency: Formula
latency_linearity: Formula
latency_with_cache: Formula
latent_attention_flops_per_context_token: Formula
latent_key_value_parameters: Formula
latent_kv_bytes_per_token: Formula
latent_prompt_attention_flops: Formula
least_kv_heads: Formula
llama_decode_flops: Formula
llama_multiplied_parameters: Formula
llama_parameters: Formula
local_kv_bytes_per_token: Formula
mamba_matrix_parameters: Formula
matrix_matrix_flops: Formula
matrix_vector_flops: Formula
mean_bytes_per_weight: Formula
memory_bandwidth_utilization: Formula
memory_bound_attention: Formula
memory_bound_batches: Formula
memory_bound_batches_with_cache: Formula
memory_bound_chunks: Formula
memory_bound_contexts: Formula
memory_left: Formula
memory_time: Formula
memory_time_with_cache: Formula
mixed_parts_bound_alike: Formula
mixed_step_bounds_above: Formula
mixed_step_bounds_below: Formula
mixed_step_time: Formula
mixed_weight_bytes: Formula
mixing_takes_no_longer: Formula
mixtral_decode_flops: Formula
mixtral_multiplied_parameters: Formula
mixtral_parameters: Formula
mlp_parameters: Formula
model_flops_utilization: Formula
multi_head_attention_flops_per_context_token: Formula
multi_head_kv_bytes_per_token: Formula
nested_bytes_per_weight: Formula
one_more_device: Formula
one_more_drafted_token: Formula
output_cost_ratio: Formula
output_cost_ratio_with_cache: Formula
overlapping_compressor_parameters: Formula
parts_bound_alike: Formula
picked_context: Formula
picking_reads_less: Formula
pipeline_bubble: Formula
pipeline_latency: Formula
pipeline_throughput: Formula
pipeline_time: Formula
plain_mlp_parameters: Formula
precision_invariance: Formula
prefill_distinct_experts: Formula
prefill_flops: Formula
prefill_flops_per_device: Formula
prefill_product_flops: Formula
prefill_throughput: Formula
prefill_time: Formula
prefill_time_with_attention: Formula
prefill_to_decode_ratio: Formula
prefill_weights_read: Formula
product_bytes: Formula
product_intensity: Formula
product_time: Formula
projection_parameters: Formula
prompt_attention_flops: Formula
prompt_beside_a_step: Formula
prompt_bytes_per_device: Formula
prompt_bytes_read: Formula
prompt_context_flops: Formula
prompt_context_flops_per_device: Formula
prompt_weight_bytes_read: Formula
q4_bytes_per_weight: Formula
quantization_gain: Formula
quantization_gain_bound: Formula
quantization_gain_limit: Formula
query_key_value_biases: Formula
query_output_parameters: Formula
qwen3_decode_flops: Formula
read_time_with_overhead: Formula
request_time: Formula
ridge_point: Formula
router_parameters: Formula
scaled_attention_bytes: Formula
separate_latency: Formula
separate_mixed_step_time: Formula
separate_prefill_time: Formula
sequences_beside_reserve: Formula
sequences_on_devices: Formula
sequences_per_expert: Formula
sequences_that_fit: Formula
share_of_experts_used: Formula
shared_key_attention_parameters: Formula
shared_prefix_bytes: Formula
shared_prefix_crossover: Formula
shared_prefix_saving: Formula
shared_vector_parameters: Formula
speculative_speedup: Formula
speculative_tokens: Formula
stable_attention_flops: Formula
stable_softmax_flops: Formula
state_bytes: Formula
state_norm_parameters: Formula
state_product_flops: Formula
step_bounds_above: Formula
step_bounds_below: Formula
stored_parameters: Formula
stream_parameters: Formula
stream_vector_parameters: Formula
tensor_parallel_latency: Formula
tensor_parallel_prefill_time: Formula
tensor_parallel_throughput: Formula
textbook_attention_bytes: Formula
textbook_attention_flops: Formula
throughput: Formula
throughput_with_cache: Formula
tile_bytes: Formula
tiled_attention_bytes: Formula
tiled_attention_flops: Formula
tiled_attention_traffic: Formula
tiling_break_even: Formula
tiling_saving: Formula
time_per_output_token: Formula
token_crossover: Formula
tokens_that_fit: Formula
total_parameters: Formula
two_width_attention_parameters: Formula
vector_parameters: Formula
verification_time: Formula
waiting_bytes: Formula
waiting_bytes_read: Formula
weight_bytes: Formula
weight_bytes_read: Formula
weight_quantization_gain: Formula
weights_held_per_device: Formula
weights_per_device: Formula
weights_read: Formula
weights_read_per_device: Formula
window_saving: Formula
windowed_context_bytes: Formula
