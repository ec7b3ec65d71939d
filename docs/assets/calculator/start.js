// A page is light until a reader comes to a calculator: then what it computes with is loaded, in order.
"use strict";
(({ dataset }) => {
  const add = (src) => document.head.append(Object.assign(document.createElement("script"), { src, async: false }));
  const begin = () => dataset.scripts.split(" ").forEach(add);
  const seen = new IntersectionObserver((places, watch) => {
    if (places.some((place) => place.isIntersecting)) {
      watch.disconnect();
      begin();
    }
  });
  document.querySelectorAll("[data-calculator]").forEach((place) => seen.observe(place));
})(document.currentScript);
