// Purses over time, drawn as SVG: a line with steps for each player, in its colour.

import { colorIndex, visibleText } from "./colors.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { top: 12, right: 26, bottom: 22, left: 8 };
// Players beyond the tenth share a colour with an earlier one, and differ in the dashes.
const DASHES = ["", "7 4", "2 4"];
const LABEL_HEIGHT = 14;

/**
 * Draws the chart into an `<svg>`, again whenever its size changes.
 *
 * `players`: [{ letter, name }], `points`: [[ms, [purse of each player]], …] in the order of time, `start` and
 * `end`: the first and the last time in ms. With `onSeek(ms)` a click or a drag chooses a time. Returns `{ setTime(ms), highlight(letter) }`: the
 * cursor, and the player whose line stands out (null for none).
 */
export function drawChart(svg, { players, points, start = 0, end, onSeek = null }) {
  const chart = { svg, players, points, start, length: Math.max(1, end - start), time: null, letter: null };
  svg.classList.add("chart");
  svg.setAttribute("role", "img");
  svg.replaceChildren();
  draw(chart);
  new ResizeObserver(() => draw(chart)).observe(svg);
  if (onSeek) listen(chart, onSeek);
  return {
    setTime(ms) {
      chart.time = ms;
      moveCursor(chart);
    },
    highlight(letter) {
      chart.letter = letter;
      mark(chart);
    },
  };
}

function draw(chart) {
  const { svg } = chart;
  const width = svg.clientWidth || 600;
  const height = svg.clientHeight || 180;
  if (chart.width === width && chart.height === height) return;
  Object.assign(chart, { width, height });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const most = chart.points.reduce((before, [, purses]) => Math.max(before, ...purses), 1);
  const part = (ms) => Math.min(1, Math.max(0, (ms - chart.start) / chart.length));
  chart.x = (ms) => MARGIN.left + part(ms) * (width - MARGIN.left - MARGIN.right);
  chart.y = (purse) => height - MARGIN.bottom - (purse / most) * (height - MARGIN.top - MARGIN.bottom);
  const cursor = element("line", { class: "chart-cursor", y1: MARGIN.top - 4, y2: height - MARGIN.bottom });
  chart.cursor = cursor;
  svg.replaceChildren(title(chart), grid(chart, most), ...chart.players.map((_, at) => line(chart, at)), labels(chart), cursor);
  mark(chart);
  moveCursor(chart);
}

/** The text alternative of the chart. */
function title({ points, players }) {
  const last = points.at(-1)?.[1] ?? [];
  const text = players.map(({ name, letter }, at) => `${visibleText(name ?? letter)} ${last[at] ?? 0}`).join(", ");
  const node = element("title");
  node.textContent = `Purses over time. At the end: ${text || "nobody played"}.`;
  return node;
}

function grid(chart, most) {
  const group = element("g", { class: "chart-grid", "aria-hidden": "true" });
  const right = chart.width - MARGIN.right;
  const step = niceStep(most / Math.max(2, Math.floor(chart.height / 40)));
  for (let value = 0; value <= most; value += step) {
    group.append(element("line", { x1: MARGIN.left, x2: right, y1: chart.y(value), y2: chart.y(value) }));
    if (value > 0) group.append(text(value, { x: MARGIN.left + 2, y: chart.y(value) - 3 }));
  }
  const seconds = niceSeconds(chart.length / 1000 / Math.max(2, Math.floor(chart.width / 110)));
  for (let at = seconds; at * 1000 <= chart.length; at += seconds) {
    const x = chart.x(chart.start + at * 1000);
    group.append(element("line", { x1: x, x2: x, y1: chart.height - MARGIN.bottom, y2: chart.height - MARGIN.bottom + 4 }));
    const anchor = x > right - 20 ? "end" : "middle";
    group.append(text(clock(at), { x, y: chart.height - 5, "text-anchor": anchor }));
  }
  return group;
}

function line(chart, at) {
  const { letter } = chart.players[at];
  let path = "";
  let before = null;
  for (const [ms, purses] of chart.points) {
    const purse = purses[at] ?? 0;
    if (purse === before) continue;
    const x = chart.x(ms).toFixed(1);
    path += before === null ? `M${x} ${chart.y(purse).toFixed(1)}` : `H${x}V${chart.y(purse).toFixed(1)}`;
    before = purse;
  }
  path += `H${chart.x(chart.start + chart.length).toFixed(1)}`;
  const node = element("path", { d: path, class: `chart-line p${colorIndex(letter)}`, "data-letter": letter });
  const dash = DASHES[Math.floor((letter.charCodeAt(0) - 65) / 10)] ?? "";
  if (dash) node.setAttribute("stroke-dasharray", dash);
  return node;
}

/** The letters at the ends of the lines, apart from each other; the richest first, as many as fit. */
function labels(chart) {
  const group = element("g", { class: "chart-labels", "aria-hidden": "true" });
  const last = chart.points.at(-1)?.[1] ?? [];
  const rows = chart.players.map(({ letter }, at) => ({ letter, y: chart.y(last[at] ?? 0) }));
  const room = Math.floor((chart.height - MARGIN.top) / LABEL_HEIGHT);
  const shown = rows.sort((a, b) => a.y - b.y).slice(0, room);
  let lowest = -Infinity;
  for (const row of shown) lowest = row.y = Math.max(row.y, lowest + LABEL_HEIGHT);
  // Letters that were pushed below the axis move up again.
  let highest = chart.height - MARGIN.bottom + LABEL_HEIGHT;
  for (const row of shown.toReversed()) highest = row.y = Math.min(row.y, highest - LABEL_HEIGHT);
  for (const { letter, y } of shown) {
    const label = text(letter, { x: chart.width - MARGIN.right + 7, y: y + 4, class: `p${colorIndex(letter)}` });
    label.dataset.letter = letter;
    group.append(label);
  }
  return group;
}

function mark({ svg, letter }) {
  svg.classList.toggle("has-choice", letter !== null);
  for (const node of svg.querySelectorAll("[data-letter]")) {
    node.classList.toggle("is-chosen", node.dataset.letter === letter);
  }
}

function moveCursor({ cursor, time, x }) {
  cursor.style.display = time === null ? "none" : "";
  if (time === null) return;
  cursor.setAttribute("x1", x(time));
  cursor.setAttribute("x2", x(time));
}

function listen(chart, onSeek) {
  const { svg } = chart;
  svg.classList.add("is-seekable");
  const seek = ({ clientX }) => {
    const box = svg.getBoundingClientRect();
    const part = (clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
    onSeek(chart.start + Math.min(1, Math.max(0, part)) * chart.length);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    svg.setPointerCapture(event.pointerId);
    seek(event);
  });
  svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && seek(event));
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least this. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

function niceSeconds(least) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  return steps.find((step) => step >= least) ?? Math.ceil(least / 3600) * 3600;
}

/** Seconds as minutes and seconds, with hours if there are any. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

function element(name, attributes = {}) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function text(content, attributes) {
  const node = element("text", attributes);
  node.textContent = content;
  return node;
}
