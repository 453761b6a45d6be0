"""A cell's first line: split into words, and read as options."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from falsify_nb.errors import OptionError, near_names
from falsify_nb.notebook.options import OPTIONS, Option

__all__ = ["Word", "is_option_like", "is_silenced", "parse", "split"]

# shlex would eat the quotes inside nDCG(dcg='exp-log2')@10 and the backslashes of C:\data, and
# IPython's arg_split cuts --run="a b" in two (and follows other rules on Windows). Here a quote
# means something only around a whole value.
_WORD = re.compile(
    r"""(?P<key>--?[A-Za-z][\w-]*=)?(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')(?=;?\s|;?$)"""
    r"""|(?P<bare>\S+)""",
)
_OPEN_QUOTE = re.compile(r"""(?:--?[A-Za-z][\w-]*=)?["']""")
_EXPANSION = re.compile(r"\$\{?([A-Za-z_]\w*)|\{([^{}]*)\}")
_OPTION = re.compile(r"--?[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the line; a quoted one is never a variable nor an option."""

    text: str
    quoted: bool = False

    @property
    def is_name(self) -> bool:
        """True for a bare identifier, which stands for a variable."""
        return not self.quoted and self.text.isidentifier()

    @property
    def is_option(self) -> bool:
        """True for a word such as ``--tau`` or ``-k``; a negative number is a value."""
        return not self.quoted and bool(_OPTION.match(self.text))


def split(line: str) -> list[Word]:
    r"""Split a line into words; a comment and a closing semicolon are left out.

    Examples
    --------
    >>> [w.text for w in split(r"--run='my runs/a.trec' --corpus C:\ids.txt # all of it")]
    ['--run=', 'my runs/a.trec', '--corpus', 'C:\\ids.txt']
    """
    words = _raw_words(line)
    if _is_silenced(words):
        words[-1] = Word(words[-1].text[:-1])
    return [word for word in words if word.text or word.quoted]


def is_silenced(line: str) -> bool:
    """Return whether a line ends with a semicolon, so that its result is not to be shown."""
    return _is_silenced(_raw_words(line))


def _is_silenced(words: list[Word]) -> bool:
    return bool(words) and not words[-1].quoted and words[-1].text.endswith(";")


def _raw_words(line: str) -> list[Word]:
    words: list[Word] = []
    for match in _WORD.finditer(line):
        quoted = match["double"] if match["double"] is not None else match["single"]
        if quoted is not None:
            words += [Word(match["key"])] * bool(match["key"])
            words.append(Word(quoted, quoted=True))
            continue
        text = match["bare"]
        if text.startswith("#"):
            break
        if _OPEN_QUOTE.match(text):
            raise OptionError(
                f"a quotation mark opens at {text!r} and does not close around a whole value",
                remedy="Put the same mark at the end of the value, or leave both out.",
            )
        words.append(Word(text))
    return words


def parse(line: str) -> dict[str, Word | None]:
    """Read a line as options.

    Parameters
    ----------
    line : str
        What stands after ``%%falsify`` or ``%falsify``.

    Returns
    -------
    dict of str to Word or None
        Each option that was given, by its name; None is a flag without a value.

    Raises
    ------
    OptionError
        For an unknown or repeated option, a missing or stray value, an unclosed quotation, a
        variable written as ``$x`` or ``{x}``, or a line that goes on in the next one.

    Examples
    --------
    >>> parse("run --tau 0.1 --quiet")
    {'run': Word(text='run', quoted=False), 'tau': Word(text='0.1', quoted=False), 'quiet': None}
    """
    if line.rstrip().endswith("\\"):
        raise OptionError(
            "the line ends with a backslash, but options cannot go on in the next line",
            remedy="Write all options on the cell's first line.",
        )
    words = split(line)
    given: dict[str, Word | None] = {}
    while words:
        word = words.pop(0)
        if word.is_option:
            option, value = _read_option(word, words)
        else:
            option, value = _read_stray(word, given)
        if option.name in given:
            raise OptionError(f"{option.flag} is given twice", remedy="Keep one of them.")
        if value is not None:
            _refuse_expansion(option, value)
        given[option.name] = value
    return given


def is_option_like(text: str) -> bool:
    """Return whether a line of the body looks like options that slipped off the first line."""
    match = re.match(r"\s*--([A-Za-z][\w-]*)", text)
    if match is None:
        return False
    name = match[1].replace("-", "_")
    return name in OPTIONS or bool(near_names(name, OPTIONS))


def _read_option(word: Word, rest: list[Word]) -> tuple[Option, Word | None]:
    key, equals, attached = word.text.partition("=")
    option = _find(key)
    if equals:
        value = Word(attached) if attached else (rest.pop(0) if _is_value(rest) else None)
        if value is None:
            raise _no_value(option)
        return option, value
    if not option.takes_value:
        return option, None
    if not _is_value(rest):
        raise _no_value(option)
    return option, rest.pop(0)


def _is_value(rest: list[Word]) -> bool:
    return bool(rest) and not rest[0].is_option


def _no_value(option: Option) -> OptionError:
    return OptionError(f"{option.flag} needs a value", remedy=option.help)


def _find(key: str) -> Option:
    name = key.lstrip("-").replace("-", "_")
    if key.startswith("--") and name in OPTIONS:
        return OPTIONS[name]
    flags = [o.flag for o in OPTIONS.values()]
    if len(name) == 1:
        near = [f for f in flags if name.lower() in {part[0] for part in f[2:].split("-")}]
    else:
        known = {o.name: o.flag for o in OPTIONS.values()}
        near = [known[n] for n in near_names(name, known)]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(flags)}."
    raise OptionError(f"{key} is no option of falsify", remedy=f"{hint} See %%falsify?")


def _read_stray(word: Word, given: dict[str, Word | None]) -> tuple[Option, Word]:
    if "run" not in given:
        return OPTIONS["run"], word
    raise OptionError(
        f"{word.text!r} belongs to no option",
        remedy="Put a value that holds blanks in quotation marks, and every other behind its "
        "option, such as --qrels qrels.",
    )


def _refuse_expansion(option: Option, value: Word) -> None:
    match = _EXPANSION.search(value.text)
    if match is None or Path(value.text).exists():
        return
    name = (match[1] or match[2] or "x").strip()
    whole = match[0] == value.text or match[0] + "}" == value.text
    remedy = (
        f"Write {option.flag} {name}: a bare name is a variable."
        if whole and name.isidentifier()
        else f"Put the value into a variable and give its bare name: {option.flag} NAME."
    )
    raise OptionError(f"{value.text!r}: $ and {{}} are not expanded here", remedy=remedy)
