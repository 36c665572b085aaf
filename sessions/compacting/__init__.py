"""Few large files in place of a session's many small ones: ``cutweb compact``.

`compact` goes through the ranks, step by step, and makes each step part of the session by one commit record.  `steps`
says what that record says.  `rank_files` has what becomes of one rank's files: table files are merged; WARC files are
merged, or their bodies dropped (`bodies`, those that `dropping` names), and then the rank's pages say where their
bodies stand now (`body_places`).  `verified` reads no byte that is not as it was committed, and `exclusive` lets nobody
else compact meanwhile.
"""
