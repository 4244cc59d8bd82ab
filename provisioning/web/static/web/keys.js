// Keys for who works here all day, and local time beside UTC. Every key does what a link on the page does; without this script all
// of them are links still. They can be switched off (WCAG 2.1.4), and do nothing while somebody types.
(function () {
  "use strict";
  var OFF = "expedite-keys-off", going = 0;

  function off() { try { return localStorage.getItem(OFF) === "1"; } catch (error) { return false; } }

  function typing(target) {
    return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
  }

  function visible(element) { return element.getClientRects().length > 0; }

  // The first link of each row of the lists on the page.
  function rows() {
    return Array.prototype.map.call(document.querySelectorAll("main table.data tbody tr"), function (row) {
      return row.querySelector("a[href]");
    }).filter(function (link) { return link && visible(link); });
  }

  function step(by) {
    var links = rows();
    if (!links.length) { return; }
    var row = document.activeElement.closest("main table.data tbody tr");
    var at = row ? links.indexOf(row.querySelector("a[href]")) : -1;
    var next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
    links[next].focus();
    links[next].scrollIntoView({ block: "nearest" });
  }

  function follow(selector) {
    var link = Array.prototype.filter.call(document.querySelectorAll(selector), visible)[0] || null;
    if (link) { link.click(); }
    return link !== null;
  }

  function help() {
    var dialog = document.getElementById("keys");
    if (dialog && !dialog.open) { dialog.showModal(); }
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) { going = 0; return; }
    if (event.key === "?") { event.preventDefault(); help(); return; }
    if (off() || document.querySelector("dialog[open]")) { return; }
    var second = going && Date.now() - going < 1500;
    going = 0;
    if (second) {
      // The menu of a phone is folded away: its links lead there all the same.
      var link = /^[a-z]$/.test(event.key) ? document.querySelector('[data-go="' + event.key + '"]') : null;
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    if (event.key === "g") { going = Date.now(); }
    else if (event.key === "j") { step(1); }
    else if (event.key === "k") { step(-1); }
    else if (event.key === "a" || event.key === "r") {
      if (follow('[data-key="' + event.key + '"]')) { event.preventDefault(); }
    }
  });

  document.addEventListener("click", function (event) {
    if (event.target.closest("[data-keys]")) { help(); }
  });

  document.addEventListener("DOMContentLoaded", function () {
    var box = document.querySelector("[data-keys-off]");
    document.querySelectorAll("[data-keys]").forEach(function (button) { button.hidden = false; });
    if (!box) { return; }
    box.checked = off();
    box.addEventListener("change", function () {
      try {
        if (box.checked) { localStorage.setItem(OFF, "1"); } else { localStorage.removeItem(OFF); }
      } catch (error) { /* a browser that keeps nothing asks again on the next page */ }
    });
  });

  // Local time where the pointer is: what is written stays UTC.
  document.addEventListener("mouseover", function (event) {
    var time = event.target.closest ? event.target.closest("time[datetime]") : null;
    if (!time || time.dataset.local) { return; }
    var at = new Date(time.getAttribute("datetime"));
    if (isNaN(at.getTime())) { return; }
    var local = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    var zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "local time";
    time.dataset.local = "1";
    time.title = (time.title ? time.title + "; " : "") + local + " (" + zone + ")";
  });
})();
