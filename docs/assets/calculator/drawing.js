/* Drawings by hand: lines and points in axes, in the colours of the figures. */
"use strict";
window.Drawing = (() => {
  const WIDTH = 360, HEIGHT = 270, LEFT = 52, RIGHT = 24, TOP = 24, BOTTOM = 44;
  const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""],
    [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const round = x => Math.round(x * 100) / 100;

  /* "20 ms", "1 TFLOP/s": a number at an axis. */
  function tick(value, unit) {
    if (!value) return "0";
    if (!unit && value < 1e5 && value >= 1e-3) return value.toLocaleString("en", { maximumFractionDigits: 3 });
    const [size, prefix] = PREFIXES.find(([least]) => value >= least * 0.9999) || PREFIXES[PREFIXES.length - 1];
    return `${Number((value / size).toPrecision(3))}${unit || prefix ? " " : ""}${prefix}${unit}`.trim();
  }

  /* An axis: where a value lies, and the values at which something is written. */
  function axis({ low, high, log = true, unit = "", label, ticks: own }, from, to) {
    if (log) {
      const [a, b] = [Math.log10(low), Math.log10(high)];
      const every = Math.max(1, Math.ceil((b - a) / 5)), ticks = [];
      for (let p = Math.ceil(a - 1e-9); p <= b + 1e-9; p += every) ticks.push(10 ** p);
      if (ticks.length < 2) ticks.push(low, high);
      const at = x => from + ((Math.log10(x) - a) / (b - a)) * (to - from);
      return { at, ticks: own || ticks, unit, label, low, high };
    }
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= rough), ticks = [];
    for (let x = Math.ceil(low / step) * step; x <= high * 1.0001; x += step) ticks.push(x);
    return { at: x => from + ((x - low) / (high - low)) * (to - from), ticks, unit, label, low, high };
  }

  /* A picture.
     lines: {points: [[x, y], …], colour, wide, dashed, label, early, under}; an early label stands at the first point,
     one that is under a line below its last.
     areas: {points, colour}: filled down to the axis. rules: {x or y, label, colour}: dashed, across everything.
     marks: {x, y, label, colour}. */
  function plot({ title, x, y, lines = [], areas = [], rules = [], marks = [] }) {
    const make = window.Controls.make;
    const across = axis(x, LEFT, WIDTH - RIGHT), up = axis(y, HEIGHT - BOTTOM, TOP);
    const svg = make("svg:svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "drawing", role: "img", "aria-label": title });
    const draw = (tag, attributes, text = "") => svg.append(make(`svg:${tag}`, attributes, text));
    const words = (text, at, top, more = {}) => draw("text", { x: round(at), y: round(top), ...more }, text);
    const clip = ([a, b]) => [
      round(across.at(Math.min(Math.max(a, across.low), across.high))),
      round(up.at(Math.min(Math.max(b, up.low), up.high)))];
    const path = points => points.map((point, i) => `${i ? "L" : "M"}${clip(point).join(" ")}`).join("");
    for (const value of across.ticks) {
      const at = round(across.at(value));
      draw("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM });
      words(tick(value, across.unit), at, HEIGHT - BOTTOM + 17, { "text-anchor": "middle", class: "tick" });
    }
    for (const value of up.ticks) {
      const at = round(up.at(value));
      draw("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at });
      words(tick(value, up.unit), LEFT - 6, at + 4, { "text-anchor": "end", class: "tick" });
    }
    words(across.label, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, { "text-anchor": "middle" });
    words(up.label, 2, 13);
    for (const { points, colour } of areas) {
      const [first, last] = [points[0], points[points.length - 1]];
      const ground = [[last[0], up.low], [first[0], up.low]];
      draw("path", { class: `area ${colour}`, d: `${path([...points, ...ground])}Z` });
    }
    let used = 0;
    for (const { x: at, y: level, label, colour = "quiet" } of rules) {
      if (at !== undefined && (at < across.low || at > across.high)) continue;
      if (level !== undefined && (level < up.low || level > up.high)) continue;
      const [a, b] = clip([at ?? across.low, level ?? up.low]);
      draw("line", at !== undefined
        ? { class: `rule ${colour}`, x1: a, x2: a, y1: TOP, y2: HEIGHT - BOTTOM }
        : { class: `rule ${colour}`, x1: LEFT, x2: WIDTH - RIGHT, y1: b, y2: b });
      const left = a > WIDTH * 0.6;
      if (at !== undefined) {
        // rising curves leave the lower right free
        const side = { "text-anchor": left ? "end" : "start", class: colour };
        words(label, a + (left ? -5 : 5), HEIGHT - BOTTOM - 7 - 15 * used, side);
        used += 1;
      }
      else words(label, LEFT + 6, b - 5, { class: colour });
    }
    const inside = ([a, b]) => a >= across.low && a <= across.high && b >= up.low && b <= up.high;
    for (const { points: all, colour = "one", wide, dashed, label, early, under } of lines) {
      const points = all.filter(inside);
      if (points.length < 2) continue;
      draw("path", { class: `curve ${colour}${wide ? " wide" : ""}${dashed ? " dashed" : ""}`, d: path(points) });
      if (!label) continue;
      // above the higher end, where the curve falls away from the words, or below the first one
      const rising = points[points.length - 1][1] >= points[0][1];
      const late = under || (rising && !early);
      const [a, b] = clip(points[late ? points.length - 1 : 0]);
      const side = { class: colour, "text-anchor": late ? "end" : "start" };
      words(label, a + (late ? -4 : 8), b + (early || under ? 17 : -8), side);
    }
    for (const { x: at, y: height, label, colour = "two" } of marks) {
      const [a, b] = clip([at, height]);
      draw("circle", { class: `mark ${colour}`, cx: a, cy: b, r: 5.5 });
      if (label) {
        const left = a > WIDTH * 0.6;
        words(label, a + (left ? -9 : 9), b + 18, { "text-anchor": left ? "end" : "start", class: colour });
      }
    }
    return svg;
  }

  /* Numbers evenly spread in the logarithm. */
  function spread(low, high, count) {
    const step = (Math.log(high) - Math.log(low)) / (count - 1);
    return Array.from({ length: count }, (_, i) => low * Math.exp(i * step));
  }

  return { plot, spread };
})();
