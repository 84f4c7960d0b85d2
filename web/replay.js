// The replay page: plays a recorded game, from the view of any player.

import { get } from "./api.js";
import { clock, drawChart } from "./chart.js";
import { chip, colorIndex, nameElement, visibleText } from "./colors.js";
import { Film } from "./film.js";
import { MapView } from "./map.js";

const SVG = "http://www.w3.org/2000/svg";
const WHOLE = "*";
const SPEEDS = ["0.5", "1", "2", "4", "8", "16"];
const JUMP_MS = 10_000;
// The length of the longest pause while pauses are skipped.
const PAUSE_MS = 1_000;
// When more frames than this have passed, the whole picture is drawn instead of each change.
const MANY_FRAMES = 60;
const SHOWN_EVENTS = 80;
// At most one sentence in this time is read aloud while the game plays.
const SPOKEN_EVERY_MS = 5_000;
// If gridpoints would be narrower than this, a player's view is shown larger.
const LEGIBLE_PX = 8;
const ARROWS = { h: "←", l: "→", k: "↑", j: "↓", y: "↖", u: "↗", b: "↙", n: "↘" };
const SPRINTS = { H: "⇐", L: "⇒", K: "⇑", J: "⇓", Y: "⇖", U: "⇗", B: "⇙", N: "⇘" };
const INPUTS = { ...ARROWS, ...SPRINTS, "+": "joined", "-": "left" };

const find = (id) => document.getElementById(`replay-${id}`);

class ReplayPage {
  constructor(data) {
    this.data = data;
    this.film = new Film(data);
    this.names = new Map(data.players.map(({ letter, name }) => [letter, visibleText(name)]));
    this.view = WHOLE;
    this.frame = 0;
    this.ms = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.shown = { view: null, frame: 0, events: -1 };
    this.spoken = 0;
    find("stage").hidden = false;
    this.map = new MapView(find("map"), { mode: "fit" });
    this.map.resize(data.rows, data.cols);
    this.buildMarks();
    this.buildEyes();
    this.chart = drawChart(find("chart"), {
      players: data.players,
      points: this.film.chartPoints(),
      start: data.lead_ms,
      end: data.duration_ms,
      onSeek: (ms) => this.goToTime(ms),
    });
    find("length").textContent = this.clock(data.duration_ms);
    this.listen();
    this.readAddress();
    this.show();
  }

  // Moving

  goToTime(ms) {
    this.ms = Math.min(this.film.duration, Math.max(0, ms));
    this.frame = this.film.frameAt(this.ms);
    this.moved();
  }

  goToFrame(frame) {
    this.frame = Math.min(this.film.length, Math.max(0, frame));
    this.ms = this.frame === this.film.length ? this.film.duration : this.film.timeOf(this.frame);
    this.moved();
  }

  moved() {
    this.show();
    if (!this.isPlaying) this.writeAddress();
  }

  step(frames) {
    this.pause();
    this.goToFrame(this.frame + frames);
    const [letter, key] = this.film.input(this.frame - 1);
    if (letter) this.speak(this.lastEventText() ?? `${this.names.get(letter)} ${INPUTS[key]}`);
  }

  goToGold(direction) {
    const { gold } = this.film;
    const target =
      direction > 0
        ? gold.find(({ frame }) => frame > this.frame)
        : gold.findLast(({ frame }) => frame < this.frame);
    this.goToFrame(target?.frame ?? (direction > 0 ? this.film.length : 0));
    if (target) {
      this.flash(target);
      this.speak(this.plainText(target));
    }
  }

  togglePlaying() {
    if (this.isPlaying) {
      this.pause();
      this.speak(`Paused at ${this.clock(this.ms)}`);
    } else {
      this.play();
    }
  }

  play() {
    if (this.ms >= this.film.duration || this.ms < this.film.lead) this.goToTime(this.film.lead);
    this.isPlaying = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.showPlaying();
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.showPlaying();
    this.showText();
    this.writeAddress();
  }

