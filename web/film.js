// A recorded game for the page: the picture of every view at every time. Pure: no page, no clock.

import { visible } from "./sight.js";

const SNAPSHOTS = 64;
const KEPT_VIEWS = 3;

export class Film {
  /** `data` is described in docs/replay.md. */
  constructor(data) {
    this.data = data;
    this.rows = data.rows;
    this.cols = data.cols;
    this.length = data.frames.length;
    this.lead = data.lead_ms;
    this.duration = data.duration_ms;
    let ms = 0;
    this.times = Float64Array.from(data.frames, ([since]) => (ms += since));
    this.spacing = Math.max(128, Math.ceil(this.length / SNAPSHOTS));
    this.snapshots = new Map();
    // The map without its occupants. Before the first player joins, only gold and food lie on it, on room spots.
    this.tiles = new TextEncoder().encode(data.start.join("").replaceAll(/[*%]/g, "."));
    this.gold = data.events.filter(({ kind }) => kind === "gold" || kind === "steal");
  }

  /** The number of frames shown at this time. */
  frameAt(ms) {
    return countWhile(this.times, (time) => time <= ms);
  }

  /** The time of the last frame when this many have been shown. */
  timeOf(frame) {
    return frame > 0 ? this.times[Math.min(frame, this.length) - 1] : 0;
  }

  /** The number of events that have happened when this many frames have been shown by this time. */
  eventsUntil(frame, ms) {
    return countWhile(this.data.events, (event) => event.frame <= frame && event.ms <= ms);
  }

  /** The changes of a view by the frame with this index: [[offset, text], …]. `view` is a letter, or "*". */
  changes(view, index) {
    for (const [views, set] of this.data.frames[index][2]) if (views.includes(view)) return set;
    return [];
  }

  /** The input of the frame with this index: a letter and a key. */
  input(index) {
    return this.data.frames[index]?.[1] ?? "";
  }

  /** The picture of a view when this many frames have been shown: character codes, row after row. */
  picture(view, frame) {
    const kept = this.snapshotsOf(view);
    const nearest = Math.min(Math.floor(frame / this.spacing), kept.length - 1);
    const cells = kept[nearest].slice();
    for (let index = nearest * this.spacing; index < frame; index++) {
      this.apply(cells, view, index);
      // Pictures on the way are kept, so that going back is fast.
      if ((index + 1) % this.spacing === 0 && (index + 1) / this.spacing === kept.length) kept.push(cells.slice());
    }
    return cells;
  }

  /** The same as lines of text. */
  lines(view, frame) {
    const text = new TextDecoder("ascii").decode(this.picture(view, frame));
    return Array.from({ length: this.rows }, (_, row) => text.slice(row * this.cols, (row + 1) * this.cols));
  }

  /** The field of view of a player at this spot, 1 for each visible gridpoint; all 0 if it is not on the map. */
  sight(spot) {
    const { tiles, rows, cols, data } = this;
    if (spot < 0) return new Uint8Array(tiles.length);
    return visible(tiles, rows, cols, spot, { vision: data.vision, passages: data.sees_passages });
  }

  /** All purses by letter at this time. */
  pursesAt(ms) {
    const purses = new Map(this.data.players.map(({ letter }) => [letter, 0]));
    for (const [at, letter, nuggets] of this.data.purses) {
      if (at > ms) break;
      purses.set(letter, nuggets);
    }
    return purses;
  }

  /** Purses for a chart: [[ms, [purse of each player]], …]. */
  chartPoints() {
    const index = new Map(this.data.players.map(({ letter }, at) => [letter, at]));
    let purses = this.data.players.map(() => 0);
    const points = [[0, purses]];
    for (const [ms, letter, nuggets] of this.data.purses) {
      purses = purses.with(index.get(letter), nuggets);
      if (points.at(-1)[0] === ms) points.pop();
      points.push([ms, purses]);
    }
    return points;
  }

  apply(cells, view, index) {
    for (const [offset, text] of this.changes(view, index)) {
      for (let i = 0; i < text.length; i++) cells[offset + i] = text.charCodeAt(i);
    }
  }

  snapshotsOf(view) {
    const kept = this.snapshots.get(view) ?? [this.start(view)];
    this.snapshots.delete(view);
    this.snapshots.set(view, kept);
    if (this.snapshots.size > KEPT_VIEWS) this.snapshots.delete(this.snapshots.keys().next().value);
    return kept;
  }

  start(view) {
    const text = view === "*" ? this.data.start.join("") : " ".repeat(this.rows * this.cols);
    return new TextEncoder().encode(text);
  }
}

/** The number of items at the start of a sorted list that fulfil a condition. */
function countWhile(list, condition) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(list[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}
