"""What a model makes of a text, reckoned from the encoding's count and from what the text is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure.families import Rates
from compact_chat.measure.weights import likely_tokens

RATES = Rates(token=1.5, mark=0.25, arrow=-2.0)


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("plain words", 15.0),
        ('{"a": [1]}', 15.0 + 7 * 0.25),
        ("snake_case", 15.0),
        ("  1→a\n  2→b", 15.0 - 4.0),
        ("“quoted” – über", 15.0),
    ],
)
def test_marks_and_arrows(text: str, likely: float) -> None:
    """Marks of ASCII weigh more than the encoding thinks, the arrows of a shown file less; underscores are letters."""
    assert likely_tokens(text, 10, RATES) == pytest.approx(likely)


def test_nothing_is_less_than_nothing() -> None:
    """A text of arrows weighs nothing, not less."""
    assert likely_tokens("→" * 100, 10, RATES) == 0.0


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 1_000))
def test_a_model_of_the_encoding(text: str, tokens: int) -> None:
    """Where the encoding is the model's own, its count stands; any text, lone surrogates too, is reckoned."""
    assert likely_tokens(text, tokens, Rates()) == tokens
    assert likely_tokens(text, tokens, RATES) >= 0
