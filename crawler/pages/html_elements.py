"""Elements of the HTML standard by what they do to the tree, as far as links depend on it.

Section numbers are those of the standard.  Names are in lower case, as bytes where tags are compared with them.
"""

RAW_TEXT = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"))
"""Elements whose content is no markup, outside SVG and MathML."""
LINKING = frozenset((b"base", b"link", b"area", b"iframe", b"meta", b"frame"))
"""Elements that lead somewhere as HTML elements only."""
RAW_NAMES = frozenset(name.encode() for name in RAW_TEXT)
SVG_POINTS = frozenset((b"foreignobject", b"desc", b"title"))
MATH_POINTS = frozenset((b"mi", b"mo", b"mn", b"ms", b"mtext"))
BREAKING_OUT = frozenset(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    b"nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
"""Start tags that end foreign content (13.2.6.5)."""
VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr keygen frame".split())
CLOSING_P = frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header "
    b"hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form hr li dd dt".split()
)
OF_HEAD = frozenset(b"html head base basefont bgsound link meta noscript".split())
BEFORE_FRAMES_NONE = frozenset(
    b"body pre listing li dd dt button applet marquee object table area br embed img image keygen wbr input hr "
    b"textarea xmp iframe select template".split()
)
"""Start tags after which a frameset is none (the frameset-ok flag, 13.2.6.4.7)."""
