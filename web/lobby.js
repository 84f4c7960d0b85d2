// The lobby: keeps the cards up to date without flicker, and starts a game with one click. The server renders every card: a
// fresh copy of them is fetched, and changed cards are replaced.

import { post } from "./api.js";
import { drawBuiltIn, randomSeed } from "./previews.js";

const REFRESH_MS = 2000;
const PLAY_NOW_BOTS = { count: 3, brain: "scout", pace_ms: 1000 };

const find = (selector) => document.querySelector(selector);

/** Replaces a part of the page with its fresh copy if they differ. A part that has the focus stays until it loses it. */
function update(part, fresh) {
  if (!part.isEqualNode(fresh) && !part.contains(document.activeElement)) part.replaceWith(fresh);
}

function updateCard(card, fresh) {
  for (const part of fresh.querySelectorAll("[data-slot]")) {
    update(card.querySelector(`[data-slot="${part.dataset.slot}"]`), part);
  }
}

function preview(card) {
  drawBuiltIn(card.querySelector("canvas"), card.dataset.map);
}

/** Makes a list show the cards of its fresh copy in this order. Cards that stay are not moved, so that the focus stays too. */
function updateList(list, fresh) {
  const old = new Map([...list.children].map((card) => [card.dataset.game, card]));
  const cards = [...fresh.children];
  const ids = new Set(cards.map((card) => card.dataset.game));
  for (const [id, card] of old) {
    if (ids.has(id)) continue;
    card.remove();
    refreshFinished();
  }
  let before = list.firstElementChild;
  for (const freshCard of cards) {
    const card = old.get(freshCard.dataset.game) ?? freshCard;
    if (card === before) {
      before = before.nextElementSibling;
    } else {
      list.insertBefore(card, before);
    }
    if (card === freshCard) preview(card);
    else updateCard(card, freshCard);
  }
}

/** A copy of a page, or of a part of one, as it is now. */
async function fetchPage(path) {
  const response = await fetch(path, { credentials: "same-origin" }).catch(() => null);
  if (!response) throw new Error("Connecting again…");
  if (!response.ok) throw new Error(`The host answers with an error (${response.status}). Trying again…`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

async function refreshFinished() {
  try {
    const page = await fetchPage("/");
    update(find("#finished-part"), page.querySelector("#finished-part"));
  } catch {
    // The next game that ends tries again.
  }
}

function showState(text) {
  const state = find("#lobby-state");
  if (state.textContent !== text) state.textContent = text;
}

async function refreshGames() {
  const page = await fetchPage("/lobby/games");
  for (const list of ["#games", "#own"]) updateList(find(list), page.querySelector(list));
  for (const part of ["#own-section", "#no-games"]) find(part).hidden = page.querySelector(part).hidden;
  showState(page.querySelector("#lobby-state").textContent);
}

async function refresh() {
  if (!document.hidden) await refreshGames().catch((error) => showState(error.message));
  setTimeout(refresh, REFRESH_MS);
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-end]");
  if (!button || !confirm("End this game for all of its players?")) return;
  try {
    await post(`/api/games/${button.dataset.end}/end`);
    button.closest(".card").remove();
    refreshFinished();
  } catch (error) {
    showState(error.message);
  }
});

async function playNow(button) {
  const problem = document.querySelector("#play-error");
  problem.textContent = "";
  button.setAttribute("aria-busy", "true");
  try {
    const { id } = await post("/api/games", { map: { random: randomSeed() }, bots: PLAY_NOW_BOTS });
    location.href = `/g/${id}#play`;
  } catch (error) {
    problem.textContent = error.message;
    button.removeAttribute("aria-busy");
  }
}

const playButton = document.querySelector("#play-now");
playButton.addEventListener("click", () => {
  if (playButton.getAttribute("aria-busy") !== "true") playNow(playButton);
});
// Back from a game by the browser's button: the page may be as it was left.
addEventListener("pageshow", () => playButton.removeAttribute("aria-busy"));
for (const card of document.querySelectorAll(".card[data-game]")) preview(card);
setTimeout(refresh, REFRESH_MS);
