"""The schema, as a list of migrations. sqlite-utils records those that have run; ``user_version`` is their number.

Children of a project have the key ``(project_id, id)`` and are clustered, so a Canvas is one range of each table.
Tasks and activities share the table ``item``, because they share one order and one set of statuses.
References never cascade: rows are only removed by a message that records it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from core.storage.schema.renames import names_are_those_of_the_glossary

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase

FIRST_SCHEMA = """
CREATE TABLE workspace (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, auth_id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL) STRICT;

CREATE TABLE feed (id TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE app_user (
  id TEXT PRIMARY KEY, login TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE, city TEXT NOT NULL, platform_roles TEXT NOT NULL, active INTEGER NOT NULL,
  version INTEGER NOT NULL) STRICT;

CREATE TABLE node (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, auth_id TEXT NOT NULL UNIQUE,
  parent_id TEXT REFERENCES node(id), version INTEGER NOT NULL) STRICT;
CREATE INDEX node_parent ON node(parent_id);

CREATE TABLE product (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, description TEXT NOT NULL, url TEXT NOT NULL,
  command TEXT NOT NULL, required_context TEXT NOT NULL, uses_external_authorization INTEGER NOT NULL,
  permission_codes TEXT NOT NULL, retired INTEGER NOT NULL, version INTEGER NOT NULL) STRICT;

CREATE TABLE application_role (
  id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES product(id), name TEXT NOT NULL,
  permission_codes TEXT NOT NULL, meta_role_ids TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
CREATE INDEX application_role_product ON application_role(product_id);

CREATE TABLE meta_role (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL) STRICT;

CREATE TABLE role_mapping (
  project_role TEXT NOT NULL, meta_role_id TEXT NOT NULL REFERENCES meta_role(id), version INTEGER NOT NULL,
  PRIMARY KEY (project_role, meta_role_id)) STRICT, WITHOUT ROWID;
CREATE INDEX role_mapping_meta_role ON role_mapping(meta_role_id);

CREATE TABLE project (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, auth_id TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  description TEXT NOT NULL, client_id TEXT REFERENCES node(id), market_id TEXT REFERENCES node(id),
  brand_id TEXT REFERENCES node(id), start TEXT, archived INTEGER NOT NULL, version INTEGER NOT NULL) STRICT;
CREATE INDEX project_client ON project(client_id);
CREATE INDEX project_market ON project(market_id);
CREATE INDEX project_brand ON project(brand_id);

CREATE TABLE member (
  project_id TEXT NOT NULL REFERENCES project(id), user_id TEXT NOT NULL REFERENCES app_user(id),
  role TEXT NOT NULL, invited_by TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member(user_id, project_id, role);
CREATE INDEX member_inviter ON member(invited_by, user_id);

CREATE TABLE phase (
  project_id TEXT NOT NULL REFERENCES project(id), id TEXT NOT NULL, rank TEXT NOT NULL,
  name TEXT NOT NULL, objectives TEXT NOT NULL, outcomes TEXT NOT NULL, due TEXT, gate TEXT NOT NULL,
  evidence_required INTEGER NOT NULL, verdict TEXT NOT NULL, overridden INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX phase_id ON phase(id);

CREATE TABLE deliverable (
  project_id TEXT NOT NULL, id TEXT NOT NULL, phase_id TEXT NOT NULL, rank TEXT NOT NULL, name TEXT NOT NULL,
  evidence TEXT NOT NULL, done INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, phase_id) REFERENCES phase(project_id, id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX deliverable_id ON deliverable(id);
CREATE INDEX deliverable_phase ON deliverable(project_id, phase_id, done);

CREATE TABLE item (
  project_id TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, phase_id TEXT NOT NULL, rank TEXT NOT NULL,
  title TEXT NOT NULL, status TEXT NOT NULL, activity_id TEXT, assignee_id TEXT, due TEXT,
  description TEXT NOT NULL, link TEXT NOT NULL, archived_from TEXT, archived_with TEXT,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id) REFERENCES project(id),
  FOREIGN KEY (project_id, phase_id) REFERENCES phase(project_id, id),
  FOREIGN KEY (project_id, activity_id) REFERENCES item(project_id, id),
  FOREIGN KEY (project_id, assignee_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_id ON item(id);
CREATE INDEX item_phase ON item(project_id, phase_id, status);
CREATE INDEX item_order ON item(project_id, phase_id, rank);
CREATE INDEX item_due ON item(project_id, status, due);
CREATE INDEX item_activity ON item(project_id, activity_id, status) WHERE activity_id IS NOT NULL;
CREATE INDEX item_assignee ON item(project_id, assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX item_mine ON item(assignee_id, due) WHERE status IN ('TO_DO', 'IN_PROGRESS');

CREATE TABLE application (
  project_id TEXT NOT NULL, id TEXT NOT NULL, product_id TEXT NOT NULL REFERENCES product(id), phase_id TEXT NOT NULL,
  rank TEXT NOT NULL, name TEXT NOT NULL, activity_id TEXT, due TEXT, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, phase_id) REFERENCES phase(project_id, id),
  FOREIGN KEY (project_id, activity_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX application_id ON application(id);
CREATE INDEX application_product ON application(product_id);
CREATE INDEX application_phase ON application(project_id, phase_id, rank);
CREATE UNIQUE INDEX application_activity ON application(project_id, activity_id) WHERE activity_id IS NOT NULL;

CREATE TABLE launch (
  project_id TEXT NOT NULL, id TEXT NOT NULL, product_id TEXT NOT NULL, application_id TEXT, user_id TEXT NOT NULL,
  at TEXT NOT NULL, context TEXT NOT NULL, code_hash TEXT NOT NULL, exchanged_at TEXT, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX launch_code ON launch(code_hash) WHERE code_hash <> '';
CREATE INDEX launch_application ON launch(project_id, application_id);

CREATE TABLE member_meta_role (
  project_id TEXT NOT NULL, user_id TEXT NOT NULL, meta_role_id TEXT NOT NULL REFERENCES meta_role(id),
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id, meta_role_id),
  FOREIGN KEY (project_id, user_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX member_meta_role_meta_role ON member_meta_role(meta_role_id);

CREATE TABLE assignment (
  project_id TEXT NOT NULL, target_id TEXT NOT NULL, user_id TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, target_id, user_id),
  FOREIGN KEY (project_id, user_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_user ON assignment(user_id, project_id);
CREATE INDEX assignment_member ON assignment(project_id, user_id);

CREATE TABLE comment (
  project_id TEXT NOT NULL, id TEXT NOT NULL, item_id TEXT NOT NULL, author_id TEXT NOT NULL, at TEXT NOT NULL,
  text TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX comment_item ON comment(project_id, item_id);

CREATE TABLE gate_record (
  project_id TEXT NOT NULL, id TEXT NOT NULL, phase_id TEXT NOT NULL, decision TEXT NOT NULL, by_id TEXT NOT NULL,
  at TEXT NOT NULL, reason TEXT NOT NULL, completed INTEGER NOT NULL, total INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id) REFERENCES project(id)) STRICT, WITHOUT ROWID;
CREATE INDEX gate_record_phase ON gate_record(project_id, phase_id);

CREATE TABLE star (
  project_id TEXT NOT NULL REFERENCES project(id), user_id TEXT NOT NULL,
  version INTEGER NOT NULL, PRIMARY KEY (user_id, project_id)) STRICT, WITHOUT ROWID;
CREATE INDEX star_project ON star(project_id);

CREATE TABLE preference (
  user_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (user_id, name)) STRICT, WITHOUT ROWID;

CREATE TABLE template (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, tags TEXT NOT NULL,
  number INTEGER NOT NULL, version INTEGER NOT NULL) STRICT;

CREATE TABLE template_version (
  template_id TEXT NOT NULL REFERENCES template(id), number INTEGER NOT NULL, at TEXT NOT NULL, by_id TEXT,
  note TEXT NOT NULL, body TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (template_id, number)) STRICT, WITHOUT ROWID;

CREATE TABLE origin (
  project_id TEXT PRIMARY KEY REFERENCES project(id), template_id TEXT NOT NULL, number INTEGER NOT NULL,
  version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX origin_template ON origin(template_id, number);

CREATE TABLE preset (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL, owner_id TEXT, name TEXT NOT NULL, layout TEXT NOT NULL,
  fields TEXT NOT NULL, sections TEXT NOT NULL, filter TEXT NOT NULL, sort TEXT NOT NULL, density TEXT,
  version INTEGER NOT NULL) STRICT;
CREATE INDEX preset_project ON preset(project_id);
CREATE INDEX preset_owner ON preset(owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE preset_choice (
  project_id TEXT NOT NULL, user_id TEXT NOT NULL, preset_id TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;

CREATE TABLE saved_filter (
  user_id TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (user_id, name)) STRICT, WITHOUT ROWID;

CREATE TABLE visit (
  project_id TEXT NOT NULL, user_id TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;

CREATE TABLE notice (
  project_id TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, kind TEXT NOT NULL, target_id TEXT NOT NULL,
  by_id TEXT NOT NULL, at TEXT NOT NULL, read_at TEXT, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX notice_unread ON notice(user_id, at) WHERE read_at IS NULL;
CREATE INDEX notice_user ON notice(user_id, at);

CREATE TABLE token (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES app_user(id), label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT;
CREATE INDEX token_user ON token(user_id);

CREATE TABLE enrolment (
  os_user TEXT PRIMARY KEY, uid INTEGER NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES app_user(id),
  at TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
CREATE INDEX enrolment_user ON enrolment(user_id);

CREATE TABLE receipt (
  user_id TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (user_id, key)) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_at ON receipt(at);

CREATE TABLE change (
  project_id TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, actor_id TEXT NOT NULL, kind TEXT NOT NULL,
  message TEXT NOT NULL, summary TEXT NOT NULL, permissions TEXT NOT NULL, reverts INTEGER,
  PRIMARY KEY (project_id, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX change_actor ON change(project_id, actor_id, seq);

CREATE TABLE change_record (
  project_id TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, entity TEXT NOT NULL,
  key TEXT NOT NULL, before TEXT, after TEXT,
  PRIMARY KEY (project_id, seq, position)) STRICT, WITHOUT ROWID;
CREATE INDEX change_record_key ON change_record(project_id, key, seq);
"""


def first_schema(db: SqliteUtilsDatabase) -> None:
    from core.storage.search import tables

    for statement in FIRST_SCHEMA.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for statement in tables.schema():
        db.execute(statement)
    db.execute("INSERT INTO feed (id, seq) VALUES ('workspace', 0)")


def imports_name_their_importer(db: SqliteUtilsDatabase) -> None:
    """Comments and gate records name their importer. For earlier imports the name comes from the history."""
    db.execute(
        "CREATE TEMP TABLE imported AS"
        " SELECT change.project_id, change.actor_id, change.at, entity, json_extract(key, '$.id') AS id,"
        "  json_extract(key, '$.user_id') AS user_id, json_extract(after, '$.invited_by') AS invited_by"
        " FROM change JOIN change_record USING (project_id, seq)"
        " WHERE change.message = 'ImportProject' AND entity IN ('comment', 'gate_record', 'member')"
    )
    for table, person in (("comment", "author_id"), ("gate_record", "by_id")):
        for column in ("imported_by TEXT", "imported_at TEXT"):
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        for column in ("original_login", "original_name"):
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
        db.execute(
            f"UPDATE {table} SET imported_by = imported.actor_id, imported_at = imported.at,"
            "  original_login = named.login, original_name = trim(named.first_name || ' ' || named.last_name),"
            f" {person} = imported.actor_id FROM imported, app_user AS named"
            f" WHERE named.id = {table}.{person} AND imported.entity = '{table}'"
            f"  AND imported.project_id = {table}.project_id AND imported.id = {table}.id"
        )
    db.execute(
        "UPDATE member SET invited_by = imported.actor_id FROM imported"
        " WHERE imported.entity = 'member' AND imported.project_id = member.project_id"
        "  AND imported.user_id = member.user_id AND imported.invited_by = member.invited_by"
    )
    db.execute("DROP TABLE temp.imported")


def products_have_tokens(db: SqliteUtilsDatabase) -> None:
    """Tokens of products. The token of a removed product stays and is refused, until the removal is undone."""
    db.execute(
        "CREATE TABLE product_token ("
        " id TEXT PRIMARY KEY, product_id TEXT NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,"
        " created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX product_token_product ON product_token(product_id)")


def access_made_by_others_says_so(db: SqliteUtilsDatabase) -> None:
    """Tokens, linked accounts and changes name the user who made the access. Earlier ones get it from the history."""
    db.execute("ALTER TABLE token ADD COLUMN made_by TEXT")
    db.execute("ALTER TABLE token ADD COLUMN through TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE enrolment ADD COLUMN made_by TEXT")
    for table in ("change", "comment", "gate_record"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN through TEXT NOT NULL DEFAULT ''")
    db.execute(
        "CREATE TEMP TABLE made AS SELECT entity, actor_id, trim(first_name || ' ' || last_name) AS name,"
        "  coalesce(json_extract(key, '$.id'), json_extract(key, '$.os_user')) AS id,"
        "  json_extract(after, '$.at') AS at"
        " FROM change JOIN change_record USING (project_id, seq) JOIN app_user ON app_user.id = actor_id"
        " WHERE change.project_id = 'workspace' AND before IS NULL AND entity IN ('token', 'enrolment')"
    )
    db.execute(
        "UPDATE token SET made_by = made.actor_id,"
        " through = CASE made.actor_id WHEN token.user_id THEN '' ELSE 'with a token made by ' || made.name END"
        " FROM made WHERE made.entity = 'token' AND made.id = token.id"
    )
    db.execute(
        "UPDATE enrolment SET made_by = made.actor_id"
        " FROM made WHERE made.entity = 'enrolment' AND made.id = enrolment.os_user AND made.at = enrolment.at"
    )
    db.execute("DROP TABLE temp.made")


def gateways_open_sessions(db: SqliteUtilsDatabase) -> None:
    """Tokens of gateways, and the gateway that opened a session. Earlier sessions have none."""
    db.execute(
        "CREATE TABLE gateway_token ("
        " id TEXT PRIMARY KEY, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, made_by TEXT NOT NULL,"
        " created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT"
    )
    db.execute("ALTER TABLE token ADD COLUMN gateway_id TEXT")


def notices_say_through_what(db: SqliteUtilsDatabase) -> None:
    """Notifications of actions with a token that another user made say so, as the history does."""
    db.execute("ALTER TABLE notice ADD COLUMN through TEXT NOT NULL DEFAULT ''")


def large_projects_come_in_slices(db: SqliteUtilsDatabase) -> None:
    """The projects whose import is not finished, and statistics about a large project for SQLite's query planner.

    Without them the planner expects ten rows in a project, and reads all cards to find the tasks of an activity.
    """
    db.execute(
        "CREATE TABLE unfinished (project_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, at TEXT NOT NULL) STRICT,"
        " WITHOUT ROWID"
    )
    rows_and_rows_with_the_same_first_columns = {
        "item": "50000 5000 1",
        "item_id": "50000 1",
        "item_phase": "50000 5000 500 100",
        "item_order": "50000 5000 500 1",
        "item_due": "50000 5000 1000 10",
        "item_activity": "50000 5000 10 3",
        "item_assignee": "50000 5000 100",
        "item_mine": "50000 500 5",
    }
    db.execute("ANALYZE sqlite_schema")  # creates the table of statistics, empty
    for index, rows in rows_and_rows_with_the_same_first_columns.items():
        db.execute("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('item', ?, ?)", [index, rows])


def people_have_quotas(db: SqliteUtilsDatabase) -> None:
    """The amount that each user has added in a day, by kind (``core.engine.quotas``)."""
    db.execute(
        "CREATE TABLE usage (user_id TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL,"
        " PRIMARY KEY (user_id, kind)) STRICT, WITHOUT ROWID"
    )


MIGRATIONS: Mapping[Callable[[SqliteUtilsDatabase], None], str] = {
    first_schema: "ede9ba276821a31a",
    imports_name_their_importer: "52b088725a1bf553",
    products_have_tokens: "7f4e44e80e7916f0",
    access_made_by_others_says_so: "eb207f750a69ab6d",
    gateways_open_sessions: "d11ad1680c1d5011",
    notices_say_through_what: "9af880d316e2f586",
    large_projects_come_in_slices: "08b2161c92220203",
    people_have_quotas: "aff2e2d43b79b4d7",
    names_are_those_of_the_glossary: "431358c6e6b07c5e",
}
"""The migrations in order, each with the form of the schema after it (``forms.form_of``).

They have run on people's files, so they are never changed. A new schema is a new function at the end.
"""

FORMS = tuple(MIGRATIONS.values())

SCHEMA_VERSION = len(FORMS)
"""The number of migrations; a file with a higher number was made by a newer Podium."""


def migrate(db: SqliteUtilsDatabase) -> None:
    """Bring a database up to date. The caller holds the write lock; foreign keys are off meanwhile."""
    from sqlite_utils.migrations import Migrations

    from core.storage.schema.forms import FORMS_BEFORE_THE_FIRST, bring_forward, form_of

    if form_of(db.conn) in FORMS_BEFORE_THE_FIRST:
        bring_forward(db.conn, lambda: first_schema(db))
    migrations = Migrations("podium")
    for migration in MIGRATIONS:
        migrations()(migration)
    migrations.apply(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
