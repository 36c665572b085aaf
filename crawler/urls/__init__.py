"""URLs in bulk: batches as they move through a rank, and tables of their hashes.

`batch` is a batch of URLs with depths, hops and flags; `batch_columns` makes one of many, `front_coding` its binary
form for the wire and for disk.  `targets` are those of a page's links; `link_buffer` is where they wait for a batch,
`shortest_ways` has each URL once that was found several times, and `outgoing` ones stand together by receiver.  `kinds`
tell new URLs of a worklist from old ones.  `hash_table` maps 64-bit hashes to columns of values, a batch at a time
(`probing`, or `compiled_probing` once a crawl is long enough); `generational_table` forgets the older half when its
memory is used up.
"""
