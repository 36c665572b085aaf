"""Pages for the guard: 21 kB of HTML with 60 links each, packed by gzip."""

import random
import zlib

HOST = "site.example"
LINKS = 60
_SEED = 1
_WORDS = 2400


def packed_page(number: int) -> bytes:
    """Page ``number``, always the same."""
    dice = random.Random(_SEED + number)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(dice.choices(letters, k=dice.randrange(2, 12))) for _ in range(400)]
    words = dice.choices(vocabulary, k=_WORDS)
    for link, place in enumerate(sorted(dice.sample(range(_WORDS), LINKS))):
        target = f"/s{link % 7}/{words[place]}-{link}.html" if link % 3 else f"http://site{link}.example/{words[place]}"
        words[place] = f'<a class="link" href="{target}">{words[place]}</a>'
    paragraphs = "</p>\n<p>".join(" ".join(words[start : start + 60]) for start in range(0, _WORDS, 60))
    html = f'<!doctype html><html><head><meta charset="utf-8"><title>{number}</title></head><body><p>{paragraphs}</p>'
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(html.encode()) + packer.flush()
