// The colour of each player: the same in map, tables and charts, on the server (`pages::player_class`) and here.

const COLORS = 10;

/** The index of a letter's colour, 0 to 9. */
export function colorIndex(letter) {
  const offset = letter.codePointAt(0) - 65;
  return offset >= 0 && offset < 26 ? offset % COLORS : COLORS - 1;
}

/** 0 for the first ten players; 1 and 2 for those who share a colour with an earlier one, and have another mark. */
export function markIndex(letter) {
  const offset = letter.codePointAt(0) - 65;
  return offset >= 0 && offset < 26 ? Math.floor(offset / COLORS) : 0;
}

/** The colour of a player, for CSS: `var(--p3)`. */
export function playerColor(letter) {
  return `var(--p${colorIndex(letter)})`;
}

/** The colour of a player as a value that a canvas takes; read again when the colour scheme changes. */
export function playerColorValue(letter, element = document.documentElement) {
  return getComputedStyle(element).getPropertyValue(`--p${colorIndex(letter)}`).trim();
}

/** The letter of a player in its colour, as in every list. */
export function chip(letter) {
  const span = document.createElement("span");
  span.className = `chip p${colorIndex(letter)}${["", " dashed", " dotted"][markIndex(letter)]}`;
  span.textContent = letter;
  return span;
}

/** A text of outside origin as it may be shown: characters that change the direction or can't be seen are replaced. */
export function visibleText(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\ufffd");
}

/** A name, isolated from the direction of the text around it. */
export function nameElement(name) {
  const bdi = document.createElement("bdi");
  bdi.textContent = visibleText(name);
  return bdi;
}
