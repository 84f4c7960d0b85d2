// The look of each gridpoint: our own shapes, drawn in whole device pixels.

import { colorIndex, markIndex } from "./colors.js";
import { isLetter, isPlayer, isWall } from "./ground.js";

const mix = (a, b, percent) => `color-mix(in srgb, ${a}, ${b} ${percent}%)`;

// Every colour comes from the style sheet, so that dark, light and high contrast hold for the map too.
const COLORS = {
  rock: `light-dark(${mix("var(--bg-deep)", "var(--floor)", 42)}, var(--bg-deep))`,
  room: `light-dark(var(--panel), ${mix("var(--bg-deep)", "var(--floor)", 52)})`,
  roomDim: `light-dark(${mix("var(--bg-deep)", "var(--floor)", 16)}, ${mix("var(--bg-deep)", "var(--floor)", 22)})`,
  wall: "var(--wall)",
  wallDim: mix("var(--bg-deep)", "var(--wall)", 42),
  passage: mix("var(--bg-deep)", "var(--passage)", 66),
  passageDim: mix("var(--bg-deep)", "var(--passage)", 32),
  gold: "var(--button)",
  goldEdge: mix("var(--button)", "black", 50),
  goldShine: mix("var(--button)", "white", 65),
  food: "var(--ok)",
  swap: "var(--link)",
  robbed: "var(--danger)",
  you: "var(--you)",
  ink: "var(--ink)",
};

/** The colours as the browser computes them for this element. */
export function palette(element) {
  const probe = document.createElement("span");
  element.parentElement.append(probe);
  const resolve = (color) => {
    probe.style.color = color;
    return getComputedStyle(probe).color;
  };
  const colors = Object.fromEntries(Object.entries(COLORS).map(([name, color]) => [name, resolve(color)]));
  colors.players = Array.from({ length: 10 }, (_, i) => resolve(`var(--p${i})`));
  probe.remove();
  return colors;
}

function boxOf({ cols }, layout, at) {
  return {
    x: layout.left + (at % cols) * layout.width,
    y: layout.top + Math.floor(at / cols) * layout.height,
    width: layout.width,
    height: layout.height,
  };
}

/** Draws the ground at a gridpoint. */
export function drawGround(view, layout, at) {
  const { context, colors } = view;
  const box = boxOf(view, layout, at);
  const isBright = view.isInSight(at);
  context.fillStyle = colors.rock;
  context.fillRect(box.x, box.y, box.width, box.height);
  const tile = view.ground.tiles[at];
  if (tile === 46) {
    context.fillStyle = isBright ? colors.room : colors.roomDim;
    const gap = box.width >= 8 ? Math.max(1, Math.round(box.width / 20)) : 0;
    context.fillRect(box.x, box.y, box.width - gap, box.height - gap);
  } else if (tile === 35) {
    context.fillStyle = isBright ? colors.passage : colors.passageDim;
    drawPassage(view, at, box);
  } else if (isWall(tile)) {
    context.fillStyle = isBright ? colors.room : colors.roomDim;
    drawFloorBesideWall(view, at, box);
    context.fillStyle = isBright ? colors.wall : colors.wallDim;
    drawWall(view, at, box);
  }
}

/** Draws the occupant of a gridpoint, at least as large as `least`, and the goal of a walk. */
export function drawOccupant(view, layout, at, least) {
  const code = view.ground.cells[at];
  const box = boxOf(view, layout, at);
  if (isPlayer(code)) {
    const [down, right] = view.shiftOf(at);
    const place = { ...box, x: box.x + Math.round(right * box.width), y: box.y + Math.round(down * box.height) };
    drawPlayer(view, code === 64 ? (view.you ?? "@") : String.fromCharCode(code), atLeast(place, least), code === 64);
  } else if (code === 42) drawGold(view, at, atLeast(box, least * 0.75));
  else if (code === 37) drawFood(view, atLeast(box, least * 0.75));
  if (view.goal === at) drawGoal(view, box);
}

