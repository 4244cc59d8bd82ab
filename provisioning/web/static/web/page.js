// The few things a page cannot do without a script. Everything here has a plain-HTML fallback.
(function () {
  "use strict";

  function menu() {
    var button = document.querySelector("[data-menu-toggle]");
    var nav = document.getElementById("menu");
    if (!button || !nav) { return; }
    function set(open) {
      nav.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
    }
    button.addEventListener("click", function () { set(button.getAttribute("aria-expanded") !== "true"); });
    document.addEventListener("keydown", function (event) {
      if (event.key === "Escape" && button.getAttribute("aria-expanded") === "true") { set(false); button.focus(); }
    });
  }

  // "/" goes to the page's own search box, or to the one that finds everything, as in the tools the NOC uses all day.
  function search() {
    document.addEventListener("keydown", function (event) {
      var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) { return; }
      var box = document.querySelector("input[type=search]") || document.querySelector("[data-find]");
      if (box) { event.preventDefault(); box.focus(); }
    });
  }

  // A form is sent once, however often its button is pressed; the server guards too (conditional UPDATE).
  function once() {
    document.addEventListener("submit", function (event) {
      var form = event.target;
      if (form.method !== "post") { return; }
      if (form.dataset.sent) { event.preventDefault(); return; }
      form.dataset.sent = "1";
      form.querySelectorAll("button[type=submit]").forEach(function (button) { button.classList.add("is-sending"); });
    });
    window.addEventListener("pageshow", function () {
      document.querySelectorAll("form[data-sent]").forEach(function (form) { delete form.dataset.sent; });
      document.querySelectorAll(".is-sending").forEach(function (button) { button.classList.remove("is-sending"); });
    });
  }

  // What takes longer than a moment says so, and for how long it has been at it.
  function busy() {
    document.addEventListener("submit", function (event) {
      var form = event.target, began = Date.now();
      if (!form.dataset.busy || event.defaultPrevented) { return; }
      var note = document.createElement("p"), timer;
      note.className = "busy";
      note.setAttribute("role", "status");
      function tell() {
        var seconds = Math.round((Date.now() - began) / 1000);
        note.textContent = form.dataset.busy + (seconds < 2 ? " ..." : " ... " + seconds + " s so far. Nothing is sent.");
      }
      tell();
      timer = setInterval(tell, 1000);
      form.appendChild(note);
      window.addEventListener("pagehide", function () { clearInterval(timer); note.remove(); }, { once: true });
    });
  }

  // A transcript follows its last line while it grows, unless the reader has scrolled up.
  function follow(scope) {
    scope.querySelectorAll("[data-follow]").forEach(function (box) { box.scrollTop = box.scrollHeight; });
  }

  document.addEventListener("DOMContentLoaded", function () {
    menu();
    search();
    once();
    busy();
    follow(document);
  });
  document.addEventListener("htmx:beforeSwap", function () {
    document.querySelectorAll("[data-follow]").forEach(function (box) {
      window.expediteHeld = box.scrollHeight - box.scrollTop - box.clientHeight > 40 ? box.scrollTop : null;
    });
  });
  document.addEventListener("htmx:afterSettle", function () {
    document.querySelectorAll("[data-follow]").forEach(function (box) {
      box.scrollTop = typeof window.expediteHeld === "number" ? window.expediteHeld : box.scrollHeight;
    });
  });
  document.addEventListener("htmx:sendError", function () {
    var note = document.getElementById("offline");
    if (note) { note.hidden = false; }
  });
  document.addEventListener("htmx:afterOnLoad", function () {
    var note = document.getElementById("offline");
    if (note) { note.hidden = true; }
  });
})();
