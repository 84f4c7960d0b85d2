// Walking and exploring on the known part of the map, like the terminal player: one step at a time, the next when the
// picture shows the effect of the last.

import { isLetter } from "./ground.js";

const BLANK = 32;
const FOOD = 37; // "%"
const GOLD = 42; // "*"

/** The keys of all directions, straight ones first, and where they lead. */
export const DIRECTIONS = [
  { key: "h", down: 0, right: -1 },
  { key: "l", down: 0, right: 1 },
  { key: "k", down: -1, right: 0 },
  { key: "j", down: 1, right: 0 },
  { key: "y", down: -1, right: -1 },
  { key: "u", down: -1, right: 1 },
  { key: "b", down: 1, right: -1 },
  { key: "n", down: 1, right: 1 },
];
const STRAIGHT = DIRECTIONS.slice(0, 4);

/** The gridpoint beside another, or -1 outside of the map. */
export function beside({ rows, cols }, at, { down, right }) {
  const row = Math.floor(at / cols) + down;
  const col = (at % cols) + right;
  return row >= 0 && col >= 0 && row < rows && col < cols ? row * cols + col : -1;
}

/** The shortest paths from a spot to every other: a breadth-first search. */
export class Paths {
  constructor(ground, start) {
    this.steps = new Int32Array(ground.tiles.length).fill(-1);
    this.first = new Array(ground.tiles.length).fill(null);
    this.nearestFirst = [start];
    this.steps[start] = 0;
    for (let i = 0; i < this.nearestFirst.length; i++) {
      const at = this.nearestFirst[i];
      for (const direction of DIRECTIONS) {
        const next = beside(ground, at, direction);
        if (next < 0 || this.steps[next] >= 0 || !ground.isSpot(next)) continue;
        this.steps[next] = this.steps[at] + 1;
        this.first[next] = this.first[at] ?? direction;
        this.nearestFirst.push(next);
      }
    }
  }
}

/** Chooses steps to visible gold, or else to the edge of the known map. */
export class Explorer {
  constructor(ground) {
    this.ground = ground;
    // Blank gridpoints that are rock for certain, because we stood beside them.
    this.rock = new Set();
    this.stood = new Set();
    this.goal = null; // a pile that was seen
  }

  /** Learns from the current picture. */
  observe() {
    const you = this.ground.you;
    if (you < 0) return;
    this.stood.add(you);
    for (const direction of DIRECTIONS) {
      const at = beside(this.ground, you, direction);
      if (at >= 0 && this.ground.tiles[at] === BLANK) this.rock.add(at);
    }
  }

  /** The next step, or null if there is nowhere to go. */
  nextStep() {
    this.observe();
    const you = this.ground.you;
    if (you < 0) return null;
    const paths = new Paths(this.ground, you);
    this.chooseGoal(paths);
    const to = this.goal ?? this.nextUnknown(paths);
    return to === undefined ? null : paths.first[to];
  }

  chooseGoal(paths) {
    const { ground } = this;
    if (this.goal !== null && ground.cells[this.goal] !== GOLD && ground.isInSight(this.goal)) this.goal = null;
    this.goal ??= paths.nearestFirst.find((spot) => ground.cells[spot] === GOLD) ?? null;
  }

  /** The nearest end of the known map; or else the nearest spot that we have not stood on. */
  nextUnknown(paths) {
    const spots = paths.nearestFirst;
    const end = (directions) => spots.find((at) => this.bordersUnknown(at, directions));
    const fresh = () => spots.find((at) => !this.stood.has(at));
    const found = end(STRAIGHT) ?? end(DIRECTIONS) ?? fresh();
    if (found !== undefined) return found;
    this.stood.clear();
    this.stood.add(spots[0]);
    return fresh();
  }

  bordersUnknown(at, directions) {
    return directions.some((direction) => {
      const next = beside(this.ground, at, direction);
      return next >= 0 && this.ground.tiles[next] === BLANK && !this.rock.has(next);
    });
  }
}

/** Things that end a longer exploration when they come into sight: gold and food by place, players by letter. */
function notable({ cells }) {
  const things = new Set();
  cells.forEach((code, at) => {
    if (code === GOLD || code === FOOD) things.add(`${code} ${at}`);
    else if (isLetter(code)) things.add(code);
  });
  return things;
}

const PACE_MS = 40;
const STEP_TIMEOUT_MS = 500;
const MAX_TRIES = 2;

/** Walks and explores. `press(key)` sends a key, `say(text)` gives the reason for a stop, `mark(spot or null)` shows the goal. */
export class Errands {
  constructor({ press, say, mark }) {
    this.press = press;
    this.say = say;
    this.mark = mark;
    this.explorer = null;
    this.errand = null;
    this.last = null; // {to, at, isSeen}: the last step
    this.timer = 0;
  }

  /** Handles a new picture. */
  observe(ground) {
    if (this.explorer?.ground !== ground) {
      this.explorer = new Explorer(ground);
      this.stop();
    }
    this.explorer.observe();
    if (this.last && this.last.to === ground.you) this.last.isSeen = true;
    this.run();
  }

  explore() {
    this.begin({ kind: "explore", known: null });
  }

  /** Explores on until gold, food or a player comes into sight that is not there now. */
  exploreOn() {
    if (this.errand?.known) return; // a button that is held
    if (this.explorer) this.begin({ kind: "explore", known: notable(this.explorer.ground) });
  }

  walk(goal) {
    this.begin({ kind: "walk", goal, from: -1, tries: 0 });
    if (this.errand) this.mark(goal);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.errand) this.mark(null);
    this.errand = null;
  }

  begin(errand) {
    if (!this.explorer) return;
    this.stop();
    this.errand = errand;
    this.run();
  }

  run() {
    clearTimeout(this.timer);
    if (!this.errand) return;
    const wait = this.last ? this.last.at + (this.last.isSeen ? PACE_MS : STEP_TIMEOUT_MS) - performance.now() : 0;
    if (wait > 0) this.timer = setTimeout(() => this.run(), wait);
    else if (this.errand.kind === "explore") this.exploreStep();
    else this.walkOn();
  }

  exploreStep() {
    const { known } = this.errand;
    this.errand = null;
    if (known && [...notable(this.explorer.ground)].some((thing) => !known.has(thing))) return this.say("Something new is in sight.");
    const direction = this.explorer.nextStep();
    if (!direction) return this.say("Nowhere left to explore.");
    this.step(direction);
    if (!known) return;
    this.errand = { kind: "explore", known };
    this.run();
  }

  walkOn() {
    const { ground } = this.explorer;
    const you = ground.you;
    const { goal } = this.errand;
    if (you === goal) return this.stop();
    const direction = you >= 0 && ground.isSpot(goal) ? new Paths(ground, you).first[goal] : null;
    if (!direction) return this.giveUp("No known path there.");
    const tries = this.errand.from === you ? this.errand.tries + 1 : 1;
    if (tries > MAX_TRIES) return this.giveUp("The path is blocked.");
    Object.assign(this.errand, { from: you, tries });
    this.step(direction);
    this.run();
  }

  giveUp(why) {
    this.stop();
    this.say(why);
  }

  step(direction) {
    const { ground } = this.explorer;
    this.last = { to: beside(ground, ground.you, direction), at: performance.now(), isSeen: false };
    this.press(direction.key);
  }
}
