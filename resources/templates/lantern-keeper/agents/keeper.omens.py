"""
@agent keeper.omens
@version 1.0.0
@description Signs and sayings of the coast: what the date, the moon and the tea leaves hold for whoever believes in them.

@tool read_omens
@tool-description Read the omens: the tea leaves for a question, and what the coast says of the date and the moon. Call this when someone asks for an omen or a sign, about luck, fate, the moon or superstition, or has the leaves read. The same question has the same answer all night.
@tool-params {"type":"object","properties":{"question":{"type":"string","description":"What the sign is asked about. Leave it out for the night itself."},"date":{"type":"string","description":"Another day, as YYYY-MM-DD. Tonight if absent."}}}

@command @omen ask_omen

@api studio.context
@preload true
@hook conversationStart
@hook afterUserEdit
"""

import json
import random
import re
from calendar import month_name
from datetime import date, timedelta

# Store: {"night": "YYYY-MM-DD", "salt": int, "read": [{"question", "sign", "toolCallId"?}]}.
# `salt` makes the leaves of each conversation its own; with it, a question always has one answer.

FIRST_NIGHT = date(1930, 10, 31)
MAX_READ = 40
MAX_QUESTION = 200
MAX_SALT = 2**31
MONTHS = list(month_name)  # MONTHS[1] is January
WRECKS = ".wrecks.json"
NEAR = 7  # days before and after

NEW_MOON = date(2000, 1, 6)
MONTH = 29.530588  # days from one new moon to the next
PHASES = (
    "new: what is begun now is begun in the dark",
    "a thin moon, lying on her back: she holds the rain",
    "in her first quarter: lend nothing that you want to see again",
    "near the full: the nets will be heavy and the tempers short",
    "full: a spring tide, and the Skerry will have company",
    "past the full: what was hidden on the ebb is found on the flood",
    "in her last quarter: pay what you owe",
    "an old moon: a good night to mend, and a bad one to promise",
)
WEEKDAYS = (
    "Monday's boat is nobody's hurry.",
    "Tuesday's wind keeps its word.",
    "On a Wednesday count the crew twice.",
    "Thursday is for rope.",
    "Never cast off on a Friday.",
    "Saturday's stranger stays.",
    "Sunday's fish belongs to the sea.",
)
DAYS = {
    (10, 31): "It is All Hallows' Eve: leave one lamp for those who are still coming in.",
    (11, 1): "It is All Hallows: nobody counts the boats aloud.",
    (11, 2): "It is All Souls: set out a cup for each who did not come back.",
    (11, 3): "No boat of Graypoint sails on this day.",
    (12, 24): "It is Christmas Eve: nobody whistles on the causeway, least of all tonight.",
}
LEAVES = (
    ("a knot", "it holds if two pull", 3),
    ("a gull", "news, and soon", 3),
    ("a ladder", "someone goes down before anyone comes up", 2),
    ("a key", "it was never locked", 2),
    ("two lights, one beside the other", "do not steer by the nearer", 1),
    ("a fish without an eye", "something is being kept from you", 2),
    ("an anchor", "stay", 3),
    ("an oar", "go, but not alone", 3),
    ("nothing at all, only leaves", "ask again when you know what you want", 1),
)


# The player's calls


def on_load(store):
    night, asked = night_of(store), good(store.get("read"))
    lines = [f"## Omens\nTonight is {long_date(night)}. The moon is {phase(night)}."]
    told = dict.fromkeys(f"- asked “{one['question']}”: {one['sign']}" for one in asked)
    return "\n".join([*lines, *list(told)[-3:]])


async def on_tool_call(name, args, store, studio, context):
    if name != "read_omens":
        return f"[Unknown tool: {name}]"
    given = args if isinstance(args, dict) else {}
    try:
        day = day_from(given.get("date"), night_of(store))
    except ValueError:
        return "The date is not understood. Write it as YYYY-MM-DD, for example 1930-11-03."
    spoken = [saying(day), await anniversaries(day, studio)]
    if question := one_line(given.get("question"))[:MAX_QUESTION]:
        sign = leaves(question, store)
        note(store, question, sign, context)
        studio.log(f"Omen for “{question}”: {sign}")
        spoken.append(f"In the leaves: {sign}")
    return " ".join(text for text in spoken if text)


async def ask_omen(args, store, studio, context):
    """`@omen Shall we row out?`, `@omen night 1930-11-03`."""
    text = one_line(args)
    if not text:
        return "Write a question, or night and a date: @omen night 1930-11-03"
    if match := re.fullmatch(r"night\s+(\S+)", text, re.IGNORECASE):
        try:
            store["night"] = date.fromisoformat(match[1]).isoformat()
        except ValueError:
            return "The date is not understood. For example @omen night 1930-11-03"
        studio.log(f"The night is {long_date(night_of(store))}.")
        return None
    studio.toast(await on_tool_call("read_omens", {"question": text}, store, studio, context))
    return None


