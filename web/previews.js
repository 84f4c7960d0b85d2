// Small drawings of the built-in maps, which everybody may know. Other maps stay in the fog: a drawing would tell the
// players of a game what they have not seen yet.

import { get } from "./api.js";
import { MapView } from "./map.js";

let builtIn = null;

/** The lines of a text. */
export function linesOf(text) {
  return text.replace(/\n$/, "").split("\n");
}

/** The built-in maps by name, each with `text` and `about`; asked for once. */
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

/** A seed for a random map, as many bits as a number holds exactly: nobody can try them all to find the map of a game. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 21) * 2 ** 32 + low;
}
