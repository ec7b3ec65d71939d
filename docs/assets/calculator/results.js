/* What is asked of the catalogue, how answers are said, and how a result opens: its formula with the numbers put in. */
"use strict";
window.Results = ((catalogue, X, { attempt }, { make }) => {
  const SCALES = { M: 10n ** 9n, W: 10n ** 9n, F: 10n ** 12n }; // GB, GB/s, TFLOP/s, as they are typed

  /* What is asked, from what the controls say. */
  function question(state) {
    const typed = name => (state[name] ? X.times(X.read(state[name]), SCALES[name]) : null);
    const kinds = ["model", "hardware", "link", "dtype", "weights", "cache"];
    const presets = Object.fromEntries(kinds.map(kind => [kind, state[kind]]));
    presets.own = { M: typed("M"), W: typed("W"), F: typed("F") };
    const letters = { B: X.read(state.B), N: X.read(state.N) };
    const ask = (name, more = {}) => attempt(name, presets, { ...letters, ...more });
    return { presets, letters, ask, value: (name, more) => ask(name, more).value, state };
  }

  const unitOf = letter => catalogue.letters[letter].unit;
  const shown = (value, letter) => X.humanize(value, unitOf(letter));
  const several = text => text.replace(/ token\/s$/, " tokens/s").replace(/ token\/sequence$/, " tokens");
  const tell = found => (found.refusal ? found.refusal.said : several(shown(found.value, found.formula.quantity)));

  /* A result is a key, a label, and either what a formula gave or a text with the lines or results that lead to it. */
  const asked = (label, found, key) => ({ key, label, found, text: tell(found), refused: !!found.refusal });
  const of = (q, label, name, more) => asked(label, q.ask(name, more), name);
  const under = (group, result) => ({ ...result, group });

  // A result, opened

  function putInto(value) {
    if (typeof value !== "bigint") return X.significant(value, 6);
    const digits = `${value}`, mantissa = digits.replace(/0+$/, "");
    if (digits.length - mantissa.length < 6) return digits;
    return `${mantissa[0]}${mantissa.length > 1 ? "." : ""}${mantissa.slice(1)}e${digits.length - 1}`;
  }
  const places = Object.fromEntries(Object.entries(catalogue.letters).map(([name, { place }]) => [place, name]));
  const withNumbers = (formula, values) =>
    formula.putIn.replace(/@(\d+)@/g, (_, place) => `<mn>${putInto(values[places[place]])}</mn>`);
  /* The claim: between letters stands less than between numbers. */
  function claimed({ claim, putIn }) {
    if (claim) return claim;
    for (const [found, made] of Object.entries(catalogue.between)) putIn = putIn.replaceAll(found, made);
    return putIn.replace(/@(\d+)@/g, (_, place) => catalogue.letters[places[place]].mathml);
  }

  function inFull(written) {
    for (const [short, long] of Object.entries(catalogue.short)) written = written.replaceAll(short, long);
    return written;
  }
  function mathematics(written, tag, attributes, display) {
    const element = make(tag, attributes);
    element.innerHTML = `<math${display}>${inFull(written)}</math>`; // the catalogue's own, never what was typed
    return element;
  }
  const equation = written => mathematics(written, "div", { class: "equation", tabindex: 0 }, " display='block'");
  const symbol = name => mathematics(catalogue.letters[name].mathml, "span", {}, "");

  function opened({ found, lines = [] }, root) {
    const parts = lines.map(line => make("p", {}, line));
    if (!found) return parts;
    if (found.refusal) return [make("p", {}, found.refusal.message)];
    const { formula, values, by } = found;
    const page = ({ address, title }) => make("a", { href: `${root}${address}.html` }, title);
    const items = formula.letters.map(name => {
      const rule = by[name], letter = catalogue.letters[name];
      const item = make("li", {}, symbol(name), ` = ${X.humanize(values[name], letter.unit, 6)}, `,
        letter.meaning, rule ? ", by " : "", rule ? page(rule) : "");
      if (rule) item.append(equation(withNumbers(rule, values)));
      return item;
    });
    return [equation(claimed(formula)), equation(withNumbers(formula, values)),
      make("p", {}, symbol(formula.quantity), ` ${formula.sign} ${tell(found)}`),
      make("ul", {}, ...items), make("p", {}, page(formula))];
  }

  /* The rows of results, which stay while their numbers change. */
  function results(list, root) {
    const rows = new Map();
    return found => {
      const wanted = [];
      for (const result of found) {
        if (!rows.has(result.key)) rows.set(result.key, begun(result.key));
        const entry = rows.get(result.key), { head, row, what, output, note } = entry;
        entry.result = result;
        head.textContent = result.group || "";
        what.textContent = result.label;
        output.textContent = result.text;
        output.classList.toggle("refused", !!result.refused);
        note.textContent = result.note || "";
        fill(entry);
        wanted.push(...(result.group ? [head, row] : [row]));
      }
      // what is moved loses the focus
      const shownNow = [...list.childNodes];
      if (wanted.length !== shownNow.length || wanted.some((one, i) => one !== shownNow[i]))
        list.replaceChildren(...wanted);
    };
    function begun(key) {
      const output = make("output", { "aria-live": "off", "data-result": key }), what = make("span", { class: "what" });
      const note = make("span", { class: "note" }), inside = make("div", { class: "opened" });
      const row = make("details", { class: "result" }, make("summary", {}, what, output, note), inside);
      const entry = { head: make("p", { class: "group" }), row, what, output, note, inside };
      row.addEventListener("toggle", event => event.target === row && fill(entry));
      return entry;
    }
    function fill(entry) {
      const { row, inside, result } = entry;
      const parts = row.open ? opened(result, root) : [];
      if (row.open && result.rows) {
        entry.within = entry.within || make("div", { class: "results" });
        entry.show = entry.show || results(entry.within, root);
        entry.show(result.rows);
        parts.push(entry.within);
      }
      inside.replaceChildren(...parts);
    }
  }

  const PARTS = {
    P: "Multiplied per token, P", P_total: "Stored" };
  function counted(q, letter) {
    const { letters, sums } = catalogue.models[q.state.model], claim = sums[letter];
    const numbers = name => (name in letters && name !== letter ? putInto(X.read(letters[name])) : name);
    const putIn = claim.replace(/[A-Za-z]\w*/g, numbers);
    return { key: letter, label: PARTS[letter], text: shown(X.read(letters[letter]), letter), lines: [claim, putIn] };
  }

  return { SCALES, question, shown, several, tell, asked, of, under, counted, results, unitOf, claimed, inFull };
})(window.catalogue, window.Exact, window.Evaluate, window.Controls);
