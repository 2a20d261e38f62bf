"""The Canvas widget: one Textual widget that draws every phase and card of a project.

Read in this order:

    axes.py      what is a column and what a section: phases and statuses, or the other way round
    piles.py     the cards of one section, and the orders there are
    model.py     what is where: the cards of each section, the viewing, the filter, changes in place
    layout.py    arithmetic only: which columns fit, on which line a card lies, what lies at a point
    cursor.py    the place people work at, and where it goes when cards come and go
    look.py      the signs and colours, resolved once for each theme
    rows.py      one line of a piece, cut and aligned to its width
    cards.py     a card as a few lines of segments
    about.py     what a phase is about, as lines in its head
    heads.py     the head of a column and of a section
    frame.py     a frame, and where two frames differ
    paint.py     makes frames out of pieces that it keeps
    surface.py   the widget that holds all this and repaints only what differs
    walk.py      moving the cursor about
    messages.py  what the board tells the screen
    mouse.py     pointing, wheel, drag and drop
    board.py     Board: what a screen talks to
"""
