/* The calculators: what each asks, shows and draws. All numbers are asked of the catalogue. */
"use strict";
((catalogue, X, { lettersOf }, controlling, { plot }, answers, views, sharing, planning) => {
  const { make, choice, slider, figure, powers } = controlling;
  const { SCALES, question, shown, several, tell, asked, of, under, counted, results, unitOf } = answers;
  const { number, point, roofline, stepTime, crossoverAgainstContext, within, memoryAgainstBatch, chunkTime } = views;
  const MILLI = X.over(1n, 1000n);
  const START = {
    model: "llama-2-7b", hardware: "a100-80gb-pcie", dtype: "fp16", weights: "fp16", cache: "fp16",
    B: "1", N: "4096", prompt: "1024", M: "", W: "", F: "", target: "50", bits: "4", block: "32", overhead: "5",
    devices: "1", tensor: "1", pipeline: "1", link: "", output: "256", tpot: "50", ttft: "", most: "8", price: "",
    chunk: "200" };

  const titled = table => Object.entries(table).map(([name, { title }]) => [name, title]);
  const formats = Object.entries(catalogue.formats);
  // ways to compute store nothing of their own
  const stored = formats.filter(([, { way }]) => !way).map(([name]) => [name, name]);
  const computed = formats
    .filter(([, { computes }]) => computes)
    .map(([name, { way }]) => [name, way ? `${name}: ${way}` : name]);
  // a link of another machine's, where both of its figures are printed
  const linked = Object.entries(catalogue.devices)
    .filter(([, { W_link, T_link }]) => [W_link, T_link].every(said => typeof said === "string"))
    .map(([name, { title, W_link }]) => [name, `${title}: ${shown(X.read(W_link), "W_link")}`]);
  const CONTROLS = {
    model: () => choice("model", "Model", titled(catalogue.models)),
    hardware: own =>
      choice("hardware", "Machine", [...titled(catalogue.devices), ...(own ? [["own", "one of your own"]] : [])]),
    dtype: () => choice("dtype", "Arithmetic", computed),
    weights: () => choice("weights", "Weights", stored),
    cache: () => choice("cache", "KV cache", stored),
    B: () => slider("B", "Batch", powers(4096)),
    N: () => slider("N", "Context", powers(2 ** 20), { unit: "tokens" }),
    prompt: () => slider("prompt", "Prompt", powers(2 ** 18), { unit: "tokens" }),
    M: () => figure("M", "Memory", "GB"),
    W: () => figure("W", "Bandwidth", "GB/s"),
    F: () => figure("F", "Peak arithmetic", "TFLOP/s"),
    target: () =>
      slider("target", "Longest time per token", powers(1000), { unit: "ms", whole: false, least: "0.001" }),
    devices: () => slider("devices", "Devices", powers(1024, 1), { most: "1024" }),
    tensor: () => slider("tensor", "Tensor, devices that share a layer", powers(256, 1), { most: "256" }),
    pipeline: () => slider("pipeline", "Pipeline, stages", powers(128, 1), { most: "1024" }),
    link: () => choice("link", "Link between devices", [["", "as the machine's"], ...linked]),
    output: () => slider("output", "Answer", powers(2 ** 16), { unit: "tokens" }),
    tpot: () => figure("tpot", "Longest time per token", "ms"),
    ttft: () => figure("ttft", "Longest time to first token", "ms"),
    most: () => slider("most", "Most devices that share it", powers(64, 1), { most: "64" }),
    price: () => figure("price", "Price of a device", "$/h"),
    chunk: () => slider("chunk", "Chunk of the prompt", powers(2 ** 14), { unit: "tokens" }),
    bits: () => slider("bits", "Bits of a weight", Array.from({ length: 15 }, (_, i) => i + 2), { most: "64" }),
    block: () => choice("block", "Weights that share a scale", ["16", "32", "64", "128", "256"].map(n => [n, n])),
    overhead: () => slider("overhead", "Overhead of a step", [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50],
      { unit: "ms", whole: false, least: "0" }),
  };

  function binding(q) {
    const [reading, arithmetic] = [q.ask("memory_time_with_cache"), q.ask("compute_time_with_attention")];
    const step = q.ask("separate_latency");
    if (step.refusal) return step.refusal.said;
    const alone = one => !X.compared(step.value, one.value);
    const who = alone(reading) ? "Memory binds" : alone(arithmetic) ? "Arithmetic binds" : "Both bind, each one part";
    return `${who}: a step takes ${tell(step)}, ` +
      `reading ${tell(reading)} and arithmetic ${tell(arithmetic)}.`;
  }

  const shared = q => q.state.devices !== "1";

  /* Tokens a second of all sequences, each of which gets one from a step. */
  function together(q) {
    const step = q.ask("separate_latency");
    return { key: "throughput", label: "All sequences together", refused: !!step.refusal,
      text: step.refusal ? "none" : several(shown(X.over(q.letters.B, step.value), "R")),
      lines: [step.refusal ? step.refusal.said : "batch ÷ time of a decoding step"] };
  }

  /* What a plan is asked, from what the controls say. */
  function requests({ model, dtype, weights, cache, ...state }) {
    const [prompt, output, most] = ["prompt", "output", "most"].map(name => X.read(state[name]));
    const [tpot, ttft] = ["tpot", "ttft"].map(name => state[name] && X.times(X.read(state[name]), MILLI));
    const price = state.price && X.over(X.read(state.price), 3600n);
    return { model, dtype, weights, cache, prompt, output, most, tpot, ttft, price };
  }

  const KINDS = {
    machine: {
      title: "The machine and the model",
      controls: ["model", "hardware", "M", "W", "F", "B", "N", "prompt", "dtype", "weights", "cache", "devices",
        "tensor", "pipeline", "link"],
      address: true,
      wide: true,
      wrong: sharing.impossible,
      /* Devices follow where more of them have to share than there are. */
      adapt({ devices, tensor, pipeline }, moved) {
        const group = Number(tensor) * Number(pipeline);
        if (!["tensor", "pipeline"].includes(moved) || Number(devices) % group === 0) return {};
        return { devices: `${group * Math.max(1, Math.floor(Number(devices) / group))}` };
      },
      show(q) {
        const [held, room] = [q.value("footprint"), lettersOf(q.presets).values.M];
        const full = room !== undefined && X.compared(held, room) > 0
          ? ` It does not fit: weights and cache take ${shown(held, "M")} of ${shown(room, "M")}.` : "";
        return {
          said: shared(q) ? sharing.said(q) : binding(q) + full,
          drawings: shared(q) ? [sharing.against(q, sharing.groups(q).each)] : [roofline(q), stepTime(q)],
          results: [
            ...(shared(q) ? sharing.rows(q) : []),
            under(shared(q) ? "Time, if one device did it all" : "Time", of(q, "A decoding step", "separate_latency")),
            of(q, "If all of it overlapped", "latency_with_cache"),
            of(q, "Reading weights and cache", "memory_time_with_cache"),
            of(q, "Arithmetic", "compute_time_with_attention"),
            together(q),
            of(q, "Time to first token, of one prompt", "separate_prefill_time",
              { N: X.read(q.state.prompt), B: 1n }),
            under("Where arithmetic takes over", of(q, "Ridge point", "ridge_point")),
            of(q, "Batch crossover, weights alone", "batch_crossover"),
            of(q, "Batch crossover, cache reads counted", "B_star_cache"),
            of(q, "Critical context", "N_critical"),
            under(shared(q) ? "Memory, if one device held it all" : "Memory", of(q, "Weights", "weight_bytes")),
            of(q, "KV cache", "kv_bytes_total"),
            of(q, "Weights and cache together", "footprint"),
            of(q, "Sequences that fit", "sequences_that_fit"),
            of(q, "Longest context that fits", "N_fit"),
            under("Weights", counted(q, "P")),
            counted(q, "P_total"),
          ],
        };
      },
    },
    plan: {
      title: "Where to serve it",
      controls: ["model", "prompt", "output", "tpot", "ttft", "most", "price", "dtype", "weights", "cache"],
      address: true,
      wide: true,
      show(q) {
        const asking = requests(q.state), found = planning.plan(asking), [best] = found.choices;
        const serve = found.choices.length, all = serve + found.refused.length;
        return {
          said: best
            ? `${planning.named(best)}: gives the most tokens per second and device. Of ${all} kinds of devices, ${serve} meet the targets.`
            : `None of ${all} kinds of devices meets these targets.`,
          drawings: [],
          results: planning.rows(found, asking.prompt + asking.output),
        };
      },
    },
    chunk: {
      title: "A prompt in slices",
      controls: ["model", "hardware", "weights", "B", "N", "prompt", "chunk", "tensor"],
      wrong: ({ chunk, prompt, ...state }) =>
        Number(chunk) > Number(prompt)
          ? `A chunk must be at most as long as its prompt, here ${prompt} tokens, but ${chunk} was given.` : sharing.impossible(state),
      show(q) {
        const [n_chunk, N_prompt] = [q.state.chunk, q.state.prompt].map(X.read);
        const n_tensor = BigInt(q.state.tensor), alone = n_tensor === 1n;
        const taking = load =>
          alone ? q.ask("T_mixed", load) : q.ask("T_mixed_device", { ...load, n_tensor });
        const without = alone ? "latency_with_cache" : "tensor_parallel_latency";
        const mixed = taking({ n_chunk, N_prompt }), step = q.ask(without, alone ? {} : { n_tensor });
        const free = alone ? q.ask("free_chunk_with_attention", { N_prompt }) : { refusal: {} };
        const all = views.slices(taking, n_chunk, N_prompt), count = X.up(X.over(N_prompt, n_chunk));
        const beyond = free.refusal ? n_chunk : X.larger(n_chunk, X.plus(X.down(free.value), 1n));
        const adds = of(q, "Each token beyond it adds", "chunk_price", { n_chunk: beyond, N_prompt });
        const took = all && several(shown(all, "T_mixed"));
        return {
          said: mixed.refusal ? mixed.refusal.said
            : free.refusal
              ? `A step takes ${tell(mixed)} with the chunk, and ${tell(step)} without one.`
              : X.compared(n_chunk, free.value) <= 0
                ? `The chunk rides free: a step waits for its reading, and takes ${tell(mixed)}.`
                : `The chunk is longer than what is free: every reader waits ${tell(mixed)} for a token.`,
          drawings: [chunkTime(taking, N_prompt, n_chunk, free.value)],
          results: [
            asked("A step with the chunk, the last of the prompt", mixed, "mixed_step_time"),
            asked("A step without one", step, without),
            ...(alone ? [
              asked("Chunk that rides free", free, "free_chunk_with_attention"),
              of(q, "Chunk that rides free, without caches", "free_chunk"),
              { ...adds, text: adds.refused ? adds.text : shown(adds.found.value, "T_mixed") },
            ] : []),
            { key: "slices", label: `First word of the newcomer, after ${X.grouped(`${count}`)} steps`, refused: !all,
              text: took || `more than ${views.MOST_SLICES} steps are not added up here.`,
              lines: ["the steps with all chunks, each to where it ends, added up"] },
          ],
        };
      },
    },
    share: {
      title: "Every layer shared",
      controls: ["model", "hardware", "link", "weights", "tensor", "B", "N"],
      example: { model: "llama-2-70b", hardware: "a100-80gb-sxm", dtype: "fp16" }, // as in the chapter
      start: { tensor: "8" },
      wrong: sharing.impossible,
      show(q) {
        const share = { n_tensor: BigInt(q.state.tensor) }, one = q.ask("separate_latency");
        const step = q.ask("separate_tensor_parallel_latency", share);
        const fits = q.ask("sequences_on_devices", { ...share, n_stages: 1n });
        const best = sharing.fastest(q), gain = step.refusal ? undefined : X.over(one.value, step.value);
        const unshared = gain && sharing.rate(q, share, fits.value);
        return {
          said: step.refusal ? step.refusal.said
            : `A token takes ${tell(step)}, ${X.significant(gain, 3)} times as fast as on one device with the room; ` +
              `the fastest number is ${best.n_tensor}, with ${tell(best.found)}.`,
          drawings: [sharing.against(q)],
          results: [
            asked("A decoding step on them", step, "separate_tensor_parallel_latency"),
            asked("On one, if it had the room", one, "separate_latency"),
            of(q, "All-reduces take", "all_reduce_time", share),
            of(q, "Memory needed per device", "footprint_per_device", share),
            asked("Sequences that fit", fits, "sequences_on_devices"),
            { key: "filled", label: "Tokens a second of each device, filled", refused: !unshared,
              text: unshared ? several(shown(unshared, "R")) : "none",
              lines: ["sequences that fit ÷ time of their step ÷ devices"] },
          ],
        };
      },
    },
    roofline: {
      title: "A step on the roofline",
      controls: ["model", "hardware", "dtype", "B", "N"],
      start: { N: "512" }, // as in the figure
      show(q) {
        const here = point(q), intensity = { unit: { text: "FLOP/B", prefixes: "", plural: false } };
        const how = "operations of the step ÷ (time of reading · bandwidth)";
        return {
          said: binding(q),
          drawings: [roofline(q)],
          results: [
            { key: "intensity", label: "Operations for each byte", refused: !here, lines: [how],
              text: here ? X.humanize(here.intensity, intensity.unit) : "none" },
            of(q, "Ridge point", "ridge_point"),
            of(q, "A decoding step", "latency_with_cache"),
          ],
        };
      },
    },
    crossover: {
      title: "Where a larger batch stops being free",
      controls: ["model", "hardware", "dtype", "weights", "N", "B"],
      wide: true,
      start: { N: "64" }, // below the critical context of the example
      show: q => ({
        said: binding(q),
        drawings: [stepTime(q), crossoverAgainstContext(q)],
        results: [
          of(q, "Batch crossover, cache reads counted", "B_star_cache"),
          of(q, "Batch crossover, weights alone", "batch_crossover"),
          of(q, "Critical context", "N_critical"),
          of(q, "A decoding step", "latency_with_cache"),
          of(q, "The same, part by part", "separate_latency"),
        ],
      }),
    },
    fits: {
      title: "Which limit comes first",
      controls: ["model", "hardware", "weights", "cache", "N", "target", "B"],
      start: { model: "llama-2-70b", weights: "q4_0" }, // the deployment of the chapter
      show(q) {
        const target = X.times(X.read(q.state.target), MILLI);
        const [fit, cross, fast] = [q.ask("sequences_that_fit"), q.ask("B_star_cache"), within(q, target)];
        const unit = unitOf("B"), limits = [
          { word: "memory", exact: fit.value },
          { word: "time", exact: fast },
          { word: "arithmetic", exact: cross.value }].map(limit => ({ ...limit, at: number(limit.exact) }));
        const [first] = limits.filter(({ at }) => at !== undefined).sort((a, b) => X.compared(a.exact, b.exact));
        const step = q.ask("latency_with_cache");
        let said = first ? `The first limit is ${first.word}, at ${X.humanize(first.exact, unit)}.` : "";
        if (fit.refusal) said = fit.refusal.said;
        else if (step.refusal) said = step.refusal.said;
        else if (fast === undefined) said = `Even one sequence takes longer than ${q.state.target} ms a token.`;
        else if (!fit.value) said = "Not even one sequence fits.";
        return {
          said,
          drawings: [memoryAgainstBatch(q, limits)],
          results: [
            asked("Sequences that fit", fit, "sequences_that_fit"),
            { key: "within", label: `Sequences at ${q.state.target} ms a token`, refused: fast === undefined,
              text: fast === undefined ? "none" : X.humanize(fast, unit),
              lines: ["the largest batch whose step takes no longer; a larger one never takes less time"] },
            asked("Batch at which arithmetic takes over", cross, "B_star_cache"),
            asked("A decoding step", step, "latency_with_cache"),
            of(q, "Weights and cache together", "footprint"),
          ],
        };
      },
    },
    bits: {
      title: "What fewer bits buy",
      controls: ["model", "hardware", "bits", "block", "overhead", "B", "N"],
      start: { hardware: "m2", N: "512" }, // the laptop of the figure
      show(q) {
        const overhead = X.times(X.read(q.state.overhead), MILLI), scale = X.read(catalogue.formats.q4_0.n_scale);
        const block = X.read(q.state.block);
        const sized = bits => q.ask("bytes_per_weight", { n_bits: bits, n_block: block, n_scale: scale });
        const rate = (n_bytes, more = overhead) => {
          const time = q.value("latency_with_cache", { n_bytes });
          return time === undefined ? undefined : X.over(q.letters.B, X.plus(time, more));
        };
        const bytes = sized(X.read(q.state.bits)), here = rate(bytes.value);
        const half = rate(X.read(catalogue.formats.fp16.n_bytes));
        const refusal = q.ask("latency_with_cache", { n_bytes: bytes.value }).refusal;
        const unit = unitOf("R"), all = Array.from({ length: 15 }, (_, i) => BigInt(i + 2));
        const curve = more => all.map(n => [number(n), number(rate(sized(n).value, more))]);
        const step = q.ask("latency_with_cache", { n_bytes: bytes.value });
        const gain = here === undefined ? undefined : X.over(here, half);
        return {
          said: refusal ? refusal.said
            : `${several(X.humanize(here, unit))}, ${X.significant(gain, 3)} times as many as with fp16 weights.`,
          drawings: refusal ? [] : [plot({
            title: `Tokens a second against bits of a weight, with ${q.state.overhead} ms of overhead and without.`,
            x: { low: 2, high: 16, log: false, label: "bits of a weight" },
            y: { low: 0, high: number(rate(sized(2n).value, 0n)) * 1.1, log: false, label: "tokens/s" },
            lines: [{ points: curve(0n), colour: "one", dashed: true, label: "without overhead" },
              { points: curve(overhead), colour: "two", wide: true, label: "with it" }],
            marks: [{ x: number(X.read(q.state.bits)), y: number(here) }],
          })],
          results: [
            asked("Bytes of a weight, its share of the scale counted", bytes, "bytes_per_weight"),
            asked("A decoding step, without the overhead", step, "latency_with_cache"),
            { key: "rate", label: "Tokens a second, with it", refused: !!refusal,
              text: refusal ? "none" : several(X.humanize(here, unit)),
              lines: ["batch ÷ (time of the step + overhead)"] },
            { key: "gain", label: "Against fp16 weights", refused: !!refusal,
              text: refusal ? "none" : `${X.significant(gain, 4)} times`,
              lines: ["the same rate, divided by that at fp16"] },
          ],
        };
      },
    },
  };

  // Put together

  const ADDRESSED = new Set(Object.values(KINDS).filter(({ address }) => address).flatMap(({ controls }) => controls));

  /* What is longer than the model was made for, in a sentence; "" where nothing is. */
  function beyond({ model, ...typed }, controls) {
    const { title, letters } = catalogue.models[model], limit = letters.n_limit && X.read(letters.n_limit);
    const length = names => names.filter(name => controls.includes(name)).map(name => X.read(typed[name]));
    const lengths = [...length(["N"]), X.plus(0n, ...length(["prompt", "output"]))];
    const longest = X.larger(...lengths, 0n);
    if (!limit || X.compared(longest, limit) <= 0) return "";
    const [asked, most] = [longest, limit].map(tokens => X.grouped(`${tokens}`));
    return ` ${asked} tokens exceed the context limit of ${title}, ${most} tokens.`;
  }

  // a page may have an example of its own, which stores what it computes in; another machine has formats of its own
  const begun = (said, { example = START, start: { hardware } = {} }) => {
    const { model, dtype, ...own } = said ? JSON.parse(said) : example;
    return hardware ? { model } : { ...own, model, dtype, weights: dtype, cache: dtype };
  };

  function build(place) {
    const kind = KINDS[place.dataset.calculator], root = place.dataset.root || "";
    const { example, begins } = place.dataset;
    const state = { ...START, ...begun(example, kind), ...kind.start, ...JSON.parse(begins || "{}") };
    const controls = kind.controls.map(name => CONTROLS[name](kind.address));
    const form = make("form", { class: "controls", "aria-label": kind.title });
    const large = kind.address ? "" : make("a", { class: "large" }, "In the large calculator");
    form.append(...controls.map(({ element }) => element), large);
    const said = make("output", { class: "said", "aria-live": "polite" });
    const drawings = make("div", { class: "drawings" }), list = make("div", { class: "results" });
    const below = make("div", { class: `answers${kind.wide ? "" : " beside"}` }, drawings, list);
    const unread = make("p", { class: "unread", role: "status" }), first = !document.querySelector(".calculator form");
    const show = results(list, root);

    const set = more => controls.forEach(({ name, set: put, accepts }) => {
      if (name in more && accepts(more[name])) put((state[name] = more[name]));
    });

    function update() {
      const typed = Object.fromEntries(controls.map(({ name, get }) => [name, get()]));
      const wrong = controls.map(control => control.wrong()).find(Boolean) || kind.wrong?.(typed);
      below.classList.toggle("stale", !!wrong);
      if (wrong) {
        said.textContent = wrong;
        return;
      }
      Object.assign(state, typed);
      for (const letter of ["M", "W", "F"]) {
        const control = controls.find(({ name }) => name === letter);
        if (control) control.element.hidden = state.hardware !== "own";
      }
      const q = question(state), found = kind.show(q);
      const sentence = found.said.charAt(0).toUpperCase() + found.said.slice(1) + beyond(state, kind.controls);
      if (said.textContent !== sentence) said.textContent = sentence; // what is said again is read out again
      drawings.replaceChildren(...found.drawings.filter(Boolean));
      show(found.results);
      if (large) large.href = `${root}calculator.html#${told()}`;
    }

    /* The address of the large calculator at what this one is at; those that share a layer are all the devices. */
    function told() {
      const names = kind.controls.filter(name => ADDRESSED.has(name)), more = names.includes("tensor") ? ["devices"] : [];
      return new URLSearchParams([...names.map(name => [name, state[name]]), ...more.map(name => [name, state.tensor])]);
    }

    /* A machine of one's own begins as the one before. */
    function adopt(before) {
      if (state.hardware !== "own" || before === "own" || state.M || state.W || state.F) return;
      const { values } = lettersOf({ hardware: before, dtype: state.dtype });
      const text = name => (values[name] ? `${X.toNumber(X.over(values[name], SCALES[name]))}` : "");
      set({ M: text("M"), W: text("W"), F: text("F") });
    }

    const parsed = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    /* Say what an address asks for and does not get; of two calculators the first speaks of names that neither has. An
       address without a value leads to a part of the page. */
    function doubt(told) {
      const refused = ([name, value]) => ADDRESSED.has(name)
        ? controls.some(control => control.name === name && !control.accepts(value)) : first && value;
      const words = Object.entries(told).filter(refused).map(pair => pair.join("=").slice(0, 40)).slice(0, 5);
      unread.textContent = words.length
        ? `The address of this page asks for ${words.join(", ")}, which no calculator here knows.` : "";
    }
    /* The address also tells what other calculators of the page were moved to. */
    function written() {
      const told = Object.fromEntries(Object.entries(parsed()).filter(([name]) => ADDRESSED.has(name)));
      for (const name of kind.controls)
        if (SCALES[name] === undefined || state.hardware === "own") told[name] = state[name];
        else delete told[name];
      return new URLSearchParams(told);
    }
    function follow() {
      const told = parsed();
      doubt(told);
      if (!kind.controls.some(name => name in told && told[name] !== state[name])) return;
      set(told);
      update();
    }

    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", ({ target: { dataset } }) => {
      const before = state.hardware, numbers = {};
      for (const { name, get } of kind.adapt ? controls : []) numbers[name] = get();
      const more = kind.adapt?.(numbers, dataset.control || dataset.number) || {};
      controls.forEach(({ name, set: put, accepts }) => name in more && accepts(more[name]) && put(more[name]));
      update();
      if (kind.address && state.hardware !== before) {
        adopt(before);
        update();
      }
      if (!kind.address) return;
      history.replaceState(null, "", `#${written()}`);
      window.dispatchEvent(new Event("moved"));
    });
    set(state);
    if (kind.address) {
      set(parsed());
      doubt(parsed());
      for (const event of ["hashchange", "moved"]) window.addEventListener(event, follow);
    }
    update();
    place.replaceChildren(unread, form, said, below);
  }

  document.querySelectorAll("[data-calculator]").forEach(build);
})(window.catalogue, window.Exact, window.Evaluate, window.Controls, window.Drawing, window.Results, window.Views,
  window.Sharing, window.Planning);
