"""What a crawl leaves.

`url` says what a page's name is.  While a rank crawls, its `recorder` writes `tables` (columns in `schema`) and `warc`
files; `commit` claims the folder, commits epochs (in `durable` files) and takes a session over for a run that goes on
with it, for which `cutting` removes what runs before it left behind; `runs` tells what several of them amount to.
`session` opens sessions for reading, whoever made them; `diskerrors` names the file of an error.  `check` proves that a
session is whole, `summary` tells what is in it, `difference` what became of the web between two of them (`lastfetches`:
their pages, `hash_arrays`: sets of these).  `importing` makes sessions from what others have. `wholefolder` is how a
folder comes to be there whole or not at all, `scratch` how one is gone after the work, `session_damage` what is said of
a session that cannot be read, `compiled` how functions become machine code, `networkx_graph` a session as networkx has
it.  `localweb` invents, serves and exports webs to crawl on this machine. docs/formats.md is the contract for
everything on disk.
"""
