"""Editing an access list that is in use: entry by entry, nobody authorised cut off, nobody else let in.

Who goes before who comes: a link has room for either, and perhaps not for both. But an entry that shares packets with a new
one goes after it: a source whose entry is replaced by a narrower one is never without either.
Never `no ipv6 access-list` while it is referenced (ios-facts 2.7).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from provisioning.pipeline.mqc import (
    DENIES_THE_REST,
    LAST_PLACE,
    AccessEntry,
    AccessList,
    beyond,
    closes,
    permits,
    sharing,
)

_HIGHEST = 4294967294
_STEP = 10


@dataclass(frozen=True, slots=True)
class AccessEdit:
    """Entries to add, then entries to remove, and the list that is there afterwards.

    `by_words` when the numbers of either list are not known: then lines name entries by their words.
    """

    added: tuple[AccessEntry, ...]
    removed: tuple[AccessEntry, ...]
    result: AccessList
    by_words: bool

    @property
    def come(self) -> tuple[str, ...]:
        """The permit entries it adds but for those the list lets in already: who is newly authorised."""
        added = {entry.text for entry in self.added}
        kept = (entry for entry in self.result.entries if entry.text not in added)
        return beyond(permits(self.added), permits((*kept, *self.removed)))

    @property
    def go(self) -> tuple[str, ...]:
        """The permit entries it removes but for those the list goes on to let in."""
        return beyond(permits(self.removed), permits(self.result.entries))

    def in_steps(
        self, current: AccessList, elsewhere: Iterable[str] = (), *, alone: bool = True
    ) -> tuple[AccessEdit, ...]:
        """The edit of `current` as one that lets nobody new in, where somebody can go first, and the rest of it.

        First goes who shares no packet with who comes, here or on other lists (`elsewhere`). What a list of none does is not
        known (ios-facts 2.7): where nothing else stays, the list ends meanwhile by denying the rest. Where entries are named by
        their words a new one comes last, after such an end, and where the list is not `alone` in its policies EF would have the
        rates of the others only: there the last that goes waits for the first that comes.
        """
        meeting = sharing(permits(self.removed), (*permits(self.added), *elsewhere))
        first = [entry for entry in self.removed if entry.action == "permit" and entry.text not in meeting]
        left = _without(current, first)
        closing: tuple[AccessEntry, ...] = ()
        if first and not _decides(left):
            if self.by_words or not alone:
                first.pop()
                left = _without(current, first)
            else:
                numbers = [entry.sequence for entry in (*current.entries, *self.added)]
                closing = (
                    AccessEntry(max([LAST_PLACE, *(number + 1 for number in numbers)]), DENIES_THE_REST[6]),
                )
                left = dataclasses.replace(left, entries=(*left.entries, *closing))
        if not first or not self.come:
            return (self,)
        gone = set(first)
        rest = (*(entry for entry in self.removed if entry not in gone), *closing)
        return (
            AccessEdit(closing, tuple(first), left, self.by_words),
            dataclasses.replace(self, removed=rest),
        )


def same_meaning(left: AccessList, right: AccessList) -> bool:
    """Whether two lists authorise the same: the same entries in order, or in any order where only permits are."""
    if (left.family, left.standard) != (right.family, right.standard):
        return False
    left, right = without_repeats(left), without_repeats(right)
    if _texts(left) == _texts(right):
        return True
    return _simple(left) and _by_set(left) == _by_set(right)


def unnumbered(access_list: AccessList) -> bool:
    """Whether entries have to be named by their words: the numbers are not known.

    Old trains print none in IPv4 lists. In IPv6 lists a remark is printed without its number, and whether it takes
    a place on the grid of the others differs (ios-facts N32, N33, N35).
    """
    return access_list.family == 4 or any(entry.action == "remark" for entry in access_list.entries)


def settled(access_list: AccessList) -> AccessList:
    """The list as far as routers agree on it, to tell whether it is still the same list.

    Without numbers where they are not known, and there without the order of permits, which decides nothing: an entry
    that was taken out and put back comes last. Each entry once.
    """
    once = without_repeats(access_list)
    if not unnumbered(access_list):
        return once
    entries = list(once.entries)
    if _simple(once):
        closing = [entries.pop()] if closes(once) else []
        entries = [*sorted(entries, key=lambda entry: entry.text), *closing]
    numbers = range(_STEP, _STEP * len(entries) + 1, _STEP)
    again = (AccessEntry(number, entry.text) for number, entry in zip(numbers, entries, strict=True))
    return dataclasses.replace(access_list, entries=tuple(again))


def edit(current: AccessList, wanted: AccessList) -> AccessEdit | None:
    """The edit from `current` to `wanted`, or None when order matters and cannot be had without a new list."""
    if (current.family, current.standard) != (wanted.family, wanted.standard):
        return None
    if not (_simple(current) and _simple(wanted)) or not (_decides(current) and _decides(wanted)):
        return None
    by_words = unnumbered(current)
    if (by_words and closes(current)) or by_words != unnumbered(wanted):
        # A remark that comes or goes takes the known numbers of the others with it, and the exact way back.
        return None
    kept: dict[int, int] = {}  # index in wanted -> index in current
    matcher = SequenceMatcher(a=_texts(current), b=_texts(wanted), autojunk=False)
    for block in matcher.get_matching_blocks():
        kept.update({block.b + step: block.a + step for step in range(block.size)})
    stays = set(kept.values())
    moved = {entry.text for index, entry in enumerate(wanted.entries) if index not in kept} & {
        entry.text for index, entry in enumerate(current.entries) if index not in stays
    }
    removed = tuple(
        entry for index, entry in enumerate(current.entries) if index not in stays and entry.text not in moved
    )
    if by_words and any("?" in entry.text for entry in removed):
        return None  # a router prints help there: it cannot be named by its words
    used = {entry.sequence for entry in current.entries}
    added: list[AccessEntry] = []
    low = 0
    for index, entry in enumerate(wanted.entries):
        if index in kept:
            low = max(low, current.entries[kept[index]].sequence)
        elif entry.text not in moved:
            # By words a new entry always comes last.
            sequence = max(used) + _STEP if by_words else _place(current, wanted, kept, index, low, used)
            if sequence is None:
                return None
            used.add(sequence)
            low = sequence
            added.append(AccessEntry(sequence, entry.text))
    gone = {(entry.sequence, entry.text) for entry in removed}
    entries = (*(entry for entry in current.entries if (entry.sequence, entry.text) not in gone), *added)
    return AccessEdit(
        tuple(added),
        removed,
        AccessList(current.name, current.family, entries, current.standard),
        by_words,
    )


def _place(
    current: AccessList, wanted: AccessList, kept: dict[int, int], index: int, low: int, used: set[int]
) -> int | None:
    """A free number for wanted entry `index`: its own where that keeps the order, else between its neighbours."""
    entry = wanted.entries[index]
    following = [current.entries[at].sequence for place, at in kept.items() if place > index]
    closing = current.entries[-1].sequence if closes(current) else _HIGHEST
    high = min([*following, closing]) if entry.action != "deny" else _HIGHEST
    floor = max([low, *used]) if entry.action == "deny" else low
    if floor < entry.sequence < high and entry.sequence not in used:
        return entry.sequence
    free = next((number for number in _candidates(floor, high) if number not in used), None)
    if free is not None:
        return free
    # Only permits: where among them it stands changes nothing, as long as it is before a closing deny.
    if not closes(current):
        return max(used) + _STEP
    return next((number for number in range(closing - 1, 0, -1) if number not in used), None)


def _candidates(low: int, high: int) -> list[int]:
    """Numbers strictly between, the roomiest first."""
    if high - low > 2 * _STEP:
        first = [low - low % _STEP + _STEP]
    else:
        first = [(low + high) // 2] if high - low > 1 else []
    return [number for number in first if low < number < high] + list(range(low + 1, min(high, low + 1000)))


def _without(access_list: AccessList, gone: Iterable[AccessEntry]) -> AccessList:
    left_out = set(gone)
    kept = tuple(entry for entry in access_list.entries if entry not in left_out)
    return dataclasses.replace(access_list, entries=kept)


def without_repeats(access_list: AccessList) -> AccessList:
    """The list with each entry once: the second of two equal ones never meets a packet."""
    texts = _texts(access_list)
    if len(set(texts)) == len(texts):
        return access_list
    first = {entry.text: entry for entry in reversed(access_list.entries)}
    kept = tuple(entry for entry in access_list.entries if first[entry.text] is entry)
    return dataclasses.replace(access_list, entries=kept)


def _decides(access_list: AccessList) -> bool:
    """Whether any entry meets packets: what a list of none, or of remarks only, does is not known (ios-facts 2.7)."""
    return any(entry.decides for entry in access_list.entries)


def _texts(access_list: AccessList) -> list[str]:
    return [entry.text for entry in access_list.entries]


def _simple(access_list: AccessList) -> bool:
    """Only permits and remarks, each once, but for a closing deny: then the order of entries decides nothing."""
    entries = access_list.entries[:-1] if closes(access_list) else access_list.entries
    texts = [entry.text for entry in entries]
    return len(set(texts)) == len(texts) and all(entry.action in ("permit", "remark") for entry in entries)


def _by_set(access_list: AccessList) -> tuple[frozenset[str], bool]:
    closed = closes(access_list)
    entries = access_list.entries[:-1] if closed else access_list.entries
    return frozenset(entry.text for entry in entries), closed
