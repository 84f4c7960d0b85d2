// The connection to a game: joins or watches, delivers the lines in order, and reconnects by itself after a reload, a
// closed laptop, a changed network or a restarted server. It must not know the meaning of the lines.

const FIRST_WAIT_MS = 300;
// If nothing arrives within `pongWithin` after a ping, the connection is dead: players notice within five seconds that a
// host hangs. Watchers ping less often, because there may be many.
const PLAYING = { longestWait: 2000, pingEvery: 2000, pongWithin: 3000, connectWithin: 4000 };
const WATCHING = { longestWait: 8000, pingEvery: 15000, pongWithin: 6000, connectWithin: 10000 };
// Close codes after which a reconnect makes no sense: see docs/web-protocol.md.
const FINAL_CODES = new Set([1000, 1008, 1009, 1011]);

/** The lines of a message, in order. Lines that are not JSON are left out. */
export function parseLines(text) {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/**
 * Keeps the place in the numbered stream, by the contract of `StreamPlace` in crates/protocol/src/web.rs. `take(line)` says
 * what to do with a stream line: "apply", "skip" (already applied) or "gap" (lines are missing: ask for the whole picture).
 */
export class Place {
  constructor() {
    this.stream = null;
    this.seq = null;
  }

  /** A new `hello`: numbers of another stream mean nothing. */
  begin(stream) {
    if (this.stream !== stream) this.seq = null;
    this.stream = stream;
  }

  take(line) {
    if (line.whole) {
      this.seq = line.seq;
      return "apply";
    }
    if (this.seq === null || line.seq > this.seq + 1) return "gap";
    if (line.seq <= this.seq) return "skip";
    this.seq = line.seq;
    return "apply";
  }

  get since() {
    return this.seq === null ? null : { stream: this.stream, seq: this.seq };
  }
}

/** Waits of a reconnect: longer each time, with jitter, so that a whole class doesn't come back at the same instant. */
export function backoff(attempt, longestWait, random = Math.random()) {
  const wait = Math.min(longestWait, FIRST_WAIT_MS * 2 ** attempt);
  return wait * (0.5 + random / 2);
}

/** A random whole number that JSON keeps exactly. */
function randomId() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

export class GameSocket {
  /**
   * `first`: {join: {}} or {watch: {view}}. `handlers`: hello(hello), line(line), error(text), notice(text), status(status) with
   * "connecting", "open", "reconnecting" or "closed", and closed(code).
   */
  constructor(game, first, handlers) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.pace = first.watch ? WATCHING : PLAYING;
    this.url = `${scheme}//${location.host}/g/${encodeURIComponent(game)}/ws${first.watch ? "?watch" : ""}`;
    this.first = first;
    this.handlers = handlers;
    this.place = new Place();
    // Identifies the latest connection: a delayed key of an earlier one must not act after a key of a later one.
    this.client = { id: randomId(), attempt: 0 };
    this.attempt = 0;
    this.pings = 0;
    this.isOver = false;
    this.isAsking = false;
    this.wake = () => this.onWake();
    addEventListener("online", this.wake);
    addEventListener("offline", () => this.socket && this.check());
    addEventListener("pageshow", this.wake);
    document.addEventListener("visibilitychange", () => document.hidden || this.onWake());
    this.pinger = setInterval(() => this.check(), this.pace.pingEvery);
    this.connect();
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Sends a line; false if there is no connection. Keys are never queued: the picture may have changed by then. */
  send(line) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify(line));
    return true;
  }

  /** Changes the view of a watcher. */
  watch(view) {
    this.first = { watch: { view } };
    this.place = new Place();
    this.send(this.first);
  }

  /** Ends the connection for good. */
  close() {
    this.isOver = true;
    clearInterval(this.pinger);
    clearTimeout(this.retry);
    removeEventListener("online", this.wake);
    removeEventListener("pageshow", this.wake);
    this.socket?.close(1000);
  }

  connect() {
    clearTimeout(this.retry);
    this.retry = null;
    this.drop();
    if (this.isOver) return;
    this.handlers.status?.(this.attempt ? "reconnecting" : "connecting");
    const socket = new WebSocket(this.url);
    this.socket = socket;
    const patience = setTimeout(() => socket === this.socket && this.comeBack(), this.pace.connectWithin);
    socket.onopen = () => {
      clearTimeout(patience);
      this.send(this.greeting());
    };
    socket.onmessage = (event) => socket === this.socket && this.receive(event.data);
    socket.onclose = (event) => {
      clearTimeout(patience);
      if (socket === this.socket) this.lost(event.code);
    };
  }

  greeting() {
    const since = this.place.since;
    const [[kind, what]] = Object.entries(this.first);
    const line = since ? { ...what, since } : { ...what };
    if (kind === "join") {
      this.client.attempt++;
      line.client = { ...this.client };
    }
    return { [kind]: line };
  }

  receive(text) {
    this.heardAt = performance.now();
    for (const line of parseLines(text)) {
      if (line.hello) this.handleHello(line.hello);
      else if ("error" in line) this.handlers.error?.(line.error);
      else if ("seq" in line) this.handleStreamLine(line);
      else if ("notice" in line) this.handlers.notice?.(line.notice);
    }
  }

  handleHello(hello) {
    this.attempt = 0;
    this.isAsking = false;
    this.place.begin(hello.stream);
    this.handlers.status?.("open");
    this.handlers.hello?.(hello);
  }

  handleStreamLine(line) {
    const what = this.place.take(line);
    if (what === "apply") {
      if (line.whole) this.isAsking = false;
      this.handlers.line?.(line);
    } else if (what === "gap" && !this.isAsking) {
      this.isAsking = this.send("whole");
    }
  }

  lost(code) {
    this.socket = null;
    if (this.isOver || FINAL_CODES.has(code)) {
      this.isOver = true;
      clearInterval(this.pinger);
      this.handlers.status?.("closed");
      this.handlers.closed?.(code);
      return;
    }
    this.comeBack();
  }

  comeBack() {
    this.drop();
    if (this.isOver) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), backoff(this.attempt, this.pace.longestWait));
    this.attempt++;
    this.handlers.status?.("reconnecting");
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** Checks the connection after a wake-up or a network change: it may be dead without a close. */
  onWake() {
    if (this.isOver) return;
    if (this.socket) this.check();
    else {
      this.attempt = Math.max(1, Math.min(this.attempt, 2));
      this.connect();
    }
  }

  check() {
    if (!this.isOpen) return;
    const socket = this.socket;
    const askedAt = performance.now();
    this.send({ ping: ++this.pings });
    setTimeout(() => {
      const isDead = socket === this.socket && !(this.heardAt >= askedAt);
      if (isDead) {
        this.drop();
        this.attempt++;
        this.connect();
      }
    }, this.pace.pongWithin);
  }
}
