"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from falsify_nb.errors import WriteError

__all__ = ["check_folder", "write"]

_REASONS = {
    errno.ENOSPC: ("the disk is full", "Make room, or choose another folder."),
    errno.EDQUOT: ("your quota is used up", "Make room, or choose another folder."),
    errno.EFBIG: ("the file would be larger than is allowed here", "Choose another folder."),
    errno.EROFS: ("the file system is read-only", "Choose another folder."),
    errno.EACCES: ("you may not write there", "Choose another folder, or change its rights."),
    errno.EPERM: ("you may not write there", "Choose another folder, or change its rights."),
    errno.ENOENT: ("its folder does not exist", "Make the folder first."),
    errno.ENOTDIR: ("its folder is a file", "Choose another folder."),
    errno.EISDIR: ("it is a folder", "Add a file name."),
    errno.ENAMETOOLONG: ("its name is too long", "Choose a shorter name."),
}


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file through a temporary one beside it, so that no half file can ever be seen.

    Parameters
    ----------
    path : str or path
        Where to; an existing file is replaced at the very end, by one move.
    content : str or bytes
        What to; text is written as UTF-8.

    Raises
    ------
    WriteError
        If it cannot be written. What stood at `path` before is untouched.
    """
    # A link keeps pointing where it did: its target is replaced, not the link.
    target = Path(os.path.realpath(path))
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "is write-protected")
        _write_new(beside, data)
        beside.replace(target)
    except OSError as error:
        raise _explained(error, path) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def check_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose folder does not exist, before work is done for it.

    Raises
    ------
    WriteError
        If it does not.
    """
    if not Path(path).absolute().parent.is_dir():
        raise _explained(FileNotFoundError(errno.ENOENT, "no folder"), path)


def _write_new(path: Path, data: bytes) -> None:
    # Opened by the user's own umask, as any new file of theirs.
    with open(path, "xb") as file:  # noqa: PTH123 - Path.open has no better mode
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _explained(error: OSError, path: str | os.PathLike[str]) -> WriteError:
    reason, remedy = _REASONS.get(
        error.errno or 0, (error.strerror or str(error), "Choose another place.")
    )
    made = WriteError(f"{os.fspath(path)!r} was not written: {reason}", remedy=remedy)
    made.errno, made.strerror, made.filename = error.errno, error.strerror, os.fspath(path)
    return made
