// The map on a canvas: crisp at any zoom and pixel ratio, with colours from the style sheet.
// It draws a picture and knows nothing of games, sockets or keys.

import { Ground, isPlayer } from "./ground.js";
import { drawGround, drawOccupant, palette } from "./tiles.js";

// The smallest width of a gridpoint in CSS pixels; a finger needs more than a mouse.
const isCoarse = matchMedia("(pointer: coarse)");
const LEGIBLE = { fit: () => 1, tile: () => 1, scroll: () => (isCoarse.matches ? 20 : 15) };
const LARGEST = 40;
// A map that has to scroll is drawn as high as its window, up to this width of a gridpoint.
const LARGEST_SCROLLING = 26;
// Below this width of a gridpoint, in CSS pixels, tokens are larger than gridpoints, to stay distinguishable.
const SMALL = 12;
// The maximum ratio of a gridpoint's height to its width: maps are drawn for terminals, whose cells are tall.
const TALLEST = 1.4;
const FLASH_MS = 900;
// A player slides to the next spot in this time. One that was moved farther than this many spots jumps.
const SLIDE_MS = 80;
const LONGEST_SLIDE = 3;
const GLINT_EVERY_MS = 90;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class MapView {
  /** `mode`: "fit" shows the whole map; "scroll" follows the player where it would be too small; "tile" is small and still. */
  constructor(canvas, { mode = "fit" } = {}) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.mode = mode;
    this.ground = new Ground(0, 0);
    this.you = null;
    this.goal = null;
    this.zoom = 1;
    this.bright = null; // 1 for each gridpoint in sight; null if all are
    this.flashes = [];
    this.slides = new Map(); // by the character of a player: {from, to, start}
    this.time = 0; // of the frame that is drawn
    this.camera = { x: 0, y: 0 };
    this.pan = null;
    this.dirty = new Set();
    this.isStale = true;
    this.frame = 0;
    this.colors = null;
    this.resizes = new ResizeObserver(() => this.invalidate());
    this.resizes.observe(canvas);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.restyle(), { signal });
    }
    stillness.addEventListener("change", () => this.invalidate(), { signal });
    if (mode !== "tile") this.glints = setInterval(() => this.glint(), GLINT_EVERY_MS);
  }

  /** Stops listening and drawing; for a canvas that goes away. */
  remove() {
    this.resizes.disconnect();
    this.listeners.abort();
    clearInterval(this.glints);
    cancelAnimationFrame(this.frame);
  }

  resize(rows, cols) {
    if (rows === this.rows && cols === this.cols) return;
    this.ground = new Ground(rows, cols);
    this.bright = null;
    this.slides.clear();
    this.goal = null;
    this.pan = null;
    this.invalidate();
  }

  get rows() {
    return this.ground.rows;
  }

  get cols() {
    return this.ground.cols;
  }

  /** The character codes of the picture, row after row. */
  get cells() {
    return this.ground.cells;
  }

  /** A whole picture. Blanks are drawn as well: nothing of an older picture remains, except what lies under occupants. */
  whole(lines) {
    const cols = Math.max(0, ...lines.map((line) => line.length));
    this.resize(lines.length, cols);
    this.slides.clear();
    lines.forEach((line, row) => this.write(row * cols, line.padEnd(cols)));
    this.ground.settle();
    this.request();
  }

  /** Changes: [[offset, text], …]. */
  set(changes) {
    const before = this.playersIn(changes);
    for (const [offset, text] of changes) this.write(offset, text);
    this.startSlides(before, this.playersIn(changes));
    this.request();
  }

  /** The players among these gridpoints, by their characters. */
  playersIn(changes) {
    const found = new Map();
    for (const [offset, text] of changes) {
      for (let at = offset; at < offset + text.length; at++) if (isPlayer(this.cells[at])) found.set(this.cells[at], at);
    }
    return found;
  }

  startSlides(before, after) {
    if (stillness.matches || this.mode === "tile") return;
    for (const [code, to] of after) {
      const from = before.get(code);
      const [down, right] = from === undefined ? [0, 0] : this.offset(from, to);
      const distance = Math.max(Math.abs(down), Math.abs(right));
      if (distance > 0 && distance <= LONGEST_SLIDE) this.slides.set(code, { from, to, start: performance.now() });
      else this.slides.delete(code);
    }
  }

  /** Rows and columns from one gridpoint to another. */
  offset(from, to) {
    return [Math.floor(to / this.cols) - Math.floor(from / this.cols), (to % this.cols) - (from % this.cols)];
  }

  /** The remaining distance of a player that slides to a gridpoint, in rows and columns. */
  shiftOf(at) {
    const slide = this.slides.get(this.cells[at]);
    if (!slide || slide.to !== at) return [0, 0];
    const rest = Math.min(1, Math.max(0, 1 - (this.time - slide.start) / SLIDE_MS));
    return this.offset(slide.to, slide.from).map((part) => part * rest);
  }

  /** Redraws all gridpoints that a sliding player touches, until it has arrived. */
  continueSlides() {
    for (const [code, { from, to, start }] of this.slides) {
      const [down, right] = this.offset(from, to);
      const steps = Math.max(Math.abs(down), Math.abs(right));
      for (let i = 0; i <= steps; i++) {
        this.touch(from + Math.round((down * i) / steps) * this.cols + Math.round((right * i) / steps));
      }
      if (this.time - start >= SLIDE_MS) this.slides.delete(code);
      this.request();
    }
  }

  write(offset, text) {
    for (let i = 0; i < text.length; i++) {
      if (this.ground.put(offset + i, text.charCodeAt(i))) this.touch(offset + i);
    }
  }

  /** Sets the visible gridpoints, 1 for each; the rest is drawn dim. null: everything is visible. */
  setSight(sight) {
    const before = this.bright;
    this.bright = sight?.slice() ?? null;
    if (!before !== !sight) this.invalidate();
    sight?.forEach((isBright, at) => before && isBright !== before[at] && this.touch(at));
    this.request();
  }

  /** The letter of the player that the picture shows as `@`. */
  setYou(letter) {
    this.you = letter;
    this.invalidate();
  }

  /** Marks the goal of a walk; null for none. */
  setGoal(offset) {
    for (const at of [this.goal, offset]) if (at !== null) this.touch(at);
    this.goal = offset;
    this.request();
  }

  /** The zoom, in steps of a tenth: 1 fits the window or is just legible. */
  setZoom(zoom) {
    this.zoom = Math.min(4, Math.max(0.5, zoom));
    this.invalidate();
  }

  /** Moves the map by CSS pixels; it stays there until `follow`. */
  panBy(x, y) {
    this.pan ??= { ...this.camera };
    this.pan.x -= x * devicePixelRatio;
    this.pan.y -= y * devicePixelRatio;
    this.invalidate();
  }

  follow() {
    this.pan = null;
    this.invalidate();
  }

  isInSight(offset) {
    return !this.bright || this.bright[offset] === 1;
  }

  /** A short ring around a gridpoint: "gold", "swap" or "robbed". */
  flash(offset, kind) {
    if (stillness.matches || offset < 0) return;
    this.flashes.push({ offset, kind, start: performance.now() });
    this.request();
  }

  /** The gridpoint at a place of the window, or null. */
  cellAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const { width, height, left, top } = this.layout();
    const x = ((clientX - box.left) * this.canvas.width) / box.width - left;
    const y = ((clientY - box.top) * this.canvas.height) / box.height - top;
    const col = Math.floor(x / width);
    const row = Math.floor(y / height);
    const isInside = row >= 0 && col >= 0 && row < this.rows && col < this.cols;
    return isInside ? row * this.cols + col : null;
  }

  /** Draws all changes immediately. */
  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.rows || !this.cols || !this.canvas.clientWidth) return;
    this.colors ??= palette(this.canvas);
    this.time = performance.now();
    this.fitToPixels();
    const layout = this.layout();
    // Tokens that are larger than their gridpoint overlap others.
    const overlaps = layout.width < SMALL * devicePixelRatio && this.dirty.size > 0;
    if (this.isStale || overlaps || !sameLayout(layout, this.last)) this.drawAll(layout);
    else this.drawCells(layout, [...this.dirty]);
    this.dirty.clear();
    this.isStale = false;
    this.last = layout;
    this.canvas.dataset.gridpoint = layout.width;
    this.continueSlides();
    this.drawFlashes(layout);
  }

  /** Marks a gridpoint and its neighbours for redrawing, because walls and passages join theirs. */
  touch(at) {
    const col = at % this.cols;
    for (const row of [at - this.cols, at, at + this.cols]) {
      for (let right = -1; right <= 1; right++) {
        const next = row + right;
        const isInside = next >= 0 && next < this.cells.length && col + right >= 0 && col + right < this.cols;
        if (isInside) this.dirty.add(next);
      }
    }
  }

  invalidate() {
    this.isStale = true;
    this.request();
  }

  restyle() {
    this.colors = null;
    this.invalidate();
  }

  request() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  fitToPixels() {
    const { canvas } = this;
    const width = Math.round(canvas.clientWidth * devicePixelRatio);
    const height = Math.round(canvas.clientHeight * devicePixelRatio);
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    this.isStale = true;
  }

  /** The size of a gridpoint and the position of the first one, in whole device pixels. */
  layout() {
    const { canvas } = this;
    const width = Math.max(1, Math.floor(this.cellWidth() * this.zoom));
    const room = Math.floor((canvas.height / this.rows) * this.zoom);
    const height = Math.max(width, Math.min(Math.floor(width * TALLEST), room));
    this.camera = this.pan ?? this.eye(width, height);
    const place = (size, window, camera) =>
      size <= window
        ? Math.floor((window - size) / 2)
        : Math.round(Math.min(0, Math.max(window - size, window / 2 - camera)));
    return {
      width,
      height,
      left: place(width * this.cols, canvas.width, this.camera.x),
      top: place(height * this.rows, canvas.height, this.camera.y),
    };
  }

  cellWidth() {
    const { canvas, rows, cols } = this;
    const least = LEGIBLE[this.mode]() * devicePixelRatio;
    const fitting = Math.min(canvas.width / cols, canvas.height / rows, LARGEST * devicePixelRatio);
    if (fitting >= least) return fitting;
    return Math.max(least, Math.min(LARGEST_SCROLLING * devicePixelRatio, canvas.height / rows / TALLEST));
  }

  /** The centre of the window: the player, or the middle of the map. */
  eye(width, height) {
    const you = this.ground.you;
    if (you < 0) return { x: (this.cols * width) / 2, y: (this.rows * height) / 2 };
    const [down, right] = this.shiftOf(you);
    return { x: ((you % this.cols) + 0.5 + right) * width, y: (Math.floor(you / this.cols) + 0.5 + down) * height };
  }

  drawAll(layout) {
    const { canvas, context } = this;
    context.fillStyle = this.colors.rock;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const first = (start, size) => Math.max(0, Math.floor(-start / size));
    const last = (start, size, window, count) => Math.min(count, Math.ceil((window - start) / size));
    const endRow = last(layout.top, layout.height, canvas.height, this.rows);
    const endCol = last(layout.left, layout.width, canvas.width, this.cols);
    const cells = [];
    for (let row = first(layout.top, layout.height); row < endRow; row++) {
      for (let col = first(layout.left, layout.width); col < endCol; col++) cells.push(row * this.cols + col);
    }
    this.drawCells(layout, cells);
  }

  drawCells(layout, cells) {
    const tokenSize = this.mode === "tile" ? 0 : SMALL * devicePixelRatio;
    for (const at of cells) drawGround(this, layout, at);
    for (const at of cells) drawOccupant(this, layout, at, tokenSize);
  }

  /** Rings that grow and fade. They reach over other gridpoints, so the next frame draws everything. */
  drawFlashes(layout) {
    if (!this.flashes.length) return;
    const now = performance.now();
    this.flashes = this.flashes.filter((flash) => now - flash.start < FLASH_MS);
    for (const { offset, kind, start } of this.flashes) {
      const part = (now - start) / FLASH_MS;
      const x = layout.left + ((offset % this.cols) + 0.5) * layout.width;
      const y = layout.top + (Math.floor(offset / this.cols) + 0.5) * layout.height;
      const { context } = this;
      context.save();
      context.globalAlpha = 1 - part;
      context.strokeStyle = this.colors[kind];
      context.lineWidth = Math.max(2, layout.width / 5);
      context.beginPath();
      context.arc(x, y, layout.width * (0.6 + part * 1.2), 0, 2 * Math.PI);
      context.stroke();
      context.restore();
    }
    this.invalidate();
  }

  /** Gold glints now and then; each pile at its own time. */
  glint() {
    if (stillness.matches || document.hidden || !this.canvas.clientWidth) return;
    for (let at = 0; at < this.cells.length; at++) {
      if (this.cells[at] === 42 && glintOf(at, performance.now() + 2 * GLINT_EVERY_MS) >= 0) {
        this.dirty.add(at);
        this.request();
      }
    }
  }

  /** The progress of the glint of the gold at a gridpoint, from 0 to 1; below 0 for none. */
  glintAt(at) {
    return stillness.matches || this.mode === "tile" ? -1 : glintOf(at, performance.now());
  }
}

const GLINT_MS = 720;

function glintOf(at, now) {
  const period = 3200 + ((at * 7919) % 2400);
  const since = (now + at * 613) % period;
  return since < GLINT_MS ? since / GLINT_MS : -1;
}

function sameLayout(a, b) {
  return b && a.width === b.width && a.height === b.height && a.left === b.left && a.top === b.top;
}


