"""Projects for Meridian Tools: a product launch at its gate, an event under pressure, a fair that is over."""

from __future__ import annotations

from core.demo.story import (
    ApplicationStory,
    DeliverableStory,
    GateDecisionStory,
    PhaseStory,
    ProjectStory,
    doing,
    done,
    roles,
    todo,
)
from core.domain.model import Decision, Gate

DRILL_LAUNCH = ProjectStory(
    name="Torq T4 drill launch",
    description="Meridian's first cordless drill with a battery that fits the whole range. In shops on launch Monday.",
    brand="Torq",
    created=-41,
    owner="robin",
    members=roles(owners="priya", contributors="jonas hanna mara claire"),
    starred_by=("robin",),
    phases=(
        PhaseStory(
            name="Positioning",
            start=-40,
            until=-27,
            due=-26,
            objectives="Say in one sentence why a joiner should change the brand.",
            outcomes="“One battery. The whole van.”",
            hands=(
                DeliverableStory(
                    name="Message house", evidence="https://files.lighthouse.example/t4/message-house.pdf"
                ),
            ),
            cards=(
                done("Spend two days with joiners on site", "mara", -34),
                done("Compare prices of six competitors", "jonas", -33),
                done("Write the message house", "mara", -28),
            ),
        ),
        PhaseStory(
            name="Readiness",
            start=-26,
            until=-1.2,
            due=1,
            gate=Gate.REVIEW,
            objectives="Stock, shops, service and press all say yes on the same day.",
            outcomes="412 shops stocked, 60 demonstrators trained.",
            people=("robin", "priya"),
            hands=(
                DeliverableStory(name="Safety certificate", evidence="certificates/T4-EN-62841.pdf"),
                DeliverableStory(name="Launch film", evidence="https://files.lighthouse.example/t4/film.mp4"),
                DeliverableStory(
                    name="Shop training, 60 people", evidence="https://files.lighthouse.example/t4/training.csv"
                ),
            ),
            cards=(
                done("Safety test at the institute", "jonas", -15),
                done(
                    "Launch film",
                    due=-6,
                    people=("hanna", "jonas"),
                    tasks=(
                        done("Film on a real building site", "hanna", -12),
                        done("Subtitles in six languages", "hanna", -7),
                    ),
                ),
                done("Train 60 demonstrators", "priya", -5),
                done("First stock in 412 shops", "jonas", -3, said=(("claire", "Leeds confirms the last 18 shops."),)),
                done(
                    "Service manual and spare parts",
                    "priya",
                    -2,
                    said=(
                        ("priya", "All that is left is our own signature: the gate waits for a review."),
                        ("mara", "Read everything again last night. Ready from my side."),
                    ),
                ),
            ),
        ),
        PhaseStory(
            name="Launch week",
            start=2,
            until=9,
            due=9,
            objectives="3,000 drills in the first week, and not one empty shelf.",
            people=("priya", "hanna"),
            applications=(ApplicationStory(product="Asset library", name="Launch assets T4", people=("hanna",)),),
            hands=(DeliverableStory(name="Daily sales report"),),
            cards=(
                todo("Press event in Stuttgart", "mara", 5),
                todo("Demonstrations in 60 shops", "priya", 6),
                todo("Answer every question within the hour", "hanna", 9),
                todo("Restock the fast twenty shops", "jonas", 7),
                todo("Thank-you call to Claire's team", "robin", 9),
            ),
        ),
        PhaseStory(
            name="Follow-through",
            start=10,
            until=40,
            due=41,
            gate=Gate.REVIEW,
            objectives="Turn first buyers into battery owners: the second tool is the business.",
        ),
    ),
)

