"""Exact token counts for any text, in slices so short that other threads go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

from compact_chat.measure import vocabulary
from compact_chat.measure.cache import CountCache, Key, key_of
from compact_chat.measure.cuts import CHUNK, chunks, is_vast_blank

if TYPE_CHECKING:
    import tiktoken

Piece = tuple[int, str]  # the index of a text, and a part of it


class Counter:
    """Counts the tokens of one encoding and remembers what it counted; any thread may use it."""

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in vocabulary.VOCABULARIES:
            raise ValueError(f"no vocabulary {encoding}; there are {', '.join(vocabulary.VOCABULARIES)}")
        self.encoding = encoding
        self._cache = CountCache()

    def count(self, text: str, check: Callable[[], None] = lambda: None) -> int:
        """Count a text; the names of special tokens are plain words, half a surrogate pair is U+FFFD.

        `check` is called now and then, and may raise to end the work; nothing half counted is remembered.
        """
        check()
        key = key_of(text)
        known = self._cache.get(key)
        if known is None:
            known = 0
            for piece in chunks(text):
                check()
                known += self._count_piece(piece)
            self._cache.put(key, known)
        return known

    def count_all(self, texts: Iterable[str], threads: int = 1) -> list[int]:
        """Count many texts; they are taken one by one, so that an exception out of `texts` ends the work soon."""
        if threads <= 1:
            return [self.count(text) for text in texts]
        keys: list[Key] = []
        totals: list[int] = []
        for index, count in self._in_parallel(self._unknown_pieces(texts, keys, totals), threads):
            totals[index] += count
        for key, total in zip(keys, totals, strict=True):
            self._cache.put(key, total)
        return totals

    def _unknown_pieces(self, texts: Iterable[str], keys: list[Key], totals: list[int]) -> Iterator[Piece]:
        """Cut up the texts that were not counted before; note the key of each text, and what is known of it."""
        for index, text in enumerate(texts):
            keys.append(key_of(text))
            known = self._cache.get(keys[index])
            totals.append(known or 0)
            if known is None:
                yield from ((index, piece) for piece in chunks(text))

    def _in_parallel(self, pieces: Iterable[Piece], threads: int) -> Iterator[tuple[int, int]]:
        """Count batches in threads (tiktoken lets go of the GIL), a few ahead of the one that is due.

        This thread only waits: if it is the one that used the encoding first, its pattern engine has a fast way of its
        own, and using that beside others makes both three times as slow.
        """
        running: deque[Future[list[tuple[int, int]]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for batch in _batches(pieces):
                running.append(pool.submit(self._count_batch, batch))
                if len(running) > 2 * threads:
                    yield from running.popleft().result()
            while running:
                yield from running.popleft().result()

    def _count_batch(self, batch: list[Piece]) -> list[tuple[int, int]]:
        return [(index, self._count_piece(piece)) for index, piece in batch]

    def _count_piece(self, piece: str) -> int:
        if is_vast_blank(piece):
            return len(vocabulary.blank_encoding(self.encoding).encode_ordinary(piece))
        try:
            return len(self._encoding.encode_ordinary(piece))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # it is no Exception, and it cannot be imported
                raise
            return self._count_words(piece)

    def _count_words(self, piece: str) -> int:
        """Count a piece that tiktoken's splitter gave up on, split by the same pattern in another engine."""
        import regex

        repaired = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        words = regex.finditer(vocabulary.VOCABULARIES[self.encoding].pattern, repaired)
        return sum(len(self._one_piece_encoding.encode_ordinary(word.group())) for word in words)

    @cached_property
    def _encoding(self) -> tiktoken.Encoding:
        return vocabulary.encoding(self.encoding)

    @cached_property
    def _one_piece_encoding(self) -> tiktoken.Encoding:
        return vocabulary.one_piece_encoding(self.encoding)


def _batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Put small pieces together, so that each job of a thread is worth its hand-over."""
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece[1])
        if size >= CHUNK:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
