"use strict";
// Filters of the page: what is chosen stands in the address, so that it can be shared.
(() => {
  const byId = (id) => document.getElementById(id);
  const chosen = ["text", "suite", "slice", "metric", "result"].map(byId);
  const changed = byId("changed");
  const cases = [...document.querySelectorAll("details.case")].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
    suite: element.dataset.suite,
    slices: JSON.parse(element.dataset.slices),
    scores: JSON.parse(element.dataset.scores),
    changed: element.dataset.changed === "yes",
  }));

  const fits = (each) => {
    const [text, suite, slice, metric, result] = chosen.map((field) => field.value);
    return each.text.includes(text.trim().toLowerCase())
      && (!suite || each.suite === suite)
      && (!slice || each.slices.includes(slice))
      && (!changed.checked || each.changed)
      && (!(metric || result) || each.scores.some(
        ([name, said]) => (!metric || name === metric) && (!result || said === result)));
  };

  const show = () => {
    let shown = 0;
    for (const each of cases) {
      each.element.hidden = !fits(each);
      shown += each.element.hidden ? 0 : 1;
    }
    byId("count").textContent = `${shown} of ${cases.length} cases`;
  };

  const remember = () => {
    const named = new URLSearchParams();
    for (const field of chosen) if (field.value) named.set(field.id, field.value);
    if (changed.checked) named.set("changed", "yes");
    history.replaceState(null, "", `#${named}`);
  };

  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  const recall = () => {
    const said = decoded(location.hash.slice(1));
    const linked = said.startsWith("case-") && byId(said);
    if (linked) {
      for (const field of chosen) field.value = "";
      changed.checked = false;
      show();
      linked.open = true;
      linked.scrollIntoView();
      linked.querySelector("summary").focus();
      return;
    }
    const named = new URLSearchParams(location.hash.slice(1));
    for (const field of chosen) field.value = named.get(field.id) ?? "";
    changed.checked = named.get("changed") === "yes";
    show();
  };

  const step = (by) => {
    const open = cases.filter((each) => !each.element.hidden);
    if (!open.length) return;
    const at = open.findIndex((each) => each.element.contains(document.activeElement));
    const next = at < 0 ? (by > 0 ? 0 : open.length - 1)
      : Math.min(Math.max(at + by, 0), open.length - 1);
    open[next].element.querySelector("summary").focus();
  };

  const typing = (target) => target.matches("input[type=search], select");
  document.querySelector(".filters").addEventListener("input", () => {
    show();
    remember();
  });
  document.querySelector(".filters").addEventListener("submit", (event) => {
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    if (event.key === "/") {
      event.preventDefault();
      chosen[0].focus();
    } else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  window.addEventListener("hashchange", recall);
  recall();
})();
