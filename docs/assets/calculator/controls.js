/* Native inputs with labels, for the calculators: lists to choose from, sliders with a number beside them, numbers. */
"use strict";
window.Controls = (X => {
  const NAMESPACES = { svg: "http://www.w3.org/2000/svg" };
  let made = 0;

  /* An element with attributes, text and children; `svg:line` is one of a drawing. */
  function make(tag, attributes = {}, ...children) {
    const [space, name] = tag.includes(":") ? tag.split(":") : ["", tag];
    const element = space ? document.createElementNS(NAMESPACES[space], name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
    element.append(...children.filter(child => child !== undefined && child !== ""));
    return element;
  }

  const row = (id, label, ...inputs) =>
    make("div", { class: "control" }, make("label", { for: id }, label), ...inputs);

  /* A list to choose one of: pairs of a value and its title. */
  function choice(name, label, options) {
    const id = `calculator-${++made}`;
    const select = make("select", { id, "data-control": name });
    select.append(...options.map(([value, title]) => make("option", { value }, title)));
    return {
      name,
      element: row(id, label, select),
      get: () => select.value,
      set: value => (select.value = value),
      accepts: value => options.some(([known]) => known === value),
      wrong: () => "",
    };
  }

  /* Why a text is no number that a control takes; "" where it is one. */
  function complaint(text, { label, whole = true, least = "1", most = "1e9", may = false }) {
    if (may && text === "") return "";
    const value = X.read(text);
    if (value === null || (whole && typeof value !== "bigint"))
      return `${label} must be a ${whole ? "whole " : ""}number.`;
    if (X.compared(value, X.read(least)) < 0) return `${label} must be at least ${least}.`;
    return X.compared(value, X.read(most)) > 0 ? `${label} must be at most ${Number(most).toLocaleString("en")}.` : "";
  }

  const typed = (id, rules, more) =>
    make("input", { type: "number", id, min: rules.least || "1", step: rules.whole === false ? "any" : "1", ...more });

  /* A slider along some values, and the number itself beside it, which may lie between them. */
  function slider(name, label, values, { unit = "", ...rules } = {}) {
    const id = `calculator-${++made}`;
    const said = { label, ...rules };
    const range = make("input", {
      type: "range", id, min: 0, max: values.length - 1, step: 1, "data-control": name });
    const exact = typed(`${id}-number`, rules, { "aria-label": `${label}, as a number`, "data-number": name });
    const place = text => {
      const value = Number(text);
      const near = values.reduce((best, one, i) =>
        Math.abs(one - value) < Math.abs(values[best] - value) ? i : best, 0);
      range.value = near;
    };
    const speak = () => range.setAttribute("aria-valuetext", `${exact.value}${unit && ` ${unit}`}`);
    range.addEventListener("input", () => {
      exact.value = values[range.value];
      speak();
    });
    exact.addEventListener("input", () => {
      place(exact.value);
      speak();
    });
    return {
      name,
      element: row(id, label, range, exact, unit && make("span", { class: "unit" }, unit)),
      get: () => exact.value,
      set: value => {
        exact.value = value;
        place(value);
        speak();
      },
      accepts: value => complaint(value, said) === "",
      wrong: () => complaint(exact.value, said),
    };
  }

  /* A number alone, which may be left out. */
  function figure(name, label, unit) {
    const id = `calculator-${++made}`;
    const rules = { label, whole: false, least: "0.000001", may: true };
    const input = typed(id, rules, { "data-control": name });
    return {
      name,
      element: row(id, label, input, make("span", { class: "unit" }, unit)),
      get: () => input.value,
      set: value => (input.value = value),
      accepts: value => complaint(value, rules) === "",
      wrong: () => complaint(input.value, rules),
    };
  }

  /* Whole numbers evenly spread in the logarithm. */
  function powers(most, each = 4) {
    const found = [];
    for (let i = 0; i <= Math.log2(most) * each; i++) found.push(Math.round(2 ** (i / each)));
    return [...new Set(found)];
  }

  return { make, choice, slider, figure, powers };
})(window.Exact);
