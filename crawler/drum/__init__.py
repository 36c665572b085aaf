"""DRUM, a disk repository with update management: sets and tables of 64-bit keys, in bounded memory however large.

Source: Lee, Leonard, Wang and Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 4.

**What it does.**  A DRUM (`drum.Drum`) holds keys (hashes of URLs, of domains, of contents) with values of fixed width
(`kind.Kind`: fields, each with a rule for what an update makes of it).  Operations are *check* (is the key there, with
what value), *update* (bring the key, or merge the value) and both; they are put in batches and answered later, in
batches, with the notes and the string (*aux*) that travelled with each.  Answers do not depend on when merges happen:
a check sees just the updates that were put before it.

**A small session** stays in memory (`memory_phase`, on a `crawler.urls.hash_table`) and is answered at once.

**When the table no longer fits** it is written as the first generation of the sorted file (`sorted_file`) and dropped.
From then on (`disk_phase`) operations wait: a few in memory (`staging`), then, distributed by the leading bits of their
keys, in k buckets (`buckets`), each with a buffer and a file for fixed-width records (`put_records`) and another buffer
and file for aux (`aux_file`).  When the largest bucket is full *all* are merged (`merging`), in key order, in one pass
that reads the sorted file once and writes the next generation beside it.  For each bucket: sort it (`batch`), look its
keys up in the blocks of the sorted file, let the operations on a key act one after the other (`fold_updates`), go back
to the order of arrival, and yield the answers that the caller chooses, whose aux alone is read (`answering`).

**A merge in pieces.**  URL-seen, content-seen and the pairs of in-degrees ask for merges ``in_pieces``: a merge that is
due, or that is wanted before (`Drum.begin_merge`), is begun with the buckets as they are, new ones take what is put
meanwhile, and each call of `Drum.merge_on` does a bucket or a block of answers.  The new generation counts once all is
written; until then look-ups see the old one, as they do before a merge.

**Memory.**  `shape` divides the budget.  The buffers take a quarter of it, 2Mk bytes; they are given back before a
merge, in which one bucket may take half of it: that gives the largest r.  IRLbot's
D_opt = R^2 (H+b) / (8M (H+P)) says how much disk a batch may use before memory is what limits it; with R = 256 MiB it
is hundreds of GB, and a batch should not be larger than what it is merged with by much, since its URLs wait for it.
So a merge also comes when the records of a batch weigh four times the sorted file: then rewriting the file costs half
a byte read and written for each byte of records, at any size, until r is reached.

**Files.**  All have one form (`chunk_file`: chunks with chained checksums), are made and changed through `disk_files`
alone, and are named by `disk_files`: a sorted file is written once, the files of buckets only grow.  They belong to
the process that wrote them: a DRUM begins empty and removes those of an earlier one, since a session's tables are the
state of a crawl, from which a resume fills it again (docs/resuming.md).  Whatever is damaged or gone raises
SessionError with the file's name: a sorted file is read many times in a crawl of weeks, so the checksums stay.

**Time.**  A merge can take minutes, and the network does not wait: `keep_alive` has the object that serves it.

`blobs` is an append-only file of byte strings, for values that have no fixed width.
"""
