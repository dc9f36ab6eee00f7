"""A process that changes a conversation as fast as it can, until it is killed.

`python -m tests.storage.child FOLDER SEED` writes the number of each step to stdout when it is
done; the steps follow from the seed and from what the conversation holds.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path

from studio_qt.engine.storage import DataFolder
from tests.storage.model import Model, perform, random_step


async def run(path: Path, seed: int) -> None:
    folder = await DataFolder.open(path, package_hash="p1")
    last = folder.last_played
    conversation = await folder.load(last) if last else await folder.create()
    os.write(1, b"open\n")
    model = Model.of(conversation)
    chance = random.Random(seed)
    for number in range(1_000_000):
        step = random_step(chance, model)
        await perform(conversation, step)
        model.do(step)
        os.write(1, b"%d\n" % number)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2])))
