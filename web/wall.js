// All running public games as tiles, live. The number of connections is limited for the sake of the browser: with more
// games the tiles take turns.

import { get } from "./api.js";
import { chip, nameElement, visibleText } from "./colors.js";
import { MapView } from "./map.js";
import { element, put } from "./panels.js";
import { GameSocket } from "./socket.js";
import { GameState } from "./state.js";

const MAX_TILES = 16;
const ASK_EVERY_MS = 3000;
const TURN_EVERY_MS = 20000;
const LINGER_MS = 15000;
const LEADERS = 3;

const tiles = new Map(); // by the id of the game
let page = 0;
let turnedAt = performance.now();

/** One game: its map, gold and leaders. */
class Tile {
  constructor(row) {
    this.item = element("tile-template").content.firstElementChild.cloneNode(true);
    this.slots = Object.fromEntries([...this.item.querySelectorAll("[data-slot]")].map((slot) => [slot.dataset.slot, slot]));
    this.item.querySelector("a").href = `/g/${row.id}/watch`;
    this.state = new GameState({ gold: row.gold });
    this.endedAt = null;
    put(this.slots.map, visibleText(row.map));
    element("tiles").append(this.item);
    this.map = new MapView(this.item.querySelector("canvas"), { mode: "fit" });
    this.map.resize(row.rows, row.cols);
    this.socket = new GameSocket(row.id, { watch: { view: null } }, {
      hello: (hello) => {
        this.state.handleHello(hello);
        this.show();
      },
      line: (line) => this.apply(line),
      status: (status) => this.item.classList.toggle("stale", status === "reconnecting"),
      closed: () => {
        this.isRefused = !this.state.hello;
        this.handleRow(row);
      },
    });
  }

  /** A player of the game may not watch it; then the tile shows the data of the lobby. */
  handleRow(row) {
    if (!this.isRefused) return;
    put(this.slots.left, String(row.gold_left));
    put(this.slots.note, "You play here");
  }

  apply(line) {
    const events = this.state.apply(line);
    if (line.whole) this.map.whole(line.whole);
    if (line.set) this.map.set(line.set);
    for (const event of events) if (event.kind === "gold" && event.at >= 0) this.map.flash(event.at, "gold");
    if (this.state.over) this.endedAt ??= performance.now();
    this.show();
  }

  show() {
    const { state } = this;
    put(this.slots.left, state.left === null ? "–" : String(state.left));
    const leaders = state.players
      .filter((player) => !player.left || state.over)
      .map((player) => ({ ...player, nuggets: state.knownPurse(player.letter).nuggets }))
      .sort((a, b) => b.nuggets - a.nuggets || (a.letter < b.letter ? -1 : 1));
    this.slots.players.replaceChildren(...leaders.slice(0, LEADERS).map(leader));
    put(this.slots.note, note(state, leaders.length));
  }

  remove() {
    this.socket.close();
    this.map.remove();
    this.item.remove();
  }
}

function leader({ letter, name, nuggets }) {
  const item = document.createElement("li");
  const number = Object.assign(document.createElement("span"), { className: "number", textContent: nuggets });
  item.append(chip(letter), nameElement(name), number);
  return item;
}

function note(state, count) {
  if (state.over) return "Game over";
  // Nothing of a game with a delay is shown before its beginning is old enough.
  if (!state.stage) return state.hello?.delay_s ? `Shown ${state.hello.delay_s} s later` : "";
  if (state.stage?.waiting) return state.missing ? `Starts with ${state.missing} more` : "Starts soon";
  return count > LEADERS ? `+${count - LEADERS}` : "";
}

async function refresh() {
  let rows;
  try {
    rows = await get("/api/games");
  } catch (error) {
    put(element("wall-facts"), error.message);
    return;
  }
  rows = rows.filter((row) => row.visibility !== "link" && row.stage !== "over");
  const pages = Math.max(1, Math.ceil(rows.length / MAX_TILES));
  if (performance.now() - turnedAt > TURN_EVERY_MS) {
    page++;
    turnedAt = performance.now();
  }
  page %= pages;
  const shown = rows.slice(page * MAX_TILES, (page + 1) * MAX_TILES);
  const isShown = (id) => shown.some((row) => row.id === id);
  for (const [id, tile] of tiles) {
    const isLingering = pages === 1 && tile.endedAt && performance.now() - tile.endedAt < LINGER_MS;
    if (isShown(id) || isLingering) continue;
    tile.remove();
    tiles.delete(id);
  }
  for (const row of shown) {
    if (!tiles.has(row.id)) tiles.set(row.id, new Tile(row));
    tiles.get(row.id).handleRow(row);
  }
  element("tiles").dataset.count = String(Math.min(tiles.size, MAX_TILES));
  arrange();
  const players = rows.reduce((sum, row) => sum + row.players.filter((player) => !player.left).length, 0);
  const facts = `${rows.length} game${rows.length === 1 ? "" : "s"}, ${players} player${players === 1 ? "" : "s"}`;
  put(element("wall-facts"), pages > 1 ? `${facts}, page ${page + 1} of ${pages}` : facts);
  element("wall-empty").hidden = tiles.size > 0;
}

/** The number of columns with the largest tiles that fit the window; a map is about 2.7 times wider than high. */
function arrange() {
  const list = element("tiles");
  const count = tiles.size || 1;
  const { clientWidth: width } = list;
  const height = innerHeight - list.getBoundingClientRect().top - scrollY;
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= Math.min(4, count); columns++) {
    const size = Math.min(width / columns, (height / Math.ceil(count / columns) - 90) * 2.7);
    if (size > best.size) best = { columns, size };
  }
  list.dataset.columns = String(width < 640 ? 1 : best.columns);
  list.dataset.rows = String(Math.ceil(count / best.columns));
}

element("full-screen").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else element("wall").requestFullscreen?.();
});
addEventListener("resize", arrange);
refresh();
setInterval(refresh, ASK_EVERY_MS);