  tick(now) {
    if (!this.isPlaying) return;
    // A window that was hidden continues where it was.
    const passed = Math.min(250, Math.max(0, now - this.last)) * this.speed;
    this.last = now;
    this.ms = this.skipPause(Math.min(this.film.duration, this.ms + passed));
    const before = this.frame;
    this.frame = this.film.frameAt(this.ms);
    this.show();
    this.notice(before);
    if (this.ms >= this.film.duration) this.pause();
    else requestAnimationFrame((then) => this.tick(then));
  }

  skipPause(ms) {
    if (!find("skip").checked) return ms;
    const frame = this.film.frameAt(ms);
    const next = frame < this.film.length ? this.film.times[frame] : this.film.duration;
    const isLong = next - this.film.timeOf(frame) > PAUSE_MS;
    return isLong && ms - this.film.timeOf(frame) > PAUSE_MS / 2 ? Math.max(ms, next - PAUSE_MS / 2) : ms;
  }

  setSpeed(index) {
    const speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))];
    this.speed = Number(speed);
    find("speed").value = speed;
  }

  setView(view) {
    if (view !== WHOLE && !this.names.has(view)) return;
    this.view = view;
    for (const radio of document.getElementsByName("eyes")) radio.checked = radio.value === view;
    this.show();
    this.writeAddress();
    this.speak(view === WHOLE ? "The whole map" : `Through the eyes of ${this.names.get(view)}`);
  }

  // Showing

  /** A time as text: a long wait for the first key doesn't count. */
  clock(ms) {
    return clock(Math.max(0, ms - this.film.lead) / 1000);
  }

  /** The position of a time on the bar, from 0 to 1. */
  part(ms) {
    const { lead, duration } = this.film;
    return Math.max(0, ms - lead) / Math.max(1, duration - lead);
  }

  show() {
    this.showPicture();
    this.showTime();
    const events = this.film.eventsUntil(this.frame, this.ms);
    if (events !== this.shown.events) this.showLog(events);
    this.showPurses();
    this.showCaption();
    this.showInput();
    if (!this.isPlaying) this.showText();
    this.shown = { view: this.view, frame: this.frame, events };
    Object.assign(document.getElementById("replay").dataset, { frame: this.frame, view: this.view });
  }

  showPicture() {
    const { film, map, view, frame, shown } = this;
    const since = frame - shown.frame;
    if (view !== shown.view) {
      this.setZoom(view !== WHOLE && find("map").clientWidth / this.data.cols < LEGIBLE_PX);
      map.setYou(view === WHOLE ? null : view);
    }
    if (view !== shown.view || since < 0 || since > MANY_FRAMES) {
      map.whole(film.lines(view, frame));
    } else {
      const changes = [];
      for (let index = shown.frame; index < frame; index++) changes.push(...film.changes(view, index));
      if (changes.length) map.set(changes);
    }
    if (view !== shown.view || since !== 0) map.setSight(view === WHOLE ? null : film.sight(map.ground.you));
  }

  showTime() {
    const text = this.clock(this.ms);
    const seek = find("seek");
    find("now").textContent = text;
    seek.value = this.ms;
    seek.setAttribute("aria-valuetext", `${text} of ${this.clock(this.film.duration)}`);
    seek.style.setProperty("--part", `${100 * this.part(this.ms)}%`);
    this.chart.setTime(this.ms);
  }

  showPlaying() {
    const button = find("play");
    button.classList.toggle("is-playing", this.isPlaying);
    button.setAttribute("aria-label", this.isPlaying ? "Pause" : "Play");
  }

  showPurses() {
    const purses = this.film.pursesAt(this.ms);
    let found = 0;
    for (const { letter, joined_ms, left_ms } of this.data.players) {
      const row = this.rows.get(letter);
      const purse = purses.get(letter);
      found += purse;
      row.purse.textContent = purse;
      row.bar.style.setProperty("--share", purse / Math.max(1, this.data.gold));
      row.label.classList.toggle("is-absent", this.ms < joined_ms);
      row.label.classList.toggle("is-gone", left_ms !== null && this.ms >= left_ms);
    }
    this.rows.get(WHOLE).purse.textContent = `${this.data.gold - found} left`;
  }

  showCaption() {
    const player = this.data.players.find(({ letter }) => letter === this.view);
    let text = "";
    if (player) {
      const name = this.names.get(player.letter);
      text = `Through the eyes of ${name}`;
      if (this.ms < player.joined_ms) text = `${name} joins at ${this.clock(player.joined_ms)}`;
      else if (player.left_ms !== null && this.ms >= player.left_ms) text = `What ${name} saw last`;
    }
    find("caption").textContent = text;
    find("map").setAttribute("aria-label", `${text || "The whole map"}. The picture as text is further down.`);
    if (this.shown.view !== this.view) this.chart.highlight(player ? player.letter : null);
  }

  showInput() {
    const [letter, key] = this.film.input(this.frame - 1);
    const count = `key ${this.frame} of ${this.film.length}`;
    find("input").textContent = letter ? `${count} · ${letter} ${INPUTS[key]}` : count;
  }

  /** The whole map, or large enough to read: then it follows the player, and can be moved. */
  setZoom(isLarge) {
    this.map.mode = isLarge ? "scroll" : "fit";
    this.map.follow();
    find("zoom").setAttribute("aria-pressed", isLarge);
    find("map").classList.toggle("is-large", isLarge);
  }

  showText() {
    if (find("text-details").open) {
      find("text").textContent = this.film.lines(this.view, this.frame).join("\n");
    }
  }

  /** The latest first; more than fit on any screen are left out. */
  showLog(count) {
    const log = find("log");
    const events = this.data.events.slice(Math.max(0, count - SHOWN_EVENTS), count).reverse();
    log.replaceChildren(...events.map((event) => this.logRow(event)));
    if (!events.length) log.append(make("li", "muted", "Nothing yet."));
    log.scrollTop = 0;
  }

  logRow(event) {
    const row = make("li", `replay-event is-${event.kind}`);
    const button = make("button");
    button.type = "button";
    button.title = "Go to this moment";
    button.append(make("span", "muted number", this.clock(event.ms)), make("span"));
    button.lastChild.append(...this.sentence(event));
    button.addEventListener("click", () => {
      this.pause();
      this.goToFrame(event.frame);
      this.flash(event);
    });
    row.append(button);
    return row;
  }

  /** A sentence about an event, as nodes. */
  sentence({ kind, who, other, nuggets }) {
    const player = (letter) => {
      const span = make("span", "replay-who");
      span.append(chip(letter), nameElement(this.names.get(letter)));
      return span;
    };
    const gold = () => make("span", "gold", nuggets);
    switch (kind) {
      case "join": return [player(who), " joined"];
      case "gold": return [player(who), " found ", gold()];
      case "steal": return [player(who), " robbed ", player(other), " of ", gold()];
      case "swap": return [chip(who), " swapped with ", chip(other)];
      case "drop": return [player(who), " dropped ", gold()];
      case "eat": return [player(who), " ate"];
      case "leave": return [player(who), " left"];
      case "starve": return [player(who), " starved"];
      case "over": return ["The game is over"];
      case "closed": return ["The server was shut down"];
      default: return ["The server continued the game"];
    }
  }

  plainText(event) {
    const parts = this.sentence(event).map((part) => part.lastChild?.textContent ?? part.textContent ?? part);
    return parts.join("");
  }

  lastEventText() {
    const event = this.data.events.findLast(({ frame }) => frame === this.frame);
    return event ? this.plainText(event) : null;
  }

  /** Marks the latest events on the map, and announces some of them. */
  notice(before) {
    if (this.frame === before) return;
    const first = this.film.eventsUntil(before, this.ms);
    const events = this.data.events.slice(first, this.shown.events);
    for (const event of events.slice(-8)) this.flash(event);
    const told = events.findLast(({ kind }) => kind !== "swap" && kind !== "eat");
    if (told && performance.now() - this.spoken > SPOKEN_EVERY_MS) this.speak(this.plainText(told));
  }

  flash({ kind, spot, other }) {
    const kinds = { gold: "gold", swap: "swap", drop: "gold", steal: "robbed" };
    const at = kind === "steal" ? this.spotOf(other) : spot;
    if (kinds[kind] && at !== undefined && this.map.isInSight(at)) this.map.flash(at, kinds[kind]);
  }

  /** The position of a player in the current picture. */
  spotOf(letter) {
    const at = this.map.cells.indexOf((letter === this.view ? "@" : letter).charCodeAt(0));
    return at < 0 ? undefined : at;
  }

  speak(text) {
    this.spoken = performance.now();
    find("live").textContent = text;
  }

  // Building

  buildMarks() {
    const svg = find("marks");
    const { gold } = this.film;
    const most = gold.reduce((before, { nuggets }) => Math.max(before, nuggets), 1);
    svg.setAttribute("viewBox", "0 0 1000 20");
    for (const { ms, who, nuggets } of gold) {
      const mark = document.createElementNS(SVG, "line");
      const x = 1000 * this.part(ms);
      const y = 20 - 8 - (12 * nuggets) / most;
      for (const [key, value] of Object.entries({ x1: x, x2: x, y1: y, y2: 20 })) mark.setAttribute(key, value);
      mark.setAttribute("class", `p${colorIndex(who)}`);
      svg.append(mark);
    }
  }

  buildEyes() {
    this.rows = new Map();
    const list = find("eyes");
    const everybody = make("span", "replay-name", "Whole map");
    list.append(this.eyesRow(WHOLE, [make("span", "chip", "✱"), everybody]));
    for (const { letter, name } of this.data.players) {
      const shown = make("span", "replay-name");
      shown.append(nameElement(name));
      list.append(this.eyesRow(letter, [chip(letter), shown]));
    }
  }

  eyesRow(view, nodes) {
    const label = make("label", `replay-eye ${view === WHOLE ? "" : `p${colorIndex(view)}`}`);
    const radio = make("input");
    Object.assign(radio, { type: "radio", name: "eyes", value: view, checked: view === WHOLE });
    radio.addEventListener("change", () => this.setView(view));
    const purse = make("span", "number replay-purse");
    const bar = make("span", "replay-bar");
    bar.setAttribute("aria-hidden", "true");
    label.append(radio, ...nodes, purse, bar);
    this.rows.set(view, { label, purse, bar });
    return label;
  }

  // Input

  listen() {
    find("play").addEventListener("click", () => this.togglePlaying());
    find("back").addEventListener("click", () => this.step(-1));
    find("forward").addEventListener("click", () => this.step(1));
    find("gold").addEventListener("click", () => this.goToGold(1));
    find("seek").addEventListener("input", (event) => this.goToTime(Number(event.target.value)));
    find("speed").addEventListener("change", (event) => this.setSpeed(SPEEDS.indexOf(event.target.value)));
    find("zoom").addEventListener("click", () => this.setZoom(this.map.mode === "fit"));
    this.listenToMap();
    find("text-details").addEventListener("toggle", () => this.showText());
    find("link").addEventListener("click", () => this.copyLink());
    find("link").hidden = false;
    document.addEventListener("keydown", (event) => this.handleKey(event));
    addEventListener("hashchange", () => {
      this.pause();
      this.readAddress();
      this.show();
    });
  }

  /** A click plays or pauses; where the map is larger than the window, a drag moves it. */
  listenToMap() {
    const canvas = find("map");
    let last = null;
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      last = event;
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last || event.pointerId !== last.pointerId || this.map.mode === "fit") return;
      moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
      if (moved > 6) {
        canvas.setPointerCapture(event.pointerId);
        this.map.panBy(event.clientX - last.clientX, event.clientY - last.clientY);
      }
      last = event;
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { last = null; });
    canvas.addEventListener("click", () => moved > 6 || this.togglePlaying());
  }

  handleKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target, key } = event;
    const isOwnKey = /^(Arrow|Home$|End$| $)/.test(key);
    const isSeek = target === find("seek");
    // Arrows choose in a group of radio buttons, the space bar presses a button.
    if (isOwnKey && !isSeek && target.closest("input, select, button, a, summary, ol, pre")) return;
    if (target.closest("select") && key.length === 1) return;
    const action = this.actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  }

  actionOf({ key, shiftKey }) {
    const jump = (ms) => () => this.goToTime(this.ms + ms);
    const speed = (by) => () => this.setSpeed(SPEEDS.indexOf(find("speed").value) + by);
    if (/^[A-Z]$/.test(key) && this.names.has(key)) return () => this.setView(key);
    if (/^[1-9]$/.test(key)) return () => this.setView(this.data.players[key - 1]?.letter);
    switch (key) {
      case " ": return () => this.togglePlaying();
      case "ArrowLeft": return shiftKey ? jump(-JUMP_MS) : () => this.step(-1);
      case "ArrowRight": return shiftKey ? jump(JUMP_MS) : () => this.step(1);
      case ",": return () => this.step(-1);
      case ".": return () => this.step(1);
      case "h": return jump(-JUMP_MS);
      case "l": return jump(JUMP_MS);
      case "Home": return () => this.goToFrame(0);
      case "End": return () => this.goToFrame(this.film.length);
      case "g": return () => this.goToGold(1);
      case "b": return () => this.goToGold(-1);
      case "+":
      case "=": return speed(1);
      case "-": return speed(-1);
      case "z": return () => this.setZoom(this.map.mode === "fit");
      case "s": return () => find("skip").click();
      case "0": return () => this.setView(WHOLE);
      case "?": return () => { find("keys").open = !find("keys").open; };
      default: return null;
    }
  }

  // The address of a moment: #t=83.2&v=A

  readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const view = wanted.get("v");
    this.view = view !== null && this.names.has(view) ? view : WHOLE;
    for (const radio of document.getElementsByName("eyes")) radio.checked = radio.value === this.view;
    const ms = wanted.has("t") ? parseTime(wanted.get("t")) * 1000 : this.film.lead;
    this.ms = Math.min(this.film.duration, ms);
    this.frame = this.film.frameAt(this.ms);
  }

  address() {
    const view = this.view === WHOLE ? "" : `&v=${this.view}`;
    return `#t=${Math.round(this.ms) / 1000}${view}`;
  }

  writeAddress() {
    // Browsers limit how often it may change.
    clearTimeout(this.writing);
    this.writing = setTimeout(() => history.replaceState(null, "", this.address()), 250);
  }

  async copyLink() {
    const link = new URL(this.address(), location.href).href;
    const button = find("link");
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy a link to this moment"; }, 2_000);
    } catch {
      history.replaceState(null, "", link);
      find("link-problem").textContent = "The browser doesn't allow it. Copy the address of this page instead.";
    }
  }
}

/** Seconds, or minutes and seconds: 83.2 or 1:23. */
function parseTime(text) {
  const seconds = text.split(":").reduce((before, part) => before * 60 + Number(part), 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

function make(name, className = "", text = null) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== null) node.textContent = text;
  return node;
}

async function start() {
  const { src } = document.getElementById("replay").dataset;
  try {
    const data = src ? await get(src) : JSON.parse(document.getElementById("replay-data").textContent);
    new ReplayPage(data);
  } catch (why) {
    const problem = find("problem");
    problem.textContent = `This game can't be shown: ${why.message}`;
    problem.hidden = false;
    throw why;
  }
}

start();
