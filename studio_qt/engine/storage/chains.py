"""Which contents of a file are ours.

The hash of a snapshot or a store is in the journal before its file is replaced. Until a line
"settled" says that the files have come to rest, each content since the last such line is ours: a
kill may have left any of them. Any other content was put there by another program, and wins.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from studio_qt.engine.storage.splices import apply_splices
from studio_qt.jsontext import JsonObject

__all__ = ["Chains", "StoreChain", "apply_store", "fingerprint", "settled_fields"]


def fingerprint(data: bytes) -> str:
    """The hash by which a content is known."""
    return hashlib.sha256(data).hexdigest()


def apply_store(text: str | None, record: JsonObject) -> str | None:
    """Return a store's text after a journal line of kind "store"; ValueError where it does not fit.

    The line has either "text" (null: the store was removed) or "splices" of the text before.
    """
    if "text" in record:
        whole = record["text"]
        if whole is not None and not isinstance(whole, str):
            raise ValueError("the text of a store must be a string")
        return whole
    splices = record.get("splices")
    if text is None or not isinstance(splices, list):
        raise ValueError("a splice needs the text before it")
    return apply_splices(text, splices)


@dataclass(slots=True)
class StoreChain:
    """The contents that a store's file may have; None as a hash means that there is no file."""

    settled: str | None = None
    steps: list[tuple[str | None, JsonObject]] = field(default_factory=list)

    @property
    def newest(self) -> str | None:
        """The hash of the content that the file should have."""
        return self.steps[-1][0] if self.steps else self.settled

    def newest_text(self, text: str | None, found: str | None) -> str | None:
        """Return the newest content, given the text of the file and its hash.

        Raises LookupError when the content is not ours, ValueError when the lines do not fit.
        """
        known = [self.settled, *(sha for sha, _ in self.steps)]
        if found not in known:
            raise LookupError("the content is another program's")
        passed = len(known) - 1 - known[::-1].index(found)
        for _, record in self.steps[passed:]:
            text = apply_store(text, record)
        return text


@dataclass(slots=True)
class Chains:
    """The contents of all files of a conversation that are ours.

    `snapshots` maps the hash of a snapshot to the journal line up to which it holds everything.
    """

    snapshots: dict[str, int] = field(default_factory=dict)
    stores: dict[str, StoreChain] = field(default_factory=dict)

    def apply(self, record: JsonObject) -> None:
        """Note what a journal line says about files."""
        match record:
            case {"k": "store", "agent": str(agent_id), "sha": (str() | None) as sha}:
                self.stores.setdefault(agent_id, StoreChain()).steps.append((sha, record))
            case {"k": "snapshot", "sha": str(sha), "line": int(line)}:
                self.snapshots[sha] = line
            case {"k": "settled" | "segment"}:
                if record["k"] == "segment":
                    self.stores, self.snapshots = {}, {}
                self._settle(record)

    def settled_hash(self, agent_id: str) -> str | None:
        """The hash of a store file that nothing else can be ours beside; None: there is none."""
        chain = self.stores.get(agent_id)
        return None if chain is None or chain.steps else chain.settled

    def _settle(self, record: JsonObject) -> None:
        snapshot, stores = record.get("snapshot"), record.get("stores")
        match snapshot:
            case [str(sha), int(line)]:
                self.snapshots = {sha: line}
        if isinstance(stores, dict):
            for agent_id, resting in stores.items():
                if resting is None or isinstance(resting, str):
                    self.stores[agent_id] = StoreChain(resting)


def settled_fields(
    snapshot: tuple[str, int] | None, stores: Mapping[str, str | None], *, changed: int
) -> JsonObject:
    """The fields of a line "settled" or "segment".

    `snapshot` is its hash and the line up to which it holds everything, `changed` the last line
    that has changed the conversation.
    """
    fields: JsonObject = {"stores": dict(stores), "changed": changed}
    if snapshot is not None:
        fields["snapshot"] = list(snapshot)
    return fields
