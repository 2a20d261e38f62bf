"""Projects for Halden Foods: a campaign in full swing, a shop that is only planned, a redesign that is done."""

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

SLOW_MORNINGS = ProjectStory(
    name="Slow Mornings campaign",
    description=(
        "Fjordland's first campaign across all four Nordic markets. One idea, two films, and a reason to\n"
        "put the porridge back on the breakfast table. Client lead: Henrik Dahl."
    ),
    brand="Fjordland",
    created=-47,
    owner="robin",
    members=roles(owners="mara", contributors="jonas hanna tomasz yuki henrik"),
    starred_by=("robin", "mara"),
    phases=(
        PhaseStory(
            name="Brief",
            start=-46,
            until=-34,
            due=-33,
            gate=Gate.REVIEW,
            objectives="Agree with Halden on one audience, one problem and one number to move.",
            outcomes="A signed brief: households with school children, weekday breakfast, +2 points penetration.",
            people=("robin", "mara"),
            hands=(
                DeliverableStory(
                    name="Creative brief, signed", evidence="https://files.lighthouse.example/slow-mornings/brief.pdf"
                ),
                DeliverableStory(
                    name="Budget frame", evidence="https://files.lighthouse.example/slow-mornings/budget.xlsx"
                ),
            ),
            cards=(
                done("Kick-off with client and studio", "robin", -45),
                done("Interview eight families about weekday breakfast", "mara", -41),
                done("Read two years of panel data", "tomasz", -40, note="Panel: GfK-style household data, 4 markets."),
                done("Write the creative brief", "mara", -36),
                done("Agree the budget frame with Henrik", "robin", -35),
            ),
            rulings=(
                GateDecisionStory(day=-33.6, who="robin", decision=Decision.PASS, reason="Brief signed by Henrik."),
            ),
        ),
        PhaseStory(
            name="Concept",
            start=-33,
            until=-19,
            due=-18,
            gate=Gate.REVIEW,
            objectives="Three routes, tested with families, one chosen.",
            outcomes="Route B, “The quiet twenty minutes”, is the campaign.",
            people=("mara", "hanna"),
            hands=(
                DeliverableStory(
                    name="Three creative routes", evidence="https://files.lighthouse.example/slow-mornings/routes.pdf"
                ),
                DeliverableStory(
                    name="Test report", evidence="https://files.lighthouse.example/slow-mornings/test-report.pdf"
                ),
            ),
            cards=(
                done(
                    "Develop three creative routes",
                    due=-24,
                    people=("hanna", "yuki"),
                    tasks=(
                        done("Route A: The long table", "hanna", -26),
                        done("Route B: The quiet twenty minutes", "hanna", -26),
                        done("Route C: Steam on the window", "yuki", -26),
                    ),
                ),
                done("Test the routes in Oslo and Malmö", "mara", -21),
                done(
                    "Present to the Halden board",
                    "robin",
                    -19,
                    said=(
                        ("henrik", "The board loved B. Please keep the grandfather in both films."),
                        ("robin", "He stays. We will write him a line in each language."),
                    ),
                ),
                dropped("Route D with an influencer", "yuki", note="Parked: the families did not believe it."),
            ),
            rulings=(
                GateDecisionStory(
                    day=-18.9, who="mara", decision=Decision.HOLD, reason="Waiting for the Danish test group."
                ),
                GateDecisionStory(day=-18.2, who="robin", decision=Decision.PASS, reason="Board approved route B."),
            ),
        ),
        PhaseStory(
            name="Production",
            start=-17,
            until=0,
            due=11,
            gate=Gate.REVIEW,
            objectives="Two films, twelve posters and all formats, in four languages, on the first budget.",
            outcomes="Masters delivered and cleared in every market.",
            people=("hanna", "jonas", "yuki"),
            hands=(
                DeliverableStory(name="Film masters 45″ and 20″"),
                DeliverableStory(
                    name="Poster set, twelve motifs",
                    evidence="https://files.lighthouse.example/slow-mornings/posters",
                    done=False,
                ),
                DeliverableStory(name="Usage rights, cleared", evidence="contracts/rights.pdf"),
            ),
            applications=(
                ApplicationStory(
                    product="Asset library",
                    name="Campaign assets",
                    due=11,
                    people=("hanna", "yuki"),
                    launched=((-9.5, "hanna"), (-4.2, "yuki"), (-1.4, "robin")),
                ),
                ApplicationStory(product="Context viewer", people=("robin",), launched=((-1.3, "robin"),)),
            ),
            cards=(
                done("Cast the grandfather", "jonas", -13),
                done("Scout kitchens in Bergen", "jonas", -12),
                doing(
                    "Shoot the films",
                    due=5,
                    people=("jonas", "hanna", "yuki"),
                    link="https://files.lighthouse.example/slow-mornings/call-sheet",
                    note="Two shooting days, one weather day. Call sheet in the link.",
                    tasks=(
                        done("Book the crew and the Bergen kitchen", "jonas", -6),
                        done("Shooting day 1: kitchen", "jonas", -3),
                        doing("Shooting day 2: harbour at dawn", "jonas", 5),
                        todo("Send rushes to the editor", "yuki", 6),
                    ),
                    said=(
                        ("jonas", "Fog on the first dawn, so day 2 moves to the weather day. Still inside the budget."),
                        ("mara", "Good call. I told Henrik; he would rather have light than speed."),
                    ),
                ),
                doing(
                    "Photograph the twelve posters",
                    "hanna",
                    6,
                    said=(("hanna", "Seven of twelve are in the folder, retouching starts tomorrow."),),
                ),
                doing("Write the grandfather's line in four languages", "robin", 4),
                todo("Edit the 45″ film", "yuki", 8),
                todo("Cut down to 20″ and 6″", "yuki", 9),
                todo("Record the voice-over", "hanna", 9),
                todo("Clear the music for the Nordics", "robin", 7),
                todo("Adapt posters to 34 formats", "hanna", 10),
            ),
        ),
        PhaseStory(
            name="Media & launch",
            start=12,
            until=20,
            due=24,
            objectives="Be seen by eight of ten families in the first two weeks.",
            people=("tomasz",),
            hands=(DeliverableStory(name="Media plan"), DeliverableStory(name="Launch press kit")),
            applications=(
                ApplicationStory(product="Media planner", name="Nordic media plan", due=14, people=("tomasz",)),
            ),
            cards=(
                todo("Book television and cinema", "tomasz", 14),
                todo("Book posters near schools", "tomasz", 14),
                todo("Brief the four local agencies", "mara", 15),
                todo("Deliver masters to broadcasters", "jonas", 18),
                todo(
                    "Launch day",
                    due=22,
                    people=("robin", "mara", "tomasz"),
                    application=ApplicationStory(product="Asset library", name="Press kit", due=21),
                    tasks=(
                        todo("Breakfast for the press in Copenhagen", "mara", 22),
                        todo("Switch the website to the campaign", "yuki", 22),
                        todo("Watch the first numbers together", "tomasz", 22),
                    ),
                ),
            ),
        ),
        PhaseStory(
            name="Learn",
            start=25,
            until=45,
            due=52,
            objectives="Know what moved, and why, before next year's budget is written.",
            cards=(
                todo("Brand tracking after four weeks", "tomasz", 48),
                todo("Write the learning report", "mara", 52),
            ),
        ),
    ),
)

