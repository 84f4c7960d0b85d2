// The parts that the pages of a game share: roster, gold, connection, the end.

import { get, post } from "./api.js";
import { chip, nameElement, playerColor } from "./colors.js";

export const element = (id) => document.getElementById(id);

function item(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** Sets the text of an element if it differs: a live region would announce the same text again. */
export function put(target, text) {
  if (target && target.textContent !== text) target.textContent = text;
}

/** Shows a short highlight; the style sheet turns it off for people who prefer reduced motion. */
export function highlight(target, kind) {
  if (!target) return;
  target.classList.remove("lit-gold", "lit-swap", "lit-robbed");
  // Reading a layout property makes the browser restart the animation.
  void target.offsetWidth;
  target.classList.add(`lit-${kind}`);
}

const STATUS = { connecting: "Connecting…", open: "", reconnecting: "Reconnecting…", closed: "" };

export function showStatus(status) {
  const target = element("connection");
  put(target, STATUS[status]);
  element("game").dataset.connection = status;
}

export function showGold(state) {
  put(element("gold-left"), state.left === null ? "–" : String(state.left));
  const meter = element("gold-meter");
  meter.max = Math.max(1, state.total ?? state.left ?? 1);
  meter.value = state.left ?? 0;
  put(element("purse"), String(state.purse));
}

/** Shows the steps left, if the house rules limit them. */
export function showSteps(state) {
  element("steps-panel").hidden = state.steps === null;
  put(element("steps"), String(state.steps ?? ""));
  element("steps-panel").classList.toggle("few", state.steps !== null && state.steps <= 15);
}

/** Shows all players, the richest first as far as known. */
export function showRoster(state) {
  const known = new Map(state.players.map(({ letter }) => [letter, state.knownPurse(letter)]));
  // Your row comes first among equal purses: in a crowd the others would push it out of sight.
  const isYou = ({ letter }) => Number(state.isPlayer && letter === state.letter);
  const order = [...state.players].sort(
    (a, b) => known.get(b.letter).nuggets - known.get(a.letter).nuggets || isYou(b) - isYou(a) || (a.letter < b.letter ? -1 : 1),
  );
  element("roster").replaceChildren(...order.map((player) => rosterRow(state, player, known.get(player.letter))));
  const others = state.rivalsTotal;
  const hasMany = state.isPlayer && state.players.length > 2 && others !== null && !state.over;
  put(element("others-total"), hasMany ? `The others have ${others} together.` : "");
}

function rosterRow(state, player, purse) {
  const row = item("li", player.left ? "left" : "", chip(player.letter), nameElement(player.name));
  row.dataset.letter = player.letter;
  const isYou = state.isPlayer && player.letter === state.letter;
  if (isYou) row.classList.add("you");
  const tags = [isYou && "you", player.bot && "bot", player.left && "left"].filter(Boolean);
  row.append(item("span", "tag", tags.join(", ")));
  const text = purse.isExact ? String(purse.nuggets) : purse.nuggets ? `${purse.nuggets}+` : "?";
  const number = item("span", "purse number", text);
  if (!purse.isExact) number.title = purse.nuggets ? "At least this much: what you saw" : "Not known";
  row.append(number);
  return row;
}

/** Shows the end: table, chart and the next steps. */
export async function showOver(state, game) {
  const section = element("over");
  if (!section.hidden) return;
  const you = state.isPlayer ? state.letter : null;
  let place = 0;
  const rows = state.over.map((result, i) => {
    if (i === 0 || result.purse !== state.over[i - 1].purse) place = i + 1;
    const name = item("span", "who", chip(result.letter), " ", nameElement(result.name));
    const row = item("tr", result.letter === you ? "you" : "", item("td", "number", `${place}.`), item("td", "", name));
    row.append(item("td", "number", String(result.purse)));
    return row;
  });
  element("over-rows").replaceChildren(...rows);
  put(element("over-title"), headline(state, you));
  section.hidden = false;
  element("over-title").focus({ preventScroll: true });
  await showChart(game);
}

function headline(state, you) {
  const early = state.left > 0 ? `, ended with ${state.left} nugget${state.left === 1 ? "" : "s"} left` : "";
  return winner(state, you) + early;
}

function winner(state, you) {
  const [first] = state.over;
  const winners = state.over.filter((result) => result.purse === first?.purse);
  if (!first || first.purse === 0) return "Game over";
  if (winners.length > 1) return winners.some((one) => one.letter === you) ? "A tie: you share the first place" : "Game over: a tie";
  return first.letter === you ? "You win" : `${state.name(first.letter)} wins`;
}

/** The chart of purses over time, from the recording of the game. */
async function showChart(game, triesLeft = 5) {
  try {
    const [{ drawChart }, replay] = await Promise.all([import("./chart.js"), get(`/api/games/${game}/replay?frames=false`)]);
    const letters = replay.players.map((player) => player.letter);
    const purses = letters.map(() => 0);
    const points = [[0, [...purses]]];
    for (const [ms, letter, nuggets] of replay.purses) {
      purses[letters.indexOf(letter)] = nuggets;
      points.push([ms, [...purses]]);
    }
    const players = replay.players.map(({ letter, name }) => ({ letter, name, color: playerColor(letter) }));
    element("chart-figure").hidden = false;
    drawChart(element("chart"), { players, points, start: replay.lead_ms, end: replay.duration_ms });
  } catch (error) {
    // The recording may not be stored yet. The table says it all until it is.
    if (error.status === 404 && triesLeft > 0) setTimeout(() => showChart(game, triesLeft - 1), 700);
  }
}

/** The buttons of the end. */
export function listenToOver(game) {
  element("over-close").addEventListener("click", () => (element("over").hidden = true));
  element("again").addEventListener("click", async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const { id } = await post(`/api/games/${game}/again`);
      location.href = `/g/${id}#play`;
    } catch (error) {
      element("again-error").textContent = error.message;
      button.disabled = false;
    }
  });
}

/** Shows the link to the next game that a player of this one has begun. */
export function showNext(state) {
  element("next-game").hidden = false;
  element("next-link").href = `/g/${encodeURIComponent(state.next)}#play`;
}

let toastTimer = 0;

/** Shows a short message over the map for a moment. */
export function toast(text, ms = 2600) {
  const target = element("toast");
  put(target, text);
  target.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => target.classList.remove("shown"), ms);
}

/** A wide map has its panels below, a tall one beside. */
export function shape(rows, cols) {
  element("game").dataset.shape = cols > rows * 2 ? "wide" : "tall";
}
