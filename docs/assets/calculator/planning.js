/* A plan: on which devices, and on how many, a model serves requests of one kind within its targets. A device prefills
   the prompts whose answers it decodes, in turn; matrices and attention follow each other in a pass. Every number is asked of the catalogue; the search is that of the
   package, for the largest batch that meets a target. */
"use strict";
window.Planning = ((catalogue, X, { evaluate, lettersOf, Refusal, Lacking }, { asked, shown, several, tell }) => {
  const HOUR = 3600n, SHOWN = 5; // kinds of devices that are shown at once
  const together = tensor => (tensor === 1n ? "one device" : `${tensor} devices together`);

  /* The largest number up to `most` for which something holds that holds for all smaller ones; 0 if for none. */
  function largest(holds, most) {
    let [low, high] = [0n, most + 1n];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (holds(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  /* What a decoding step of one device takes longer for: to read weights and cache, or the arithmetic, or one part for
     the one and one for the other. */
  function longer(presets, N, B, step) {
    const alone = name => !X.compared(evaluate(name, presets, { N, B }).value, step);
    if (alone("memory_time_with_cache")) return "reading";
    return alone("compute_time_with_attention") ? "arithmetic" : "arithmetic and reading";
  }

  /* What devices of one kind do that share the model; throws a refusal where a formula has no answer. */
  function served({ prompt, output, tpot, ttft, price, ...chosen }, hardware, tensor) {
    const presets = { ...chosen, hardware }, context = prompt + output, alone = tensor === 1n;
    const share = alone ? {} : { n_tensor: tensor };
    const step = B => evaluate(alone ? "separate_latency" : "separate_tensor_parallel_latency", presets,
      { ...share, N: context, B });
    const fits = alone ? evaluate("sequences_that_fit", presets, { N: context })
      : evaluate("sequences_on_devices", presets, { ...share, n_stages: 1n, N: context });
    const refused = why => ({ hardware, tensor, refused: `${why} ${together(tensor)}` });
    if (X.compared(fits.value, 1n) < 0) return refused("not even one sequence fits beside the weights on");
    const first = evaluate(alone ? "separate_prefill_time" : "separate_tensor_parallel_prefill_time",
      presets, { ...share, N: prompt, B: 1n });
    if (ttft && X.compared(first.value, ttft) > 0)
      return refused(`the time to first token of a single prompt is ${tell(first)} on`);
    // prompts of a second with one request, and what a step's tokens bring
    const load = { R_in: prompt, R_out: output, R_prefill: X.printed(X.over(prompt, first.value)) };
    const time = B => X.plus(step(B).value, X.over(X.times(B, first.value), output));
    const between = B => ({
      ...evaluate("time_between_tokens", {}, { ...load, B, T_step: X.printed(step(B).value) }), value: time(B),
    });
    const most = X.down(fits.value);
    const inTime = B => X.compared(time(B), tpot) <= 0;
    const batch = tpot ? largest(inTime, most) : most;
    if (!batch)
      return refused(`a token of a single sequence takes ${tell(between(1n))}, the prompts that come with it counted, on`);
    const one = step(batch), each = between(batch), throughput = X.over(batch, each.value);
    const found = { hardware, tensor, batch, limit: batch === most ? "memory" : "target", fits, step: one, first,
      between: each, perDevice: X.over(throughput, tensor) };
    found.throughput = { ...evaluate("served_throughput", {},
      { ...load, R: X.printed(X.over(batch, one.value)) }), value: throughput };
    if (batch < most) {
      found.more = between(batch + 1n);
      const decoding = step(batch + 1n).value;
      if (X.compared(found.more.value, X.times(2n, decoding)) > 0) found.by = "prompts";
      else if (alone) found.by = longer(presets, context, batch + 1n, decoding);
    }
    if (price)
      found.cost = evaluate("cost_per_token", {},
        { price: X.over(X.printed(X.times(price, tensor, HOUR)), HOUR), u: 1n, R: X.printed(throughput) });
    return found;
  }

  function shared(question, hardware, tensor) {
    try {
      return served(question, hardware, tensor);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const why = error.message.split("does not apply, because ")[1];
      const lacks = error instanceof Lacking; // which more devices do not bring
      const said = why ? why.split(": ")[0] : error.message.split("; give ")[0]; // a plan takes no letters of machines
      return { hardware, tensor, lacks, refused: said.replace(/\.$/, "") };
    }
  }

  /* The best way to share the model among devices of one kind, or why there is none. */
  function choice(question, hardware, most) {
    let best, refused;
    const model = catalogue.models[question.model];
    for (let tensor = 1n; tensor <= most; tensor *= 2n) {
      if (!model.tensor.includes(Number(tensor))) break;
      if (tensor > 1n && !("W_link" in lettersOf({ ...question, hardware }).values))
        return best || { ...refused, refused: `${refused.refused}, and no source states the speed of its link to another` };
      const found = shared(question, hardware, tensor);
      if (found.lacks) return best || found;
      if (found.refused) refused = found;
      else if (!best || X.compared(found.perDevice, best.perDevice) > 0) best = found;
    }
    return best || refused;
  }

  /* All devices: those that serve, the best first, and those that do not. */
  function plan({ most, ...question }, devices = Object.keys(catalogue.devices)) {
    const every = devices.map(hardware => choice(question, hardware, most));
    const choices = every.filter(one => !one.refused).sort((a, b) => X.compared(b.perDevice, a.perDevice));
    return { choices, refused: every.filter(one => one.refused) };
  }

  // As results

  const rate = value => several(shown(value, "R"));
  const named = ({ hardware, tensor }) =>
    `${catalogue.devices[hardware].title}${tensor > 1n ? `, ${tensor} together` : ""}`;

  function row(one, context) {
    const { hardware, batch, limit, by, fits, step, between, more, first, throughput, perDevice, cost } = one;
    const under = (what, label, found) => asked(label, found, `${hardware}.${what}`);
    const said = (what, label, text, ...lines) => ({ key: `${hardware}.${what}`, label, text, lines });
    const why = limit === "memory"
      ? `Memory is the limit: ${tell(fits)} of ${X.grouped(`${context}`)} tokens fit beside the weights.`
      : `The target is the limit${by ? `, because of ${by}` : ""}: with one more sequence a token takes ${tell(more)}.`;
    return {
      key: hardware, label: named(one), text: `${rate(perDevice)} each`,
      note: `${limit} binds${by ? ` by ${by}` : ""} at batch ${X.grouped(`${batch}`)}: ${tell(between)} a token, first token ${tell(first)}` +
        (cost ? `; ${tell(cost)}` : ""),
      lines: [why],
      rows: [
        under("fits", "Sequences that fit", fits),
        under("step", "A decoding step", step),
        under("between", "A token, with the prompts in between", between),
        ...(more ? [under("more", "With one more sequence", more)] : []),
        under("first", "First token of a prompt", first),
        under("throughput", "All together, prompts in turn with steps", throughput),
        said("each", "Each device", rate(perDevice), "the same ÷ devices"),
        ...(cost ? [under("cost", "Cost of a token", cost)] : []),
      ],
    };
  }

  function rows({ choices, refused }, context) {
    const why = {};
    for (const one of refused) (why[one.refused] = why[one.refused] || []).push(catalogue.devices[one.hardware].title);
    const lines = Object.entries(why).map(([reason, titles]) => `${titles.join(", ")}: ${reason}.`);
    const others = { key: "refused", label: "Devices that cannot meet these targets", text: `${refused.length}`, lines };
    const serving = choices.map(one => row(one, context)), more = serving.splice(SHOWN);
    const rest = { key: "rest", label: "More that meet these targets", text: `${more.length}`, rows: more };
    return [...serving, ...(more.length ? [rest] : []), ...(refused.length ? [others] : [])];
  }

  return { plan, rows, named };
})(window.catalogue, window.Exact, window.Evaluate, window.Results);
