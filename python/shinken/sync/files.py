# Written from ../aio by `cargo xtask schema`; change it there.
"""Files, folders and artifacts."""

from __future__ import annotations

import os
from typing import Any

from shinken._native import NativeTransfer, Session
from shinken._waiting import wait
from shinken.sync.session import Part
from shinken.transfers import Artifact, Copied, FileEntry, Progress, Report, Transferred, bar

LIMIT = 256 << 20
"""What `get_bytes` takes at most where the call does not say."""


def _move(transfer: NativeTransfer, progress: Report, title: str) -> Any:
    """What a transfer gives. Whatever ends the wait for it before its end cancels it."""
    shown = bar(progress, title)
    try:
        if shown is None:
            return wait(transfer.done())
        while True:
            kind, news = wait(transfer.next())
            if kind == "done":
                return news
            shown.tell(Progress(*news))
    finally:
        transfer.cancel()
        if shown is not None:
            shown.close()


class Folders(Part):
    """What there is on the desktop's disk."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def stat(self, remote: str) -> FileEntry | None:
        """What is at a path; of a symbolic link, the link itself. `None` where there is nothing."""
        found: dict[str, Any] | None = wait(self._session.files().stat(remote))
        return None if found is None else FileEntry.from_wire(found)

    def list(self, remote: str, *, recursive: bool = False) -> list[FileEntry]:
        """What is in a folder, by paths relative to it; with `recursive` in its folders too."""
        found: list[dict[str, Any]] = wait(self._session.files().list(remote, recursive))
        return [FileEntry.from_wire(entry) for entry in found]

    def make_dir(self, remote: str) -> None:
        """Makes a folder, with those that are missing above it."""
        wait(self._session.files().make_dir(remote))


class Artifacts(Part):
    """The runtime's store of artifacts: files that are found by the SHA-256 of their bytes."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def upload(self, local: str | os.PathLike[str], *, progress: Report = None) -> Artifact:
        """Puts a file of this side into the store. One that is there already is not sent."""
        transfer = self._session.files().artifact_upload(os.fspath(local))
        return Artifact(**_move(transfer, progress, os.path.basename(local)))

    def download(
        self, artifact: Artifact | str, local: str | os.PathLike[str], *, progress: Report = None
    ) -> Transferred:
        """Gets a file out of the store, by itself or its SHA-256, and checks that it is the one."""
        sha256 = artifact if isinstance(artifact, str) else artifact.sha256
        transfer = self._session.files().artifact_download(sha256, os.fspath(local))
        return Transferred(**_move(transfer, progress, os.path.basename(local)))

    def list(self) -> list[Artifact]:
        """What is in the store."""
        found: list[dict[str, Any]] = wait(self._session.files().artifact_list())
        return [Artifact(**artifact) for artifact in found]

    def remove(self, artifact: Artifact | str) -> None:
        """Takes a file out of the store, by itself or its SHA-256."""
        sha256 = artifact if isinstance(artifact, str) else artifact.sha256
        wait(self._session.files().artifact_remove(sha256))


class Files(Part):
    """Moves files, over a channel of their own, so that no action waits behind one.

    A path of the desktop is absolute or relative to the home folder of its user. Folders that are missing on the way are made, on
    either side. A file is seen under its name once all of it is there and its SHA-256 was right. A lost connection is made
    again, and the transfer goes on from where it was.

    `progress` is a function that is called with a [`Progress`][shinken.Progress], at most twenty times a second, in the
    thread or task that waits; what it raises cancels the transfer. `True` shows a progress bar, that of tqdm where it is
    installed. A task that is cancelled, and Ctrl-C, cancel the transfer too, and leave nothing of the file.
    """

    def put_file(
        self,
        local: str | os.PathLike[str],
        remote: str,
        *,
        mode: int | None = None,
        resume_key: str | None = None,
        progress: Report = None,
    ) -> Transferred:
        """Puts a file of this side at a path of the desktop.

        Args:
            local: The file here.
            remote: Its path there.
            mode: Its permissions there, such as `0o755`, instead of those that it has here.
            resume_key: A name under which a later call goes on, for two minutes after this one broke off; also in another
                process.
            progress: A function that is told how far it has got, or `True` for a progress bar.
        """
        transfer = self._session.files().put_file(os.fspath(local), remote, mode, resume_key)
        return Transferred(**_move(transfer, progress, os.path.basename(local)))

    def get_file(self, remote: str, local: str | os.PathLike[str], *, progress: Report = None) -> Transferred:
        """Gets a file of the desktop; its permissions and the time of its last change are kept."""
        transfer = self._session.files().get_file(remote, os.fspath(local))
        return Transferred(**_move(transfer, progress, os.path.basename(remote)))

    def put_bytes(self, data: bytes, remote: str, *, mode: int | None = None, progress: Report = None) -> Transferred:
        """Puts these bytes as a file of the desktop."""
        transfer = self._session.files().put_bytes(data, remote, mode)
        return Transferred(**_move(transfer, progress, os.path.basename(remote)))

    def get_bytes(self, remote: str, *, limit: int = LIMIT, progress: Report = None) -> bytes:
        """The bytes of a file of the desktop.

        Raises:
            QuotaExceeded: It has more than `limit` bytes; nothing was kept.
        """
        data: bytes = _move(self._session.files().get_bytes(remote, limit), progress, os.path.basename(remote))
        return data

    def put_dir(self, local: str | os.PathLike[str], remote: str, *, progress: Report = None) -> Copied:
        """Puts a folder with all that is in it into a folder of the desktop. What is there and not here stays.

        Raises:
            Denied: A symbolic link leads out of the folder; nothing was sent.
        """
        transfer = self._session.files().put_dir(os.fspath(local), remote)
        return Copied(**_move(transfer, progress, os.path.basename(local)))

    def get_dir(self, remote: str, local: str | os.PathLike[str], *, progress: Report = None) -> Copied:
        """Gets a folder of the desktop in the same way. Nothing is written outside of `local`, whatever the runtime says."""
        transfer = self._session.files().get_dir(remote, os.fspath(local))
        return Copied(**_move(transfer, progress, os.path.basename(remote)))

    @property
    def files(self) -> Folders:
        """What there is on its disk: `env.files.stat(path)`, `env.files.list(path)` and `env.files.make_dir(path)`."""
        return Folders(self._session)

    @property
    def artifacts(self) -> Artifacts:
        """Its store of artifacts: `env.artifacts.upload(path)` and the like."""
        return Artifacts(self._session)
