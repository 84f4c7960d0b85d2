// The lobby: keeps the cards up to date without flicker, and starts a game with one click.

import { get, post } from "./api.js";
import { chip, nameElement, visibleText } from "./colors.js";
import { drawBuiltIn, randomSeed } from "./previews.js";

const REFRESH_MS = 2000;
const MAX_NAMES = 8;
const PLAY_NOW_BOTS = { count: 3, brain: "scout", pace_ms: 1000 };

const template = document.querySelector("#card-template");
const state = document.querySelector("#lobby-state");

const slot = (card, name) => card.querySelector(`[data-slot="${name}"]`);

// Only what differs is written, so that nothing flickers and a selection survives.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function stageText({ stage, start }) {
  if (stage === "playing") return "Playing";
  if (stage === "over") return "Over";
  const missing = stage.waiting?.missing;
  if (typeof missing !== "number") return "Waiting for the start";
  return start.with_players ? `Waiting for ${missing} more` : "Waiting for the first person";
}

function stageClass({ stage }) {
  if (stage === "playing") return "badge live";
  return stage === "over" ? "badge over" : "badge waiting";
}

const hasRoom = (game) => game.stage !== "over" && game.players.length < game.max_players;

function factsText(game) {
  const facts = [`${game.gold_left} of ${game.gold} nuggets left`];
  if (game.watchers > 0) facts.push(`${game.watchers} watching`);
  if (game.rated) facts.push("rated");
  if (game.delay_s > 0) facts.push(`watched ${game.delay_s} s later`);
  if (game.rules) facts.push(visibleText(game.rules));
  if (!hasRoom(game)) facts.push("full");
  return facts.join(" · ");
}

function playerItem(player) {
  const item = document.createElement("li");
  item.classList.toggle("left", Boolean(player.left));
  item.append(chip(player.letter), nameElement(player.name));
  if (player.bot) item.append(note("bot", "bot"));
  if (player.left) item.append(note("sr-only", "(left)"));
  return item;
}

function note(className, text) {
  const span = document.createElement("span");
  span.className = className;
  span.textContent = text;
  return span;
}

function plainItem(text) {
  const item = document.createElement("li");
  item.className = "muted";
  item.textContent = text;
  return item;
}

function fillPlayers(list, players) {
  const key = JSON.stringify(players);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const items = players.slice(0, MAX_NAMES).map(playerItem);
  if (players.length > MAX_NAMES) items.push(plainItem(`and ${players.length - MAX_NAMES} more`));
  if (players.length === 0) items.push(plainItem("Nobody yet: be the first"));
  list.replaceChildren(...items);
}

function setAction(link, text, about, href) {
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
  if (link.textContent !== text + about) link.replaceChildren(text, note("sr-only", about));
}

function fill(card, game) {
  const map = visibleText(game.map);
  setText(slot(card, "map"), map);
  const stage = slot(card, "stage");
  setText(stage, stageText(game));
  stage.className = stageClass(game);
  fillPlayers(slot(card, "players"), game.players);
  const gold = slot(card, "gold");
  gold.max = Math.max(1, game.gold);
  gold.value = game.gold_left;
  setText(slot(card, "facts"), factsText(game));
  const play = slot(card, "play");
  play.hidden = !(game.seated || hasRoom(game));
  setAction(play, game.seated ? "Return" : "Play", ` on ${map}`, `/g/${game.id}#play`);
  setAction(slot(card, "watch"), "Watch", ` ${map}`, `/g/${game.id}/watch`);
  setEnd(card, game);
}

/** The creator of a game can end it: the number of running games per person is limited. */
function setEnd(card, { id, mine }) {
  const old = slot(card, "end");
  if (!mine) return old?.remove();
  if (old) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "btn quiet" });
  button.dataset.slot = "end";
  button.append("End", note("sr-only", " this game"));
  button.addEventListener("click", async () => {
    if (!confirm("End this game for everybody in it?")) return;
    try {
      await post(`/api/games/${id}/end`);
      card.remove();
      refreshFinished();
    } catch (error) {
      setText(state, error.message);
    }
  });
  card.querySelector(".actions").append(button);
}

function newCard(game) {
  const card = template.content.firstElementChild.cloneNode(true);
  card.dataset.game = game.id;
  card.dataset.map = game.map;
  return card;
}

function preview(card) {
  drawBuiltIn(card.querySelector("canvas"), card.dataset.map);
}

/** Makes a list show these games in this order. Cards that stay are not moved, so that the focus stays too. */
function show(list, games) {
  const old = new Map([...list.children].map((card) => [card.dataset.game, card]));
  const ids = new Set(games.map(({ id }) => id));
  for (const [id, card] of old) {
    if (ids.has(id)) continue;
    card.remove();
    refreshFinished();
  }
  let before = list.firstElementChild;
  for (const game of games) {
    const card = old.get(game.id) ?? newCard(game);
    fill(card, game);
    if (card === before) {
      before = before.nextElementSibling;
    } else {
      list.insertBefore(card, before);
    }
    if (!old.has(game.id)) preview(card);
  }
}

// Games that ended are rendered by the server: their part of the page is taken from a new copy of it.
async function refreshFinished() {
  const part = document.querySelector("#finished-part");
  try {
    const response = await fetch("/", { credentials: "same-origin" });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("#finished-part");
    if (fresh && !part.contains(document.activeElement)) part.replaceChildren(...fresh.childNodes);
  } catch {
    // The next game that ends tries again.
  }
}

function showAll(games) {
  const open = games.filter(({ visibility }) => visibility !== "link");
  const own = games.filter(({ visibility }) => visibility === "link");
  show(document.querySelector("#games"), open);
  show(document.querySelector("#own"), own);
  document.querySelector("#own-section").hidden = own.length === 0;
  document.querySelector("#no-games").hidden = open.length > 0;
  setText(state, open.length === 0 ? "" : `${open.length} ${open.length === 1 ? "game" : "games"}`);
}

async function refresh() {
  if (!document.hidden) {
    try {
      showAll(await get("/api/games"));
    } catch (error) {
      setText(state, error.status === 0 ? "Connecting again…" : error.message);
    }
  }
  setTimeout(refresh, REFRESH_MS);
}

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
