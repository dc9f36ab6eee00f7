"""Which running agents outlive a reload because their new version is broken (STU-02)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from studio_qt.package import CharacterPackage
from studio_qt.package.model import AgentSpec

__all__ = ["OLD_RUNS", "sound_agents", "stale_agents"]

OLD_RUNS = "The version from before keeps running until the agent loads again."


def sound_agents(package: CharacterPackage) -> frozenset[str]:
    """Return the ids of the agents in whose own file nothing is wrong."""
    faulty = _faulty_files(package)
    return frozenset(spec.id for spec in package.agents if spec.own_file not in faulty)


def stale_agents(
    running: Mapping[str, AgentSpec], sound: Collection[str], package: CharacterPackage
) -> tuple[AgentSpec, ...]:
    """Return the running agents that are kept as they are, though `package` lists them.

    Their entry cannot be loaded, or their file has an error now and had none in the version that
    runs (`sound` are the ids of those). One whose file is gone is not kept. Reads the disk.
    """
    faulty = _faulty_files(package)
    listed = {spec.id for spec in package.agents}
    kept = [
        spec
        for key, spec in running.items()
        if key in package.broken or (key in listed and key in sound and spec.own_file in faulty)
    ]
    return tuple(spec for spec in kept if package.source.exists(spec.own_file))


def _faulty_files(package: CharacterPackage) -> set[str]:
    return {problem.file for problem in package.problems if problem.severity == "error"}
