// The known ground: the picture without its occupants. A spot that was never shown without an occupant is taken for a
// room spot, or for a passage spot where its surroundings suggest it.

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
    this.guessed = new Set(); // where the ground was never shown
    // 1 for each gridpoint that the player sees now; null in a picture of the whole map.
    this.sight = null;
  }

  get you() {
    return this.cells.indexOf(64); // "@"
  }

  /** Sets the new character at a gridpoint; true if it has changed. */
  put(at, code) {
    if (at < 0 || at >= this.cells.length || this.cells[at] === code) return false;
    this.cells[at] = code;
    if (isGround(code) || code === BLANK) {
      this.tiles[at] = code;
      this.guessed.delete(at);
    } else if (this.tiles[at] === BLANK) {
      this.tiles[at] = this.guess(at, code);
      this.guessed.add(at);
    }
    return true;
  }

  /** Guesses again after a whole picture: the gridpoints to the right of an occupant and below it were not known before. */
  settle() {
    for (const at of this.guessed) this.tiles[at] = this.guess(at, this.cells[at]);
  }

  isSpot(at) {
    return this.tiles[at] === ROOM || this.tiles[at] === PASSAGE;
  }

  /** The tile under an occupant: gold and food lie in rooms; players also stand in doors and passages. */
  guess(at, code) {
    if (!isPlayer(code)) return ROOM;
    const tile = (down, right) => {
      const row = Math.floor(at / this.cols) + down;
      const col = (at % this.cols) + right;
      const inside = row >= 0 && col >= 0 && row < this.rows && col < this.cols;
      return inside ? this.tiles[row * this.cols + col] : BLANK;
    };
    const sides = [tile(0, -1), tile(0, 1), tile(-1, 0), tile(1, 0)];
    const corners = [tile(-1, -1), tile(-1, 1), tile(1, -1), tile(1, 1)];
    // A gap in a wall. In a room that is one spot wide, floor or wall is on the other sides, too.
    const isGap = ([a, b], others) => isWall(a) && isWall(b) && others.some((tile) => tile === PASSAGE || tile === BLANK);
    const isDoor = isGap(sides.slice(0, 2), sides.slice(2)) || isGap(sides.slice(2), sides.slice(0, 2));
    const isInPassage = !sides.includes(ROOM) && [...sides, ...corners].includes(PASSAGE);
    return isDoor || isInPassage ? PASSAGE : ROOM;
  }

  /** True if the player of the picture sees this gridpoint now; in a picture of the whole map everything is visible. */
  isInSight(at) {
    return this.sight === null || this.sight[at] === 1;
  }
}
