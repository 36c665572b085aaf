"""What a crawl leaves.

`url` says what a page's name is, `schema` which columns a table has, `runs` what several runs of one session amount to.
`session` opens a session for reading, whoever wrote it; `networkx_graph` is one as networkx has it.

`writing` is how a session grows, `storage` the files it is made of.  `checking` proves that it is whole, `analysis`
says what is in it, and `importing` makes sessions from what others have.  `localweb` invents, evolves, serves and
exports webs to crawl on this machine.

`hash_arrays` are sets of hashes, `compiled` functions become machine code, `visible` makes text from outside safe to
look at, `peak_memory` is the most that this process has held, and `version` is that of the software.  docs/formats.md
is the contract for everything on disk.
"""
