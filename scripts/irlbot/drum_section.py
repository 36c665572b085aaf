"""What our own URL-seen costs: the sections of docs/scale.md that scripts/irlbot/bench_drum.py measures."""

from dataclasses import dataclass, replace
from typing import Any

from crawler.feasibility.drum_overhead_model import Load, Store, drum_bytes, drum_bytes_of, merged_at_once
from scripts.irlbot.number_format import count, paragraphs, size, table
from scripts.irlbot.paper_load import LINKS_PER_KEY

_OWN = """\
## Our own URL-seen

Measured with `scripts/irlbot/bench_drum.py`: {keys} distinct keys, {operations} check+updates of which one in {links}
brings a new key (p = 1/{links}, as in the paper), repeated keys drawn evenly from those before; {budget} MiB of memory;
{text}.  {machine}, {made}.

That each key was new exactly once was checked.  Files are in the system's cache as far as it has room: times are those
of the processor and not of a disk, bytes are what was asked of the system.

"""
_PREDICTION = """\
### Beside Theorem 2

The theorem's letters as they are here:

- H = {key} bytes, a key in the sorted file; b = {url} bytes, what a record in a bucket has beside its key (operation,
  length of its text, text); U = 0;
- R = {memory}, M = {buffer} in front of each file, k = {buckets} buckets;
- P = {pointer:.0f} bytes: what a merge keeps in memory beside the key for each record of a bucket (places, results,
  answers), where the paper counts one pointer;
- D is not limited from outside: buckets took at most {disk} here.

With these the theorem gathers E = R^2/(8M(H + P)) = {theorem} links between merges.  Ours gathers {measured} in the
mean, between {least} and {most}: buffers have a quarter of the memory and not half of it, merges come earlier while the
file of keys is small beside the buckets, all buckets are merged when the largest is full, and the last merge comes when
the load ends.  Early merges are small but also sweep few keys, which their mean size does not tell: the last row but
one adds up what each merge sweeps.

"""
_CYCLES = """\
From one merge to the next, the merge included, {first} records a second in the first of {cycles} rounds, {last} in the
last full one: {ratio:.2f} times as many.  A tenth of the load with a merge in it is slower than one without, so tenths
alone say little where merges are few.

A crawl merges more often than this: once more for every epoch that it closes, since nothing that was found may be lost
with it.  Epochs come the less often the longer that takes, so that at most 3% of the time goes into them
([resuming.md](resuming.md)).
"""
_BESIDE = """\
## Beside others

The same load with {keys} keys ({operations} operations, no text) and {budget} MiB of memory each.  sqlite inserts or
ignores, a sorted batch a transaction, without journal; rocksdict looks up and inserts a batch at a time, without log,
with Bloom filters; *Mercator-B* is the merge of the paper's Theorem 1 in numpy.  Bytes are those of system calls; the
memory is what the process grew by, batches of keys and the program code of the store included.

"""


@dataclass(frozen=True)
class Beside:
    """A measured DRUM and what Theorem 2 says of it."""

    load: Load
    theorem: float
    """Links that the theorem gathers between merges, memory divided as in the paper."""
    measured: float
    """Links between merges in the mean."""
    by_theorem: float
    """Bytes an operation with the one ..."""
    by_measured: float
    """... and with the other."""
    by_merges: float
    """The same, added up over the merges as they were."""


def beside_theorem(drum: dict[str, Any]) -> Beside:
    """Theorem 2 at the size measured, with our own H, P, b, M and R."""
    shape, key = drum["shape"], drum["key_bytes"]
    in_merge = drum["budget"] / 2 / shape["bucket"]
    load = Load(
        key_bytes=key,
        pointer_bytes=in_merge - key,
        url_bytes=drum["record_bytes"] - key + drum["aux"],
        unique=1 / LINKS_PER_KEY,
        known=0.0,
    )
    theorem = merged_at_once(load, Store(drum["budget"], float("inf"), shape["buffer"]))
    theorem = min(theorem, drum["operations"])
    measured = (drum["operations"] - drum["in_memory"]) / drum["merges"]
    parsed = drum["operations"]
    return Beside(
        load=load,
        theorem=theorem,
        measured=measured,
        by_theorem=drum_bytes(load, theorem, parsed),
        by_measured=drum_bytes(load, measured, parsed),
        by_merges=_over_merges(load, drum) / parsed,
    )


def _over_merges(load: Load, drum: dict[str, Any]) -> float:
    """Bytes by the sum behind Theorem 2: the first file of keys, written when memory is full, then each merge."""
    first, *others = (records for records, _ in drum["cycles"])
    known = load.unique * drum["in_memory"]
    return load.key_bytes * known + drum_bytes_of(replace(load, known=known), [first - drum["in_memory"], *others])


def drum_section(own: dict[str, Any]) -> str:
    """What DRUM took."""
    drum = own["drum"]
    text = f"{drum['aux']} bytes of text with each" if drum["aux"] else "keys without text"
    told = paragraphs(
        _OWN,
        keys=count(drum["keys"]),
        operations=count(drum["operations"]),
        links=LINKS_PER_KEY,
        budget=drum["budget"] >> 20,
        text=text,
        machine=own["machine"].rpartition(", ")[0],
        made=drum["made"],
    )
    parts = [told + _costs(drum), _rates(drum)]
    if drum["merges"]:
        parts.append(_prediction(drum))
    return "\n".join(parts)


