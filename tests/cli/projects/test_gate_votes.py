"""``podium gate policy``, ``vote``, ``meeting``, ``criteria`` and ``condition``: a gate at which several decide."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.cli.conftest import CommandLine

SIGN = ("sml", "sign")


@pytest.fixture
def panel(run: CommandLine) -> CommandLine:
    """A project with a review gate at which two of Robin, Mara and Hanna decide."""
    run("project", "create", "Small", "--key", "SML")
    run("phase", "add", "sml", "Sign", "--gate", "review")
    run("phase", "add", "sml", "Ship", "--gate", "review")
    for member in ("mara", "hanna"):
        run("member", "add", "sml", member)
    said = run("gate", "policy", *SIGN, "--person", "robin", "--person", "mara", "--person", "hanna", "--needed", "2")
    assert said.stdout == "Deciders of “Sign”: 2 of Robin Ekholm, Mara Oduya and Hanna Lindqvist.\n"
    return run


def test_the_gate_is_decided_by_votes_which_every_command_says_in_words(panel: CommandLine) -> None:
    mara, hanna = panel.by("mara.oduya"), panel.by("hanna.lindqvist")
    assert panel("gate", "approve", *SIGN).stdout == "Your vote is in: 1 of 2 votes go.\n"
    assert "A vote “no” takes a reason" in mara("gate", "vote", *SIGN, "no", status=2).stderr
    said = mara("gate", "vote", *SIGN, "no", "--reason", "Too early").stdout
    assert said == "Your vote is in: 1 of 2 votes go, 1 no.\n"
    check = panel("gate", "check", *SIGN).stdout.splitlines()
    assert check[1:5] == [
        "  Who decides: 2 of Robin Ekholm, Mara Oduya and Hanna Lindqvist.",
        "  Robin Ekholm: go",
        "  Mara Oduya: no: Too early",
        "  Hanna Lindqvist: –",
    ]
    answer = panel.json("gate", "check", *SIGN)
    assert (answer["state"], answer["votes"], answer["needed"]) == ("READY", "1 of 2 votes go, 1 no", 2)
    condition = ("--condition", "Name cleared", "--person", "mara", "--due", "+2w")
    assert "new condition" in hanna("gate", "vote", *SIGN, "go-if", *condition, "--dry-run").stdout
    assert hanna("gate", "vote", *SIGN, "go-if", *condition).stdout == "“Sign” is approved.\n"
    assert "(if “Name cleared”, by Mara Oduya until" in panel("gate", "record", "sml").stdout
    (found,) = panel.json("gate", "condition", "list", "sml")["data"]
    assert (found["state"], found["person"], found["gate"]) == ("open", "Mara Oduya", "Sign")
    assert "Condition “Name cleared” for Mara Oduya" in panel("gate", "check", "sml", "ship", status=1).stdout
    panel("gate", "condition", "waive", "sml", "name cleared", "--reason", "Not sold there")
    assert "waived by Robin Ekholm" in panel("gate", "check", "sml", "ship").stdout


def test_a_condition_is_waived_by_its_text_beside_an_earlier_one_and_is_in_no_template(
    panel: CommandLine,
) -> None:
    hanna = panel.by("hanna.lindqvist")
    vote = ("vote", *SIGN, "go-if", "--condition", "Name cleared", "--person", "mara", "--due", "+2w")
    waits = "Condition “Name cleared” for Mara Oduya, until "
    until = f"{date.today() + timedelta(weeks=2):%a %-d %b %Y}"
    for _ in range(2):
        asked = hanna("gate", *vote).stdout
        assert asked.endswith(f" It is a go if “Name cleared”, by Mara Oduya until {until}.\n")
        said = panel("gate", "policy", *SIGN).stdout.splitlines()
        assert [each.startswith(waits) for each in said] == [*[False] * 4, True]
    assert panel("gate", "approve", *SIGN).stdout == "“Sign” is approved.\n"
    states = [each["state"].split(":")[0] for each in panel.json("gate", "condition", "list", "sml")["data"]]
    assert states == ["dropped", "open"]
    waived = panel("gate", "condition", "waive", "sml", "name cleared", "--reason", "Not sold there").stdout
    assert waived == "Waived “Name cleared”.\n"
    panel("gate", "criteria", "add", "sml", "ship", "Signed", "--person", "robin")
    saved = panel("template", "save", "sml", "--name", "Small").stdout
    first, second = saved.splitlines()
    assert first.endswith(" Left out, as conditions of its gates: 1 card.")
    assert second.startswith("Robin Ekholm becomes Lead. What is assigned to Hanna Lindqvist and Mara Oduya")
    shown = panel("template", "show", "Small").stdout
    assert "  Decides: 2 of " in shown
    assert "  Criterion: Signed  (met by hand by Lead)" in shown
    assert "Name cleared" not in shown


def test_a_policy_keeps_what_is_not_named_and_says_who_decides(panel: CommandLine) -> None:
    def policy(*words: str) -> str:
        said = panel("gate", "policy", *SIGN, *words).stdout
        return said.removeprefix("Deciders of “Sign”: ").removeprefix("Who decides: ").splitlines()[0]

    three = "Robin Ekholm, Mara Oduya and Hanna Lindqvist"
    assert policy("--four-eyes", "--secretary", "robin") == f"2 of {three}, four eyes, secretary Robin Ekholm."
    assert policy("--needed", "all", "--no-four-eyes") == f"all of {three}, secretary Robin Ekholm."
    assert policy() == f"all of {three}, secretary Robin Ekholm."
    assert policy("--role", "lead", "--secretary", "none") == "all of the 1 with the meta role “Lead”."
    assert policy("--deciders", "owners", "--needed", "1") == "1 of the 1 owners."
    before = panel.json("gate", "policy", *SIGN)
    assert (before["policy"]["deciders"], before["policy"]["metaRoleId"]) == ("OWNERS", None)
    assert "needed" in panel("gate", "policy", *SIGN, "--needed", "all", "--dry-run").stdout
    assert panel.json("gate", "policy", *SIGN) == before
    assert policy("--remove") == "an owner."
    assert "has no policy" in panel("gate", "policy", *SIGN, "--remove", status=1).stderr


def test_criteria_are_added_met_and_removed(panel: CommandLine) -> None:
    panel("task", "add", "sml", "ship", "Contract")
    panel("field", "add", "sml", "Cost", "number")
    panel("gate", "criteria", "add", "sml", "ship", "All is done", "--filter", "type:task")
    panel(
        "gate", "criteria", "add", "sml", "ship", "In budget", "--filter", "type:task", "--sum", "cost", "--at-most=9"
    )
    panel("gate", "criteria", "add", "sml", "ship", "Signed", "--person", "mara")
    panel("gate", "criteria", "edit", "sml", "ship", "signed", "--text", "Signed by all")
    check = panel("gate", "check", "sml", "ship", status=1).stdout
    assert "“Signed by all” is not met: Mara Oduya has to say so. (in Ship; Mara Oduya can help)" in check
    assert "Only that person" in panel("gate", "criteria", "meet", "sml", "ship", "signed", status=1).stderr
    mara = panel.by("mara.oduya")
    assert mara("gate", "criteria", "meet", "sml", "ship", "signed").stdout == "“Signed by all” is met.\n"
    found = panel.json("gate", "criteria", "list", "sml", "ship")["data"]
    kinds = [(each["criterion"]["kind"], each["isMet"]) for each in found]
    assert kinds == [("CLOSED", False), ("SUM", True), ("HAND", True)]
    assert "“Signed by all” is met" in panel("gate", "check", "sml", "ship", status=1).stdout
    mara("gate", "criteria", "take-back", "sml", "ship", "signed")
    panel("gate", "criteria", "remove", "sml", "ship", "in budget")
    panel("gate", "override", "sml", "ship", "--reason", "Legal is slow")
    why = ("--reason", "The board asks")
    for words in (("add", "Paid", "--person", "mara"), ("edit", "signed", "--text", "Sealed"), ("remove", "signed")):
        command = ("gate", "criteria", words[0], "sml", "ship", *words[1:])
        assert "so say why" in panel(*command, status=2).stderr
        assert "The board asks" in panel(*command, *why, "--dry-run", "--json").stdout
    panel("gate", "criteria", "remove", "sml", "ship", "signed", *why)
    lines = panel("gate", "criteria", "list", "sml", "ship").stdout.splitlines()
    assert [each.split("  ")[0] for each in lines] == ["CRITERION", "All is done"]


def test_a_hold_is_lifted_and_a_stopped_project_restored_with_reasons(panel: CommandLine) -> None:
    assert panel("gate", "hold", *SIGN, "--reason", "Legal").stdout == "“Sign” is held.\n"
    assert "it is held by Robin Ekholm" in panel("gate", "approve", *SIGN, status=1).stderr
    assert "takes a reason" in panel("gate", "lift", *SIGN, status=2).stderr
    assert panel("gate", "lift", *SIGN, "--reason", "Clear").stdout == "The hold of “Sign” is lifted.\n"
    for voter in ("mara.oduya", "hanna.lindqvist"):
        said = panel.by(voter)("gate", "stop", *SIGN, "--reason", "No budget").stdout
    assert said == "Your vote is in: 0 of 2 votes go, 2 to stop. An owner can stop the project now.\n"
    stopped = panel("gate", "stop", *SIGN, "--reason", "No budget").stdout
    assert stopped == "“Sign” is stopped. Its project is archived.\n"
    assert "Say why it goes on" in panel("project", "restore", "sml", status=2).stderr
    panel("project", "restore", "sml", "--reason", "The budget is back")
    assert "The budget is back" in panel("gate", "record", "sml").stdout


def test_a_secretary_records_a_meeting_which_a_named_person_contradicts(panel: CommandLine) -> None:
    panel("gate", "policy", *SIGN, "--secretary", "robin")
    votes = ("--vote", "robin=go", "--vote", "mara=go-if:Name: cleared:hanna:+2w", "--vote", "hanna=no:Too early")
    said = panel("gate", "meeting", *SIGN, "--day", "today", *votes).stdout
    assert said == "“Sign” is approved.\n"
    (found,) = panel.json("gate", "condition", "list", "sml")["data"]
    assert (found["condition"]["text"], found["person"]) == ("Name: cleared", "Hanna Lindqvist")
    assert "recorded by Robin Ekholm, not voted" in panel("gate", "record", "sml").stdout
    hanna = panel.by("hanna.lindqvist")
    assert "Say what is not true" in hanna("gate", "contradict", *SIGN, status=2).stderr
    ended = hanna("gate", "contradict", *SIGN, "--reason", "I said go").stdout
    assert ended == "The approval of “Sign” has ended.\n"


BAD = {
    "policy --needed 0": "takes 1 vote or more, at most 1,000, or all, not 0",
    "policy --needed some": "--needed takes a number of votes, or “all”",
    "policy --needed 4": "3 on its panel, and this takes 4",
    "policy --by 2020-01-01": "The day to decide by is past",
    "policy --by soon": "cannot be read as a date",
    "policy --deciders role": "Name a meta role",
    "policy --deciders people --role lead": "Name a meta role where its holders decide, and nowhere else",
    "policy --remove --four-eyes": "--remove takes the whole policy away",
    "vote perhaps": "“perhaps” is not one of “go”, “go-if”",
    "vote stop": "A vote “stop” takes a reason",
    "vote go --condition X": "A vote “go” takes no condition",
    "vote go-if --condition X --due +2w": "Who meets the condition?",
    "vote go-if --condition X --person mara": "Give the condition a day",
    "vote go-if --person mara --due +2w": "condition",
    "vote go-if --condition X --person mara --due 2020-01-01": "Wed 1 Jan 2020 is in the past. Give the condition",
    "meeting --day 2020-01-01 --vote mara": "--vote “mara” is none. Write PERSON=go",
    "meeting --day 2020-01-01 --vote mara=go-if:X": "--vote “mara=go-if:X” is none",
    "criteria-add X": "A criterion that asks for closed cards needs a filter",
    "criteria-add X --filter due:": "due",
    "criteria-add X --filter me:x": "me",
    "criteria-add X --filter type:task --sum cost --at-most -1": "The limit cannot be below 0",
    "criteria-add X --filter type:task --at-most 1 --at-least 2": "Give one limit",
    "criteria-add X --filter type:task --sum nothing --at-most 1": "nothing",
    "criteria-add X --person mara --filter type:task": "filter",
}
"""Words that are typed wrong, and a part of the one sentence that says so."""

ABSENT = {
    "policy --role nobodies": "There is no meta role “nobodies”",
    "policy --person zoe": "“zoe”",
    "policy --secretary zoe": "“zoe”",
    "vote go-if --condition X --due +2w --person zoe": "“zoe”",
    "meeting --day today --vote zoe=go": "“zoe”",
    "criteria-add X --person zoe": "“zoe”",
}
"""Words that name a person or a role that is not there."""


def test_a_day_of_a_meeting_is_the_latest_such_day_and_one_to_decide_by_says_its_year(panel: CommandLine) -> None:
    panel("gate", "policy", *SIGN, "--secretary", "robin")
    votes = ("--vote", "robin=go", "--vote", "mara=go")
    for typed in ("1 jan", f"{date.today():%a}"):
        meeting = panel.json("gate", "meeting", *SIGN, "--day", typed, *votes)["meeting"]
        assert meeting == (f"{date.today().year}-01-01" if typed == "1 jan" else date.today().isoformat())
        panel("undo", "sml")
    day = (date.today().replace(day=1) - timedelta(days=1)).replace(day=2)
    said = panel("gate", "policy", *SIGN, "--by", f"{day:%-d %b}", "--reason", "The board asks").stdout
    assert f"by {day:%-d %b} {date.today().year + (day.year == date.today().year)}" in said


def test_each_wrong_value_is_refused_with_one_sentence_that_names_it(panel: CommandLine) -> None:
    panel("field", "add", "sml", "Cost", "number")
    before = panel.json("gate", "check", *SIGN)
    wrong = {}
    for status, cases in ((2, BAD), (6, ABSENT)):
        for words, part in cases.items():
            command, *rest = words.split()
            said = panel("gate", *command.split("-"), *SIGN, *rest, status=status).stderr
            sentences = [each for each in said.splitlines() if each and not each.startswith((" ", "Usage"))]
            if part not in said or len(sentences) != 1:
                wrong[words] = said
    assert wrong == {}
    assert panel.json("gate", "check", *SIGN) == before
