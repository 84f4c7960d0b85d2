// The page for watchers: the whole map, or the view of one player.

import { asSentence } from "./api.js";
import { visibleText } from "./colors.js";
import { listenToPinch } from "./input.js";
import { inSight, summary } from "./insight.js";
import { Log, Speaker, spoken } from "./log.js";
import { MapView } from "./map.js";
import { element, listenToOver, put, shape, showGold, showNext, showOver, showRoster, showStatus, toast } from "./panels.js";
import { GameSocket } from "./socket.js";
import { GameState } from "./state.js";

const root = element("game");
const game = root.dataset.game;
const gold = Number(root.dataset.gold) || null;
const map = new MapView(element("map"), { mode: "scroll" });
const log = new Log(element("log"));
const speaker = new Speaker(element("live"));
const select = element("view");
let state = new GameState({ gold });
let view = wantedView();

function wantedView() {
  const wanted = new URLSearchParams(location.search).get("view");
  return /^[A-Z]$/.test(wanted ?? "") ? wanted : null;
}

function hello(it) {
  state.handleHello(it);
  shape(it.rows, it.cols);
  map.mode = it.view === null ? "fit" : "scroll";
  map.resize(it.rows, it.cols);
  map.setYou(it.view);
  // Nothing of a game with a delay is shown before its beginning is old enough.
  if (it.delay_s && !state.stage) put(element("watch-stage"), `The first picture comes within ${it.delay_s} seconds`);
}

function line(it) {
  const events = state.apply(it);
  if (it.whole) map.whole(it.whole);
  if (it.set) map.set(it.set);
  if (it.whole || it.sight) map.setSight(state.ground.sight);
  for (const event of events) handleEvent(event);
  if (it.gold || it.purses) showGold(state);
  if (it.gold || it.purses || it.players || it.over) showRoster(state);
  if (it.players) showViews();
  if ("stage" in it) put(element("watch-stage"), stageText());
  scheduleSummary();
}

let summaryTimer = 0;

/** The text alternative of the canvas; not at every key of a busy game. */
function scheduleSummary() {
  summaryTimer ||= setTimeout(() => {
    summaryTimer = 0;
    put(element("map-text"), summary(state, view ? inSight(state.ground) : []));
  }, 250);
}

function handleEvent(event) {
  log.add(event, state);
  if (event.at >= 0 && event.kind === "gold") map.flash(event.at, "gold");
  if (event.kind === "theft") map.flash(state.spotOf(event.who ?? ""), "robbed");
  if (event.kind !== "swap") speaker.say(spoken(event, state));
  if (event.kind === "notice") toast(visibleText(event.text));
  if (event.kind === "over") {
    document.getElementById("watch-play")?.remove();
    showOver(state, game);
  }
  if (event.kind === "next") showNext(state);
}

/** Handles a message from the host to this connection. */
function notice(text) {
  handleEvent({ kind: "notice", text });
}

function stageText() {
  if (!state.stage?.waiting) return "";
  const { missing } = state;
  return missing ? `Starts when ${missing} more ${missing === 1 ? "player is" : "players are"} in` : "Starts when its creator says so";
}

/** The views to choose from. */
function showViews() {
  const options = [new Option("Everybody (whole map)", "")];
  for (const { letter, name, left } of state.players) {
    if (!left || letter === view) options.push(new Option(`${letter} ${visibleText(name)}`, letter));
  }
  const texts = (list) => [...list].map((option) => option.text).join("\n");
  if (texts(options) !== texts(select.options)) select.replaceChildren(...options);
  select.value = view ?? "";
}

function look(wanted) {
  if (wanted === view) return;
  view = wanted;
  const players = state.players;
  state = new GameState({ gold });
  state.players = players;
  map.follow();
  socket.watch(view);
  select.value = view ?? "";
  const place = view ? `?view=${view}` : location.pathname;
  history.replaceState(null, "", place);
}

/** Letters choose a view, 0 or * the whole map, + and - the size. */
function handleKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const letter = event.key.toUpperCase();
  if (state.players.some((player) => player.letter === letter)) look(letter);
  else if (event.key === "0" || event.key === "*") look(null);
  else if (event.key === "+" || event.key === "=") map.setZoom(map.zoom + 0.2);
  else if (event.key === "-") map.setZoom(map.zoom - 0.2);
}

/** Dragging moves a map that is larger than its window. */
function listenToDrag(canvas) {
  let last = null;
  canvas.addEventListener("pointerdown", (event) => {
    last = event.isPrimary ? event : null;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last || event.pointerId !== last.pointerId) return;
    map.panBy(event.clientX - last.clientX, event.clientY - last.clientY);
    last = event;
  });
  for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => (last = null));
  canvas.addEventListener("dblclick", () => map.follow());
}

let lastError = "";

function error(text) {
  lastError = asSentence(visibleText(text));
  if (state.hello) toast(lastError);
}

/** The server has closed the connection for good. */
function closed() {
  if (state.over) return;
  put(element("watch-refused-title"), state.hello ? "The connection has ended" : "You can't watch this game");
  put(element("watch-refused-why"), lastError);
  element("watch-refused").hidden = false;
  element("watch-refused-title").focus({ preventScroll: true });
}

const socket = new GameSocket(game, { watch: { view } }, { hello, line, error, notice, status: showStatus, closed });
showViews();
shape(Number(root.dataset.rows), Number(root.dataset.cols));
listenToOver(game);
listenToDrag(element("map"));
listenToPinch(element("map"), () => map.zoom, (zoom) => map.setZoom(zoom));
document.addEventListener("keydown", handleKey);
select.addEventListener("change", () => look(select.value || null));
element("roster").addEventListener("click", (event) => {
  const row = event.target.closest("[data-letter]");
  if (row) look(row.dataset.letter);
});
element("zoom-in").addEventListener("click", () => map.setZoom(map.zoom + 0.2));
element("zoom-out").addEventListener("click", () => map.setZoom(map.zoom - 0.2));
element("full-screen").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.();
});
