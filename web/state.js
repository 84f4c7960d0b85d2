// A page's knowledge of a game: the picture, gold, players and purses, and the latest events. Lines of the stream
// go in, events come out. It knows neither the page nor the socket.

import { Ground, isLetter, isPlayer } from "./ground.js";

const GOLD = 42; // "*"

export class GameState {
  /** `gold`: nuggets in the whole game, if known. */
  constructor({ gold = null } = {}) {
    this.total = gold;
    this.ground = new Ground(0, 0);
    this.letter = null; // whose eyes
    this.isPlayer = false;
    this.purse = 0;
    this.left = null;
    this.steps = null; // steps left, where the rules of the house limit them
    this.players = [];
    this.purses = null; // all of them, for watchers of the whole map
    this.seen = new Map(); // what a rival has at least, for players
    this.stage = null;
    this.over = null;
    this.next = null;
  }

  handleHello(hello) {
    this.letter = hello.view ?? null;
    this.isPlayer = hello.letter != null;
    this.hello = hello;
    if (this.ground.rows !== hello.rows || this.ground.cols !== hello.cols) {
      this.ground = new Ground(hello.rows, hello.cols);
    }
  }

  get isPlaying() {
    return this.stage === "playing";
  }

  get missing() {
    return this.stage?.waiting ? (this.stage.waiting.missing ?? null) : null;
  }

  /** True if your player is no longer in the game. */
  get isOut() {
    return this.players.some((player) => player.letter === this.letter && player.left);
  }

  name(letter) {
    return this.players.find((player) => player.letter === letter)?.name ?? letter;
  }

  /** Applies a line; returns its events, in order. */
  apply(line) {
    const events = [];
    const isNew = this.stage === null;
    const before = this.applyPicture(line);
    if (line.players) this.applyPlayers(line.players, events, isNew);
    if (before) this.findSwaps(before, events);
    if (line.purses) this.applyPurses(line.purses, events);
    if (line.gold) this.applyGold(line.gold, before, events);
    if ("steps" in line) this.steps = line.steps;
    if ("stage" in line) this.applyStage(line.stage, events, isNew);
    if (line.over) {
      this.over = line.over;
      events.push({ kind: "over" });
    }
    if (line.notice) events.push({ kind: "notice", text: line.notice });
    if (line.next) {
      this.next = line.next;
      events.push({ kind: "next" });
    }
    return events;
  }

  /** Applies the picture; returns the old characters of changed gridpoints, unless it is a new whole picture. */
  applyPicture(line) {
    if (line.whole) {
      const { rows, cols } = this.ground;
      const isSame = line.whole.length === rows;
      if (!isSame) this.ground = new Ground(line.whole.length, line.whole[0]?.length ?? 0);
      line.whole.forEach((text, row) => this.write(row * (isSame ? cols : this.ground.cols), text, null));
      this.ground.settle();
      this.ground.sight = this.letter === null ? null : new Uint8Array(this.ground.cells.length);
    }
    const before = line.whole ? null : new Map();
    for (const [offset, text] of line.set ?? []) this.write(offset, text, before);
    this.flipSight(line.sight ?? []);
    return before;
  }

  /** Applies changes of visibility: alternately the number of gridpoints to skip and the number to flip. */
  flipSight(runs) {
    const { sight } = this.ground;
    let at = 0;
    for (let i = 0; sight && i + 1 < runs.length; i += 2) {
      at += runs[i];
      for (const end = at + runs[i + 1]; at < end; at++) sight[at] ^= 1;
    }
  }

  write(offset, text, before) {
    for (let i = 0; i < text.length; i++) {
      const old = this.ground.cells[offset + i];
      if (this.ground.put(offset + i, text.charCodeAt(i))) before?.set(offset + i, old);
    }
  }

  applyPlayers(players, events, isNew) {
    const old = new Map(this.players.map((player) => [player.letter, player]));
    this.players = players;
    if (isNew) return;
    for (const { letter, left } of players) {
      if (!old.has(letter)) events.push({ kind: "join", who: letter });
      if (left && !old.get(letter)?.left) events.push({ kind: "leave", who: letter });
    }
  }

  applyStage(stage, events, isNew) {
    const wasPlaying = this.isPlaying;
    this.stage = stage;
    if (this.isPlaying && !wasPlaying && !isNew) events.push({ kind: "begin" });
  }

