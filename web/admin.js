// The admin page: commands, each with a confirmation, and a fresh page with their result.

import { post } from "./api.js";
import { sendForm } from "./forms.js";

const REFRESH_MS = 5000;

const login = document.querySelector("#admin-login");
if (login) {
  sendForm(login, () => {
    location.reload();
    return "Welcome.";
  });
}

const message = document.querySelector("#message");
if (message) {
  sendForm(message, () => {
    message.reset();
    return "Sent.";
  });
}

async function command(button) {
  const { command: name, ask, game, ...body } = button.dataset;
  if (!confirm(ask)) return;
  if (body.player) body.player = Number(body.player);
  const result = document.querySelector("#admin-result");
  button.setAttribute("aria-busy", "true");
  try {
    await post(game ? `/api/admin/games/${game}/${name}` : `/api/admin/${name}`, body);
    result.className = "";
    result.textContent = "Done.";
    await refresh(true);
  } catch (error) {
    result.className = "error";
    result.textContent = error.message;
  } finally {
    button.removeAttribute("aria-busy");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-command]");
  if (button) command(button);
});

// Takes fresh figures and tables from the page, which the server renders again. A part with a control in use stays: a
// button must not move away under the pointer.
async function refresh(isForced = false) {
  const parts = [...document.querySelectorAll("[data-live]")];
  if (parts.length === 0 || (document.hidden && !isForced)) return;
  let page;
  try {
    const response = await fetch(location.href, { credentials: "same-origin" });
    if (!response.ok) return;
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return;
  }
  for (const part of parts) {
    const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`);
    const isInUse = part.contains(document.activeElement) || part.matches(":hover");
    if (fresh && (isForced || !isInUse) && fresh.textContent !== part.textContent) part.replaceWith(fresh);
  }
}

if (document.querySelector("[data-live]")) setInterval(refresh, REFRESH_MS);
