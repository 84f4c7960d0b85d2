// Events as text: a list to read, and sentences for screen readers.

import { chip, nameElement, visibleText } from "./colors.js";

const MAX_ENTRIES = 200;

const nuggets = (count) => `${count} nugget${count === 1 ? "" : "s"}`;

/** An event as parts: texts, and letters of players as {letter}. */
export function sentence(event, you) {
  const { kind, who, other, nuggets: count } = event;
  const isYou = (letter) => you !== null && letter === you;
  const player = (letter) => (isYou(letter) ? "you" : letter ? { letter } : "somebody");
  switch (kind) {
    case "gold":
      return [player(who), ` found ${nuggets(count)}.`];
    case "swap":
      return isYou(other) ? ["you and ", player(who), " swapped places."] : [player(who), " and ", player(other), " swapped places."];
    case "theft":
      return [player(who), " robbed ", player(other), ` of ${nuggets(count)}!`];
    case "dropped":
      return [`somebody left ${nuggets(count)} behind.`];
    case "join":
      return [player(who), " joined."];
    case "leave":
      return [player(who), " left the game."];
    case "begin":
      return ["the game begins!"];
    case "over":
      return ["game over."];
    case "next":
      return ["the same people play again."];
    default:
      return [event.text ?? ""];
  }
}

function capital(parts) {
  const [first, ...rest] = parts;
  return typeof first === "string" ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest] : parts;
}

/** The event as one text. */
export function spoken(event, state) {
  const you = state.isPlayer ? state.letter : null;
  return capital(sentence(event, you))
    .map((part) => (typeof part === "string" ? visibleText(part) : visibleText(state.name(part.letter))))
    .join("");
}

/** The list of events, the newest first. With a `key` it survives a reload of the page. */
export class Log {
  constructor(list, key = null) {
    this.list = list;
    this.key = key;
    this.entries = this.stored();
    for (const entry of this.entries) this.show(entry);
  }

  stored() {
    try {
      return JSON.parse((this.key && sessionStorage.getItem(this.key)) || "[]");
    } catch {
      return []; // no storage
    }
  }

  add(event, state) {
    const you = state.isPlayer ? state.letter : null;
    const kinds = ["entry", `entry-${event.kind}`];
    if (event.kind === "theft" && event.other === you && you) kinds.push("robbed");
    if (event.who === you && you) kinds.push("own");
    const named = (part) => (typeof part === "string" ? part : { ...part, name: state.name(part.letter) });
    const entry = { kinds, parts: capital(sentence(event, you)).map(named) };
    this.entries = [...this.entries, entry].slice(-MAX_ENTRIES);
    this.show(entry);
    if (!this.key) return;
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.entries));
    } catch {
      // No storage: a reload begins a new list.
    }
  }

  show({ kinds, parts }) {
    const item = document.createElement("li");
    item.classList.add(...kinds);
    for (const part of parts) {
      if (typeof part === "string") item.append(visibleText(part));
      else item.append(chip(part.letter), " ", nameElement(part.name));
    }
    this.list.prepend(item);
    while (this.list.children.length > MAX_ENTRIES) this.list.lastChild.remove();
  }
}

const GATHER_MS = 350;

/** A polite live region. Texts within a short time are joined, so that a screen reader can keep up. */
export class Speaker {
  constructor(region) {
    this.region = region;
    this.waiting = [];
    this.timer = 0;
  }

  say(text) {
    this.waiting.push(text);
    if (this.waiting.length > 6) this.waiting.shift();
    this.timer ||= setTimeout(() => {
      this.timer = 0;
      this.region.textContent = this.waiting.join(" ");
      this.waiting = [];
    }, GATHER_MS);
  }
}
