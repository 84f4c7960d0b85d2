// Keys, mouse, touch and the buttons for a thumb: turns input into commands. It must not know the game.
//
// Commands: {key: "h"} presses a key of the game, {walk: [x, y]} walks to a place of the window, {do: "explore"} and
// other names are actions of a page.

const STEPS = {
  ArrowLeft: "h",
  ArrowRight: "l",
  ArrowUp: "k",
  ArrowDown: "j",
  Home: "y",
  PageUp: "u",
  End: "b",
  PageDown: "n",
};
const KEYPAD = { 1: "b", 2: "j", 3: "n", 4: "h", 6: "l", 7: "y", 8: "k", 9: "u" };
const ACTIONS = { o: "explore", O: "exploreOn", v: "sight", g: "go", "?": "help", Q: "leave", "+": "larger", "=": "larger", "-": "smaller" };

/** The command of a key, by its name and whether Shift is held; null if it has none. */
export function commandOf(key, shift) {
  if (key in STEPS) return { key: shift ? STEPS[key].toUpperCase() : STEPS[key] };
  if (key in KEYPAD) return { key: KEYPAD[key] };
  if (/^[hjklyubnHJKLYUBN]$/.test(key)) return { key };
  if (key in ACTIONS) return { do: ACTIONS[key] };
  return key === "Escape" ? { do: "stop" } : null;
}

/** Keys act wherever the focus is, except in fields, open dialogs and lists that scroll. */
export function listenToKeys(command, unknown) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target.closest("input, select, textarea, [contenteditable]")) return;
    const isScrolling = target.closest(".roster, .log") && (event.key in STEPS);
    if (isScrolling) return;
    const found = commandOf(event.key, event.shiftKey);
    if (found) {
      event.preventDefault();
      command(found);
    } else if (event.key.length === 1 && event.key !== " ") {
      unknown?.(event.key);
    }
  });
}

const SWIPE_PX = 26;
const LONG_SWIPE_PX = 110;
const OCTANTS = ["l", "n", "j", "b", "h", "y", "k", "u"];

/** The key of a swipe by this much, or null if it was a tap: a long one sprints. */
export function keyOfSwipe(x, y) {
  const length = Math.hypot(x, y);
  if (length < SWIPE_PX) return null;
  const key = OCTANTS[(Math.round(Math.atan2(y, x) / (Math.PI / 4)) + 8) % 8];
  return length >= LONG_SWIPE_PX ? key.toUpperCase() : key;
}

/** Clicks and taps walk, swipes step and sprint. */
export function listenToPointer(canvas, command) {
  let start = null;
  canvas.addEventListener("pointerdown", (event) => {
    // A second finger makes it a pinch.
    start = event.isPrimary && event.button === 0 ? event : null;
  });
  canvas.addEventListener("pointercancel", () => (start = null));
  canvas.addEventListener("pointerup", (event) => {
    if (!start || event.pointerId !== start.pointerId) return;
    const isMouse = event.pointerType === "mouse";
    const key = isMouse ? null : keyOfSwipe(event.clientX - start.clientX, event.clientY - start.clientY);
    start = null;
    command(key ? { key } : { walk: [event.clientX, event.clientY] });
  });
}

/** Two fingers zoom: `zoom()` is the current size, `setZoom(size)` changes it. */
export function listenToPinch(canvas, zoom, setZoom) {
  const fingers = new Map();
  let start = null; // {distance, zoom}
  const distance = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, event);
    start = fingers.size === 2 ? { distance: Math.max(1, distance()), zoom: zoom() } : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (start) setZoom((start.zoom * distance()) / start.distance);
  });
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(type, (event) => {
      fingers.delete(event.pointerId);
      start = null;
    });
  }
}

const REPEAT_AFTER_MS = 320;
const REPEAT_EVERY_MS = 130;

/** The buttons below the map: a step at once, and again while a thumb holds it. */
export function listenToPad(pad, sprint, command) {
  let timer = 0;
  const press = (button) => {
    const { key } = button.dataset;
    const isFar = sprint.getAttribute("aria-pressed") === "true";
    if (key === "o") command({ do: isFar ? "exploreOn" : "explore" });
    else command({ key: isFar ? key.toUpperCase() : key });
  };
  const release = () => clearTimeout(timer);
  pad.addEventListener("pointerdown", (event) => {
    const button = event.target.closest("[data-key]");
    if (!button || event.button !== 0) return;
    event.preventDefault();
    const again = (wait) => {
      timer = setTimeout(() => {
        press(button);
        again(REPEAT_EVERY_MS);
      }, wait);
    };
    release();
    press(button);
    again(REPEAT_AFTER_MS);
  });
  for (const type of ["pointerup", "pointercancel", "pointerleave"]) pad.addEventListener(type, release);
  addEventListener("blur", release);
  pad.addEventListener("contextmenu", (event) => event.preventDefault());
  // A click without a pointer is Enter or a screen reader.
  pad.addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (button && event.detail === 0) press(button);
  });
  sprint.addEventListener("click", () => {
    sprint.setAttribute("aria-pressed", String(sprint.getAttribute("aria-pressed") !== "true"));
  });
}
