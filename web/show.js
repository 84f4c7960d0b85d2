// The page that shows how to join: the players, live, and the creator's start button.

import { get, post } from "./api.js";
import { chip, nameElement } from "./colors.js";

const REFRESH_MS = 1000;

const page = document.querySelector(".show");
const game = page.dataset.game;
const list = document.querySelector("#players");
const stageLine = document.querySelector("#show-stage");
const problem = document.querySelector("#show-error");
const startButton = document.querySelector("#start");

function stageText({ stage, start }) {
  if (stage === "playing") return "The game is on. You can still join.";
  if (stage === "over") return "The game is over.";
  const missing = stage.waiting?.missing;
  if (typeof missing !== "number") return "Starts when its creator says so.";
  if (!start?.with_players) return "Starts with the first person.";
  return `Starts when ${missing} more ${missing === 1 ? "is" : "are"} in.`;
}

/** True while keys have no effect: a game that only waits for its first person has started. */
function isWaitingForStart({ stage, start }) {
  return Boolean(stage.waiting) && (stage.waiting.missing == null || Boolean(start?.with_players));
}

function playerItem(player) {
  const item = document.createElement("li");
  item.dataset.letter = player.letter;
  item.classList.toggle("left", Boolean(player.left));
  item.append(chip(player.letter), nameElement(player.name));
  if (player.bot) {
    const bot = document.createElement("span");
    bot.className = "bot";
    bot.textContent = "bot";
    item.append(bot);
  }
  return item;
}

function showPlayers(players) {
  const key = JSON.stringify(players);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...players.map(playerItem));
  document.querySelector("#count").textContent = players.length;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

async function refresh() {
  try {
    const row = await get(`/api/games/${game}`);
    // A game that is over has a final table instead.
    if (row.players) showPlayers(row.players);
    setText(stageLine, stageText(row));
    if (startButton) startButton.hidden = !isWaitingForStart(row);
    if (row.stage === "over") return end();
  } catch (error) {
    setText(stageLine, error.status === 404 ? "The game is over." : "Connecting again…");
    if (error.status === 404) return end();
  }
  setTimeout(refresh, REFRESH_MS);
}

/** Shows a link to the replay of a game that is over and can't be joined. */
function end() {
  const watch = document.querySelector("#show-watch");
  watch.textContent = "Watch the replay";
  watch.href = `/g/${game}/replay`;
  document.querySelector("#show-play").hidden = true;
  if (startButton) startButton.hidden = true;
}

/** True if only this computer can open a link to that name. */
const isLocal = (name) => /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(name);

async function start() {
  problem.textContent = "";
  startButton.setAttribute("aria-busy", "true");
  try {
    await post(`/api/games/${game}/start`);
    startButton.hidden = true;
  } catch (error) {
    problem.textContent = error.message;
  }
  startButton.removeAttribute("aria-busy");
}

startButton?.addEventListener("click", () => {
  if (startButton.getAttribute("aria-busy") !== "true") start();
});

document.querySelector("#copy").addEventListener("click", async () => {
  const link = document.querySelector("#link").href;
  const copied = document.querySelector("#copied");
  try {
    await navigator.clipboard.writeText(link);
    copied.textContent = "Copied.";
  } catch {
    copied.textContent = "Your browser doesn't allow it: select the link and copy it.";
  }
});

document.querySelector("#show-local").hidden = !isLocal(new URL(document.querySelector("#link").href).hostname);
refresh();
