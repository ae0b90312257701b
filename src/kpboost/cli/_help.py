"""Help texts: what a command does, examples as one types them, and its options, usual ones first.

They are written here and not by click, which breaks words at hyphens and shows Python's types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from typer.core import TyperCommand, TyperGroup

from kpboost._text import did_you_mean

from ._options import COLUMNS, PLACES, POINT, RUNS
from ._terminal import folded, out

# Columns of a help text in a wider window: longer lines are hard to read.
WIDEST = 88
# Columns for the names of options; of longer ones, the help begins on the next line.
NAMES_WIDTH = 24
USUAL, OTHERS = "Usual options", "More options"
# After the usual options; headings of one command alone follow them.
HEADINGS = (COLUMNS, POINT, RUNS, PLACES)
# A blank that stays a blank.
NO_BREAK = "\u00a0"


@dataclass(frozen=True, slots=True)
class HelpPage:
    """What a help text says beside the docstring and the options.

    Attributes
    ----------
    examples : tuple of str
        Commands as one types them.
    usual : tuple of str
        Options that come first, in this order.
    """

    examples: tuple[str, ...]
    usual: tuple[str, ...] = ()


def command_with(page: HelpPage) -> type[TyperCommand]:
    """Return the kind of command that has this page as its help."""

    class HelpedCommand(TyperCommand):
        def get_help(self, ctx: Any) -> str:
            return _command_help(ctx.command_path, self.help or "", page, self.get_params(ctx))

    return HelpedCommand


class HelpedGroup(TyperGroup):
    """All commands, by what they are for."""

    def get_help(self, ctx: Any) -> str:
        """Write what commands there are."""
        listed: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            first = (command.help or "").strip().partition("\n\n")[0]
            listed.setdefault(command.rich_help_panel, []).append((name, _one_line(first)))
        options = [_row(each) for each in self.get_params(ctx)]
        parts = [f"Usage: {ctx.command_path} COMMAND [OPTIONS]", _one_line(self.help or "")]
        parts += [_section(*item) for item in listed.items()]
        return _page([*parts, _section("Options", options)])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of a name, or say which there are."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            hint = did_you_mean(name, known) or f"the commands are {', '.join(known)}."
            ctx.fail(f"There is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)


def _command_help(path: str, text: str, page: HelpPage, params: Sequence[Any]) -> str:
    arguments = [each for each in params if each.param_type_name == "argument"]
    options = [each for each in params if each.param_type_name == "option" and not each.hidden]
    paragraphs = [_one_line(part) for part in text.strip().split("\n\n")]
    examples = ["Example:" if len(page.examples) == 1 else "Examples:"]
    examples += [f"  {each}" for each in page.examples]
    parts = [_usage(path, arguments, options), *paragraphs, "\n".join(examples)]
    if arguments:
        parts.append(_section("Arguments", [_row(each) for each in arguments]))
    grouped = _grouped(options, page.usual)
    parts += [_section(title, [_row(each) for each in own]) for title, own in grouped.items()]
    return _page(parts)


def _usage(path: str, arguments: Iterable[Any], options: Iterable[Any]) -> str:
    words = [each.metavar if each.required else f"[{each.metavar}]..." for each in arguments]
    words += [_names(each) for each in options if each.required]
    return " ".join(["Usage:", path, *words, "[OPTIONS]"])


def _grouped(options: Sequence[Any], usual: Sequence[str]) -> dict[str, list[Any]]:
    """Put options under headings: the usual ones, those of a subject, and the others."""
    if not usual:  # a command of few options needs no headings
        return {"Options": list(options)}
    by_name = {max(each.opts, key=len): each for each in options}
    helping = by_name.pop("--help")
    groups = {USUAL: [by_name.pop(name) for name in usual], **{title: [] for title in HEADINGS}}
    for each in by_name.values():
        groups.setdefault(each.rich_help_panel or OTHERS, []).append(each)
    filled = {title: own for title, own in groups.items() if own}
    [*filled.values()][-1].append(helping)
    return filled


def _row(param: Any) -> tuple[str, str]:
    """Return names and help of an argument or an option."""
    if param.param_type_name == "argument":
        return param.metavar, _one_line(param.help or "")
    words = [_one_line(param.help or "")]
    default = param.default
    if param.required:
        words.append("[required]")
    elif isinstance(default, str | int) and not isinstance(default, bool):
        words.append(f"[default:{NO_BREAK}{default}]")
    if param.envvar:
        words.append(f"[environment:{NO_BREAK}{param.envvar}]")
    return _names(param), " ".join(words)


def _names(param: Any) -> str:
    names = ", ".join(sorted(param.opts, key=len))
    return f"{names} {param.metavar}" if param.metavar and not param.is_flag else names


def _section(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Write a heading and its rows, names on the left."""
    width = min(NAMES_WIDTH, max(len(names) for names, _ in rows))
    lines = [f"{title}:"]
    for names, words in rows:
        left, right = f"  {names:{width}}  ", " " * (width + 4)
        if len(names) > width:
            lines.append(f"  {names}")
            left = right
        lines.append(folded(left + words, _width(), indent=right))
    return "\n".join(lines).replace(NO_BREAK, " ")


def _page(parts: Iterable[str]) -> str:
    """Put a blank line between paragraphs; those of one line are folded."""
    return "\n\n".join(part if "\n" in part else folded(part, _width()) for part in parts)


def _width() -> int:
    return min(WIDEST, out().width)


def _one_line(text: str) -> str:
    return " ".join(text.split())
