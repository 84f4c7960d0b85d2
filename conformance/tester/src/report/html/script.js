"use strict";
// Without scripts every check is shown; with scripts they can be filtered.
function filter(report, fields) {
  const word = fields.word.value.trim().toLowerCase();
  for (const check of report.querySelectorAll(".check")) {
    const wanted = (!fields.failed.checked || check.dataset.outcome === "failed" || check.dataset.outcome === "not-judged")
      && (!fields.must.checked || check.dataset.level === "must")
      && check.querySelector(".row").textContent.toLowerCase().includes(word);
    check.hidden = !wanted;
  }
  for (const section of report.querySelectorAll("section.checks")) {
    section.hidden = !section.querySelector(".check:not([hidden])");
  }
}
for (const form of document.querySelectorAll(".filter")) {
  form.hidden = false;
  form.addEventListener("input", () => filter(form.closest(".report"), form.elements));
  form.addEventListener("submit", (event) => event.preventDefault());
}
function openTarget() {
  const check = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = check && check.querySelector("details");
  if (details) details.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();
// Printed pages show all details.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
