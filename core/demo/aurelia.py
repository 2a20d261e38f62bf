"""Projects for Aurelia Hotels: a brand refresh that is late, and the release of a booking app."""

from __future__ import annotations

from core.demo.story import (
    ApplicationStory,
    DeliverableStory,
    GateDecisionStory,
    PhaseStory,
    ProjectStory,
    doing,
    done,
    dropped,
    roles,
    todo,
)
from core.domain.model import Decision, Gate

BRAND_REFRESH = ProjectStory(
    name="Casa Aurelia brand refresh",
    description="Nine houses, nine different logos on the towels. One identity that each house can make its own.",
    brand="Casa Aurelia",
    created=-50,
    owner="ines",
    members=roles(contributors="robin yuki mara", viewers="sofia amara"),
    phases=(
        PhaseStory(
            name="Audit",
            start=-49,
            until=-37,
            due=-36,
            objectives="Collect every sign, towel, menu and key card of nine houses.",
            outcomes="412 items, 31 logos, four of them good.",
            hands=(
                DeliverableStory(
                    name="Inventory of nine houses", evidence="https://files.lighthouse.example/casa/inventory"
                ),
            ),
            cards=(
                done("Visit the houses in Valencia and Cádiz", "ines", -43),
                done("Photograph everything with a logo on it", "yuki", -41),
                done("Ask 60 guests what they remember", "mara", -38),
            ),
        ),
        PhaseStory(
            name="Identity",
            start=-35,
            until=-9,
            due=-3,
            gate=Gate.REVIEW,
            objectives="A mark that works on a façade and on a 9 mm key fob.",
            people=("ines", "yuki"),
            hands=(
                DeliverableStory(
                    name="Logo and colours",
                    evidence="https://files.lighthouse.example/casa/identity-v2.pdf",
                    done=False,
                ),
                DeliverableStory(name="Type licence for nine houses"),
            ),
            applications=(
                ApplicationStory(product="Asset library", name="Marks and colours", launched=((-6.3, "yuki"),)),
            ),
            cards=(
                done("Draw the new mark", "yuki", -24),
                done("Choose two colours that survive the sun", "ines", -20),
                done("Mock up façade, menu and key fob", "yuki", -11),
                doing(
                    "Redraw the mark for small sizes",
                    "yuki",
                    -2,
                    added=-7.5,
                    note="Below 12 mm the arch closes. Open the counter, drop the serif.",
                    said=(
                        ("ines", "At 9 mm I read “Gasa”. Sofía read it too."),
                        ("yuki", "Third attempt is on the server; printing it on brass tomorrow."),
                    ),
                ),
                todo("Negotiate the type licence", "robin", -1, added=-7.4),
            ),
            rulings=(
                GateDecisionStory(
                    day=-8,
                    who="ines",
                    decision=Decision.SEND_BACK,
                    reason="The mark closes below 12 mm, and the licence covers only one house.",
                ),
            ),
        ),
        PhaseStory(
            name="Guidelines",
            start=1,
            until=20,
            due=14,
            objectives="Forty pages that a hotel manager reads to the end.",
            hands=(DeliverableStory(name="Guidelines, Spanish and Portuguese"),),
            cards=(
                todo("Write the chapter on signs", "mara", 9),
                todo("Write the chapter on textiles", "mara", 10),
                todo("Translate to Spanish and Portuguese", "ines", 13),
                dropped("Chapter on uniforms", "mara", note="Each house keeps its own tailor. Not ours to decide."),
            ),
        ),
        PhaseStory(
            name="Roll-out",
            start=21,
            until=60,
            due=75,
            gate=Gate.REVIEW,
            objectives="Replace what wears out first; no skip full of good towels.",
            cards=(
                todo("Order of the houses, worst logo first", "ines", 24),
                todo("Sign maker for nine façades", "robin", 30),
            ),
        ),
    ),
)

BOOKING_APP = ProjectStory(
    name="Booking app 3.0",
    description="The app that guests already have, rebuilt so that a room is booked in four taps and changed in two.",
    brand="Aurelia Hotels",
    created=-53,
    owner="priya",
    members=roles(owners="tomasz", contributors="amara jonas erik sofia", viewers="robin"),
    phases=(
        PhaseStory(
            name="Discover",
            start=-52,
            until=-40,
            due=-39,
            objectives="Find where bookings are given up.",
            outcomes="Two of three give up at the choice of payment.",
            hands=(
                DeliverableStory(name="Funnel report", evidence="https://files.lighthouse.example/app3/funnel.html"),
            ),
            cards=(
                done("Watch 15 guests book a room", "priya", -44),
                done("Measure the funnel of version 2", "tomasz", -42),
            ),
        ),
        PhaseStory(
            name="Build",
            start=-38,
            until=0,
            due=16,
            objectives="Every screen of the booking path behind a switch, tested on four phones.",
            people=("tomasz", "amara", "jonas"),
            hands=(
                DeliverableStory(name="Release candidate"),
                DeliverableStory(name="Security review", evidence="https://files.lighthouse.example/app3/security.pdf"),
            ),
            applications=(
                ApplicationStory(
                    product="Insight board",
                    name="Booking funnel, live",
                    people=("amara", "tomasz"),
                    launched=((-12.4, "amara"), (-2.3, "tomasz")),
                ),
            ),
            cards=(
                done("New search with a map", "tomasz", -27),
                done(
                    "Payment in one step",
                    due=-14,
                    people=("tomasz", "amara"),
                    tasks=(
                        done("Saved cards", "amara", -20),
                        done("Pay at the house", "tomasz", -18),
                        done("Receipts that a company accepts", "amara", -15),
                    ),
                ),
                doing("Change or cancel in two taps", "tomasz", 6),
                doing(
                    "Offline key",
                    due=9,
                    people=("amara", "tomasz"),
                    tasks=(
                        done("Keep the key on the phone", "amara", -6),
                        doing("Open a door without network", "amara", 7),
                        todo("Revoke a lost phone", "tomasz", 9),
                    ),
                    said=(
                        ("amara", "Works on nine of ten locks. The tenth is from 2014; Sofía asks for a spare."),
                        ("sofia", "A spare lock is on its way from Cádiz."),
                    ),
                ),
                todo("Screen reader pass on all screens", "jonas", 12),
                todo("Crash reports without personal data", "amara", 13),
                dropped("Loyalty points", "erik", note="Moved to 3.1; nobody books for points."),
            ),
        ),
        PhaseStory(
            name="Beta",
            start=17,
            until=30,
            due=32,
            gate=Gate.REVIEW,
            objectives="200 guests of two houses for two weeks; fewer than five calls to reception.",
            cards=(
                todo("Invite 200 guests of Valencia and Porto", "priya", 18),
                todo("Train the two receptions", "jonas", 17),
                todo("Daily look at crashes and calls", "tomasz", 30),
            ),
        ),
        PhaseStory(
            name="Release",
            start=33,
            until=40,
            due=44,
            objectives="5 %, 25 %, 100 %; a way back at each step.",
            cards=(
                todo("Store texts in five languages", "priya", 36),
                todo("Release to 5 %", "tomasz", 38),
                todo("Release to all", "tomasz", 44),
            ),
        ),
    ),
)