def on_conversation_start(event, store):
    store["night"] = night_of(store).isoformat()
    salt_of(store)


def on_after_user_edit(event, store):
    """What was asked in removed calls was not asked; the leaves would say the same again."""
    given = event.get("deletedToolCallIds") if isinstance(event, dict) else None
    gone = given if isinstance(given, list) else []
    store["read"] = [one for one in good(store.get("read")) if one.get("toolCallId", 0) not in gone]


# Signs


def leaves(question, store):
    """Return what lies in the cup: drawn by chance, but for one question always the same."""
    words = " ".join(re.findall(r"\w+", question.casefold()))
    chance = random.Random(f"{salt_of(store)} {night_of(store)} {words}")
    shape, meaning, _ = chance.choices(LEAVES, [weight for *_, weight in LEAVES])[0]
    return f"{shape}; {meaning}."


def saying(day):
    words = [f"{long_date(day)}.", WEEKDAYS[day.weekday()], DAYS.get((day.month, day.day), "")]
    return " ".join(text for text in (*words, f"The moon is {phase(day)}.") if text)


def phase(day):
    age = (day - NEW_MOON).days % MONTH
    return PHASES[round(age / MONTH * len(PHASES)) % len(PHASES)]


async def anniversaries(day, studio):
    """Return a sentence on the wrecks whose day comes round within a week, "" where none does."""
    found = []
    for name, lost in await wrecks(studio):
        try:
            days = min((lost.replace(year=day.year + n) - day for n in (-1, 0, 1)), key=abs).days
        except ValueError:  # 29 February, or the first and the last of all years
            continue
        if abs(days) <= NEAR and lost < day:
            found.append(
                (abs(days), days, f"{(day + timedelta(days)).year - lost.year} years", name)
            )
    said = [f"the {name}, {years}, {from_now(days)}" for _, days, years, name in sorted(found)]
    return f"Of those lost at this time of the year: {'; '.join(said)}." if said else ""


def from_now(days):
    if days == 0:
        return "today"
    count = "a day" if abs(days) == 1 else f"{abs(days)} days"
    return f"in {count}" if days > 0 else f"{count} ago"


async def wrecks(studio):
    """Return names and days of the wrecks that the book gives a whole date for."""
    try:
        book = json.loads(await studio.context.readFile(WRECKS) or "{}")
        listed = [one for part in book.values() if isinstance(part, list) for one in part]
        pairs = [(one_line(one["name"]), day_in(one["date"])) for one in listed]
    except (ValueError, AttributeError, KeyError, TypeError):
        return []  # somebody is writing the book anew
    return [(name, lost) for name, lost in pairs if name and lost]


# Days and stores


def day_in(text):
    """Return the date that a text like "4 November 1911, at night" begins with, or None."""
    match = re.match(r"(\d{1,2}) (\w+) (\d{4})", text)
    if not match or match[2] not in MONTHS:
        return None
    try:
        return date(int(match[3]), MONTHS.index(match[2]), int(match[1]))
    except ValueError:
        return None


def day_from(value, tonight):
    """Return the day that is meant; raises ValueError for what is none."""
    text = one_line(value).casefold()
    near = {"": 0, "tonight": 0, "today": 0, "tomorrow": 1, "yesterday": -1}
    if text not in near:
        return date.fromisoformat(text)
    try:
        return tonight + timedelta(near[text])
    except OverflowError as error:
        raise ValueError("there is no such day") from error


def long_date(day):
    return f"{day:%A} {day.day} {MONTHS[day.month]} {day.year}"


def night_of(store):
    try:
        return date.fromisoformat(store.get("night"))
    except (TypeError, ValueError):
        return FIRST_NIGHT


def salt_of(store):
    salt = store.get("salt")
    if type(salt) is not int or not 0 <= salt < MAX_SALT:
        salt = store["salt"] = random.SystemRandom().randrange(MAX_SALT)
    return salt


def note(store, question, sign, context):
    asked = {"question": question, "sign": sign}
    if type(context.get("toolCallId")) is int:
        asked["toolCallId"] = context["toolCallId"]
    store["read"] = [*good(store.get("read")), asked][-MAX_READ:]


def good(asked):
    """Return what is whole in a list of signs, whatever the store holds."""
    if not isinstance(asked, list):
        return []
    return [
        one
        for one in asked
        if isinstance(one, dict) and all(type(one.get(key)) is str for key in ("question", "sign"))
    ]


def one_line(value):
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""