  /** Two players that stand where the other one stood. */
  findSwaps(before, events) {
    const { cells } = this.ground;
    const moved = [...before].filter(([at, old]) => isPlayer(old) && isPlayer(cells[at]));
    for (const [at, old] of moved) {
      for (const [other, otherOld] of moved) {
        if (at < other && old === cells[other] && otherOld === cells[at]) {
          events.push({ kind: "swap", who: this.letterOf(old), other: this.letterOf(otherOld), at, to: other });
        }
      }
    }
  }

  letterOf(code) {
    return code === 64 ? this.letter : String.fromCharCode(code);
  }

  /** All purses, for watchers of the whole map. */
  applyPurses(purses, events) {
    const old = this.purses;
    this.purses = purses;
    if (!old) return;
    const change = purses.map((purse, i) => purse - (old[i] ?? 0));
    const victim = change.findIndex((nuggets) => nuggets < 0);
    change.forEach((nuggets, i) => {
      if (nuggets <= 0) return;
      const who = this.players[i]?.letter ?? String.fromCharCode(65 + i);
      const robbed = victim >= 0 ? (this.players[victim]?.letter ?? null) : null;
      const isTheft = robbed && -change[victim] === nuggets;
      events.push(isTheft ? { kind: "theft", who, other: robbed, nuggets } : { kind: "gold", who, nuggets, at: this.spotOf(who) });
    });
  }

  applyGold([found, purse, left], before, events) {
    const oldPurse = this.purse;
    const taken = this.left === null ? 0 : this.left - left;
    const isFirst = this.left === null;
    this.purse = purse;
    this.left = left;
    if (this.purses || this.letter === null || isFirst) return;
    const swapped = events.find((event) => event.kind === "swap" && (event.who === this.letter || event.other === this.letter));
    const partner = swapped && (swapped.who === this.letter ? swapped.other : swapped.who);
    if (purse > oldPurse) this.gained(purse - oldPurse, Math.max(0, taken), partner, events);
    else if (purse < oldPurse) {
      events.push({ kind: "theft", who: partner ?? null, other: this.letter, nuggets: oldPurse - purse });
      if (partner) this.saw(partner, oldPurse - purse);
    }
    if (found === 0 && purse <= oldPurse && taken > 0) this.rivalFound(taken, before, events);
    if (taken < 0) events.push({ kind: "dropped", nuggets: -taken });
  }

  gained(nuggets, taken, partner, events) {
    const stolen = Math.max(0, nuggets - taken);
    if (nuggets > stolen) {
      events.push({ kind: "gold", who: this.letter, nuggets: nuggets - stolen, at: this.ground.you });
    }
    if (!stolen) return;
    events.push({ kind: "theft", who: this.letter, other: partner ?? null, nuggets: stolen });
    if (partner) this.seen.set(partner, 0);
  }

  /** Reports gold taken by a rival, with its letter if it was visible. */
  rivalFound(nuggets, before, events) {
    const { cells } = this.ground;
    const on = before && [...before].find(([at, old]) => old === GOLD && isLetter(cells[at]));
    const who = on ? String.fromCharCode(cells[on[0]]) : null;
    if (who) this.saw(who, nuggets);
    events.push({ kind: "gold", who, nuggets, at: on ? on[0] : -1 });
  }

  saw(letter, nuggets) {
    this.seen.set(letter, (this.seen.get(letter) ?? 0) + nuggets);
  }

  /** The offset of a player in the picture, or -1. */
  spotOf(letter) {
    return letter === this.letter ? this.ground.you : this.ground.cells.indexOf(letter.charCodeAt(0));
  }

  /** The known content of a purse: {nuggets, isExact}. */
  knownPurse(letter) {
    const index = this.players.findIndex((player) => player.letter === letter);
    if (this.over) {
      const row = this.over.find((result) => result.letter === letter);
      if (row) return { nuggets: row.purse, isExact: true };
    }
    if (this.purses) return { nuggets: this.purses[index] ?? 0, isExact: true };
    if (letter === this.letter) return { nuggets: this.purse, isExact: true };
    const rivals = this.players.length - 1;
    if (rivals === 1 && this.rivalsTotal !== null) return { nuggets: this.rivalsTotal, isExact: true };
    return { nuggets: this.seen.get(letter) ?? 0, isExact: this.rivalsTotal === 0 };
  }

  /** The nuggets of all rivals together, if the gold of the whole game is known. */
  get rivalsTotal() {
    if (this.total === null || this.left === null || this.letter === null) return null;
    return Math.max(0, this.total - this.left - this.purse);
  }
}
