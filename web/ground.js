// What a page knows of the ground: the picture without its occupants. A spot that was never shown without an
// occupant is taken for a room spot, or for a passage spot where its surroundings say so.

const BLANK = 32;
const PASSAGE = 35; // "#"
const ROOM = 46; // "."

export const isGround = (code) => code === ROOM || code === PASSAGE || isWall(code);
export const isWall = (code) => code === 45 || code === 124 || code === 43; // - | +
export const isLetter = (code) => code >= 65 && code <= 90;
export const isPlayer = (code) => code === 64 || isLetter(code); // "@"

/** The picture as character codes, and the ground under it. */
export class Ground {
  constructor(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.cells = new Uint8Array(rows * cols).fill(BLANK);
    this.tiles = new Uint8Array(rows * cols).fill(BLANK);
    // 1 for each gridpoint that the player sees now; null in a picture of the whole map.
    this.sight = null;
  }

  get you() {
    return this.cells.indexOf(64); // "@"
  }

  /** Takes the new character at a gridpoint; true if it has changed. */
  put(at, code) {
    if (at < 0 || at >= this.cells.length || this.cells[at] === code) return false;
    this.cells[at] = code;
    if (isGround(code) || code === BLANK) this.tiles[at] = code;
    else if (this.tiles[at] === BLANK) this.tiles[at] = this.guess(at, code);
    return true;
  }

  isSpot(at) {
    return this.tiles[at] === ROOM || this.tiles[at] === PASSAGE;
  }

  /** What is under an occupant: gold and food lie in rooms, and so does the spot where a player begins. */
  guess(at, code) {
    if (!isLetter(code)) return ROOM;
    const tile = (down, right) => {
      const row = Math.floor(at / this.cols) + down;
      const col = (at % this.cols) + right;
      const inside = row >= 0 && col >= 0 && row < this.rows && col < this.cols;
      return inside ? this.tiles[row * this.cols + col] : BLANK;
    };
    const sides = [tile(0, -1), tile(0, 1), tile(-1, 0), tile(1, 0)];
    const isDoor = (isWall(sides[0]) && isWall(sides[1])) || (isWall(sides[2]) && isWall(sides[3]));
    const isBesideRoom = sides.includes(ROOM);
    return isDoor || (sides.includes(PASSAGE) && !isBesideRoom) ? PASSAGE : ROOM;
  }

  /** Whether the player of the picture sees this gridpoint now; in a picture of the whole map everything is in sight. */
  isInSight(at) {
    return this.sight === null || this.sight[at] === 1;
  }
}
