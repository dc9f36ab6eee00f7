"""The command line: which words mean what, and how it ends.

Exit codes: 0 done, 1 the thing asked for failed, 2 the call's words are off. An error is one line
on stderr that says what to do; `--debug` puts the traceback before it. Faults of the program go
to its log whole. Each command is imported
when it is called, and Qt only to open the window.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from studio_qt import __version__
from studio_qt.errors import StudioError
from studio_qt.files.there import is_there
from studio_qt.terminal.log import keep_log

__all__ = ["main"]

_log = logging.getLogger(__name__)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_COMMANDS = """\
commands:
  play PACKAGE             play a character in the terminal
  new DIR                  make a project from a template
  validate PACKAGE         print everything that is wrong with a package
  call PACKAGE TOOL JSON   run one tool by hand
  export PROJECT OUT.zip   pack a project into a zip that plays anywhere
  import FILE DIR          unpack a character into a folder to edit
  associate                let a double click open characters; --remove takes it back
Each has its own --help.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the words say and return the exit code; help and wrong words raise SystemExit.

    Without `argv` the words are those that the process was called with.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    _speak_utf8()
    log = keep_log(debug=debug)
    try:
        arguments = _parse(words)
        code = int(arguments.act(arguments))
        sys.stdout.flush()
    except StudioError as error:
        return _fail(str(error), debug=debug)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has gone, as in `… | head`
        _silence()
        return 1
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _fault(words, error, log)
        _silence()
        return _fail(f"the output cannot be written: {error.strerror}. Free some space.")
    except Exception as error:  # noqa: BLE001  the outermost border: a fault of ours, logged whole
        return _fault(words, error, log)
    return code


def _silence() -> None:
    """Let what is still to be written go nowhere, so that the exit does not fail at it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fault(words: Sequence[str], error: Exception, log: Path) -> int:
    _log.exception("The command %s ended by a fault of the program.", words)
    reason = f"{type(error).__name__}: {error}"
    return _fail(f"a fault of this program ({reason}); {log} has the details")


def _fail(message: str, *, debug: bool = False) -> int:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"studio-qt: {' '.join(message.split())}\n")
    return 1


def _speak_utf8() -> None:
    """Pipes and files are UTF-8 on every system, and no byte or character can break a command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


# Words --------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the words in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"studio-qt: {message}; try: {self.prog} --help\n")


