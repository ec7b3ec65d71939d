/* Evaluation, as the package does it: what has a value goes before what could be computed; a letter is computed only
   where its formula's conditions hold; whoever needs one that is not is told which condition fails. Which formula
   computes which letter, and everything that is said, stands in the catalogue. */
"use strict";
window.Evaluate = ((catalogue, X) => {
  /* Why there is no answer, in a sentence; `said` is the part that says what it means. */
  class Refusal extends Error {
    constructor(sentence, said = sentence) {
      super(sentence);
      this.said = said;
    }
  }

  class Lacking extends Refusal {}

  const kept = new WeakMap();
  /* What presets give by letter, and why they give none for others; a drawing asks for it again and again. */
  function lettersOf(presets) {
    if (!kept.has(presets)) kept.set(presets, found(presets));
    return kept.get(presets);
  }
  // a device has a peak for each of these, or which of its reasons says why it has none
  const withPeaks = Object.keys(catalogue.formats).filter(name => catalogue.formats[name].computes);
  function found({ model, hardware, link, dtype, weights, cache, own = {} }) {
    const values = {}, hints = {};
    const put = (name, text) => (values[name] = X.read(text));
    // a number of a device, or the parts of a hint that says why there is none
    const take = (name, said) => {
      if (typeof said === "string") put(name, said);
      else hints[name] = said;
    };
    Object.entries(model ? catalogue.models[model].letters : {}).forEach(([name, text]) => put(name, text));
    if (hardware === "own")
      for (const name of Object.keys(catalogue.own))
        if (own[name] !== undefined && own[name] !== null) values[name] = own[name];
        else hints[name] = catalogue.own[name];
    else if (hardware) {
      const { F, why, title: _, ...rates } = catalogue.devices[hardware];
      for (const [name, said] of Object.entries(rates)) take(name, said);
      const peak = F[withPeaks.indexOf(dtype)];
      if (typeof peak === "string") put("F", peak);
      else if (dtype) hints.F = why[peak].map(part => part.replace("@", dtype));
    }
    for (const name of link ? ["W_link", "T_link"] : []) take(name, catalogue.devices[link][name]);
    const sizes = { n_bytes: weights || dtype, n_bytes_kv: cache || dtype, n_bytes_act: dtype };
    for (const [name, format] of Object.entries(sizes))
      if (format) put(name, catalogue.formats[format].n_bytes);
    for (const name of weights ? ["n_bits", "n_block", "n_scale"] : [])
      if (catalogue.formats[weights][name]) put(name, catalogue.formats[weights][name]);
    return { values, hints };
  }

  /* Weights of a model, multiplied or held: what is whole on every device, what goes by a letter of which each has one
     at least, and the rest, of which each has an even part. */
  const DEALT = { P_device: "P", P_held: "P_total" };
  function dealt(model, letter) {
    const { letters, shares } = catalogue.models[model], [whole, ...others] = shares[letter];
    const copied = others.map(([number, name]) => ({ number: X.read(number), name, n: X.read(letters[name]) }));
    const all = [X.read(whole), ...copied.map(({ number }) => number)];
    const rest = X.plus(X.read(letters[DEALT[letter]]), ...all.map(number => X.times(-1n, number)));
    return { whole: X.read(whole), copied, rest };
  }
  /* What a device has of them, where so many share the model. */
  function sharedOut(model, devices) {
    if (!model || devices === undefined) return {};
    const t = X.read(`${devices}`), found = {};
    for (const letter of Object.keys(DEALT)) {
      const { whole, copied, rest } = dealt(model, letter);
      const own = copied.map(({ number, n }) => X.over(X.times(number, X.larger(1n, X.over(n, t))), n));
      found[letter] = X.plus(whole, X.over(rest, t), ...own);
    }
    return found;
  }

  const short = x =>
    typeof x === "bigint" && X.compared(x, 10n ** 12n) < 0 ? `${x}` : X.significant(x, 6);
  const listed = names =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
  const known = (letters, values) => letters.every(name => name in values);
  const broken = (conditions, values) =>
    conditions.find(condition => known(condition.letters, values) && !condition.holds(values));
  const isNone = (name, value) => X.sign(value) < 0 || (X.sign(value) === 0 && !catalogue.letters[name].whole);
  const least = name => (catalogue.letters[name].whole ? "at least 0" : "positive");
  const needed = ({ letters, quantity, needed: text = `${quantity} > 0` }) =>
    ({ letters, text, otherwise: "", sentence: `so that ${quantity} is ${least(quantity)}` });

  /* Compute letters that have no value; says which could not be, and on which values its condition fails. */
  function complete(plan, values, quantity) {
    const refused = {}, by = {};
    const given = { ...values };
    for (;;) {
      for (let changed = true; changed; ) {
        changed = false;
        for (const name of plan.letters) {
          const rule = catalogue.formulas[plan.rules[name]];
          if (name in values || name === quantity || !rule || name in refused || !known(rule.letters, values)) continue;
          let failing = broken(rule.conditions, values);
          if (!failing) {
            const value = rule.value(values);
            if (isNone(name, value)) failing = needed(rule);
            else {
              values[name] = value;
              by[name] = rule;
              changed = true;
            }
          }
          if (failing) refused[name] = { condition: failing, of: rule, values: { ...values } };
        }
      }
      // a condition may have a letter that got its value later than what the formula computes
      let again = false;
      for (const name of Object.keys(by)) {
        const failing = broken(by[name].conditions, values);
        if (!failing) continue;
        refused[name] = { condition: failing, of: by[name], values: { ...values } };
        again = true;
      }
      if (!again) return { refused, by };
      for (const name of Object.keys(by)) {
        delete by[name];
        if (!(name in given)) delete values[name];
      }
    }
  }

  function violated(formula, name, { condition, of, values }) {
    const numbers = condition.letters.map(letter => `${letter} = ${short(values[letter])}`).join(", ");
    const whose = of === formula ? "its condition" : `the condition of ${of.name}`;
    const meaning = condition.otherwise || `${whose} (${condition.sentence}) is not met`;
    return new Refusal(`${name} does not apply, because ${meaning}: ${condition.text} fails for ${numbers}.`, `${meaning}.`);
  }

  /* Everything about one question: its formula, the values of letters, the formulas by which they were computed and
     the value. `asked` is a formula's name, or a letter for which each model picks a formula of its own. */
  function evaluate(asked, presets, letters = {}) {
    const kind = presets.model ? catalogue.models[presets.model].kind : 0;
    const plan = catalogue.plans[catalogue.kinds[kind][asked]], formula = catalogue.formulas[plan.formula], { name } = formula;
    if (plan.mismatch) {
      const why = plan.mismatch.replace("@model", presets.model);
      throw new Refusal(`${name} does not apply, because ${why}.`, `${why}.`);
    }
    const found = lettersOf(presets), values = {};
    const all = { ...found.values, ...sharedOut(presets.model, letters.n_tensor), ...letters };
    for (const letter of plan.letters) if (letter in all) values[letter] = all[letter];
    const stated = Object.keys(values);
    const { refused, by } = complete(plan, values, formula.quantity);
    for (const letter of Object.keys(values)) {
      const least = catalogue.letters[letter].atLeast;
      if (least && least in values && X.compared(values[letter], values[least]) < 0)
        throw new Refusal(
          `${letter} (${catalogue.letters[letter].meaning}) must be at least ${least} ` +
            `(${catalogue.letters[least].meaning}), but ${short(values[letter])} ` +
            `is less than ${short(values[least])}.`);
    }
    const failing = broken(formula.conditions, values);
    if (failing) throw violated(formula, name, { condition: failing, of: formula, values });
    require(plan, name, formula, values, refused, found.hints);
    const value = result(formula, values);
    if (isNone(formula.quantity, value)) {
      const { unit } = catalogue.letters[formula.quantity];
      throw new Refusal(
        `${name} has no answer for these values: the result would be ${X.humanize(value, unit, 5)}, but ` +
          `${formula.quantity} must be ${least(formula.quantity)}.`);
    }
    return { name, formula, values, stated, by, value };
  }

  function result(formula, values) {
    try {
      return formula.value(values);
    } catch (error) {
      if (error instanceof RangeError) throw new Refusal(`${formula.name} divides by zero for these values.`);
      throw error;
    }
  }

  function require(plan, name, formula, values, refused, hints) {
    const missing = letters => letters.filter(letter => !(letter in values));
    const rule = letter => catalogue.formulas[plan.rules[letter]];
    const place = letter => catalogue.letters[letter].place;
    const conditional = [...new Set(formula.conditions.flatMap(({ letters }) => letters))].sort((a, b) => place(a) - place(b));
    // a letter that only a condition has is asked for too
    const open = missing([...new Set([...formula.letters, ...conditional])]), waiting = [...open];
    for (const letter of waiting)
      if (!(letter in refused) && rule(letter))
        waiting.push(...missing(rule(letter).letters).filter(inner => !waiting.includes(inner)));
    for (const letter of waiting) if (letter in refused) throw violated(formula, name, refused[letter]);
    const openBelow = letter => {
      const lacking = rule(letter) ? missing(rule(letter).letters) : [];
      return lacking.length ? lacking.flatMap(openBelow) : [letter];
    };
    const lacking = [...new Set(open.flatMap(openBelow))];
    if (!lacking.length) return;
    // a hint says why there is no value, and some what to give instead
    const why = lacking.filter(letter => letter in hints).map(letter => hints[letter].filter(Boolean).join("; "));
    const others = lacking.filter(letter => !(hints[letter] || [])[1]);
    const told = others.filter(letter => !(letter in hints)); // a preset's figures are not typed here
    const said = letters => [...why, ...(letters.length ? [`give ${listed(letters)}`] : [])].join("; ");
    throw new Lacking(`${name} needs a value for ${listed(lacking)}: ${said(others)}.`, `${said(told)}.`);
  }

  /* The value, or the refusal. */
  function attempt(asked, presets, letters) {
    try {
      return evaluate(asked, presets, letters);
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error };
      throw error;
    }
  }

  // What is written short, written out: lists as words, letters and formulas by their places, what models have alike.
  const words = text => (text ? text.split(" ") : []);
  const paired = (names, values) => Object.fromEntries(names.map((name, place) => [name, values[place]]));
  const formulas = Object.entries(catalogue.formulas);
  for (const [name, letter] of Object.entries(catalogue.letters))
    Object.assign(letter, { shown: name, whole: false, atLeast: "", ...letter, unit: catalogue.units[letter.unit] });
  const letters = Object.fromEntries(Object.entries(catalogue.letters).map(([name, { place }]) => [place, name]));
  /* A function of values by letter that computes a tree: of a letter by its place, of a number as text, or of an
     operator with its arguments. */
  function computing(tree) {
    if (typeof tree === "number") return (name => values => values[name])(letters[tree]);
    if (typeof tree === "string") return (number => () => number)(BigInt(tree));
    const [operator, ...parts] = tree, of = parts.map(computing), compute = X.OPERATORS[operator];
    return values => compute(...of.map(part => part(values)));
  }
  const placesIn = tree => (Array.isArray(tree) ? tree.slice(1).flatMap(placesIn) : typeof tree === "number" ? [tree] : []);
  const lettersIn = tree => [...new Set(placesIn(tree))].sort((a, b) => a - b).map(place => letters[place]);
  const { trees } = catalogue, computed = trees.map(computing);
  for (const condition of catalogue.conditions) {
    const { otherwise = "", holds } = condition;
    Object.assign(condition, { otherwise, letters: lettersIn(holds), holds: computing(holds) });
  }
  for (const [name, formula] of formulas) {
    const { value, conditions = [] } = formula;
    Object.assign(formula, { address: `formulas/${name}`, name, sign: "=", ...formula, letters: lettersIn(trees[value]),
      value: computed[value], conditions: conditions.map(place => catalogue.conditions[place]) });
    // a sum of some decoders is told by its letter and a number, and has no page of its own
    const { quantity = name.replace(/_\d+$/, "") } = formula;
    if (!formula.quantity)
      Object.assign(formula, { quantity, title: catalogue.titles[quantity], address: "models", name: quantity });
  }
  catalogue.plans = catalogue.plans.map(([place, told, rules]) => {
    const formula = formulas[place][0];
    if (rules === undefined) return { formula, mismatch: catalogue.reasons[told], letters: [] };
    const by = words(rules).map(rule => [formulas[rule][1].quantity, formulas[rule][0]]);
    return { formula, letters: words(told).map(letter => letters[letter]), rules: Object.fromEntries(by) };
  });
  catalogue.kinds = catalogue.kinds.map(plans => paired(catalogue.asked, plans));
  for (const model of Object.values(catalogue.models)) {
    const [names, values] = model.letters;
    model.letters = paired(words(catalogue.forms[names]), words(values));
    model.shares = Object.fromEntries(Object.keys(DEALT).map((letter, place) => {
      const [whole, ...copied] = words(model.shares[place]);
      return [letter, [whole, ...copied.flatMap((name, i) => (i % 2 ? [] : [[copied[i + 1], name]]))]];
    }));
    for (const [letter, [form, numbers]] of Object.entries(model.sums)) {
      const given = words(numbers);
      model.sums[letter] = catalogue.forms[form].replace(/@/g, () => given.shift());
    }
  }
  return { evaluate, attempt, computing, lettersOf, dealt, sharedOut, Refusal, Lacking };
})(window.catalogue, window.Exact);
