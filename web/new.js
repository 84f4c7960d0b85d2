// The form for a new game: preview of the map, complaints at their line, errors at their field.

import { get, post } from "./api.js";
import { checkValidity, clearErrors, showFieldError } from "./forms.js";
import { MapView } from "./map.js";
import { builtInMaps, linesOf, randomSeed } from "./previews.js";

const CHECK_AFTER_MS = 300;
// The same as MAX_MAP_BYTES of the host.
const MAX_MAP_BYTES = 1 << 17;

const form = document.querySelector("#new-game");
const control = (name) => form.elements.namedItem(name);
const byId = (id) => document.getElementById(id);

/* The preview */

const view = new MapView(byId("preview"), { mode: "tile" });
const caption = byId("preview-caption");
let random = { seed: randomSeed(), text: null };
let latest = 0;

function asSentence(text) {
  return text === "" ? "" : `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function draw(text, words) {
  byId("preview-figure").hidden = text === null;
  if (text === null) return;
  const lines = linesOf(text);
  const cols = Math.max(...lines.map((line) => line.length));
  byId("preview").style.aspectRatio = `${cols * 5} / ${lines.length * 7}`;
  view.whole(lines);
  view.draw();
  caption.textContent = words;
}

async function showPreview() {
  const turn = ++latest;
  const kind = control("map-kind").value;
  try {
    if (kind === "built_in") {
      const map = (await builtInMaps()).get(control("map.built_in").value);
      if (turn === latest) draw(map?.text ?? null, asSentence(map?.about ?? ""));
    } else if (kind === "random") {
      random.text ??= (await get(`/api/maps/random?seed=${random.seed}`)).text;
      if (turn === latest) draw(random.text, "A random map: nobody has seen it but you.");
    } else {
      draw(null);
      await checkOwn();
    }
  } catch (error) {
    if (turn === latest) caption.textContent = error.message;
  }
}

function showKind() {
  const kind = control("map-kind").value;
  for (const part of form.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== kind;
  showPreview();
}

byId("another").addEventListener("click", () => {
  random = { seed: randomSeed(), text: null };
  showPreview();
});

/* The user's own map */

const own = byId("own-text");
const marks = byId("own-marks");
const verdict = byId("own-verdict");
let checkTimer = 0;
let checks = 0;

function scheduleCheck() {
  clearTimeout(checkTimer);
  checkTimer = setTimeout(checkOwn, CHECK_AFTER_MS);
  showMarks([]);
}

async function checkOwn() {
  clearTimeout(checkTimer);
  const turn = ++checks;
  if (own.value.trim() === "") return showVerdict(null);
  if (new TextEncoder().encode(own.value).length > MAX_MAP_BYTES) return refuse("This text is too long for a map.");
  try {
    const answer = await post("/api/maps/check", { text: own.value, rules: rules() });
    if (turn === checks) showVerdict(answer.complaints);
  } catch (error) {
    if (turn === checks) {
      if (error.complaints.length > 0) showVerdict(error.complaints);
      else refuse(error.message);
    }
  }
}

function refuse(why) {
  showVerdict(null);
  verdict.className = "error";
  verdict.textContent = why;
}

function showVerdict(complaints) {
  const isBad = complaints !== null && complaints.length > 0;
  own.toggleAttribute("aria-invalid", isBad);
  if (isBad) own.setAttribute("aria-invalid", "true");
  verdict.className = complaints === null ? "" : isBad ? "error" : "good";
  if (complaints === null) verdict.textContent = "";
  else if (!isBad) verdict.textContent = "A fine map: it can be played.";
  else verdict.textContent = complaints.length === 1 ? "One thing to correct:" : `${complaints.length} things to correct:`;
  byId("own-complaints").replaceChildren(...(complaints ?? []).map(complaintItem));
  showMarks(complaints ?? []);
  if (control("map-kind").value === "own") draw(complaints?.length === 0 ? own.value : null, "Your map.");
}

function complaintItem({ line, column, message, help }) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "complaint";
  const place = document.createElement("span");
  place.className = "place mono";
  place.textContent = `line ${line}, column ${column}`;
  const what = document.createElement("strong");
  what.textContent = message;
  button.append(place, what);
  if (help) {
    const advice = document.createElement("span");
    advice.className = "help";
    advice.textContent = help;
    button.append(advice);
  }
  button.addEventListener("click", () => goTo(line, column));
  item.append(button);
  return item;
}

function goTo(line, column) {
  const lines = own.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const at = before + Math.min(column - 1, lines[line - 1]?.length ?? 0);
  own.focus();
  own.setSelectionRange(at, Math.min(at + 1, own.value.length));
  const style = getComputedStyle(own);
  own.scrollTop = (line - 3) * parseFloat(style.lineHeight);
  own.scrollLeft = Math.max(0, (column - 10) * parseFloat(style.fontSize) * 0.6);
}

// Draws the layer behind the text: every line with its number; lines with complaints are tinted, their columns underlined.
function showMarks(complaints) {
  const byLine = new Map();
  for (const one of complaints) byLine.set(one.line, [...(byLine.get(one.line) ?? []), one]);
  const lines = own.value.split("\n");
  marks.replaceChildren(...lines.map((text, index) => markedLine(text, index + 1, byLine.get(index + 1) ?? [])));
  own.rows = Math.max(16, Math.min(lines.length + 1, 40));
  marks.scrollTop = own.scrollTop;
  marks.scrollLeft = own.scrollLeft;
}

function markedLine(text, number, complaints) {
  const row = document.createElement("span");
  row.className = complaints.length > 0 ? "line bad" : "line";
  row.dataset.number = number;
  const wrong = new Set();
  for (const { column, length = 1 } of complaints) {
    for (let i = 0; i < Math.max(1, length); i++) wrong.add(column - 1 + i);
  }
  const width = Math.max(text.length, ...[...wrong].map((column) => column + 1), 0);
  let run = "";
  for (let column = 0; column < width; column++) {
    const character = text[column] ?? " ";
    if (!wrong.has(column)) {
      run += character;
      continue;
    }
    const mark = document.createElement("mark");
    mark.textContent = character;
    row.append(run, mark);
    run = "";
  }
  row.append(run, "\n");
  return row;
}

async function takeFile(file) {
  if (!file) return;
  if (file.size > MAX_MAP_BYTES) return refuse("That file is too large for a map.");
  own.value = (await file.text()).replace(/\r\n?/g, "\n");
  form.querySelector("input[name=map-kind][value=own]").checked = true;
  showKind();
}

byId("own-file").addEventListener("change", (event) => takeFile(event.target.files[0]));
own.addEventListener("input", scheduleCheck);
own.addEventListener("scroll", () => {
  marks.scrollTop = own.scrollTop;
  marks.scrollLeft = own.scrollLeft;
});
for (const kind of ["dragover", "drop"]) {
  form.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") takeFile(event.dataTransfer.files[0]);
  });
}
form.addEventListener("dragleave", () => form.classList.remove("dropping"));

/* The whole form */

function mapChoice() {
  const kind = control("map-kind").value;
  if (kind === "built_in") return { built_in: control("map.built_in").value };
  if (kind === "random") return { random: random.seed };
  return { own: own.value };
}

function startChoice() {
  const kind = control("start-kind").value;
  return kind === "with_players" ? { with_players: Number(byId("start-players").value) } : kind;
}

function rules() {
  const rules = {};
  for (const { name, type, value, checked } of form.elements) {
    if (!name.startsWith("rules.")) continue;
    const key = name.slice("rules.".length);
    if (type === "checkbox") rules[key] = checked;
    else if (value.trim() !== "") rules[key] = Number(value);
  }
  return rules;
}

function spec() {
  return {
    map: mapChoice(),
    rules: rules(),
    bots: {
      count: Number(control("bots.count").value),
      brain: control("bots.brain").value,
      pace_ms: Number(control("bots.pace_ms").value),
    },
    visibility: control("visibility").value,
    start: startChoice(),
    watch_delay_s: Number(control("watch_delay_s").value),
    rated: control("rated").checked,
    seed: control("seed").value.trim() === "" ? null : Number(control("seed").value),
  };
}

function summarize() {
  const count = Number(control("bots.count").value);
  const kind = control("map-kind").value;
  const map = { built_in: control("map.built_in").value, random: "Random map", own: "Your map" }[kind];
  const brain = control("bots.brain").value;
  const bots = count === 0 ? "no bots" : `${count} ${brain}${count === 1 ? "" : "s"}`;
  const who = control("visibility").value === "public" ? "public" : "by link";
  const start = { at_once: "starts at once", with_players: `starts with ${byId("start-players").value} people`, by_creator: "starts when you say so" };
  byId("summary").textContent = `${map} · ${bots} · ${who} · ${start[control("start-kind").value]}`;
}

function showStart() {
  for (const part of form.querySelectorAll("[data-start]")) {
    part.hidden = part.dataset.start !== control("start-kind").value;
    for (const input of part.querySelectorAll("input")) input.disabled = part.hidden;
  }
}

async function create() {
  const problem = byId("form-error");
  const button = byId("create");
  problem.textContent = "";
  clearErrors(form);
  if (!checkValidity(form)) return;
  button.setAttribute("aria-busy", "true");
  try {
    const choice = spec();
    const { id } = await post("/api/games", choice);
    location.href = choice.start === "by_creator" ? `/g/${id}/show` : `/g/${id}`;
  } catch (error) {
    button.removeAttribute("aria-busy");
    if (!showFieldError(form, error.field, error.message)) problem.textContent = error.message;
    if (error.complaints.length > 0) {
      showVerdict(error.complaints);
      // Go to the fault itself in the text: the errors below describe the field.
      goTo(error.complaints[0].line, error.complaints[0].column);
      own.scrollIntoView({ block: "center" });
    }
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (byId("create").getAttribute("aria-busy") !== "true") create();
});
form.addEventListener("input", summarize);
// The number of spots that a map needs depends on the numbers of players and piles.
form.addEventListener("input", ({ target }) => {
  if (target.name.startsWith("rules.") && control("map-kind").value === "own") scheduleCheck();
});
form.addEventListener("change", (event) => {
  if (event.target.name === "map-kind") showKind();
  if (event.target.name === "map.built_in") showPreview();
  if (event.target.name === "start-kind") showStart();
  summarize();
});
addEventListener("pageshow", () => byId("create").removeAttribute("aria-busy"));

showKind();
showStart();
summarize();
