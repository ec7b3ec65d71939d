/* The index of the search is fetched when somebody searches; over http the theme would do so on every page. */
"use strict";
(() => {
  const searched = new Promise((go) =>
    document.addEventListener("focusin", ({ target }) => target.matches("[data-md-component=search-query]") && go())
  );
  window.XMLHttpRequest = class extends XMLHttpRequest {
    open(method, url, ...more) {
      this.waits = String(url).endsWith("/search_index.json");
      super.open(method, url, ...more);
    }
    send(body) {
      this.waits ? searched.then(() => super.send(body)) : super.send(body);
    }
  };
})();