def _parse(words: Sequence[str]) -> argparse.Namespace:
    makers = {"play": _play, "new": _new, "validate": _validate, "call": _call}
    makers |= {"export": _export, "import": _import, "associate": _associate}
    if words and words[0] in makers:
        parser = _Parser(prog=f"studio-qt {words[0]}", allow_abbrev=False)
        makers[words[0]](parser)
        rest = words[1:]
    else:
        parser = _Parser(
            prog="studio-qt",
            allow_abbrev=False,
            epilog=_COMMANDS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _window(parser)
        rest = words
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser.parse_args(rest)


def _window(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open Character Studio; without a project, where you left it."
    parser.add_argument("project", nargs="?", type=Path, help="a project folder, a .zip or a card")
    parser.add_argument("--sample", action="store_true", help="open the sample character")
    parser.add_argument(
        "--screenshot", type=Path, metavar="FILE.png", help="write a picture of the window and exit"
    )
    parser.add_argument("--version", action="version", version=f"Character Studio {__version__}")
    parser.set_defaults(act=_open_window)


def _play(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play a character in the terminal. A line is a message, a line that starts with @ a "
        "command of the character, /help lists the rest. Ctrl-C stops a reply and keeps what has "
        "come; at the prompt it leaves. The key is read from STUDIO_API_KEY or the keychain."
    )
    parser.add_argument(
        "package", metavar="PACKAGE", help="a project folder, a .zip, or its address"
    )
    parser.add_argument("--base-url", metavar="U", help="an OpenAI-compatible endpoint")
    parser.add_argument("--model", metavar="M", help="the model that answers")
    parser.add_argument("--worker-model", metavar="M", help="the model that agents ask")
    parser.add_argument("--data-dir", type=Path, metavar="D", help="where conversations are kept")
    parser.add_argument("--conversation", metavar="ID", help="the conversation to take up")
    parser.add_argument("--json", action="store_true", help="print one event a line")
    parser.set_defaults(act=_do_play)


def _new(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make a project from a template."
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that is not there yet")
    parser.add_argument("--template", metavar="NAME", default="blank", help="default: blank")
    parser.set_defaults(act=lambda arguments: _do_new(parser, arguments))


def _validate(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print every problem; exit code 0 when none is worse than a warning."
    parser.add_argument(
        "package", metavar="PACKAGE", help="a project folder, a .zip, or its address"
    )
    parser.add_argument("--json", action="store_true", help="print one problem a line")
    parser.set_defaults(act=_do_validate)


def _call(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run one tool by hand; print its result and what changed in the stores."
    parser.add_argument(
        "package", metavar="PACKAGE", help="a project folder, a .zip, or its address"
    )
    parser.add_argument("tool", metavar="TOOL", help="the tool's name, as the model is offered it")
    parser.add_argument("arguments", metavar="JSON", help="the arguments: a JSON object")
    parser.add_argument("--data-dir", type=Path, metavar="D", help="where conversations are kept")
    parser.set_defaults(act=lambda arguments: _do_call(parser, arguments))


def _export(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Pack a project into a zip that plays anywhere and holds nothing private. It is written "
        "only when the zip has been loaded and has answered a turn, without network."
    )
    parser.add_argument("project", metavar="PROJECT", help="a project folder")
    parser.add_argument("place", metavar="OUT.zip", type=Path, help="the file to write")
    parser.add_argument(
        "--sources", action="store_true", help="put TypeScript sources into a second zip beside it"
    )
    parser.set_defaults(act=_do_export)


def _import(parser: argparse.ArgumentParser) -> None:
    parser.description = "Unpack a character into a folder to edit; nothing is left on a failure."
    parser.add_argument(
        "file", metavar="FILE", help="a .zip, its https address, or a card: PNG, JSON, CHARX"
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that is not there yet")
    parser.set_defaults(act=_do_import)


def _associate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Let the desktop of this user open characters: .charx files by a double click, zips and "
        "other cards by “Open with”. What opens those now goes on doing so."
    )
    parser.add_argument("--remove", action="store_true", help="take all of it back")
    parser.set_defaults(act=_do_associate)


# Deeds --------------------------------------------------------------------------------------


def _do_play(arguments: argparse.Namespace) -> int:
    from studio_qt.terminal.opening import Choices
    from studio_qt.terminal.play import play

    choices = Choices(
        arguments.package,
        base_url=arguments.base_url,
        model=arguments.model,
        worker_model=arguments.worker_model,
        data_dir=arguments.data_dir,
    )
    return play(choices, arguments.conversation, as_json=arguments.json)


def _do_new(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    from studio_qt.package.projects import template_names
    from studio_qt.terminal.new import new_project

    names = template_names()
    if arguments.template not in names:
        parser.error(f"there is no template {arguments.template!r}; there are {', '.join(names)}")
    return new_project(arguments.folder, arguments.template)


def _do_validate(arguments: argparse.Namespace) -> int:
    from studio_qt.terminal.validate import validate

    return validate(arguments.package, as_json=arguments.json)


def _do_call(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    from studio_qt.jsontext import decode_object

    try:
        values = decode_object(arguments.arguments)
    except ValueError as error:
        parser.error(f"the arguments of {arguments.tool} are not a JSON object: {error}")

    from studio_qt.terminal.call import call
    from studio_qt.terminal.opening import Choices

    choices = Choices(arguments.package, data_dir=arguments.data_dir)
    return call(choices, arguments.tool, values)


def _do_export(arguments: argparse.Namespace) -> int:
    from studio_qt.terminal.export import export

    return export(arguments.project, arguments.place, with_sources=arguments.sources)


def _do_import(arguments: argparse.Namespace) -> int:
    from studio_qt.terminal.bring import bring

    return bring(arguments.file, arguments.folder)


def _do_associate(arguments: argparse.Namespace) -> int:
    from studio_qt.terminal.associate import associate

    return associate(remove=arguments.remove)


def _open_window(arguments: argparse.Namespace) -> int:
    if arguments.project is not None and not is_there(arguments.project):
        raise StudioError(
            f"There is no folder, zip or command {arguments.project}; try: studio-qt --help"
        )
    _settle_display(drawing_only=arguments.screenshot is not None)
    try:
        from studio_qt.ui.app import run
    except ImportError as error:
        raise StudioError(
            f"The window cannot be opened because a library is missing ({error}). "
            "Install it, or play in the terminal: studio-qt play PACKAGE"
        ) from error
    return run(arguments.project, arguments.screenshot, sample=arguments.sample)


def _settle_display(*, drawing_only: bool) -> None:
    """On a Linux without a display: a picture needs none, a window does (Qt would abort)."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if not sys.platform.startswith("linux") or any(os.environ.get(name) for name in displays):
        return
    if not drawing_only:
        raise StudioError(
            "There is no display to open the window on. Play in the terminal instead: "
            "studio-qt play PACKAGE"
        )
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
