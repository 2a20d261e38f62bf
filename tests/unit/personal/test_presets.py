"""Viewing presets: which are offered, which is chosen, who may save, share and remove them."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.personal.presets import (
    ActivatePreset,
    ListPresets,
    PresetMenu,
    RemovePreset,
    RemoveSharedPreset,
    SavePreset,
    SharePreset,
)
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.domain.canvas import PromisedDeliverable
from core.domain.model import ProjectRole
from core.domain.presets import Preset
from core.domain.view_settings import (
    PREDEFINED,
    WORK,
    CardField,
    Density,
    Layout,
    PhaseSection,
    Sort,
    ViewPreset,
    ViewSettings,
)
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, InvalidInput, NotFound, RuleViolation
from core.record import replace
from core.rules.preset_fields import MAX_PRESETS
from tests.support.workspace import World


def save(world: World, name: str = "Mine", as_: Actor | None = None, **fields: Any) -> Preset:
    return world.do(SavePreset(project_id=world.project.id, name=name, **fields), as_)


def share(world: World, name: str = "Ours", **fields: Any) -> Preset:
    return world.do(SharePreset(project_id=world.project.id, name=name, **fields))


def choose(world: World, preset_id: str, as_: Actor | None = None) -> None:
    world.do(ActivatePreset(project_id=world.project.id, preset_id=preset_id), as_)


def menu(world: World, as_: Actor | None = None, project_id: str = "") -> PresetMenu:
    return world.ask(ListPresets(project_id=project_id or world.project.id), as_)


def looked_with(world: World, as_: Actor | None = None, project_id: str = "") -> str:
    """The name of the preset that the Canvas comes with."""
    return world.ask(GetCanvas(project_id=project_id or world.project.id), as_).preset.name


def test_the_six_of_the_specification_are_there_for_everyone_and_each_role_has_its_default(world: World) -> None:
    names = ["Overview", "My work", "Deadlines", "Delivery", "Applications", "Review"]
    for actor, default in ((world.maya, "OVERVIEW"), (world.bob, "OVERVIEW"), (world.vera, "REVIEW")):
        offered = menu(world, actor)
        assert [preset.name for preset in offered.presets] == names
        assert (offered.chosen, offered.default) == (default, default)
    assert looked_with(world) == "Overview"
    assert looked_with(world, world.vera) == "Review"


def test_every_predefined_preset_shows_cards() -> None:
    assert all(set(preset.viewing.sections) & set(WORK) for preset in PREDEFINED)


def test_a_choice_is_remembered_for_one_person_on_one_project(world: World) -> None:
    other = world.new_project("Autumn launch")
    choose(world, "DELIVERY")
    assert looked_with(world) == "Delivery"
    assert looked_with(world, world.bob) == "Overview"
    assert looked_with(world, project_id=other.id) == "Overview"
    choose(world, "APPLICATIONS")
    assert world.row("active_preset")["preset_id"] == "APPLICATIONS"
    choose(world, "")
    assert world.rows("SELECT * FROM active_preset") == []
    assert looked_with(world) == "Overview"
    choose(world, "")


def test_a_new_role_brings_its_default_until_something_is_chosen(world: World) -> None:
    change = SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER)
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.do(change)
    assert looked_with(world, world.bob) == "Review"
    answer = world.ask(GetCanvasChanges(project_id=world.project.id, since=since), world.bob)
    assert answer is not None
    assert answer.preset == PREDEFINED[5]


def test_a_preset_of_my_own_is_there_on_all_my_projects_and_only_for_me(world: World) -> None:
    preset = save(
        world,
        "Late  things",
        layout=Layout.TABLE,
        fields=(CardField.DUE, CardField.ASSIGNEES, CardField.DUE),
        sections=(PhaseSection.TASKS, PhaseSection.OBJECTIVES),
        filter=" launch ",
        sort=Sort.DUE,
        density=Density.COMPACT,
    )
    row = world.row("preset", id=preset.id)
    assert (row["name"], row["project_id"], row["owner_id"]) == ("Late things", "workspace", world.maya.user_id)
    assert preset.viewing == ViewSettings(
        Layout.TABLE,
        (CardField.ASSIGNEES, CardField.DUE),
        (PhaseSection.OBJECTIVES, PhaseSection.TASKS),
        "launch",
        Sort.DUE,
        Density.COMPACT,
    )
    other = world.new_project("Autumn launch")
    (offered,) = menu(world, project_id=other.id).presets[6:]
    assert offered == ViewPreset(preset.id, "Late things", preset.viewing, own=True)
    assert len(menu(world, world.bob).presets) == 6
    with pytest.raises(NotFound):
        choose(world, preset.id, world.bob)
    assert world.rows("SELECT * FROM change WHERE message = 'SavePreset'") == []


def test_a_shared_preset_is_there_for_everyone_on_its_project_and_can_be_undone(world: World) -> None:
    preset = share(world, sections=(PhaseSection.TASKS,))
    assert world.last_change()["summary"] == "shared the preset “Ours”"
    choose(world, preset.id, world.vera)
    assert looked_with(world, world.vera) == "Ours"
    other = world.new_project("Autumn launch")
    assert len(menu(world, project_id=other.id).presets) == 6
    world.do(Undo(project_id=world.project.id))
    assert looked_with(world, world.vera) == "Review"
    world.do(Redo(project_id=world.project.id))
    assert looked_with(world, world.vera) == "Ours"


def test_a_user_of_a_removed_preset_sees_the_default_until_it_is_back(world: World) -> None:
    preset = share(world)
    choose(world, preset.id, world.bob)
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.do(RemoveSharedPreset(project_id=world.project.id, preset_id=preset.id))
    assert looked_with(world, world.bob) == "Overview"
    answer = world.ask(GetCanvasChanges(project_id=world.project.id, since=since), world.bob)
    assert answer is not None
    assert answer.preset == PREDEFINED[0]
    world.do(Undo(project_id=world.project.id))
    assert looked_with(world, world.bob) == "Ours"
    mine = save(world)
    choose(world, mine.id)
    world.do(RemovePreset(project_id=world.project.id, preset_id=mine.id))
    assert looked_with(world) == "Overview"


def test_other_changes_say_nothing_of_presets(world: World) -> None:
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.task()
    answer = world.ask(GetCanvasChanges(project_id=world.project.id, since=since))
    assert answer is not None
    assert answer.preset is None


def test_a_preset_is_saved_again_at_the_version_that_was_seen(world: World) -> None:
    mine, ours = save(world), share(world)
    again = SavePreset(project_id=world.project.id, preset_id=mine.id, name="MINE", sort=Sort.TITLE, seen_version=1)
    assert world.do(again).sort is Sort.TITLE
    edited = world.do(SharePreset(project_id=world.project.id, preset_id=ours.id, name="Ours", seen_version=1))
    assert edited == ours
    world.refuses(replace(again, preset_id=ours.id, seen_version=None), NotFound)
    world.refuses(SharePreset(project_id=world.project.id, preset_id=mine.id, name="Theirs"), NotFound)
    world.refuses(RemovePreset(project_id=world.project.id, preset_id=ours.id), NotFound)
    with pytest.raises(NotFound):
        save(world, "Stolen", world.bob, preset_id=mine.id)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"name": "over\x1bview"}, "name"),
        ({"name": "mine"}, "name"),
        ({"name": "OVERVIEW"}, "name"),
        ({"sections": ()}, "sections"),
        ({"sections": (PhaseSection.OBJECTIVES, PhaseSection.ARCHIVED)}, "sections"),
        ({"filter": "x" * 501}, "filter"),
        ({"filter": "a\u202eb"}, "filter"),
        ({"filter": "assignee:"}, "filter"),
        ({"filter": "nonsense:me"}, "filter"),
    ],
)
def test_what_cannot_be_a_preset_is_refused_and_nothing_is_written(
    world: World, fields: dict[str, Any], field: str
) -> None:
    save(world, "Mine")
    with pytest.raises(InvalidInput) as refused:
        save(world, **{"name": "Other"} | fields)
    assert refused.value.field == field
    assert len(world.rows("SELECT * FROM preset")) == 1


def test_the_same_name_may_be_mine_and_shared_but_neither_twice(world: World) -> None:
    save(world, "Launch")
    share(world, "Launch")
    save(world, "Launch", world.bob)
    with pytest.raises(InvalidInput):
        share(world, "lAUNCH")


def test_undo_brings_no_second_preset_of_one_name(world: World) -> None:
    ours = share(world, "Ours")
    world.do(SharePreset(project_id=world.project.id, preset_id=ours.id, name="Theirs"))
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(SharePreset(project_id=world.project.id, name="Ours"), world.bob)
    world.do(Undo(project_id=world.project.id))
    world.refuses(Undo(project_id=world.project.id), RuleViolation, "same name")


def test_there_are_only_so_many(world: World) -> None:
    for number in range(MAX_PRESETS):
        save(world, f"Preset {number}")
    with pytest.raises(RuleViolation, match="at most 30 presets"):
        save(world, "One more")
    assert share(world)


def test_only_owners_share_but_everyone_saves_for_themselves_even_in_the_archive(world: World) -> None:
    for actor in (world.bob, world.vera):
        world.refuses(SharePreset(project_id=world.project.id, name="Ours"), Forbidden, as_=actor)
        assert save(world, as_=actor)
    ours = share(world)
    world.refuses(RemoveSharedPreset(project_id=world.project.id, preset_id=ours.id), Forbidden, as_=world.bob)
    world.do(ArchiveProject(project_id=world.project.id))
    choose(world, ours.id, world.vera)
    with pytest.raises(RuleViolation):
        share(world, "Later")
    world.do(DeleteProject(project_id=world.project.id))
    assert [row["owner_id"] for row in world.rows("SELECT * FROM preset ORDER BY id")] == [
        world.bob.user_id,
        world.vera.user_id,
    ]
    assert world.rows("SELECT * FROM active_preset") == []


def test_the_canvas_names_the_deliverables_of_each_phase_in_their_order(world: World) -> None:
    first, _ = (world.do(AddDeliverable(phase_id=world.build.id, name=name)) for name in ("Plan", "Film"))
    world.do(Deliver(deliverable_id=first.id))
    columns = world.ask(GetCanvas(project_id=world.project.id)).head.columns
    assert columns[1].promised == (PromisedDeliverable("Plan", True), PromisedDeliverable("Film", False))
    assert (columns[1].deliverables_done, columns[1].deliverables) == (1, 2)
    assert columns[0].promised == ()
