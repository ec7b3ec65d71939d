/* Python in the page, in the reader's browser: what it takes is fetched from this site, at the first click. */
"use strict";
(() => {
  const here = document.currentScript.src.replace(/prompt\.js.*$/, "prompt/");
  const FILE = "This runs where the site is served over http, as symbolic-llm site does, and not from a file.";
  const ELSEWHERE = /\breference_engine\b|\bnumpy\b/; // Pyodide has no NumPy of its own
  let started;

  const make = (tag, fields, ...inside) => {
    const made = Object.assign(document.createElement(tag), fields);
    made.append(...inside);
    return made;
  };

  const begin = async () => {
    await new Promise((done, failed) => {
      document.head.append(make("script", { src: here + "pyodide.js", onload: done, onerror: failed }));
    });
    const env = { PYTHONWARNINGS: "ignore", SYMBOLIC_LLM_CACHE: "", HOME: "/home/pyodide" };
    const python = await loadPyodide({ indexURL: here, env });
    const place = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
    for (const name of ["mpmath.whl", "sympy.whl", "symbolic_llm.zip"]) {
      const found = await fetch(here + name);
      if (!found.ok) throw new Error(`${name}: ${found.status}`);
      python.unpackArchive(await found.arrayBuffer(), "zip", { extractDir: place });
    }
    python.runPython("import importlib; importlib.invalidate_caches()");
    const { run, size } = python.pyimport("symbolic_llm.cli.prompt");
    const names = python.toPy({});
    return { run: (text) => run(text, names), size: (config, options) => size(config, python.toPy(options)) };
  };

  /* A button that asks Python, and the place of the answer. */
  const asking = (label, ask) => {
    const answer = make("pre", { className: "answer", hidden: true, tabIndex: 0 });
    const button = make("button", { type: "button", className: "md-button", textContent: label });
    answer.setAttribute("aria-live", "polite");
    const say = (text) => ((answer.hidden = false), (answer.textContent = text));
    button.onclick = async () => {
      if (location.protocol === "file:") return say(FILE);
      button.disabled = true;
      say(started ? "…" : "Python is being loaded, 20 MB …");
      await new Promise((drawn) => setTimeout(drawn, 20));
      try {
        const python = await (started ??= begin());
        say(ask(python).trimEnd() || "(nothing is printed)");
      } catch (error) {
        started = undefined;
        say(`Python could not be loaded: ${error.message ?? "a file is missing"}`);
      }
      button.disabled = false;
    };
    return [button, answer];
  };

  const typed = (text, rows, label) => {
    const area = make("textarea", { value: text, rows, spellcheck: false });
    area.setAttribute("aria-label", label);
    return area;
  };

  for (const code of document.querySelectorAll("article pre > code, article .call > code")) {
    const lines = code.textContent;
    if (lines.startsWith(">>> ") && !ELSEWHERE.test(lines)) {
      const after = code.closest(".highlight") ?? code.parentElement;
      after.after(make("div", { className: "prompt" }, ...asking("Run", (python) => python.run(lines))));
    }
  }

  const offered = new Set();
  for (const claim of document.querySelectorAll("article .claim")) {
    const part = claim.closest(".embedded") ?? claim.parentElement;
    if (offered.has(part)) continue; // a law is asked once, however many ways it is written
    offered.add(part);
    const own = claim.closest(".embedded")?.querySelector("a[href*='formulas/']")?.getAttribute("href");
    const name = (own ?? location.pathname).match(/formulas\/(\w+)\.html/)?.[1];
    if (name && name !== "index") {
      const area = typed(`solve(${name})`, 1, "Python");
      const parts = asking("Run", (python) => python.run(area.value));
      const summary = make("summary", { textContent: "Ask it here" });
      claim.after(make("details", { className: "prompt" }, summary, area, ...parts));
    }
  }

  for (const place of document.querySelectorAll("[data-prompt=size]")) {
    const area = typed("", 8, "config.json");
    area.placeholder = "the text of a config.json";
    const machine = make("select", {}, ...place.dataset.hardware.split(" ").map((name) => new Option(name)));
    machine.setAttribute("aria-label", "hardware");
    const numbers = ["context", "batch"].map((name) => {
      const field = make("input", { type: "text", size: 7, value: name === "batch" ? "1" : "4096" });
      return make("label", {}, `${name} `, field);
    });
    const options = () => [
      `--hardware=${machine.value}`,
      ...["context", "batch"].map((name, place) => `--${name}=${numbers[place].lastChild.value}`),
    ];
    const parts = asking("Size it", (python) => python.size(area.value, options()));
    place.append(make("p", {}, "Or here: "), area, machine, ...numbers, ...parts);
    place.className = "prompt";
  }
})();
