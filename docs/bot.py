"""A bot for Nuggets: python3 bot.py HOST PORT NAME"""
import random, socket, sys

KEYS = dict(h=(0, -1), l=(0, 1), k=(-1, 0), j=(1, 0), y=(-1, -1), u=(-1, 1), b=(1, -1), n=(1, 1))
gold, looked = set(), set()  # where gold was seen; the points next to which we have stood

def next_key(rows):
    """From the rows of a picture: to gold, or else to the edge of what is known."""
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    you = next(at for at, cell in cells.items() if cell == "@")
    gold.update(at for at, cell in cells.items() if cell == "*")
    gold.discard(you)
    looked.update((you[0] + down, you[1] + right) for down, right in KEYS.values())
    unknown = {at for at, cell in cells.items() if cell == " "} - looked  # the rest of it is rock
    ends = {at for r, c in unknown for at in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))}
    return walk(cells, you, gold) or walk(cells, you, ends) or random.choice("hlkjHLKJ")

def walk(cells, you, goals):
    """The first key on a shortest path to the nearest goal: breadth-first search."""
    first, queue = {you: None}, [you]
    for at in queue:  # grows in the loop
        if at in goals:
            return first[at]
        for key, (down, right) in KEYS.items():
            beside = at[0] + down, at[1] + right
            if beside not in first and cells.get(beside, " ") not in " -|+":
                first[beside] = first[at] or key
                queue.append(beside)

def play(host, port, name, rows=None):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.connect((host, int(port)))
    while True:
        server.send(("KEY " + next_key(rows) if rows else "PLAY " + name).encode())
        server.settimeout(0.5)  # retry what may be lost, with a new decision
        try:
            while not (reply := server.recv(65536).decode()).startswith(("QUIT", "NO", "GAMEOVER")):
                if reply.startswith("DISPLAY"):
                    rows = reply.splitlines()[1:]
                    server.settimeout(0)  # then read only what has already arrived
            return reply
        except (socket.timeout, BlockingIOError):
            pass

if __name__ == "__main__":
    print(play(*sys.argv[1:]).rstrip("\n"))
