/* The drawings of the calculators, all of what the catalogue says. */
"use strict";
window.Views = ((X, { lettersOf }, { plot, spread }, { shown, tell }) => {
  const number = value => (value === undefined ? undefined : X.toNumber(value));
  const whole = values => [...new Set(values.map(x => BigInt(Math.max(1, Math.round(x)))))];
  const decade = (x, up) => 10 ** (up ? Math.ceil(Math.log10(x) - 1e-9) : Math.floor(Math.log10(x) + 1e-9));

  /* Operations for each byte that a step reads, and operations a second; the point of the roofline. */
  function point(q, more) {
    const [work, time, reading, { W }] = [q.value("decode_product_flops", more), q.value("latency_with_cache", more),
      q.value("memory_time_with_cache", more), lettersOf(q.presets).values];
    if (work === undefined || time === undefined) return undefined;
    return { intensity: X.over(work, X.times(reading, W)), speed: X.over(work, time) };
  }

  function roofline(q) {
    const { F, W } = lettersOf(q.presets).values, here = point(q);
    if (!here) return undefined;
    const [peak, band, x, y] = [F, W, here.intensity, here.speed].map(number);
    const ridge = peak / band, low = decade(Math.min(x, ridge) / 3), high = decade(Math.max(x, ridge) * 3, true);
    const line = [[low, low * band], [ridge, peak], [high, peak]];
    return plot({
      title: `Roofline: the step does ${x.toPrecision(3)} operations for each byte, ` +
        `and the ridge is at ${ridge.toPrecision(3)}.`,
      x: { low, high, label: "operations for each byte read" },
      y: { low: decade(low * band), high: decade(peak * 2, true), label: "operations a second" },
      lines: [{ points: line, wide: true }],
      rules: [{ x: ridge, label: "ridge" }],
      marks: [{ x, y, label: "a step" }],
    });
  }

  function stepTime(q) {
    const batch = number(q.letters.B);
    const [cross, fit] = ["B_star_cache", "sequences_that_fit"].map(name => number(q.value(name)));
    const high = decade(Math.max(batch * 2, 100, Math.min(cross * 2 || 0, 1e6), Math.min(fit * 2 || 0, 1e5)), true);
    const batches = whole(spread(1, high, 28));
    const curve = name => batches.map(B => [number(B), number(q.value(name, { B }))]);
    const [step, reading, arithmetic] =
      ["separate_latency", "memory_time_with_cache", "compute_time_with_attention"].map(curve);
    if (step.some(([, time]) => time === undefined)) return undefined;
    const least = Math.min(reading[0][1], arithmetic[0][1]), most = step[step.length - 1][1];
    return plot({
      title: `Time of a step against batch, at a context of ${q.state.N}: ` +
        `${tell(q.ask("separate_latency"))} at a batch of ${q.state.B}.`,
      x: { low: 1, high, label: "batch" },
      y: { low: decade(least), high: decade(most * 2, true), unit: "s", label: "time of a step" },
      lines: [
        { points: reading, colour: "one", dashed: true, label: "reading", early: true },
        { points: arithmetic, colour: "three", dashed: true, label: "arithmetic" },
        { points: step, colour: "ink", wide: true },
      ],
      rules: [{ x: cross, label: "B*", colour: "two" }, { x: fit, label: "memory is full" }]
        .filter(rule => rule.x !== undefined),
      marks: [{ x: batch, y: number(q.value("separate_latency")) }],
    });
  }

  function crossoverAgainstContext(q) {
    const critical = number(q.value("N_critical"));
    const high = decade(Math.max(critical ? critical * 3 : 1e5, number(q.letters.N) * 1.5), true);
    const near = critical ? spread(0.5, critical * 0.9, 25).map(distance => critical - distance) : [];
    const contexts = whole([...spread(1, critical ? critical * 0.999 : high, 30), ...near].sort((a, b) => a - b));
    const all = contexts.map(N => [number(N), number(q.value("B_star_cache", { N }))]);
    const points = all.filter(([, batch]) => batch !== undefined);
    if (!points.length) return undefined;
    const [least, most] = [points[0][1], points[points.length - 1][1]];
    const towards = critical ? `, without bound towards ${critical.toPrecision(3)} tokens` : "";
    const here = number(q.value("B_star_cache"));
    return plot({
      title: `Batch crossover against context${towards}.`,
      x: { low: 1, high, label: "context, tokens" },
      y: { low: decade(least / 2), high: decade(Math.min(most, least * 1e4) * 1.1, true), label: "B*" },
      lines: [{ points, colour: "two", wide: true }],
      rules: [{ x: critical, label: "beyond it, no batch" }].filter(rule => rule.x),
      marks: here ? [{ x: number(q.letters.N), y: here }] : [],
    });
  }

  /* The largest batch whose step takes no longer than a time: nothing where even one sequence takes longer. */
  function within(q, limit) {
    const meets = B => {
      const { value } = q.ask("latency_with_cache", { B });
      return value !== undefined && X.compared(value, limit) <= 0;
    };
    if (!meets(1n)) return undefined;
    let [low, high] = [1n, 2n];
    while (meets(high) && high < 1n << 40n) [low, high] = [high, 2n * high];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (meets(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  function memoryAgainstBatch(q, limits) {
    const batch = number(q.letters.B), room = number(lettersOf(q.presets).values.M);
    const weights = number(q.value("weight_bytes")), one = number(q.value("footprint", { B: 1n }));
    if ([room, weights, one].includes(undefined)) return undefined;
    const ends = limits.map(({ at }) => at).filter(at => at !== undefined && at < 1e5);
    const high = Math.max(batch * 1.3, 8, ...ends.filter(at => at * (one - weights) < room * 3).map(at => at * 1.3));
    const held = [[0, weights], [high, weights + high * (one - weights)]];
    return plot({
      title: `Memory held against batch: weights and KV cache, and the ` +
        `${shown(lettersOf(q.presets).values.M, "M")} of the machine.`,
      x: { low: 0, high, log: false, label: "batch" },
      y: { low: 0, high: Math.max(room * 1.1, weights + high * (one - weights)), log: false, unit: "B", label: "held" },
      areas: [{ points: held, colour: "two" }, { points: [[0, weights], [high, weights]], colour: "one" }],
      rules: [{ y: room, label: "memory of the machine", colour: "ink" },
        ...limits.filter(({ at }) => at !== undefined).map(({ at, word }) => ({ x: at, label: word, colour: "ink" }))],
      lines: [{ points: held, colour: "two", label: "cache" },
        { points: [[0, weights], [high, weights]], colour: "one", label: "weights", early: true }],
      marks: [{ x: batch, y: number(q.value("footprint")), colour: "four" }],
    });
  }

  const MOST_SLICES = 500n;
  /* The time of all steps that take a prompt in, each with its chunk; nothing where these are too many. */
  function slices(taking, chunk, prompt) {
    if (X.compared(X.over(prompt, chunk), MOST_SLICES) > 0) return undefined;
    let sum = 0n;
    for (let taken = 0n; taken < prompt; ) {
      const n_chunk = X.smaller(chunk, prompt - taken);
      taken += n_chunk;
      const time = taking({ n_chunk, N_prompt: taken });
      if (time.refusal) return undefined;
      sum = X.plus(sum, time.value);
    }
    return sum;
  }

  /* The time of a step against the chunk of a prompt that it takes in. */
  function chunkTime(taking, N_prompt, here, rides) {
    const at = n_chunk => number(taking({ n_chunk, N_prompt }).value);
    const free = number(rides);
    const high = Math.max(2, Math.min(number(N_prompt), Math.ceil(Math.max(number(here), free || 0) * 2)));
    const chunks = whole([...spread(1, high, 20), ...(free ? [Math.floor(free)] : [])].sort((a, b) => a - b))
      .filter(n_chunk => n_chunk <= N_prompt);
    const points = chunks.map(n_chunk => [number(n_chunk), at(n_chunk)]);
    if (points.some(([, time]) => time === undefined)) return undefined;
    return plot({
      title: "Time of a step against the chunk it takes in: " +
        `${tell(taking({ n_chunk: here, N_prompt }))} with ${here} tokens.`,
      x: { low: 0, high, log: false, label: "tokens of the prompt in a step" },
      y: { low: 0, high: Math.max(...points.map(([, time]) => time)) * 1.2, log: false, unit: "s", label: "a step" },
      lines: [{ points, colour: "two", wide: true }],
      rules: [{ x: free, label: "free up to here" }].filter(rule => rule.x > 0),
      marks: [{ x: number(here), y: at(here) }],
    });
  }

  return { number, point, roofline, stepTime, crossoverAgainstContext, within, memoryAgainstBatch, slices, MOST_SLICES,
    chunkTime };
})(window.Exact, window.Evaluate, window.Drawing, window.Results);
