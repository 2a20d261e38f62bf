"""The core of Podium: what people can do, and the rules; no screen is known here.

Read in this order:

    model.py            the nouns; products.py those of products and meta roles; presets.py of what people keep of how
                        they look at work, viewings.py what can be shown; attention.py of what concerns a person;
                        records.py the table of each
    rules.py            the rules of the workflow, pure; rights.py the rules of who may do what
    messages.py         what a Command and a Query are: every action is one class that says how it is done
    actions/            those classes, one file per noun; catalog.py is the one list of them
    work.py             how a message reads and writes records, and how each change is recorded
    conflicts.py        what became of a record that somebody else changed meanwhile
    application.py      the one place around every message: permission, transaction, history
    authorization/      who decides: the permission query, answered by the database or asked of a service
    backend.py          what a front end holds: execute, query, changes; remote_backend.py the same behind a server,
                        over a connection.py that comes and goes; watching.py notices commits for both
    server/             the HTTP API: those messages for many people at once
    storage/            the database

Rules and readings that several messages share:

    workflow.py         the phases of one project as they stand; standing.py its links, due dates and health
    open_work.py        my open items over several projects
    compatibility.py    which products fit which links
    product_questions.py what a product may ask with a token of its own
    gateway_sessions.py what a gateway may do with its token: open sessions for people
    automatic_roles.py  which meta roles and product roles somebody has
    registry_rules.py   what is accepted as a product's URL, command and permission codes
    launch.py           the launch context, and how it is handed over; exchange.py a launch code for it
    canvas.py           what the Canvas shows; canvas_history.py what became of it; chosen_preset.py with which preset
    filtering/          the filter language, on every view alike
    transfer/           projects in and out as files: exports, imports, reports
    templates/          what is in a workflow template, and what differs between two workflows
    progress.py         how far a long command is, and how it is stopped
    quotas.py           the most that one person may have and add
    slices.py           large projects written in slices that become visible together, and deleted in slices

Words, time, and the edges:

    excerpt.py          where the words of a search stand in a text
    text.py             what text is accepted from people; lengths.py how long it may be
    wording.py          lists and numbers in a sentence
    dates.py            due dates as people type and read them
    errors.py           everything that can go wrong, as one tree
    wire.py             messages and results as JSON; results.py results back from it; error_forms.py errors;
                        hints.py the types that they are made of
    strict_json.py      JSON of strangers, before anything is made of it
    routes.py           how a message travels over HTTP, for both ends; receipts.py how it is carried out only once
    access.py           what lets a person in through a server; server_address.py where one is
    bearer.py           the token that is sent to a service or a server, and where it is found
    http.py             asking other programs; the one module that imports httpx; address.py whom it may ask
    secrecy.py          which TLS is spoken
    socket_http.py      asking a server on this machine, without httpx
    background.py       an event loop in a thread, for what must not be waited for too long
    opening.py          opening a file without waiting for a pipe
    config.py           file, environment and flags; settings.py the values that need converting
    sign_on.py          who starts Podium; presence.py who has which project open, and on which card
    diagnosis/          what "podium doctor" looks at
    demo/               the demo workspace

This module imports nothing, so that a border test can import it alone.
"""

VERSION = "0.1.0"
