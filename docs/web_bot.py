"""A bot for Nuggets over WebSocket: python3 web_bot.py http://HOST/g/ID NAME

It needs nothing but Python 3. The protocol: web-protocol.md. How it decides: bot.py."""
import base64, json, os, random, socket, ssl, struct, sys, time
from urllib.parse import urlsplit

from bot import next_key


class Closed(Exception):
    """The connection has ended, with this close code; 1006 if it broke."""


class WebSocket:
    """As much of RFC 6455 as a client needs: text messages, pings and the end."""

    def __init__(self, url):
        where = urlsplit(url)
        secure = where.scheme in ("https", "wss")
        port = where.port or (443 if secure else 80)
        self.socket = socket.create_connection((where.hostname, port), timeout=10)
        if secure:
            trusted = ssl.create_default_context()
            self.socket = trusted.wrap_socket(self.socket, server_hostname=where.hostname)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {where.path.rstrip('/')}/ws HTTP/1.1\r\nHost: {where.netloc}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.received = b""
        status = self._line()
        while self._line():  # the headers
            pass
        if " 101 " not in status:
            raise SystemExit(f"{url} answers {status}")

    def send(self, line, kind=1):
        """Sends a line as a text message. Clients mask what they send."""
        data = line if kind != 1 else json.dumps(line).encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(bytes([0x80 | kind]) + size + mask + masked)

    def lines(self, seconds):
        """The lines of the next text message, or none if it does not come within this time."""
        self.socket.settimeout(seconds)
        text = b""
        while True:
            try:
                first, size = self._take(2, keep=True)
            except (socket.timeout, BlockingIOError, ssl.SSLWantReadError):
                return []
            self.socket.settimeout(10)  # the rest of a frame comes soon
            head = {126: 4, 127: 10}.get(size, 2)
            length = int.from_bytes(self._take(head)[2:], "big") if head > 2 else self._take(head)[1]
            data = self._take(length)
            kind = first & 15
            if kind == 8:
                raise Closed(int.from_bytes(data[:2], "big") if data else 1000)
            if kind == 9:
                self.send(data, kind=10)
            elif kind < 2:
                text += data
                if first & 0x80:
                    return [json.loads(line) for line in text.decode().splitlines()]

    def _take(self, length, keep=False):
        while len(self.received) < length:
            more = self.socket.recv(65536)
            if not more:
                raise Closed(1006)
            self.received += more
        taken = self.received[:length]
        if not keep:
            self.received = self.received[length:]
        return taken

    def _line(self):
        line = b""
        while not line.endswith(b"\r\n"):
            line += self._take(1)
        return line.decode().strip()


class Game:
    """What the server has sent about a game."""

    def __init__(self, name):
        self.join = {"name": name, "client": {"id": random.getrandbits(53), "attempt": 0}}
        self.rows, self.columns, self.stage, self.over = [], 0, None, None

    def apply(self, line):
        if "hello" in line:
            hello = line["hello"]
            self.columns = hello["cols"]
            self.join["token"] = hello.get("token")
            self.join["since"] = {"stream": hello["stream"], "seq": 0}
        elif "error" in line:
            print(line["error"], file=sys.stderr)
        elif "seq" in line:
            self.join["since"]["seq"] = line["seq"]
            self.rows = [list(row) for row in line.get("whole", self.rows)]
            for offset, text in line.get("set", []):
                row, column = divmod(offset, self.columns)
                self.rows[row][column:column + len(text)] = text
            self.stage = line.get("stage", self.stage)
            self.over = line.get("over", self.over)

    def key(self):
        """The key to press, once the game has begun and we are on the map."""
        if self.stage == "playing" and any("@" in row for row in self.rows):
            return next_key(self.rows)


def play(url, name):
    """Plays until the game is over; comes back when the connection breaks. Returns the final table."""
    game, pause = Game(name), 0.5
    while True:
        try:
            server = WebSocket(url)
            game.join["client"]["attempt"] += 1  # a key of an earlier connection never acts after one of this
            server.send({"join": game.join})
            while game.over is None:
                lines = server.lines(0.5)
                while lines:  # decide by the latest picture
                    pause = 0.5
                    for line in lines:
                        game.apply(line)
                    lines = server.lines(0)
                if game.over is None and (key := game.key()):
                    server.send({"key": key})
                    time.sleep(0.025)  # the server takes 50 lines per second
            return game.over
        except Closed as closed:
            if closed.args[0] in (1000, 1008, 1009, 1011):
                raise SystemExit(f"the server has closed the connection ({closed})")
        except OSError as error:
            print(error, file=sys.stderr)
        time.sleep(pause * random.uniform(0.8, 1.2))
        pause = min(2 * pause, 8)


if __name__ == "__main__":
    for row in play(*sys.argv[1:]):
        print(f"{row['letter']} {row['purse']:10} {row['name']}")
