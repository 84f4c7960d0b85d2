"""The bot of bot.py in the arena, by lines: nuggets arena --bot-cmd 'python3 docs/arena_bot.py'"""
import sys
from bot import next_key

print("PLAY monty", flush=True)
for line in sys.stdin:
    if line.startswith("DISPLAY"):  # our turn: newlines in the picture are written as \n
        print("KEY " + next_key(line.rstrip("\n").split("\\n")[1:]), flush=True)
