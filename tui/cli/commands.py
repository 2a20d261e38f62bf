"""The commands of the program by section, as ``podium --help`` lists them, and their exit statuses.

Each has its module in this package, which is imported when the command is named, and its line in the list.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A command: ``place`` is its module and its name there, ``line`` says what it does in one line of a terminal."""

    place: str
    line: str


SECTIONS: dict[str, dict[str, Entry]] = {
    "First steps": {
        "tour": Entry("operations.open:tour_", "Learn Podium in three minutes, on a sample project."),
        "demo": Entry("operations.open:demo_", "Try Podium on a generated workspace."),
        "open": Entry("operations.open:open_", "Open the Canvas of a project, also at a card."),
        "help": Entry("operations.help:help_", "Explain a command: podium help task add"),
    },
    "Every day": {
        "add": Entry("cards.add:add_", "Add a task: podium add Write brief @bob fri"),
        "use": Entry("projects.current:use_", "Choose the current project."),
        "task": Entry("cards.tasks:task_", "List, show, start and complete tasks, and change them."),
        "comment": Entry("cards.comments:comment_", "Comment on a card."),
        "my-work": Entry("personal.my_work:my_work_", "List my open tasks and activities, most urgent first."),
        "inbox": Entry("personal.my_work:inbox_", "List what waits for me, is late, or was changed by others."),
        "search": Entry("personal.search:search_", "Search projects, phases, cards, comments and people."),
        "undo": Entry("projects.history:undo_", "Undo my last change."),
        "redo": Entry("projects.history:redo_", "Redo my last undone change."),
    },
    "Projects": {
        "project": Entry("projects.projects:project_", "List, show, create, edit, archive and export projects."),
        "phase": Entry("projects.phases:phase_", "Add, edit, move and reschedule the phases of a project."),
        "field": Entry("projects.fields:field_", "Add, edit and remove the custom fields of a project."),
        "label": Entry("cards.labels:label_", "List, add, edit, merge and remove labels."),
        "deliverable": Entry("projects.deliverables:deliverable_", "Deliver what a phase promises, with evidence."),
        "gate": Entry("projects.gates:gate_", "Check gates, vote and decide; policies, criteria, records."),
        "activity": Entry("cards.activities:activity_", "Work with activities, the cards that hold tasks."),
        "application": Entry("cards.applications:application_", "Add products to phases and activities."),
        "launch": Entry("products.launch:launch_", "Launch an application with its context."),
        "member": Entry("projects.members:member_", "Invite people to a project and set their roles."),
        "history": Entry("projects.history:history_", "List the changes of a project, newest first."),
        "import": Entry("projects.import_export:import_", "Import a file as a project, or into one with --into."),
        "report": Entry("projects.import_export:report_", "Print the status report of a project in Markdown."),
        "portfolio": Entry("projects.portfolio:portfolio_", "List my projects with their phases and dates."),
        "workload": Entry("projects.portfolio:workload_", "Count the open cards of each person by week."),
        "burn-up": Entry("projects.portfolio:burn_up_", "Show the completed cards of each day and the forecast."),
        "online": Entry("personal.my_work:online_", "List the people who have my projects open."),
        "preset": Entry("personal.presets:preset_", "Choose, save and share view presets."),
        "settings": Entry("personal.settings:settings_", "Set my theme, keys, density and signs in this workspace."),
        "filter": Entry("personal.filters:filter_", "List, save and delete my filters."),
    },
    "Workspace": {
        "workspace": Entry("operations.workspace:workspace_", "Show and change the name of the workspace."),
        "user": Entry("people.users:user_", "Add people to the workspace, and set their platform roles."),
        "template": Entry("projects.templates:template_", "Save, compare, edit and export workflow templates."),
        "hierarchy": Entry("projects.hierarchy:hierarchy_", "Manage clients, markets and brands."),
        "product": Entry("products.products:product_", "Register products, their roles and their tokens."),
        "meta-role": Entry("people.meta_roles:meta_role_", "Manage meta roles, and what project roles give."),
        "permission": Entry("people.permissions:permission_", "Check who can do what, and why."),
        "token": Entry("people.tokens:token_", "Create and revoke tokens for the network."),
        "os-account": Entry("people.os_accounts:os_account_", "Link OS accounts on the server to users."),
    },
    "Administration": {
        "init": Entry("operations.init:init_", "Create a workspace without a screen."),
        "backup": Entry("operations.backup:backup_", "Copy the workspace to a file, and check the copy."),
        "restore": Entry("operations.backup:restore_", "Replace the workspace by a backup."),
        "copy": Entry("operations.copy:copy_", "Move the workspace to another file or database."),
        "migrate": Entry("operations.copy:migrate_", "Update the tables of a PostgreSQL database."),
        "serve": Entry("operations.serve:serve_", "Serve the workspace to many people."),
        "web": Entry("operations.web:web_", "Show Podium in browsers."),
        "doctor": Entry("operations.doctor:doctor_", "Check the workspace or its server, and this terminal."),
        "config": Entry("operations.config:config_", "List every setting with its value and its source."),
    },
    "Shells and scripts": {
        "completion": Entry("completion.command:completion_", "Print the completion script of bash, zsh or fish."),
        "man": Entry("operations.man:man_", "Print the manual page: podium man | man -l -"),
        "run": Entry("operations.run:run_", "Send a message by its name."),
        "commands": Entry("operations.run:commands_", "List every message with its fields and its permission."),
    },
}

COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}

EXIT_STATUSES = {
    0: "done",
    1: "refused or not ready",
    2: "usage or invalid input",
    3: "not permitted",
    4: "version conflict",
    5: "database or permission service unavailable",
    6: "not found",
    70: "a fault of Podium",
    71: "too little memory or too few open files",
    74: "the output cannot be written",
    130: "ctrl+c",
}
