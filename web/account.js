// The account page: its forms, and the page again when who one is has changed.

import { sendForm } from "./forms.js";

function reload() {
  location.reload();
  return "Done.";
}

for (const form of document.querySelectorAll("form[data-action]")) sendForm(form, reload);
