// Forms that are sent as JSON: errors appear at their field, the button waits, the result is announced.

import { post } from "./api.js";

/** Removes all errors of a form. */
export function clearErrors(form) {
  for (const place of form.querySelectorAll("[data-error]")) place.textContent = "";
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
}

/**
 * Shows an error at its field and goes there; false if the form has no such field. The field `rules.gold` may also be
 * called `gold`, and an error of a whole part (`start`) belongs to its first control.
 */
export function showFieldError(form, field, message) {
  if (!field) return false;
  const places = [...form.querySelectorAll("[data-error]")];
  const place =
    places.find(({ dataset }) => dataset.error === field) ??
    places.find(({ dataset }) => dataset.error.endsWith(`.${field}`) || field.startsWith(`${dataset.error}.`));
  if (!place) return false;
  place.textContent = message;
  for (let details = place.closest("details"); details; details = details.parentElement.closest("details")) {
    details.open = true;
  }
  const control = controlOf(form, place);
  if (control) {
    describe(control, place);
    control.setAttribute("aria-invalid", "true");
    control.focus({ preventScroll: true });
  }
  // A sticky element at the edge of the window may cover a control just inside of it.
  (control ?? place).scrollIntoView({ block: "center" });
  return true;
}

/** The control that an error is about: of its name, described by it, or the chosen or first one beside it. */
function controlOf(form, place) {
  const controls = [...form.elements].filter((control) => control.checkVisibility());
  const beside = controls.filter((control) => place.parentElement.contains(control) && control.matches("input, select, textarea"));
  return (
    controls.find(({ name }) => name === place.dataset.error) ??
    controls.find((control) => describedBy(control).includes(place.id)) ??
    beside.find(({ checked }) => checked) ??
    beside[0]
  );
}

const describedBy = (control) => control.getAttribute("aria-describedby")?.split(" ") ?? [];

/** Lets assistive technology read the error with its control. */
function describe(control, place) {
  place.id ||= `error-of-${place.dataset.error.replaceAll(".", "-")}`;
  control.setAttribute("aria-describedby", [...new Set([...describedBy(control), place.id])].join(" "));
}

/** Shows the browser's own validation errors, for example a number out of its range; true if there are none. */
export function checkValidity(form) {
  for (const control of form.elements) {
    if (control.willValidate && !control.validity.valid && control.name) {
      if (showFieldError(form, control.name, control.validationMessage)) return false;
    }
  }
  return true;
}

/** Sends a form with `data-action` as JSON. `done(answer)` returns what to announce, or nothing. */
export function sendForm(form, done, body = (data) => Object.fromEntries(data)) {
  const result = form.querySelector(".form-result");
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return;
    clearErrors(form);
    result.textContent = "";
    result.className = "form-result";
    if (!checkValidity(form)) return;
    button.setAttribute("aria-busy", "true");
    try {
      const answer = await post(form.dataset.action, body(new FormData(form)));
      result.textContent = done(answer) ?? "";
    } catch (error) {
      if (!showFieldError(form, error.field, error.message)) {
        result.textContent = error.message;
        result.className = "form-result error";
      }
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}
