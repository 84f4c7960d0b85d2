// Small drawings of the built-in maps, which are public. Other maps stay hidden: a drawing would reveal parts of the map
// that the players of a game have not seen yet.

import { get } from "./api.js";
import { MapView } from "./map.js";

let builtIn = null;

/** The lines of a text. */
export function linesOf(text) {
  return text.replace(/\n$/, "").split("\n");
}

/** The built-in maps by name, each with `text` and `about`; requested once. */
export function builtInMaps() {
  builtIn ??= get("/api/maps").then((maps) => new Map(maps.map((map) => [map.name, map])));
  builtIn.catch(() => (builtIn = null));
  return builtIn;
}

/** Draws a built-in map on a canvas and shows it; does nothing for a map of another name. */
export async function drawBuiltIn(canvas, name) {
  const map = (await builtInMaps().catch(() => new Map())).get(name);
  if (!map) return;
  canvas.hidden = false;
  const view = new MapView(canvas, { mode: "tile" });
  view.whole(linesOf(map.text));
  view.draw();
}

/** A seed for a random map with all bits that a number holds exactly: too many to try them all and find a game's map. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 21) * 2 ** 32 + low;
}
