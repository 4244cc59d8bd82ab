// Runs before the page is painted: the reader's remembered choice, else what the system prefers.
(function () {
  "use strict";
  var root = document.documentElement;
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  root.classList.add("js");

  function remembered() {
    try { return window.localStorage.getItem("expedite-theme"); } catch (refused) { return null; }
  }
  function remember(theme) {
    // Storage may be refused (private windows): the choice then lasts for this page only.
    try { window.localStorage.setItem("expedite-theme", theme); } catch (refused) { return; }
  }
  function current() {
    var kept = remembered();
    return kept === "light" || kept === "dark" ? kept : (dark.matches ? "dark" : "light");
  }
  function show(theme) {
    root.setAttribute("data-bs-theme", theme);
    document.querySelectorAll("[data-theme-toggle]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(theme === "dark"));
      var text = button.querySelector("[data-theme-text]");
      if (text) { text.textContent = theme === "dark" ? "Light theme" : "Dark theme"; }
    });
  }

  show(current());
  dark.addEventListener("change", function () { show(current()); });

  // Paper is white, and folds nothing away: browsers print no dark ground under the dark theme's light ink.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    show("light");
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    folded.forEach(function (one) { one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (one) { one.open = false; });
    show(current());
  });
  document.addEventListener("DOMContentLoaded", function () {
    show(root.getAttribute("data-bs-theme"));
    document.querySelectorAll("[data-theme-toggle]").forEach(function (button) {
      button.addEventListener("click", function () {
        var next = root.getAttribute("data-bs-theme") === "dark" ? "light" : "dark";
        remember(next);
        show(next);
      });
    });
  });
})();
