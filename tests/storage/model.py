"""What a conversation should be, as plain lists and dicts, and random steps for both."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from studio_qt.engine.storage import Conversation

__all__ = ["Model", "Step", "perform", "random_step", "seen"]

Step: TypeAlias = tuple[Any, ...]
AGENTS = ("t.dice", "t.memory", "studio.sub.t.memory")


@dataclass
class Model:
    """The expected state; entries without their times."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    stores: dict[str, str] = field(default_factory=dict)
    counter: int = 0
    tokens: int = 0
    title: str = ""
    draft: str = ""
    last_entry: int = 0
    last_turn: int = 0

    @classmethod
    def of(cls, conversation: Conversation) -> Model:
        """The model of a conversation that was just opened."""
        facts = seen(conversation)
        model = cls(**facts)
        model.last_entry = conversation._state.last_entry
        model.last_turn = conversation._state.last_turn
        return model

    def copy(self) -> Model:
        return Model(**{**vars(self), "entries": list(self.entries), "stores": dict(self.stores)})

    def do(self, step: Step) -> None:
        getattr(self, f"do_{step[0]}")(*step[1:])

    def do_append(self, role: str, content: str) -> None:
        if role == "user":
            self.last_turn += 1
            turn = self.last_turn
            self.title = self.title or " ".join(content.split())
        else:
            turn = self.entries[-1]["turn"] if self.entries else 0
        if role == "assistant":
            self.draft = ""
        self.last_entry += 1
        entry = {"role": role, "content": content, "id": f"e{self.last_entry}", "turn": turn}
        self.entries.append(entry)

    def do_amend(self, at: int, content: str) -> None:
        self.entries[at] = {**self.entries[at], "content": content}

    def do_cut(self, start: int, stop: int) -> None:
        del self.entries[start:stop]

    def do_draft(self, text: str) -> None:
        self.draft += text

    def do_put(self, agent: str, text: str) -> None:
        self.stores[agent] = text

    def do_remove(self, agent: str) -> None:
        self.stores.pop(agent, None)

    def do_issue(self) -> None:
        self.counter += 1

    def do_spend(self, count: int) -> None:
        self.tokens += count

    def do_title(self, title: str) -> None:
        self.title = title

    def do_turn(self, turn: int) -> None:
        pass

    def do_checkpoint(self) -> None:
        pass

    def reopen(self) -> None:
        """What opening does: a draft becomes a stopped reply."""
        if self.draft:
            self.do_append("assistant", self.draft)
            self.entries[-1]["stopped"] = True

    def facts(self) -> dict[str, Any]:
        """Everything that `seen` gives of a conversation."""
        return {
            "entries": self.entries,
            "stores": self.stores,
            "counter": self.counter,
            "tokens": self.tokens,
            "title": self.title,
        }


def seen(conversation: Conversation) -> dict[str, Any]:
    """What a conversation holds, without times."""
    entries = [{k: v for k, v in e.items() if k != "time"} for e in conversation.entries()]
    return {
        "entries": entries,
        "stores": {a: conversation.store_text(a) for a in conversation.store_ids},
        "counter": conversation.last_tool_call_id,
        "tokens": conversation.agent_tokens,
        "title": conversation.title,
    }


async def perform(conversation: Conversation, step: Step) -> None:
    """Do a step with a real conversation."""
    match step:
        case ("append", role, content):
            conversation.append({"role": role, "content": content})
        case ("amend", at, content):
            conversation.amend(at, {"content": content})
        case ("cut", start, stop):
            conversation.replace(start, stop, (), reason="cut")
        case ("draft", text):
            conversation.draft(text)
        case ("put", agent, text):
            await conversation.put_store(agent, text, cause="test")
        case ("remove", agent):
            await conversation.remove_store(agent)
        case ("issue",):
            await conversation.issue_tool_call_id()
        case ("spend", count):
            conversation.spend_agent_tokens(count)
        case ("title", title):
            conversation.rename(title)
        case ("turn", turn):
            conversation.mark_turn_end(turn)
        case ("checkpoint",):
            await conversation.checkpoint()
        case _:
            raise AssertionError(step)


def random_step(chance: random.Random, model: Model) -> Step:
    """A step that the state allows; the same for the same chance and state."""
    kind = chance.choices(
        ["append", "put", "issue", "draft", "amend", "cut", "spend", "checkpoint", "remove"],
        [30, 30, 10, 20, 5, 2, 5, 8, 1],
    )[0]
    size = len(model.entries)
    match kind:
        case "append":
            role = chance.choice(["user", "assistant", "tool", "log"])
            return ("append", role, f"word{chance.randrange(1000)}")
        case "put":
            agent = chance.choice(AGENTS)
            return ("put", agent, _store(chance, model.stores.get(agent, "")))
        case "amend" if size:
            return ("amend", chance.randrange(size), f"other{chance.randrange(1000)}")
        case "cut" if size:
            start = chance.randrange(size)
            return ("cut", start, min(size, start + chance.randrange(3)))
        case "remove":
            return ("remove", chance.choice(AGENTS))
        case "draft":
            return ("draft", f"piece{chance.randrange(10)} ")
        case "spend":
            return ("spend", chance.randrange(1, 100))
        case "checkpoint":
            return ("checkpoint",)
    return ("issue",)


def _store(chance: random.Random, old: str) -> str:
    """A text that differs from the old one; now and then large, mostly a small change."""
    number = chance.randrange(1_000_000)
    if not old or chance.random() < 0.1:
        filler = "x" * chance.choice([10, 1000, 100_000])
        return f'{{"n":{number},"f":"{filler}"}}'
    return f'{{"n":{number}{old[old.index(",") :]}'