PARTNER_DAYS = ProjectStory(
    name="Partner Days in Leeds",
    description="Two days, 180 dealers, one hall. The first time that all British and Irish dealers meet.",
    brand="UK & Ireland",
    created=-30,
    owner="priya",
    members=roles(contributors="robin hanna erik claire"),
    phases=(
        PhaseStory(
            name="Concept & venue",
            start=-29,
            until=0,
            due=2,
            gate=Gate.REVIEW,
            objectives="A hall, two dates, and a reason to come.",
            people=("priya",),
            hands=(
                DeliverableStory(name="Contract with the hall", evidence="contracts/leeds-dock-hall.pdf"),
                DeliverableStory(name="Budget, approved"),
            ),
            cards=(
                done("Compare four halls in Leeds", "erik", -21),
                done("Ask 40 dealers what they would travel for", "hanna", -18),
                doing(
                    "Get the budget approved",
                    "priya",
                    1,
                    said=(("claire", "Finance wants the catering as an option, not as a fixed line."),),
                ),
                doing("Write the invitation", "robin", 2),
            ),
        ),
        PhaseStory(
            name="Programme",
            start=-10,
            until=0,
            due=10,
            objectives="Hands on tools for half of the time; no talk longer than twenty minutes.",
            people=("hanna", "robin"),
            applications=(ApplicationStory(product="Venue finder", people=("hanna",), launched=((-5.5, "hanna"),)),),
            hands=(DeliverableStory(name="Programme, two days"),),
            cards=(
                done("Book the keynote before she is gone", "priya", -8),
                doing(
                    "Workshops",
                    due=6,
                    people=("hanna", "robin"),
                    tasks=(
                        doing("Batteries: what dealers get asked", "hanna", 4),
                        todo("Repair in ten minutes, live", "robin", 5),
                        todo("Shelf planning with real shelves", "hanna", 6),
                    ),
                ),
                todo("Evening at the Royal Armouries", "robin", 3),
            ),
            rulings=(
                GateDecisionStory(
                    day=-10.1,
                    who="priya",
                    decision=Decision.OVERRIDE,
                    reason="The keynote speaker holds the date only until Friday; we cannot wait for the budget.",
                ),
            ),
        ),
        PhaseStory(
            name="Logistics",
            start=11,
            until=30,
            due=30,
            objectives="Nobody queues for more than three minutes, for anything.",
            cards=(
                todo("Hotel rooms for 120 guests", "robin", 14),
                todo("Shuttle from the station", "hanna", 20),
                todo("Sockets for 40 chargers", "hanna", 24),
                todo("Badges with names one can read", "robin", 27),
            ),
        ),
        PhaseStory(
            name="The two days",
            start=31,
            until=37,
            due=37,
            cards=(
                todo("Morning round with all crews", "priya", 36),
                todo("Collect feedback at the door", "hanna", 37),
            ),
        ),
    ),
)

TRADE_FAIR = ProjectStory(
    name="Trade fair stand Cologne",
    description="120 square metres at the hardware fair. Closed with 640 visitors and 41 orders.",
    brand="Central Europe",
    created=-57,
    owner="robin",
    members=roles(contributors="jonas hanna", viewers="claire"),
    archived=-22,
    phases=(
        PhaseStory(
            name="Plan",
            start=-56,
            until=-48,
            due=-47,
            cards=(
                done("Reserve 120 square metres in hall 3", "jonas", -53),
                done("Draw the stand around the workbench", "hanna", -49),
            ),
        ),
        PhaseStory(
            name="Build & run",
            start=-47,
            until=-32,
            due=-31,
            outcomes="640 visitors, 41 orders, three broken drills.",
            cards=(
                done("Build the stand", "hanna", -38),
                done("Four days at the fair", "jonas", -33),
                done("Take everything down", "hanna", -32),
            ),
        ),
        PhaseStory(
            name="Follow up",
            start=-31,
            until=-24,
            due=-23,
            cards=(
                done("Write to all 640 visitors", "jonas", -28),
                done("Hand 41 orders to sales", "robin", -26),
            ),
        ),
    ),
)
