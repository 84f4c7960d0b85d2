// The page of a game for its players.

import { asSentence } from "./api.js";
import { chip, nameElement, visibleText } from "./colors.js";
import { Errands } from "./explore.js";
import { listenToKeys, listenToPad, listenToPinch, listenToPointer } from "./input.js";
import { describe, inSight, summary } from "./insight.js";
import { Log, Speaker, spoken } from "./log.js";
import { MapView } from "./map.js";
import { element, highlight, listenToOver, put, shape, showGold, showNext, showOver, showRoster, showStatus, showSteps, toast } from "./panels.js";
import { GameSocket } from "./socket.js";
import { GameState } from "./state.js";

const root = element("game");
const game = root.dataset.game;
const state = new GameState({ gold: Number(root.dataset.gold) || null });
const map = new MapView(element("map"), { mode: "scroll" });
const log = new Log(element("log"), `log ${root.dataset.game}`);
const speaker = new Speaker(element("live"));
const errands = new Errands({
  press: (key) => socket?.send({ key }),
  say: tell,
  mark: (spot) => map.setGoal(spot),
});
let socket = null;
let hasLeft = false;
let lastError = "";

function tell(text) {
  toast(text);
  speaker.say(text);
}

function join() {
  if (socket) return;
  const wasFocused = element("choice").contains(document.activeElement);
  element("choice").hidden = true;
  if (wasFocused) element("map-focus").focus({ preventScroll: true });
  socket = new GameSocket(game, { join: {} }, { hello, line, error, notice, status: showStatus, closed });
}

function hello(it) {
  state.handleHello(it);
  shape(it.rows, it.cols);
  map.resize(it.rows, it.cols);
  map.setYou(it.letter);
  const rules = element("house-rules");
  rules.hidden = !it.rules?.length;
  rules.replaceChildren(...(it.rules ?? []).map((rule) => Object.assign(document.createElement("li"), { textContent: visibleText(rule) })));
  showStage();
}

let isHinted = false;

/** Shows your letter and how to move, in the first games of this browser. */
function hint() {
  if (isHinted || !state.isPlaying) return;
  isHinted = true;
  try {
    const games = Number(localStorage.getItem("hinted") ?? 0);
    if (games >= 3) return;
    localStorage.setItem("hinted", String(games + 1));
  } catch {
    // Without storage the hint comes in every game.
  }
  const how = matchMedia("(pointer: coarse)").matches
    ? "Tap where to go, or use the buttons. Go explores for you."
    : "Arrow keys or a click to walk, o to explore, ? for all keys.";
  toast(`You are ${state.letter}. ${how}`, 8000);
}

function line(it) {
  const events = state.apply(it);
  if (it.whole) map.whole(it.whole);
  if (it.set) map.set(it.set);
  if (it.whole || it.sight) map.setSight(state.ground.sight);
  errands.observe(state.ground);
  for (const event of events) handleEvent(event);
  if (it.gold) showGold(state);
  if (it.gold || it.players || it.over) showRoster(state);
  if ("steps" in it) showSteps(state);
  if (it.players || "stage" in it) showStage();
  placeToast();
  if ("stage" in it) hint();
  if (it.players && state.isOut && !state.over) showLeft(lastError);
  scheduleSummary();
}

/** Places messages over the map so that they don't cover your player. */
function placeToast() {
  const { you, rows, cols } = state.ground;
  const target = element("toast");
  if (target.classList.contains("shown") || you < 0) return;
  target.classList.toggle("low", state.isPlaying && Math.floor(you / cols) < rows / 2);
}

const HIGHLIGHTS = { gold: "gold", swap: "swap", theft: "robbed" };

function handleEvent(event) {
  log.add(event, state);
  const isAboutYou = event.who === state.letter || event.other === state.letter;
  const kind = HIGHLIGHTS[event.kind];
  if (kind && isAboutYou) {
    highlight(element("purse-panel"), kind);
    map.flash(state.ground.you, kind);
  } else if (event.kind === "gold" && event.at >= 0) {
    map.flash(event.at, "gold");
  }
  if (isAboutYou && kind) {
    const text = spoken(event, state);
    toast(text);
    speaker.say(event.kind === "swap" ? text : `${text} Your purse: ${state.purse}. ${state.left} left.`);
  } else if (event.kind !== "swap") {
    speaker.say(spoken(event, state));
  }
  if (event.kind === "notice") toast(visibleText(event.text));
  if (event.kind === "begin") toast("The game begins!");
  if (event.kind === "over") endGame();
  if (event.kind === "next") showNext(state);
}

function endGame() {
  errands.stop();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  element("left").hidden = true;
  showOver(state, game);
}

function showStage() {
  const isWaiting = Boolean(state.stage?.waiting) && !hasLeft && !state.isOut;
  element("waiting").hidden = !isWaiting;
  root.dataset.stage = isWaiting ? "waiting" : (state.stage ?? "");
  if (!isWaiting) return;
  const { missing } = state;
  const isCreator = Boolean(state.hello?.creator);
  put(element("waiting-title"), waitingText(missing, isCreator));
  element("start").hidden = !isCreator;
  const people = state.players.filter((player) => !player.left).map(({ letter, name, bot }) => {
    const item = document.createElement("li");
    item.append(chip(letter), nameElement(name), letter === state.letter ? " (you)" : bot ? " (bot)" : "");
    return item;
  });
  element("waiting-players").replaceChildren(...people);
}

function waitingText(missing, isCreator) {
  if (missing) return missing === 1 ? "Waiting for 1 more player" : `Waiting for ${missing} more players`;
  return isCreator ? "Start when everybody is here" : "Waiting for the creator to start";
}

function error(text) {
  lastError = asSentence(visibleText(text));
  tell(lastError);
  // The reason arrives after the list of players in which this one is out.
  if (!element("left").hidden) showLeft(lastError);
}

