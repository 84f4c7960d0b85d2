// The field of view as text: gold, food, players and exits with direction and distance, the nearest first.

import { visibleText } from "./colors.js";
import { DIRECTIONS, Paths, beside } from "./explore.js";
import { isLetter } from "./ground.js";

const BLANK = 32;
const PASSAGE = 35;
const ROOM = 46;
const ORDER = ["gold", "player", "food", "exit", "unknown"];

/** The way from one gridpoint to another as text: "3 right, 2 up". */
export function direction(from, to, cols) {
  const right = (to % cols) - (from % cols);
  const down = Math.floor(to / cols) - Math.floor(from / cols);
  const part = (count, more, less) => (count ? [`${Math.abs(count)} ${count > 0 ? more : less}`] : []);
  const parts = [...part(right, "right", "left"), ...part(down, "down", "up")];
  return parts.length ? parts.join(", ") : "here";
}

/** Everything of interest that is in sight, gold first and the nearest first: {kind, at, steps, letter}. */
export function inSight(ground) {
  const you = ground.you;
  if (you < 0) return [];
  const paths = new Paths(ground, you);
  const found = [];
  ground.cells.forEach((code, at) => {
    const kind = kindOf(ground, code, at, you);
    if (kind) found.push({ kind, at, steps: paths.steps[at], letter: isLetter(code) ? String.fromCharCode(code) : null });
  });
  const distance = ({ steps }) => (steps < 0 ? Infinity : steps);
  return found.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || distance(a) - distance(b) || a.at - b.at);
}

function kindOf(ground, code, at, you) {
  if (at === you) return null;
  if (code === 42) return "gold";
  if (code === 37) return "food";
  if (isLetter(code)) return "player";
  if (!ground.isSpot(at) || !ground.isInSight(at)) return null;
  return isExit(ground, at, you) ? "exit" : null;
}

/** A passage spot beside a room spot, or, within a passage, its next spots. */
function isExit(ground, at, you) {
  if (ground.tiles[at] !== PASSAGE) return false;
  if (ground.tiles[you] === PASSAGE) return true;
  return DIRECTIONS.slice(0, 4).some((step) => {
    const next = beside(ground, at, step);
    return next >= 0 && ground.tiles[next] === ROOM;
  });
}

/** One of them as text. */
export function describe(thing, state) {
  const { cols, you } = state.ground;
  const what = {
    gold: "Gold",
    food: "Food",
    player: thing.letter && `${visibleText(state.name(thing.letter))}, ${thing.letter}`,
    exit: "Exit",
  }[thing.kind];
  const steps = thing.steps < 0 ? "no known path" : `${thing.steps} step${thing.steps === 1 ? "" : "s"}`;
  return `${what}: ${direction(you, thing.at, cols)} (${steps})`;
}

/** The picture in one sentence, for people who don't see the canvas. */
export function summary(state, things) {
  if (state.ground.you < 0) {
    const on = state.players.filter((player) => !player.left).length;
    return `The whole map. ${on} players, ${state.left ?? 0} nuggets left.`;
  }
  const count = (kind, one, more) => {
    const number = things.filter((thing) => thing.kind === kind).length;
    return number ? [`${number} ${number === 1 ? one : more}`] : [];
  };
  const parts = [
    ...count("gold", "pile of gold", "piles of gold"),
    ...count("player", "player", "players"),
    ...count("food", "piece of food", "pieces of food"),
    ...count("exit", "exit", "exits"),
  ];
  const place = state.ground.tiles[state.ground.you] === PASSAGE ? "in a passage" : "in a room";
  const nearest = things[0] ? ` Nearest: ${describe(things[0], state)}.` : "";
  const known = state.ground.tiles.reduce((sum, tile) => sum + (tile !== BLANK), 0);
  const who = state.isPlayer ? "You are" : `${visibleText(state.name(state.letter))} is`;
  return `${who} ${place}. In sight: ${parts.join(", ") || "nothing of interest"}.${nearest} ${known} gridpoints are known.`;
}