def _costs(drum: dict[str, Any]) -> str:
    operations = drum["operations"]
    moved = (drum["read"] + drum["written"]) / operations
    grown = (drum["peak"] - drum["resident_before"]) / 2**20
    rows = [
        ["operations/s", f"{operations / drum['wall']:,.0f}"],
        ["distinct keys/s", f"{drum['keys'] / drum['wall']:,.0f}"],
        ["CPU µs an operation", f"{1e6 * drum['cpu'] / operations:.3f}"],
        ["wall s, CPU s", f"{drum['wall']:,.1f}, {drum['cpu']:,.1f}"],
        ["operations answered in memory, before the first file", count(drum["in_memory"])],
        ["merges", f"{drum['merges']:,}"],
        ["read, B an operation", f"{drum['read'] / operations:.2f}"],
        ["written, B an operation", f"{drum['written'] / operations:.2f}"],
        ["both, B a distinct key", f"{moved * LINKS_PER_KEY:.1f}"],
        ["memory before, at most, MB", f"{drum['resident_before'] / 1e6:.0f}, {drum['peak'] / 1e6:.0f}"],
        ["grown by, a batch of keys included, MiB (budget)", f"{grown:.0f} ({drum['budget'] >> 20})"],
    ]
    if drum["aux"]:
        rows.append(["overhead w (bytes moved over bytes of text)", f"{moved / drum['aux']:.2f}"])
    return table(["what", "measured"], rows)


def _rates(drum: dict[str, Any]) -> str:
    """Throughput by tenths of the load, and from merge to merge."""
    tenths = drum["tenths"]
    head = ["tenth of the load", *(str(number) for number in range(1, 11)), "last / first"]
    row = ["1000 operations/s", *(f"{rate / 1000:,.0f}" for rate in tenths), f"{tenths[-1] / tenths[0]:.2f}"]
    told = table(head, [row])
    full = drum["cycles"][: drum["merges"]][:-1]
    if len(full) > 1:
        rates = [records / seconds for records, seconds in full]
        first, last = f"{rates[0]:,.0f}", f"{rates[-1]:,.0f}"
        told += "\n" + paragraphs(
            _CYCLES, first=first, last=last, cycles=len(drum["cycles"]), ratio=rates[-1] / rates[0]
        )
    return told


def _prediction(drum: dict[str, Any]) -> str:
    compared, shape = beside_theorem(drum), drum["shape"]
    load = compared.load
    gathered = [records for records, _ in drum["cycles"]]
    gathered[0] -= drum["in_memory"]
    told = paragraphs(
        _PREDICTION,
        key=drum["key_bytes"],
        url=f"{load.url_bytes:.0f}",
        memory=size(drum["budget"]),
        buffer=size(shape["buffer"]),
        buckets=shape["buckets"],
        pointer=load.pointer_bytes,
        disk=size(max(gathered) * (load.key_bytes + load.url_bytes)),
        least=count(min(gathered)),
        most=count(max(gathered)),
        theorem=count(compared.theorem),
        measured=count(compared.measured),
    )
    moved = (drum["read"] + drum["written"]) / drum["operations"]
    rows = [
        [name, f"{predicted:.2f}", f"{predicted * LINKS_PER_KEY:.1f}", f"{100 * (moved / predicted - 1):+.1f}"]
        for name, predicted in [
            ("Theorem 2, memory divided as in the paper", compared.by_theorem),
            ("Theorem 2, with as many links between merges as measured in the mean", compared.by_measured),
            ("the sum behind Theorem 2, over the merges as they were", compared.by_merges),
        ]
    ]
    rows.append(["measured", f"{moved:.2f}", f"{moved * LINKS_PER_KEY:.1f}", "-"])
    return told + table(["bytes read and written", "an operation", "a distinct key", "measured against it, %"], rows)


def beside_section(own: dict[str, Any]) -> str:
    """DRUM and others under the same load."""
    first = own["beside"][0]
    told = paragraphs(
        _BESIDE, keys=count(first["keys"]), operations=count(first["operations"]), budget=first["budget"] >> 20
    )
    rows = []
    for store in own["beside"]:
        operations = store["operations"]
        rows.append(
            [
                store["store"],
                f"{operations / store['wall']:,.0f}",
                f"{1e6 * store['cpu'] / operations:.2f}",
                "-" if store["merges"] is None else f"{store['merges']:,}",
                f"{store['system_read'] / operations:,.1f}",
                f"{store['system_written'] / operations:,.1f}",
                f"{(store['peak'] - store['resident_before']) / 2**20:,.0f}",
                f"{store['tenths'][-1] / store['tenths'][0]:.2f}",
            ]
        )
    head = ["store", "operations/s", "CPU µs/op.", "merges", "read, B/op.", "written, B/op.", "memory, MiB"]
    return told + table([*head, "last tenth / first"], rows)
