"""The migrations that bring stored names forward to the vocabulary of ``core/README.md``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase


def names_are_those_of_the_glossary(db: SqliteUtilsDatabase) -> None:
    """Rename tables, indexes, a column and stored values, also in the history and in stored keys."""
    messages = (
        ("ShowMe", "GetCurrentUser"),
        ("ListSenders", "ListInviters"),
        ("ListEnrolments", "ListLinkedAccounts"),
        ("ShowHierarchy", "GetHierarchy"),
        ("ShowProduct", "GetProduct"),
        ("ShowProductContext", "GetProductContext"),
        ("ShowRights", "GetMyPermissions"),
        ("ShowProject", "GetProject"),
        ("ListOwnerless", "ListOrphanedProjects"),
        ("ShowCanvas", "GetCanvas"),
        ("ShowCanvasChanges", "GetCanvasChanges"),
        ("ShowPhase", "GetPhase"),
        ("ShowCard", "GetCard"),
        ("ListProductChoices", "ListProductOptions"),
        ("ShowApplication", "GetApplication"),
        ("ShowLaunchContext", "GetLaunchContext"),
        ("ListDecisions", "ListGateDecisions"),
        ("ShowHistory", "ListHistory"),
        ("ShowNews", "ListChangesSince"),
        ("ShowWorkspaceHistory", "ListWorkspaceHistory"),
        ("ShowTemplate", "GetTemplate"),
        ("CompareVersions", "CompareTemplateVersions"),
        ("ShowOrigin", "GetTemplateOrigin"),
        ("ReviewTemplate", "DiffAgainstTemplate"),
        ("PlanBringing", "PreviewTemplateMerge"),
        ("ListFilters", "ListSavedFilters"),
        ("ShowMyWork", "GetMyWork"),
        ("ShowInbox", "ListInbox"),
        ("CountInbox", "CountUnread"),
        ("ShowSinceLastVisit", "ListChangesSinceLastVisit"),
        ("ShowPresence", "ReportPresence"),
        ("ListPresent", "ListOnlineUsers"),
        ("PlanShift", "PreviewReschedule"),
        ("ListDates", "ListDueDates"),
        ("ReportProject", "GetStatusReport"),
        ("PlanImport", "PreviewImport"),
        ("ShowFlow", "GetBurnUp"),
        ("CreateTokenFor", "CreateUserToken"),
        ("RevokeTokenOf", "RevokeUserToken"),
        ("EnrolOsUser", "LinkOsAccount"),
        ("RemoveEnrolment", "UnlinkOsAccount"),
        ("TakeOverProject", "ClaimProject"),
        ("StarProject", "SetFavourite"),
        ("SchedulePhase", "SetPhaseDueDate"),
        ("PlacePhase", "ReorderPhase"),
        ("PlaceActivity", "ReorderActivity"),
        ("ScheduleActivity", "SetActivityDueDate"),
        ("PlaceTask", "ReorderTask"),
        ("ScheduleTask", "SetTaskDueDate"),
        ("ScheduleApplication", "SetApplicationDueDate"),
        ("PlaceApplication", "ReorderApplication"),
        ("CreateFromTemplate", "CreateProjectFromTemplate"),
        ("BringTemplate", "MergeTemplate"),
        ("ChoosePreset", "ActivatePreset"),
        ("ForgetFilter", "DeleteSavedFilter"),
        ("ReadNotices", "MarkNotificationsRead"),
        ("MarkVisit", "SetLastSeen"),
        ("ShiftPhase", "ReschedulePhase"),
        ("Bulk", "BulkUpdate"),
    )
    tables = (
        ("enrolment", "linked_account"),
        ("node", "hierarchy_node"),
        ("notice", "notification"),
        ("preset_choice", "active_preset"),
        ("star", "favourite"),
        ("visit", "last_seen"),
    )
    indexes = (
        ("enrolment_user", "linked_account_user", "linked_account(user_id)"),
        ("node_parent", "hierarchy_node_parent", "hierarchy_node(parent_id)"),
        ("notice_unread", "notification_unread", "notification(user_id, at) WHERE read_at IS NULL"),
        ("notice_user", "notification_user", "notification(user_id, at)"),
        ("star_project", "favourite_project", "favourite(project_id)"),
    )
    for old, new in tables:
        db.execute(f"ALTER TABLE {old} RENAME TO {new}")
    for old, new, columns in indexes:
        db.execute(f"DROP INDEX {old}")
        db.execute(f"CREATE INDEX {new} ON {columns}")
    db.execute("ALTER TABLE phase RENAME COLUMN verdict TO gate_state")
    db.execute("UPDATE notification SET kind = 'ACCOUNT_LINKED' WHERE kind = 'ENROLLED'")
    db.execute("CREATE TEMP TABLE renamed (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID")
    db.conn.executemany("INSERT INTO temp.renamed VALUES (?, ?)", (*messages, *tables))
    db.execute("UPDATE change SET message = renamed.new FROM temp.renamed WHERE renamed.old = message")
    db.execute("UPDATE change_record SET entity = renamed.new FROM temp.renamed WHERE renamed.old = entity")
    db.execute("DROP TABLE temp.renamed")
    db.execute(
        "UPDATE change SET permissions = replace(permissions, 'PROJECT_TAKE_OVER', 'PROJECT_CLAIM')"
        " WHERE permissions LIKE '%PROJECT_TAKE_OVER%'"
    )
    for old, new in (
        ("projects.star", "projects.favourite"),
        ("projects.take_over", "projects.claim"),
        ("canvas.bring_template", "canvas.merge_template"),
        ("access.enrol", "access.link_account"),
    ):
        db.execute("UPDATE preference SET value = replace(value, ?, ?) WHERE name = 'keymap'", [old, new])
    for entity, old, new in (
        ("phase", '"verdict":', '"gate_state":'),
        ("notification", '"kind": "ENROLLED"', '"kind": "ACCOUNT_LINKED"'),
    ):
        for column in ("before", "after"):
            db.execute(
                f"UPDATE change_record SET {column} = replace({column}, ?, ?) WHERE entity = ? AND instr({column}, ?)",
                [old, new, entity, old],
            )


def gates_and_keys_in_plain_words(db: SqliteUtilsDatabase) -> None:
    """Rename two keys in stored key maps, and say “approved” of past decisions in the history."""
    for old, new in (("pass_gate", "approve_gate"), ("canvas.news", "canvas.since_last_visit")):
        db.execute("UPDATE preference SET value = replace(value, ?, ?) WHERE name = 'keymap'", [old, new])
    for old, new in (
        ("passed phase ", "approved phase "),
        ("opened by override phase ", "overrode the lock of phase "),
    ):
        db.execute(
            "UPDATE change SET summary = ? || substr(summary, ?)"
            " WHERE message = 'DecideGate' AND substr(summary, 1, ?) = ?",
            [new, len(old) + 1, len(old), old],
        )


def tasks_and_activities_share_messages(db: SqliteUtilsDatabase) -> None:
    """The messages that tasks and activities now share have one name, in the history and in requests for consent."""
    verbs = ("Move%s", "Reorder%s", "Set%sDueDate", "Archive%s", "Restore%s", "Delete%s")
    renamed = {verb % kind: verb % "Card" for verb in verbs for kind in ("Task", "Activity")}
    db.execute(
        "UPDATE change SET message = replace(replace(message, 'Task', 'Card'), 'Activity', 'Card')"
        f" WHERE message IN ({', '.join('?' * len(renamed))})",
        list(renamed),
    )

    def with_new_names(wanted: str) -> str:
        steps = json.loads(wanted)
        for step in steps:
            if new := renamed.get(step["message"]):
                step["message"] = new
                step["cardId"] = step.pop("taskId", None) or step.pop("activityId")
        return json.dumps(steps, ensure_ascii=False)

    requests = "SELECT project_id, id, wanted FROM notification WHERE wanted <> ''"
    for *place, wanted in db.execute(requests).fetchall():
        values = [with_new_names(wanted), *place]
        db.execute("UPDATE notification SET wanted = ? WHERE project_id = ? AND id = ?", values)
    for column in ("before", "after"):
        records = db.execute(
            f"SELECT project_id, seq, position, {column} FROM change_record"
            f" WHERE entity = 'notification' AND {column} LIKE '%\"wanted\": \"[%'"
        ).fetchall()
        for *place, text in records:
            record = json.loads(text)
            values = [json.dumps(record | {"wanted": with_new_names(record["wanted"])}), *place]
            where = "project_id = ? AND seq = ? AND position = ?"
            db.execute(f"UPDATE change_record SET {column} = ? WHERE {where}", values)
