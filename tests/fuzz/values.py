"""The values: put together of the pieces that some reader takes for its own syntax, drawn by a seed that is printed."""

from __future__ import annotations

import json
import os
import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus.jsonl")
DEEP = os.environ.get("PROPERTIES") == "deep"
SEED = int(os.environ.get("FUZZ_SEED", "11"))

PIECES: dict[str, tuple[str, ...]] = {
    "control": tuple(chr(code) for code in (*range(1, 32), 127, *range(128, 160))),
    "nul": ("\0", "a\0b", "%00"),
    "direction": tuple("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"),
    "unseen": tuple("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\U000e0041\ufff9\u034f"),
    "surrogate": ("\ud800", "\udfff", "\udcff", "a\udc00b"),
    "line end": ("\r\n", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\n\r"),
    "markup": (
        *("<", ">", "&", "&lt;", "&#x3c;", "&#60", "<!--", "-->", "--!>", "]]>", "<![CDATA[", "<?xml", "</", "/>"),
        *("<script>alert(1)</script>", "</title>", "</textarea>", "</select><b>", "</option>", "</style>"),
        *("</pre>", "</td></tr></table>", "<svg/onload=alert(1)>", "<img src=x onerror=alert(1)>", "<base href=//e>"),
        *("<iframe srcdoc=x>", "<form action=//e>", "<plaintext>", "<noscript><p title='</noscript>", "<math><mi//x"),
        *("<a href=javascript:alert(1)>", "<meta http-equiv=refresh content=0>", "<template>", "\uff1cscript\uff1e"),
    ),
    "attribute": (
        *('"', "'", "`", "=", '" onmouseover="alert(1)', "' autofocus onfocus='x", '"><b>', "'><b>", '" style="x', "/"),
        *('" hx-get="//e" hx-trigger="load', '"\thx-on:click="x', "&quot;", "&#34;", "\\x22", '" data-x="'),
    ),
    "script": (
        *("javascript:alert(1)", "data:text/html,<b>", "vbscript:x", "//evil.example/", "\\\\evil.example", "/\\evil"),
        *("${alert(1)}", "';alert(1)//", "\\u003cscript\\u003e", "</script><script>", "\\", "__proto__", "java\tscript:x"),
    ),
    "template": (
        *("{{ 7*7 }}", "{% debug %}", "{#", "#}", "{{", "}}", "{%", "%}", "{{ settings.SECRET_KEY }}", "{% include 'x' %}"),
        *("{{ ''.__class__.__mro__ }}", "{% raw %}", "%(name)s", "%s", "%n", "{0}", "{__class__}", "${{", "<%= 1 %>", "#{1}"),
    ),
    "formula": (
        *("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", '=HYPERLINK("//e","x")', "\uff1d1", "|x"),
        *(";", ",", '""', '";"', "a;b;c", '"a\nb"', "'=1", "sep=;", "=1\0"),
    ),
    "router": (
        *("!", "! no", "^C", "\x03", "\x1a", "\x1b", "?", "|", " | include x", "\nend\n", "\nexit\n", "\r\nreload\r\n"),
        *("banner motd ^C", "\nno service-policy input X", "description x\n shutdown", "\x1e", "\x08\x08\x08", "\x15", "#"),
        *("--More--", "\nnl6(config)#", "% Invalid input", "[confirm]", "exit", "do reload", ' "', "*", "permit ipv6 any any"),
    ),
    "terminal": (
        *("\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;//e\x1b\\", "\x9b2J", "\x1bP$q\x1b\\", "\x1b[6n", "\x07", "\b\b"),
        *("\x1b[1;1HVERIFIED", "\r", "\x1b(0", "\x0e", "\x1bc", "\x1b[?1049h"),
    ),
    "shell": (
        *("$(reboot)", "`reboot`", "; reboot", "&& reboot", "| sh", "> /etc/passwd", "--help", "-rf", "'", '"', "\\\n"),
        *("$IFS", "~", "*"),
    ),
    "query": ("%", "_", "'; DROP TABLE x;--", "' OR 1=1--", "\\", "%27", "*)(uid=*", "\u02bc", "' UNION SELECT 1--"),
    "header": (
        *("\r\nSet-Cookie: a=b", "\nX: y", "%0d%0aX: y", "\u560d\u560aX: y", '"; filename="x.exe', "\r\n\r\n<b>"),
        *("Bcc: a@e", "\r\nBcc: a@e", "=?utf-8?q?x?=", "\n.\n", "\r\n.\r\nMAIL FROM:<a>", "--boundary", "a@e, b@e", '"a" <a@e>'),
        *('W/"x"', '"x", *'),
    ),
    "percent": ("%3Cb%3E", "%253C", "%0A", "%E2%80%AE", "%c0%bc", "%u003c", "%", "%zz", "..%2f", "%ff"),
    "path": ("../", "..\\", "/etc/passwd", "file:///", "//", "/./", "~root", "C:\\", "nul", ".git", "....//"),
    "number": ("1e999", "-0", "0x10", "NaN", "Infinity", "٣", "²", "9" * 30, "1_000", "1,5", "+5", "1e-400", "000"),
    "twin": ("é", "e\u0301", "\ufb01", "\uff21", "ſ", "K", "İ", "ı", "ß", "\u0130", "ᴬ", "①", "\u0345", "𝐧𝐨𝐫𝐚", "ⅷ"),
    "blank": ("\U0010ffff", "a" * 40, " ", "\u3000", "\xa0"),
    "words": ("Video link", "Réunion", "Δίκτυο", "حجز", "東京", "👩‍🔬", "𝔘", "\ufffd", "\uffff"),
}  # fmt: skip
"""By what they are to break; a value is a few of them, mostly of one kind."""


@dataclass
class Drawn:
    """Values by a seed; `tried` counts them by what came of each (`shown`, `refused`, ...)."""

    seed: int
    tried: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._first = corpus()
        self._number = 0

    def one(self) -> str:
        """The next value: the corpus first, then new ones."""
        if self._first:
            return self._first.pop(0)
        draw = self._random
        kind = draw.choice(list(PIECES))
        parts = [draw.choice(PIECES[kind]) for _ in range(draw.choice((1, 1, 2, 3, 5)))]
        if draw.random() < 0.4:
            parts.append(draw.choice(PIECES[draw.choice(list(PIECES))]))
        if draw.random() < 0.3:
            parts.insert(draw.randrange(len(parts) + 1), draw.choice(PIECES["words"]))
        if draw.random() < 0.02:
            parts *= draw.choice((20, 200, 1000))
        made = "".join(parts)
        if draw.random() < 0.1:
            made = unicodedata.normalize(draw.choice(("NFC", "NFD", "NFKC", "NFKD")), made)
        return made

    def some(self, count: int) -> Iterator[str]:
        """So many values."""
        for _ in range(count):
            yield self.one()

    def token(self) -> str:
        """Letters that no other value holds: by them one finds where a value is shown."""
        self._number += 1
        return f"k{self._number:06d}z"

    def count(self, what: str, times: int = 1) -> None:
        """Note what came of a value."""
        self.tried[what] = self.tried.get(what, 0) + times


def corpus() -> list[str]:
    """The kept values, each line of the file one `{"value": ..., "why": ...}`."""
    return [json.loads(line)["value"] for line in CORPUS.read_text(encoding="ascii").splitlines()]


LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def harmless(value: str) -> str:
    """A value of the same length whose every character is a letter, but for line ends: what is shown of both has one shape."""
    if value.isspace():
        return value
    return "".join(
        each if each in LINE_ENDS or (each.isdecimal() and each.isascii()) else "x" for each in value
    )


def storable(value: str, longest: int | None = None) -> str:
    """The value as a row can hold it: no NUL and no half of a surrogate pair, which no database of ours takes."""
    kept = "".join(each for each in value if each != "\0" and not "\ud800" <= each <= "\udfff")
    return kept[:longest]