/** The box, or a larger one around the same centre. */
function atLeast({ x, y, width, height }, least) {
  const wider = Math.max(0, Math.ceil(least - width));
  const higher = Math.max(0, Math.ceil(least - height));
  return { x: x - wider / 2, y: y - higher / 2, width: width + wider, height: height + higher };
}

/** The tiles left, right, above and below. */
function sides({ ground, cols }, at) {
  const col = at % cols;
  const { tiles } = ground;
  return [col > 0 ? tiles[at - 1] : 32, col < cols - 1 ? tiles[at + 1] : 32, tiles[at - cols] ?? 32, tiles[at + cols] ?? 32];
}

/** A path that is a little narrower than its gridpoint, and joins the spots beside it. */
function drawPassage(view, at, { x, y, width, height }) {
  const [left, right, up, down] = sides(view, at).map((tile) => tile === 35 || tile === 46);
  const across = width >= 5 ? Math.round(width * 0.14) : 0;
  const along = height >= 5 ? Math.round(height * 0.14) : 0;
  const from = left ? 0 : across;
  const to = right ? width : width - across;
  const top = up ? 0 : along;
  const bottom = down ? height : height - along;
  const { context } = view;
  context.fillRect(x + across, y + top, width - 2 * across, bottom - top);
  context.fillRect(x + from, y + along, to - from, height - 2 * along);
}

/** The floor of a room reaches to the middle of its walls. */
function drawFloorBesideWall({ context, ground, cols, rows }, at, { x, y, width, height }) {
  const row = Math.floor(at / cols);
  const col = at % cols;
  const isRoom = (down, right) => {
    const isInside = row + down >= 0 && row + down < rows && col + right >= 0 && col + right < cols;
    return isInside && ground.tiles[at + down * cols + right] === 46;
  };
  const middle = { x: Math.floor(width / 2), y: Math.floor(height / 2) };
  for (const down of [-1, 1]) {
    for (const right of [-1, 1]) {
      if (!isRoom(down, 0) && !isRoom(0, right) && !isRoom(down, right)) continue;
      const left = right < 0 ? 0 : middle.x;
      const top = down < 0 ? 0 : middle.y;
      const toRight = right < 0 ? middle.x : width;
      const toBottom = down < 0 ? middle.y : height;
      context.fillRect(x + left, y + top, toRight - left, toBottom - top);
    }
  }
}

/** A bar that joins the walls beside it; alone, a pillar. */
function drawWall(view, at, { x, y, width, height }) {
  const [left, right, up, down] = sides(view, at).map((tile) => isWall(tile) || tile === 35);
  const tile = view.ground.tiles[at];
  const thick = Math.max(1, Math.round(Math.min(width, height) * (width >= 8 ? 0.34 : 0.6)));
  const middleX = x + Math.floor((width - thick) / 2);
  const middleY = y + Math.floor((height - thick) / 2);
  const { context } = view;
  const isFlat = tile === 45 || (tile === 43 && (left || right));
  const isUpright = tile === 124 || (tile === 43 && (up || down));
  context.fillRect(middleX, middleY, thick, thick);
  if (isFlat) {
    const from = tile === 45 || left ? x : middleX;
    const to = tile === 45 || right ? x + width : middleX + thick;
    context.fillRect(from, middleY, to - from, thick);
  }
  if (isUpright) {
    const from = tile === 124 || up ? y : middleY;
    const to = tile === 124 || down ? y + height : middleY + thick;
    context.fillRect(middleX, from, thick, to - from);
  }
}

/** A nugget: a cut stone with a light side, which now and then glints. */
function drawGold(view, at, box) {
  const { context, colors } = view;
  const { x, y, width, height } = box;
  const size = Math.min(width * 1.15, height);
  const centerX = x + width / 2;
  const centerY = y + height / 2;
  if (size < 7) {
    context.fillStyle = colors.gold;
    context.fillRect(x, y, width, height);
    return;
  }
  const radius = size * 0.42;
  const corner = (angle, far) => [centerX + Math.cos(angle) * far, centerY + Math.sin(angle) * far];
  const outline = Array.from({ length: 6 }, (_, i) => corner((i * Math.PI) / 3 + 0.3, radius * (i % 2 ? 0.88 : 1)));
  polygon(context, outline, colors.gold);
  polygon(context, [outline[3], outline[4], outline[5], [centerX, centerY - radius * 0.1]], colors.goldShine);
  context.strokeStyle = colors.goldEdge;
  context.lineWidth = Math.max(1, size / 16);
  context.stroke(path(outline));
  const glint = view.glintAt(at);
  if (glint >= 0) drawSparkle(context, box, Math.sin(glint * Math.PI), centerX + radius * 0.4, centerY - radius * 0.5);
}

