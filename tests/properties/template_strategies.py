"""Random workflows for templates, and a workspace with a user for each of their roles."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any

from hypothesis import strategies as st

from core.actions.templates.apply import CreateProjectFromTemplate, RoleAssignment
from core.actions.templates.templates import ListTemplates
from core.actions.workspace.meta_roles import SEEDED
from core.actions.workspace.users import AddUser
from core.domain.gate_policy import CriterionKind, Deciding
from core.domain.model import Gate, Id, ItemKind, Project
from core.domain.templates import (
    Template,
    TemplateApplication,
    TemplateBody,
    TemplateCriterion,
    TemplateItem,
    TemplatePhase,
    TemplatePolicy,
    TemplateVersion,
)
from core.engine.unit_of_work import Snapshot, new_id
from core.record import replace
from core.templates.capture import capture_workflow
from core.templates.json_format import outline, to_text
from core.templates.project_tree import read_project_tree
from tests.support.workspace import World

START = date(2026, 3, 2)
PRODUCTS = ("Asset library", "Planner")

NAMES = st.sampled_from(["Brief", "brief", "Plan", "Draft [b]it[/b]", "Läufe ✓", "O'Hara; DROP TABLE item"])
"""Few, so that some are there twice; none that is a letter short of being shown."""
TEXTS = st.sampled_from(["", "One line", "Two\nlines"])
DAYS = st.one_of(st.none(), st.integers(-30, 400))


def slots(most: int) -> Any:
    return st.lists(st.sampled_from(SEEDED), max_size=most, unique=True).map(lambda found: tuple(sorted(found)))


APPLICATIONS = st.builds(
    TemplateApplication, product=st.sampled_from(PRODUCTS), name=NAMES, due_days=DAYS, slots=slots(2)
)
TASKS = st.builds(
    TemplateItem, kind=st.just(ItemKind.TASK), title=NAMES, description=TEXTS, due_days=DAYS, slots=slots(1)
)
ACTIVITIES = st.builds(
    TemplateItem,
    kind=st.just(ItemKind.ACTIVITY),
    title=NAMES,
    description=TEXTS,
    link=st.sampled_from(["", "https://example.com/"]),
    due_days=DAYS,
    slots=slots(2),
    tasks=st.lists(TASKS, max_size=3).map(tuple),
    application=st.one_of(st.none(), APPLICATIONS),
)
PHASES = st.builds(
    TemplatePhase,
    name=NAMES,
    objectives=TEXTS,
    outcomes=TEXTS,
    deliverables=st.lists(NAMES, max_size=3).map(tuple),
    due_days=DAYS,
    slots=slots(2),
    items=st.lists(st.one_of(TASKS, ACTIVITIES), max_size=5).map(tuple),
    applications=st.lists(APPLICATIONS, max_size=2).map(tuple),
)
GATES = st.sampled_from([(Gate.AUTOMATIC, False), (Gate.REVIEW, False), (Gate.REVIEW, True)])
OWNERS, HOLDERS, NAMED = (st.just(each) for each in (Deciding.OWNERS, Deciding.META_ROLE, Deciding.PEOPLE))
DECIDERS = st.one_of(
    st.tuples(OWNERS, st.just(())),
    st.tuples(HOLDERS, slots(1).filter(bool)),
    st.tuples(NAMED, slots(3).filter(bool)),
)
POLICIES = st.builds(
    lambda deciders, **fields: TemplatePolicy(deciders=deciders[0], roles=deciders[1], **fields),
    DECIDERS,
    needed=st.sampled_from([None, 1]),
    four_eyes=st.booleans(),
    due_days=DAYS,
    secretary=st.sampled_from(["", *SEEDED]),
)
CRITERIA = st.one_of(
    st.builds(TemplateCriterion, text=NAMES, kind=st.just(CriterionKind.HAND), slots=slots(1)),
    st.builds(
        TemplateCriterion,
        text=NAMES,
        kind=st.just(CriterionKind.CLOSED),
        filter=st.sampled_from(["priority:high", "due:any -type:task"]),
        may_be_empty=st.booleans(),
    ),
)
GATED = st.builds(
    lambda phase, gate, words, policy, criteria: replace(
        phase,
        gate=gate[0],
        evidence_required=gate[1],
        no_statements=gate[1] and not words,
        policy=policy if gate[0] is Gate.REVIEW else None,
        criteria=tuple(criteria) if gate[0] is Gate.REVIEW else (),
    ),
    PHASES,
    GATES,
    st.booleans(),
    st.one_of(st.none(), POLICIES),
    st.lists(CRITERIA, max_size=2),
)
BODIES = st.builds(TemplateBody, phases=st.lists(GATED, min_size=1, max_size=4).map(tuple))


class Studio:
    """A world with two products, and a user for each meta role of the workspace."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.role: dict[str, Id] = {}
        for name in PRODUCTS:
            world.product(name)
        for name in SEEDED:
            user = world.do(AddUser(first_name=name, last_name="Stand-in", email=f"{name.lower()}@example.com"))
            self.role[name] = user.id
        self._made = 0

    def template(self, *bodies: TemplateBody) -> Template:
        """A template with these versions."""
        self._made += 1
        template = Template(id=new_id(), name=f"Template {self._made}", number=len(bodies))
        at = self.world.engine.clock()
        versions = (
            TemplateVersion(template_id=template.id, number=number, at=at, by_id=None, note="", body=to_text(body))
            for number, body in enumerate(bodies, 1)
        )
        self.world.insert(template, *versions)
        return template

    def project(self, template: Template, body: TemplateBody, roles: Collection[str] = SEEDED) -> Project:
        """A project made from its first version, with these of its roles filled."""
        filled = tuple(RoleAssignment(role, self.role[role]) for role in outline(body).slots if role in roles)
        made = self.world.do(
            CreateProjectFromTemplate(template_id=template.id, number=1, name="Made", start=START, slots=filled)
        )
        assert made.left_out == () or {*SEEDED} - {*roles}  # of a gate whose people are not there
        return made.project

    def body(self, project: Project) -> TemplateBody:
        """The project as a template would hold it, if it did not remember from which one it came."""
        maya, now = self.world.maya, self.world.engine.clock()
        return self.world.database.read(
            lambda tx: capture_workflow(read_project_tree(Snapshot(tx, maya, now, project.id), project))
        )


def built_in(world: World, name: str) -> Template:
    """A template that every workspace has."""
    return next(line.template for line in world.ask(ListTemplates()) if line.template.name == name)
