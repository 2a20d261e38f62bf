"""The benchmark of Podium: every figure as a ratio to a bare Textual app, measured in the same run.

    python -m tests.benchmarks [--load | --growth | --keys | --peers] [--quick] [--only NAME]

Read in this order:

    hello.py       the bare app that everything is compared with
    workspace.py   the database: 1,000,000 items, three projects of known size
    stopwatch.py   from a key to the arrival of the bytes that complete the expected picture
    commits.py     when a change of another process was on disk
    process.py     memory and processor time of a process
    notes.py       what was measured, by name
    runs.py        what is done in one start of a program, and what is noted of it
    instructions.py  the instructions of a start; first_frame.py ends one with its first frame
    remote.py      the same with a slow authorization service
    core.py        the core by itself, without a screen
    permissions.py the permission query, answered from a large database
    questions.py   the core with a slow authorization service
    served.py      a server on a Unix socket, and tokens for it
    server.py      what a server adds to a command, and a Canvas over it
    behind.py      what is done in a program that is the client of a server, over a Unix socket and over TLS
    load.py        load, memory and floods beside their limits: the parts of --load
    dear.py        the largest requests that the catalog takes, and what other people wait meanwhile
    largest.py     these requests
    floods.py      strangers on all connections, and what is kept of refused requests
    live.py        many people on one Canvas, and what is changed there; listeners.py these people
    postgres.py    the same workspace in PostgreSQL and in a file; writer.py one of several programs that write
    profiles.py    the rates at which people read and write; people.py these people
    everyday.py    what each thing that they do costs, and 200 of them at two servers: "everyday" of --load
    simulation.py  a forecast of as many people as one likes, checked against these 200
    hostile.py     a flood of requests of one person or stranger
    growth/        the same at every size of a project and of the workspace: the parts of --growth
    keys/          every key of every screen, also over a slow line: the parts of --keys
    peers/         kanban-tui, pykantui, dooit and calcurse beside Podium: the parts of --peers
    figures.py     the table: each line, how it follows from the notes, and what it should reach
"""
