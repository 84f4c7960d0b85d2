// What a page knows of the ground: the picture without its occupants. A spot that was never shown without an
// occupant is taken for a room spot, or for a passage spot where its surroundings say so.

import { visible } from "./sight.js";

const BLANK = 32;
const PASSAGE = 35; // "#"
const ROOM = 46; // "."

export const isGround = (code) => code === ROOM || code === PASSAGE || isWall(code);
export const isWall = (code) => code === 45 || code === 124 || code === 43; // - | +
export const isLetter = (code) => code >= 65 && code <= 90;

/** The picture as character codes, and the ground under it. */
export class Ground {
  constructor(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.cells = new Uint8Array(rows * cols).fill(BLANK);
    this.tiles = new Uint8Array(rows * cols).fill(BLANK);
    // Gridpoints that were never shown, but must be room spots: something was visible past them.
    this.inferred = new Set();
    // What was shown for the first time since the last `learn`, and where the player stood then.
    this.fresh = [];
    this.stoodAt = -1;
  }

  get you() {
    return this.cells.indexOf(64); // "@"
  }

  /** Takes the new character at a gridpoint; true if it has changed. */
  put(at, code) {
    if (at < 0 || at >= this.cells.length || this.cells[at] === code) return false;
    this.cells[at] = code;
    if (this.tiles[at] === BLANK) this.fresh.push(at);
    if (isGround(code) || code === BLANK) this.tiles[at] = code;
    else if (this.tiles[at] === BLANK) this.tiles[at] = this.guess(at, code);
    return true;
  }

  isSpot(at) {
    return this.tiles[at] === ROOM || this.tiles[at] === PASSAGE;
  }

  /** What is under an occupant: gold and food lie in rooms, and so does the spot where a player begins. */
  guess(at, code) {
    if (!isLetter(code)) return ROOM;
    const tile = (down, right) => {
      const row = Math.floor(at / this.cols) + down;
      const col = (at % this.cols) + right;
      const inside = row >= 0 && col >= 0 && row < this.rows && col < this.cols;
      return inside ? this.tiles[row * this.cols + col] : BLANK;
    };
    const sides = [tile(0, -1), tile(0, 1), tile(-1, 0), tile(1, 0)];
    const isDoor = (isWall(sides[0]) && isWall(sides[1])) || (isWall(sides[2]) && isWall(sides[3]));
    const isBesideRoom = sides.includes(ROOM);
    return isDoor || (sides.includes(PASSAGE) && !isBesideRoom) ? PASSAGE : ROOM;
  }

  /** What is in sight of `spot`, as far as the ground is known. */
  sight(spot, vision) {
    if (!this.inferred.size) return visible(this.tiles, this.rows, this.cols, spot, vision);
    const tiles = this.tiles.slice();
    for (const at of this.inferred) if (tiles[at] === BLANK) tiles[at] = ROOM;
    return visible(tiles, this.rows, this.cols, spot, vision);
  }

  /**
   * Infers room spots that were never shown. A line of sight may pass between two gridpoints of which only one is
   * transparent, and that one may itself be out of sight; without it, what was visible along the line would count as
   * hidden. What was just shown for the first time, after at most one step, is in sight from here.
   */
  learn(vision) {
    const { fresh, stoodAt, you } = this;
    this.fresh = [];
    this.stoodAt = you;
    if (you < 0 || !fresh.length || !this.isWithinStep(stoodAt, you)) return;
    const seen = this.sight(you, vision);
    const hidden = fresh.filter((at) => !seen[at] && this.tiles[at] !== BLANK);
    const gaps = hidden.map((at) => this.gapsTo(you, at));
    // A first picture that is not explained by what is in sight shows an older memory.
    if (stoodAt < 0 && gaps.includes(null)) return;
    for (const at of gaps.flatMap((gap) => gap ?? [])) this.inferred.add(at);
  }

  isWithinStep(from, to) {
    if (from < 0) return true;
    const down = Math.floor(to / this.cols) - Math.floor(from / this.cols);
    return Math.abs(down) <= 1 && Math.abs((to % this.cols) - (from % this.cols)) <= 1;
  }

  /** The unknown gridpoints that must be room spots if `to` is visible from `from`; null if it can't be. */
  gapsTo(from, to) {
    const [row, col] = [Math.floor(from / this.cols), from % this.cols];
    const [down, right] = [Math.floor(to / this.cols) - row, (to % this.cols) - col];
    const columns = this.gapsAcross(right, down, (steps, aside) => this.index(row + aside, col + steps));
    const rows = columns && this.gapsAcross(down, right, (steps, aside) => this.index(row + steps, col + aside));
    return rows && [...columns, ...rows];
  }

  gapsAcross(length, drift, indexOf) {
    const gaps = [];
    for (let distance = 1; distance < Math.abs(length); distance++) {
      const aside = drift * distance;
      const near = Math.floor(aside / Math.abs(length));
      const steps = distance * Math.sign(length);
      const both = [indexOf(steps, near)];
      if (aside % length) both.push(indexOf(steps, near + 1));
      if (both.some((at) => this.tiles[at] === ROOM || this.inferred.has(at))) continue;
      const unknown = both.filter((at) => this.tiles[at] === BLANK);
      if (!unknown.length) return null;
      gaps.push(...unknown);
    }
    return gaps;
  }

  /** The index of a gridpoint; -1 outside of the map. */
  index(row, col) {
    return row >= 0 && col >= 0 && row < this.rows && col < this.cols ? row * this.cols + col : -1;
  }
}