TASTING_ROOM = ProjectStory(
    name="Gothenburg tasting room",
    description="Fjordland opens a first room of its own: twelve seats, one oven, breakfast all day.",
    brand="Fjordland",
    created=-4.6,
    owner="hanna",
    members=roles(contributors="robin jonas", viewers="henrik"),
    phases=(
        PhaseStory(
            name="Concept & lease",
            start=-4,
            until=0,
            due=21,
            gate=Gate.REVIEW,
            objectives="A place within ten minutes' walk of Järntorget, and a concept the landlord signs.",
            hands=(DeliverableStory(name="Concept on two pages"), DeliverableStory(name="Lease, signed")),
            cards=(
                todo("Visit the three rooms on the short list", "robin", 6),
                todo("Sketch the counter and the twelve seats", "hanna", 12),
                todo("Calculate rent against breakfasts sold", "jonas", 10),
            ),
        ),
        PhaseStory(
            name="Permits & build",
            start=22,
            until=70,
            due=84,
            gate=Gate.REVIEW,
            objectives="Ventilation, fire, food handling: three permits before the first wall moves.",
        ),
        PhaseStory(name="Hire & train", start=60, until=90, due=98),
        PhaseStory(name="Opening week", start=98, until=105, due=105),
    ),
)

PACKAGING = ProjectStory(
    name="Kornblume packaging redesign",
    description="Eleven cartons, one family. The blue stays; everything else may be questioned.",
    brand="Kornblume",
    created=-56,
    owner="robin",
    members=roles(contributors="yuki ines erik", viewers="henrik"),
    phases=(
        PhaseStory(
            name="Shelf audit",
            start=-55,
            until=-47,
            due=-46,
            objectives="See the shelf as a shopper does: three seconds, two metres away.",
            outcomes="Shoppers found the blue but not the variety.",
            hands=(
                DeliverableStory(
                    name="Photo audit of 24 shops", evidence="https://files.lighthouse.example/kornblume/audit"
                ),
            ),
            cards=(
                done("Photograph 24 shelves in Hamburg and Vienna", "erik", -50),
                done("Eye-tracking with twelve shoppers", "ines", -47),
            ),
        ),
        PhaseStory(
            name="Design",
            start=-46,
            until=-29,
            due=-28,
            gate=Gate.REVIEW,
            objectives="Name the variety first, keep the blue, use one ink less.",
            outcomes="Design system “Feldrand” for all eleven cartons.",
            people=("yuki",),
            hands=(
                DeliverableStory(
                    name="Design system", evidence="https://files.lighthouse.example/kornblume/feldrand.pdf"
                ),
            ),
            cards=(
                done(
                    "Draw the carton family",
                    due=-34,
                    people=("yuki", "ines"),
                    tasks=(
                        done("Front: variety before brand", "yuki", -40),
                        done("Side: nutrition in one column", "ines", -38),
                        done("Illustrate eleven grains", "yuki", -35),
                    ),
                ),
                done("Check contrast for small print", "ines", -31),
                dropped("Windowed carton", "erik", note="Dropped: the film cannot be recycled with the card."),
            ),
            rulings=(
                GateDecisionStory(
                    day=-30.5,
                    who="robin",
                    decision=Decision.SEND_BACK,
                    reason="The rye and the spelt look alike from two metres.",
                ),
                GateDecisionStory(day=-28.5, who="robin", decision=Decision.PASS, reason="Rye is green now. Clear."),
            ),
        ),
        PhaseStory(
            name="Print",
            start=-28,
            until=-13,
            due=-12,
            objectives="Eleven cartons on press without a single reprint.",
            outcomes="In the shops since last week; waste below one per cent.",
            hands=(DeliverableStory(name="Print approval, eleven cartons", evidence="approvals/kornblume-print.pdf"),),
            cards=(
                done("Proofs on the real board", "yuki", -22),
                done("Approve colour at the printer in Linz", "robin", -18),
                done("Hand over print files", "yuki", -16),
                done("Thank the printer", "robin", -12, said=(("robin", "Sent the eleven cartons back, full."),)),
            ),
        ),
    ),
)