function drawSparkle(context, box, strength, x, y) {
  const far = Math.min(Math.min(box.width, box.height) * 0.4 * strength, box.x + box.width - x, y - box.y);
  const near = far * 0.18;
  const point = (i) => {
    const angle = (i * Math.PI) / 4;
    const distance = i % 2 ? near : far;
    return [x + Math.cos(angle) * distance, y + Math.sin(angle) * distance];
  };
  polygon(context, Array.from({ length: 8 }, (_, i) => point(i)), "#fff");
}

function drawFood({ context, colors }, { x, y, width, height }) {
  const size = Math.min(width, height);
  context.fillStyle = colors.food;
  context.beginPath();
  context.arc(x + width / 2, y + height * 0.56, size * 0.28, 0, 2 * Math.PI);
  context.fill();
  context.fillRect(x + width / 2, y + height / 2 - size * 0.4, Math.max(1, size * 0.1), size * 0.2);
}

/** A token in the player's colour with its letter; yours has corners and a bright ring. */
function drawPlayer({ context, colors }, letter, { x, y, width, height }, isYou) {
  const size = Math.min(width, height);
  const color = isLetter(letter.charCodeAt(0)) ? colors.players[colorIndex(letter)] : colors.ink;
  context.fillStyle = color;
  if (size < 6) {
    context.fillRect(x, y, width, height);
    return;
  }
  const line = Math.max(1, Math.round(size / (isYou ? 7 : 12)));
  const inset = line / 2;
  context.beginPath();
  context.roundRect(x + inset, y + inset, width - line, height - line, isYou ? size * 0.2 : size / 2);
  context.fill();
  context.lineWidth = line;
  context.strokeStyle = isYou ? colors.you : colors.rock;
  context.stroke();
  if (size < 9) return;
  drawMark(context, letter, { x, y, width, height }, line, color);
  context.fillStyle = inkOn(color);
  context.font = `700 ${Math.round(Math.min(width * 0.8, height * 0.66))}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(letter, x + width / 2, y + height / 2 + size * 0.05, width);
}

/** Players beyond the tenth share a colour with an earlier one: they have a ring inside, dashed or dotted as in tables. */
function drawMark(context, letter, { x, y, width, height }, line, color) {
  const mark = markIndex(letter);
  if (mark === 0) return;
  const size = Math.min(width, height);
  const inset = line * 1.5 + 0.5;
  context.save();
  context.beginPath();
  context.roundRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset, size / 2);
  context.lineWidth = Math.max(1, size / 14);
  context.strokeStyle = inkOn(color);
  context.setLineDash(mark === 1 ? [size / 4, size / 8] : [size / 14, size / 8]);
  context.stroke();
  context.restore();
}

function drawGoal({ context, colors }, { x, y, width, height }) {
  const size = Math.min(width, height);
  context.strokeStyle = colors.ink;
  context.lineWidth = Math.max(1, Math.round(size / 10));
  context.beginPath();
  context.arc(x + width / 2, y + height / 2, size * 0.3, 0, 2 * Math.PI);
  context.stroke();
}

/** Black or white, whichever is easier to read on a colour. */
function inkOn(color) {
  const parts = (color.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  const scale = color.startsWith("color(") ? 1 : 255;
  const [red, green, blue] = parts.map((part) => (part / scale) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.19 ? "#111" : "#fff";
}

function path(points) {
  const outline = new Path2D();
  points.forEach(([x, y], i) => (i ? outline.lineTo(x, y) : outline.moveTo(x, y)));
  outline.closePath();
  return outline;
}

function polygon(context, points, color) {
  context.fillStyle = color;
  context.fill(path(points));
}
