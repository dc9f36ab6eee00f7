"""What an editor can offer at a place in a character's files, and what it can tell about a word.

`complete` and `hover` are plain functions of the text, the place and what is known of the project
(STU-08). Nothing here parses more than a few thousand characters at a time.
"""

from __future__ import annotations

from studio_qt.authoring.completing.asking import Hover, complete, hover
from studio_qt.authoring.completing.completion import Completion
from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.completing.matching import spans_of

__all__ = ["Completion", "Hover", "ProjectFacts", "complete", "hover", "spans_of"]
