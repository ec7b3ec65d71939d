/* Several devices that share a model: which numbers can, and what the formulas say of a device, of the messages and of
   the time. */
"use strict";
window.Sharing = ((catalogue, X, { plot }, { of, under, tell, shown }, { dealt, sharedOut }) => {
  const either = all => `${all.slice(0, -1).join(", ")}${all.length > 1 ? " or " : ""}${all[all.length - 1]}`;

  /* Why a model cannot be shared so, in a sentence; "" where it can. */
  function impossible({ model, devices, tensor, pipeline = "1" }) {
    const known = catalogue.models[model];
    if (!known.tensor.includes(Number(tensor)))
      return `${known.title} can be divided evenly among ${either(known.tensor)} devices (tensor), not among ${tensor}.`;
    if (Number(known.letters.n_blocks) < Number(pipeline))
      return `The ${known.letters.n_blocks} blocks of ${known.title} are too few for ${pipeline} stages (pipeline).`;
    const group = Number(tensor) * Number(pipeline);
    return devices && Number(devices) % group
      ? `Devices must be a multiple of tensor times pipeline, here ${group}, but ${devices} was given.` : "";
  }

  /* How devices are grouped, and what each group is asked. */
  function groups({ state, letters }) {
    const [devices, tensor, stages] = ["devices", "tensor", "pipeline"].map(name => BigInt(state[name]));
    const data = devices / (tensor * stages), each = X.up(X.over(letters.B, data));
    return { devices, tensor, stages, data, each, share: { n_tensor: tensor }, load: { n_tensor: tensor, B: each } };
  }

  const step = (q, { load }) => q.ask("separate_tensor_parallel_latency", load);
  const room = (q, { share, stages }) => q.ask("sequences_on_devices", { ...share, n_stages: stages });

  /* The step of all devices, and whether what they are asked fits them. */
  function said(q) {
    const how = groups(q), { devices, tensor, stages, data, each } = how;
    const [time, fits] = [step(q, how), room(q, how)];
    if (time.refusal) return time.refusal.said;
    const sent = tensor > 1n ? ` and ${tell(q.ask("all_reduce_time", how.load))} of it are all-reduces` : "";
    const of_group = data > 1n ? ` in each of ${data} groups` : "";
    const first = `On ${devices} devices a step takes ${tell(time)}${sent}.`;
    if (stages > 1n && through(q, how)) return `${first} Stage by stage it takes ${tell(through(q, how))}.${full()}`;
    return first + full();
    function full() {
      if (fits.refusal) return ` It does not fit: ${fits.refusal.said}`;
      return X.compared(each, fits.value) > 0
        ? ` It does not fit: there is room for ${tell(fits)}${of_group}, but the batch needs ${each}.` : "";
    }
  }

  function through(q, how) {
    const [time, hop] = [step(q, how), q.ask("hop_time", { B: how.each })];
    if (time.refusal || hop.refusal) return undefined;
    const stage = X.over(time.value, how.stages);
    return q.ask("pipeline_time", { n_stages: how.stages, n_micro: 1n, T_stage: stage, T_hop: hop.value });
  }

  /* What a device has of the model's weights. */
  const has = (q, label, letter, { n_tensor }) => {
    const { whole, copied, rest } = dealt(q.state.model, letter), number = value => shown(value, letter);
    const parts = [`${number(whole)} on every device`, `${number(rest)} dealt out`];
    for (const { number: weights, name, n } of copied)
      parts.push(`${number(weights)} with ${name} = ${n}, of which each device has one at least`);
    const text = number(sharedOut(q.state.model, n_tensor)[letter]);
    return { key: letter, label, text, lines: [`${letter}: ${parts.join(", ")}.`] };
  };

  function rows(q) {
    const how = groups(q), { devices, tensor, stages, data, share, load, each } = how;
    const noted = (note, result) => ({ ...result, note });
    const { letters } = catalogue.models[q.state.model];
    const batch = data > 1n ? `for ${each} of the ${q.letters.B} sequences` : "";
    const n = BigInt(letters.n_blocks);
    const most = n % stages ? `, of at most ${(n + stages - 1n) / stages} blocks each` : "";
    const blocks = stages > 1n ? `all ${stages} stages together${most}` : "";
    const both = [batch, blocks].filter(Boolean).join(", ");
    const full = [data > 1n ? "per group" : "", stages > 1n ? "if all stages are equally full" : ""];
    const found = [
      noted(blocks, has(q, "Weights multiplied per device", "P_device", share)),
      noted(blocks, has(q, "Weights stored per device", "P_held", share)),
      noted(blocks, of(q, "KV cache per token and device", "m_device", share)),
      noted(both, of(q, "Memory needed per device", "footprint_per_device", load)),
      noted(full.filter(Boolean).join(", "),
        of(q, "Largest batch that fits", "sequences_on_devices", { ...share, n_stages: stages })),
    ];
    if (letters.n_experts)
      found.splice(1, 0, noted(both, of(q, "Weights read per device", "weights_read_per_device", load)));
    if (letters.n_kv_heads && !letters.d_latent)
      found.unshift(of(q, "Key/value heads per device", "kv_heads_per_device", share));
    if (tensor > 1n)
      found.push(noted(batch, of(q, "Sent in all-reduces per device", "all_reduce_bytes", load)),
        noted(batch, of(q, "Time of all-reduces", "all_reduce_time", load)));
    found.push(noted(batch, of(q, "A decoding step on them", "separate_tensor_parallel_latency", load)));
    if (stages > 1n) {
      const whole = through(q, how);
      found.push(of(q, "Transfer to the next stage", "hop_time", { B: each }));
      if (whole) found.push({ key: "pipeline_time", label: "Decoding step through all stages", found: whole, text: tell(whole),
        refused: !!whole.refusal });
      found.push(noted("share of its time that a stage waits, unless other micro-batches fill it",
        of(q, "Pipeline bubble", "pipeline_bubble", { n_stages: stages, n_micro: 1n })));
    }
    const [first, ...others] = found;
    return [under(`${devices} devices: tensor ${tensor}, pipeline ${stages}, data ${data}`, first), ...others];
  }

  /* The time of a token against the number of devices that share every layer. */
  function against(q, B = q.letters.B) {
    const number = value => (value === undefined ? undefined : X.toNumber(value));
    const shares = catalogue.models[q.state.model].tensor.map(BigInt);
    const at = n_tensor => number(q.value("separate_tensor_parallel_latency", { n_tensor, B }));
    const sent = n_tensor => (n_tensor > 1n ? number(q.value("all_reduce_time", { n_tensor, B })) : 0);
    const all = shares.map(n => [Number(n), at(n), sent(n)]);
    if (all.some(([, time]) => time === undefined)) return undefined;
    const points = all.map(([n, time]) => [n, time]), sending = all.slice(1).map(([n, , time]) => [n, time]);
    const own = all.map(([n, time, messages]) => [n, time - messages]);
    const low = Math.min(...own.map(([, time]) => time), ...sending.map(([, time]) => time));
    const most = Math.max(...points.map(([, time]) => time));
    const here = Number(q.state.tensor), high = Math.max(2, Number(shares[shares.length - 1]));
    const ticks = Array.from({ length: Math.floor(Math.log2(high)) + 1 }, (_, i) => 2 ** i);
    return plot({
      title: `Time of a token against devices that share every layer: ${tell(q.ask("separate_tensor_parallel_latency",
        { n_tensor: BigInt(here), B }))} on ${here}.`,
      x: { low: 1, high, label: "devices", ticks },
      y: { low: low / 1.5, high: most * 1.5, unit: "s", label: "time of a token" },
      lines: [
        { points: own, colour: "two", dashed: true, label: "each one's share", under: true },
        { points: sending, colour: "three", dashed: true, label: "all-reduces" },
        { points, colour: "one", wide: true },
      ],
      marks: [{ x: here, y: at(BigInt(here)), colour: "one" }],
    });
  }

  /* Of the numbers of devices that can share a model evenly, the one with the shortest step. */
  function fastest(q) {
    return catalogue.models[q.state.model].tensor.map(BigInt).reduce((best, n_tensor) => {
      const found = q.ask("separate_tensor_parallel_latency", { n_tensor });
      return found.refusal || (best && X.compared(best.found.value, found.value) <= 0) ? best : { n_tensor, found };
    }, undefined);
  }

  /* Tokens a second of each device, with as many sequences as fit. */
  function rate(q, { n_tensor }, B) {
    const time = B ? q.value("separate_tensor_parallel_latency", { n_tensor, B }) : undefined;
    return time === undefined ? undefined : X.over(B, X.times(time, n_tensor));
  }

  return { rate, groups, impossible, said, rows, against, fastest };
})(window.catalogue, window.Exact, window.Drawing, window.Results, window.Evaluate);
