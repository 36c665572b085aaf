"""Cutting a web that fits nowhere, a batch of pages at a time: `cutweb partition --streaming`.

No list of links is ever in memory, only a few numbers for each page.  The data flows so:

1. `ordered_pages` sorts the session's pages on disk by host and path, into batches, and `batches` puts each batch's
   links beside it: neighbours in that order share most links.
2. `skeleton` makes clusters of each batch's pages.  The hypergraph of all clusters is small, and is cut as a whole by
   `partition.cut`.
3. `streamed_cut` then passes over the batches, once or several times: a batch's pages, with their links to each other
   and to the parts of all other pages (`batch_hypergraph`), are refined on all levels, while all else stays.
4. `streamed_measures` says how good the result is, by one more look at every link.

The second half is buffered restreaming: Nishimura and Ugander, "Restreaming Graph Partitioning" (KDD 2013), with the
batches of HeiStream (Faraj and Schulz, "Buffered Streaming Graph Partitioning", ACM JEA 2022).  The first half takes
the place of their first pass, which gives each page or batch to the part that pulls it most and is not full (FENNEL:
Tsourakakis et al., WSDM 2014; for hypergraphs Tasyaran et al., "Streaming Hypergraph Partitioning Algorithms on
Limited Memory Environments", HPCS 2021): measured on webs it is far better, since the parts that a stream fills first
are full when what belongs there comes.
"""