/** Handles a message from the host to this connection. */
function notice(text) {
  handleEvent({ kind: "notice", text });
}

/** The server has closed the connection for good. */
function closed(code) {
  if (state.over) return;
  errands.stop();
  if (!state.hello && !hasLeft) {
    socket = null;
    element("choice").hidden = false;
    put(element("join-error"), lastError || "The server refused the connection.");
    return;
  }
  showLeft(lastError || (code === 1011 ? "This game has failed. Its recording is kept." : ""));
}

/** Shows that this player is out of the game: left, starved or removed; or that the connection has ended. */
function showLeft(why) {
  const panel = element("left");
  const isStarved = state.steps === 0 && !hasLeft;
  const title = isStarved ? "You have no steps left" : hasLeft ? "You have left the game" : "You are out of the game";
  put(element("left-title"), state.isOut || hasLeft ? title : "The connection has ended");
  put(element("left-text"), hasLeft ? "" : why);
  if (!panel.hidden) return;
  errands.stop();
  panel.hidden = false;
  element("left-title").focus({ preventScroll: true });
}

let summaryTimer = 0;

/** The text alternative of the canvas; not at every step of a walk. */
function scheduleSummary() {
  summaryTimer ||= setTimeout(() => {
    summaryTimer = 0;
    put(element("map-text"), summary(state, thingsInSight()));
  }, 250);
}

const thingsInSight = () => inSight(state.ground);

function showSight() {
  const things = thingsInSight();
  const list = element("sight-list");
  element("sight-empty").hidden = things.length > 0;
  list.replaceChildren(
    ...things.map((thing) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "btn quiet" });
      button.textContent = describe(thing, state);
      button.disabled = thing.steps < 0;
      button.addEventListener("click", () => walkFromList(thing.at));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }),
  );
  element("sight").showModal();
  list.querySelector("button:enabled")?.focus();
}

function walkFromList(at) {
  element("sight").close();
  errands.walk(at);
}

/** Walks to the nearest visible gold, or else to the nearest exit that was not used yet. */
function go() {
  const things = thingsInSight().filter((thing) => thing.steps > 0);
  const isNew = ({ at }) => !errands.explorer?.stood.has(at);
  const goal = things.find(({ kind }) => kind === "gold") ?? things.find((thing) => thing.kind === "exit" && isNew(thing)) ?? things.find(({ kind }) => kind === "exit");
  if (!goal) return tell("Neither gold nor an exit is in sight.");
  speaker.say(`Walking to ${describe(goal, state)}`);
  errands.walk(goal.at);
}

const ACTIONS = {
  explore: () => errands.explore(),
  exploreOn: () => errands.exploreOn(),
  sight: showSight,
  go,
  stop: () => errands.stop(),
  help: () => element("help").showModal(),
  leave: () => state.isPlaying || state.stage?.waiting ? element("leave").showModal() : undefined,
  larger: () => map.setZoom(map.zoom + 0.2),
  smaller: () => map.setZoom(map.zoom - 0.2),
};

function command(it) {
  if (it.do) {
    if (it.do.startsWith("explore") && !mayAct()) return;
    ACTIONS[it.do]();
  } else if (mayAct()) {
    errands.stop();
    if (it.key) press(it.key);
    else walkTo(...it.walk);
  }
}

function mayAct() {
  if (!socket || state.over || hasLeft || state.isOut) return false;
  if (state.stage?.waiting) tell("The game has not started yet.");
  return state.isPlaying;
}

function press(key) {
  if (!socket.send({ key })) toast("Not connected: the key was not sent.");
}

function walkTo(x, y) {
  const spot = map.cellAt(x, y);
  if (spot !== null) errands.walk(spot);
}

listenToKeys(command, () => toast("That key does nothing. ? shows all keys."));
listenToPointer(element("map"), command);
listenToPinch(element("map"), () => map.zoom, (zoom) => map.setZoom(zoom));
listenToPad(element("pad"), element("sprint"), command);
listenToOver(game);

const onClick = (id, run) => element(id)?.addEventListener("click", run);
onClick("join", join);
onClick("start", () => socket?.send("start"));
onClick("help-button", ACTIONS.help);
onClick("sight-button", showSight);
onClick("pad-sight", showSight);
onClick("leave-button", ACTIONS.leave);
onClick("zoom-in", ACTIONS.larger);
onClick("zoom-out", ACTIONS.smaller);
onClick("side-button", (event) => {
  const isOpen = root.classList.toggle("side-open");
  event.currentTarget.setAttribute("aria-expanded", String(isOpen));
});
onClick("copy", async (event) => {
  const button = event.currentTarget;
  try {
    await navigator.clipboard.writeText(location.href.split("#")[0]);
    button.textContent = "Copied";
  } catch {
    // Without https there is no clipboard: show what to copy.
    prompt("The link of this game:", location.href.split("#")[0]);
  }
});
element("leave").addEventListener("close", () => {
  if (element("leave").returnValue !== "leave") return;
  element("leave").returnValue = "";
  hasLeft = true;
  errands.stop();
  socket?.send({ key: "Q" });
});
element("sight").addEventListener("keydown", (event) => {
  const button = /^[1-9]$/.test(event.key) && element("sight-list").querySelectorAll("button")[event.key - 1];
  if (button) button.click();
});
element("left-watch").href = `/g/${game}/watch`;
// A click on the dark around a dialog closes it.
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

shape(Number(root.dataset.rows), Number(root.dataset.cols));
if (root.dataset.seated || (location.hash === "#play" && element("join"))) join();
else showStatus("closed");
// A reload or a link that is passed on must not join by itself.
if (location.hash === "#play") history.replaceState(null, "", location.pathname);
