"""The decoders and encoders of the WHATWG Encoding standard, step by step, over its published tables.

They are slow, and for comparison only.  `standard` finds them by the names of encodings; each family has its own file,
and `steps` what they share.
"""
