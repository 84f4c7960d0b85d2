// The account page: its forms, and a reload when the account has changed.

import { sendForm } from "./forms.js";

function reload() {
  location.reload();
  return "Done.";
}

/** Names are ASCII, in the protocol of the game: Zoë is Zoe, not Zo__. */
const plain = (text) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("ø", "o").replaceAll("Ø", "O").replaceAll("ł", "l").replaceAll("Ł", "L").replaceAll("æ", "ae");

function body(data) {
  const fields = Object.fromEntries(data);
  return typeof fields.name === "string" ? { ...fields, name: plain(fields.name) } : fields;
}

for (const form of document.querySelectorAll("form[data-action]")) sendForm(form, reload, body);
