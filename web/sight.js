// Line of sight: everything visible from a spot, exactly as the game computes it (docs/sight.md).
// Only room spots are transparent. All in integers. It needs the whole map, so it is only for replays; the server sends
// players their field of view.

const ROCK = 32; // " "
const PASSAGE = 35; // "#"
const ROOM = 46; // "."

// A place between slopes, just below (side 0) or just above (side 1) rise/run.
const cut = (rise, run, side) => ({ rise, run, side });
const compare = (a, b) => a.rise * b.run - b.rise * a.run || a.side - b.side;
const least = (a, b) => (compare(a, b) <= 0 ? a : b);
const greatest = (a, b) => (compare(a, b) >= 0 ? a : b);
const times = (a, distance) => Math.floor((a.rise * distance) / a.run);

/**
 * What is visible from `spot`: 1 for each visible gridpoint, row after row. `cells` has the character code of the
 * ground at each gridpoint, all of it; `vision` is the limit on the straight-line distance, if there is one; `passages`
 * says whether players see along passages, as in the 2019 dialect.
 */
export function visible(cells, rows, cols, spot, { vision = null, passages = false } = {}) {
  const seen = new Uint8Array(rows * cols);
  const row = Math.floor(spot / cols);
  const col = spot % cols;
  seen[spot] = 1;
  const vertical = [[-cols, row], [cols, rows - 1 - row]];
  const horizontal = [[-1, col], [1, cols - 1 - col]];
  for (const [aheads, asides] of [[vertical, horizontal], [horizontal, vertical]]) {
    for (const ahead of aheads) for (const aside of asides) sweep(cells, spot, ahead, aside, seen);
  }
  if (passages) {
    for (const [step, length] of [...vertical, ...horizontal]) addStraight(cells, spot, step, length, seen);
    cells.forEach((code, at) => code === ROCK && (seen[at] = 0));
  }
  if (vision !== null) hideBeyond(vision, seen, cols, row, col);
  return seen;
}

/** Along a row or column, through all spots. */
function addStraight(cells, spot, step, length, seen) {
  for (let k = 1, at = spot + step; k <= length; k++, at += step) {
    seen[at] = 1;
    if (cells[at] !== ROOM && cells[at] !== PASSAGE) return;
  }
}

/** One octant: the slopes that are still open are taken through column after column. */
function sweep(cells, origin, [ahead, length], [aside, width], seen) {
  const isOpaque = (i, k) => i > width || cells[origin + ahead * k + aside * i] !== ROOM;

  // The end of the slopes that the opaque gridpoint i aside closes together with its neighbour in the column, or
  // else with the one before it in the row.
  const endOfShadow = (i, k) => {
    if (isOpaque(i + 1, k)) return cut(i + 1, k, 0);
    return i >= 1 && i < k && isOpaque(i, k - 1) ? cut(i, k - 1, 0) : cut(i, k, 1);
  };

  let open = [[cut(0, 1, 0), cut(1, 1, 1)]];
  for (let k = 1; k <= length && open.length; k++) {
    const remains = [];
    const keep = (from, to) => compare(from, to) < 0 && remains.push([from, to]);
    for (const [start, end] of open) {
      let from = start;
      let to = end;
      const first = times(start, k);
      const last = times(end, k);
      const lowest = compare(start, cut(first, k, 0)) <= 0 ? first : first + 1;
      const beyond = compare(cut(last, k, 1), end) <= 0 ? last + 1 : last;
      for (let i = first; i <= Math.min(last, width); i++) {
        const at = origin + ahead * k + aside * i;
        if (i >= lowest && i < beyond) seen[at] = 1;
        if (cells[at] !== ROOM) {
          keep(from, least(to, cut(i, k, 0)));
          from = greatest(from, endOfShadow(i, k));
        }
      }
      // No line to a gridpoint of the map passes outside of it.
      if (last > width) to = least(to, cut(width + 1, k, 0));
      keep(from, to);
    }
    open = remains;
  }
}

function hideBeyond(vision, seen, cols, row, col) {
  for (let at = 0; at < seen.length; at++) {
    const down = Math.floor(at / cols) - row;
    const right = (at % cols) - col;
    if (down * down + right * right > vision * vision) seen[at] = 0;
  }
}
