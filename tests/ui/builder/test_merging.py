"""Two changes of one form: what the user changed stays, all else follows (STU-06)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from studio_qt.authoring.subagentform import SubAgentForm
from studio_qt.ui.builder.following import merged
from tests.authoring.forms import forms

pytestmark = pytest.mark.clause("STU-06")


@given(forms, forms)
def test_a_form_that_nobody_touched_follows_wholly(
    base: SubAgentForm, theirs: SubAgentForm
) -> None:
    assert merged(base, base, theirs) == theirs


@given(forms, forms)
def test_what_was_changed_on_both_sides_stays_the_users(
    base: SubAgentForm, theirs: SubAgentForm
) -> None:
    mine = replace(base, body=base.body + "!")
    assert merged(base, mine, theirs) == replace(theirs, body=mine.body)
