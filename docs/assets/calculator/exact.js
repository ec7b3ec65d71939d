/* Exact numbers. A whole one is a BigInt, any other a fraction of two, as in the package; nothing is rounded before it
   is shown. How numbers are shown is the package's way too. */
"use strict";
window.Exact = (() => {
  const above0 = x => (typeof x === "bigint" ? x : x.n);
  const under = x => (typeof x === "bigint" ? 1n : x.d);

  function over(a, b) {
    let n = above0(a) * under(b);
    let d = under(a) * above0(b);
    if (d === 0n) throw new RangeError("division by zero");
    if (d < 0n) [n, d] = [-n, -d];
    return n % d === 0n ? n / d : { n, d };
  }

  const fraction = (n, d) => (n % d === 0n ? n / d : { n, d });
  const sum = (a, b) => {
    if (typeof a === "bigint" && typeof b === "bigint") return a + b;
    return fraction(above0(a) * under(b) + above0(b) * under(a), under(a) * under(b));
  };
  const product = (a, b) => fraction(above0(a) * above0(b), under(a) * under(b));
  const plus = (...parts) => parts.reduce(sum);
  const times = (...parts) => parts.reduce(product);
  const negative = x => times(-1n, x);

  /* -1, 0 or 1 */
  function sign(x) {
    return above0(x) > 0n ? 1 : above0(x) < 0n ? -1 : 0;
  }
  function compared(a, b) {
    const left = above0(a) * under(b), right = above0(b) * under(a);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  const larger = (...parts) => parts.reduce((a, b) => (compared(a, b) < 0 ? b : a));
  const smaller = (...parts) => parts.reduce((a, b) => (compared(a, b) > 0 ? b : a));

  function down(x) {
    const n = above0(x), d = under(x);
    return n / d - (n % d < 0n ? 1n : 0n);
  }
  const up = x => -down(negative(x));
  const modulo = (a, b) => plus(a, negative(times(b, down(over(a, b)))));

  /* Exact for exponents that can be carried out, else to 200 bits, as the package does to 40 digits. */
  const LARGEST_POWER = 1024n, BITS = 200, SMALLEST = -3400;
  function power(base, exponent) {
    if (typeof exponent !== "bigint") throw new RangeError("a power that is no number of times");
    const size = exponent < 0n ? -exponent : exponent;
    if (exponent < 0n) base = over(1n, base);
    if (size <= LARGEST_POWER) return over(above0(base) ** size, under(base) ** size);
    return rounded(base, size);
  }
  const bits = n => (n < 0n ? -n : n).toString(2).length;
  function rounded(base, size) {
    const cut = (m, e) => {
      const extra = bits(m) - BITS;
      return extra > 0 ? [m >> BigInt(extra), e + extra] : [m, e];
    };
    const shift = BITS + bits(under(base));
    let [m, e] = cut((above0(base) << BigInt(shift)) / under(base), -shift);
    let [found, exponent] = [1n, 0];
    for (; size; size >>= 1n) {
      if (size & 1n) [found, exponent] = cut(found * m, exponent + e);
      [m, e] = cut(m * m, 2 * e);
      if (bits(m) + e < 2 * SMALLEST) m = 0n;
    }
    if (!found || bits(found) + exponent < SMALLEST) return 0n;
    if (bits(found) + exponent > -SMALLEST) throw new RangeError("the result is too large for a number");
    return exponent < 0 ? over(found, 1n << BigInt(-exponent)) : found << BigInt(exponent);
  }

  /* The nearest float. */
  function toNumber(x) {
    if (typeof x === "bigint") return Number(x);
    const shift = 70 - bits(x.n) + bits(x.d);
    const [n, d] = shift > 0 ? [x.n << BigInt(shift), x.d] : [x.n, x.d << BigInt(-shift)];
    const half = Math.trunc(shift / 2);
    // a bit that says whether anything is left over, so that it is rounded once
    return Number(((n / d) << 1n) | (n % d ? 1n : 0n)) * 2 ** -half * 2 ** (half - shift - 1);
  }

  /* A decimal, a fraction or a float as it prints: "4096", "9/16", "1.5e3"; null for what is none of them. */
  function read(text) {
    const found = /^\s*([+-]?\d+)\/(\d+)\s*$/.exec(text);
    if (found) return BigInt(found[2]) ? over(BigInt(found[1]), BigInt(found[2])) : null;
    const decimal = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,2}))?\s*$/.exec(text);
    if (!decimal || !(decimal[2] || decimal[3]) || text.length > 60) return null;
    const [, minus, whole, part, exponent] = decimal;
    const places = BigInt(part.length - Number(exponent || 0));
    const digits = BigInt(minus + whole + part);
    return places > 0n ? over(digits, 10n ** places) : digits * 10n ** -places;
  }

  /* Shown */

  const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, ",");
  /* x·10^places to the nearest whole number, half to even, x a float. */
  function scaled(x, places) {
    let d = 1n;
    for (; !Number.isInteger(x); x *= 2) d *= 2n;
    const n = BigInt(x) * (places > 0 ? 10n ** BigInt(places) : 1n);
    if (places < 0) d *= 10n ** BigInt(-places);
    const whole = n / d, rest = 2n * (n % d);
    return whole + (rest > d || (rest === d && whole % 2n) ? 1n : 0n);
  }
  function fixed(x, places, group = false) {
    const digits = scaled(x, places).toString().padStart(places + 1, "0");
    const whole = digits.slice(0, digits.length - places);
    return (group ? grouped(whole) : whole) + (places ? `.${digits.slice(-places)}` : "");
  }
  /* To so many significant figures, as Python's format "g". */
  function significant(value, digits, group = false) {
    let x = toNumber(value);
    if (!x) return "0";
    const minus = x < 0 ? "-" : "";
    x = Math.abs(x);
    let exponent = Number(x.toExponential(20).split("e")[1]);
    if (scaled(x, digits - 1 - exponent).toString().length > digits) exponent += 1;
    if (exponent >= -4 && exponent < digits) {
      const [whole, part = ""] = fixed(x, Math.max(digits - 1 - exponent, 0), group).split(".");
      const kept = part.replace(/0+$/, "");
      return minus + whole + (kept ? `.${kept}` : "");
    }
    const all = scaled(x, digits - 1 - exponent).toString();
    const rest = all.slice(1).replace(/0+$/, "");
    const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    return `${minus}${all[0]}${rest ? `.${rest}` : ""}e${power}`;
  }
  function plain(value, digits) {
    if (typeof value === "bigint" && compared(value < 0n ? -value : value, 10n ** 15n) < 0)
      return (value < 0n ? "-" : "") + grouped((value < 0n ? -value : value).toString());
    const x = toNumber(value), size = Math.abs(x);
    if (size >= 1 && size < 1e6) {
      const places = Math.max(0, digits - String(Math.trunc(size)).length);
      return (x < 0 ? "-" : "") + fixed(size, places, true);
    }
    return significant(value, digits);
  }

  const LARGE = [[18, "E"], [15, "P"], [12, "T"], [9, "G"], [6, "M"], [3, "k"]];
  const SMALL = [[0, ""], [-3, "m"], [-6, "µ"], [-9, "n"]];
  const ten = p => (p < 0 ? over(1n, 10n ** BigInt(-p)) : 10n ** BigInt(p));
  /* A number with its unit as a person would write it. */
  function humanize(value, unit, digits = 4) {
    if (unit.times) return `${plain(times(value, read(unit.times)), digits)} ${unit.text}`;
    let [place, prefix] = [0, ""];
    if (unit.prefixes === "small" && sign(value) > 0 && compared(value, 1n) < 0)
      [place, prefix] = SMALL.find(([p]) => compared(value, ten(p)) >= 0 || p === -9);
    else if (unit.prefixes === "large" && compared(value, 1000n) >= 0)
      [place, prefix] = LARGE.find(([p]) => compared(value, ten(p)) >= 0);
    const figure = place ? significant(over(value, ten(place)), digits, true) : plain(value, digits);
    if (!unit.text) return figure;
    const several = unit.plural && !prefix && compared(value, 1n) !== 0 ? "s" : "";
    return `${figure} ${prefix}${unit.text}${several}`;
  }

  /* As a number prints that is no fraction: to the digits of a float. */
  const printed = x => (typeof x === "bigint" ? x : read(`${toNumber(x)}`));

  const is = test => (a, b) => test(compared(a, b));
  /* What a tree may be made of; verify_alone.py, which comes with exported proofs, has the same in this order. */
  const OPERATORS = {
    "+": plus, "*": times, max: larger, min: smaller, "/": over, "^": power, mod: modulo, floor: down, ceil: up,
    "=": is(c => c === 0), "!=": is(c => c !== 0), "<": is(c => c < 0), "<=": is(c => c <= 0),
    ">": is(c => c > 0), ">=": is(c => c >= 0),
  };
  return {
    OPERATORS, plus, times, over, larger, smaller, down, up, sign, compared, read, toNumber,
    significant, humanize, grouped, printed,
    shown: x => (typeof x === "bigint" ? `${x}` : `${x.n}/${x.d}`),
  };
})();
