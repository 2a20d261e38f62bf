"""The tables and indexes of the first schema, number 19; ``migrations.py`` has all later changes.

Children of a project have the key ``(project_id, id)``. SQLite stores rows in the order of that key, so a Canvas is one
range of each table; PostgreSQL stores them as they come, and a Canvas is one range of an index.
Tasks and activities share the table ``item``, because they share one order and one set of statuses.
References never cascade: rows are only removed by a message that records it.
"""

FIRST_SCHEMA = """
CREATE TABLE workspace (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, auth_id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL) STRICT;

CREATE TABLE feed (
  id TEXT PRIMARY KEY, seq INTEGER NOT NULL, item_counts TEXT NOT NULL DEFAULT '{}',
  completions TEXT NOT NULL DEFAULT '{}', last_number INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE app_user (
  id TEXT PRIMARY KEY, login TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE, city TEXT NOT NULL, platform_roles TEXT NOT NULL, active INTEGER NOT NULL,
  version INTEGER NOT NULL) STRICT;

CREATE TABLE hierarchy_node (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, auth_id TEXT NOT NULL UNIQUE,
  parent_id TEXT REFERENCES hierarchy_node(id), version INTEGER NOT NULL) STRICT;
CREATE INDEX hierarchy_node_parent ON hierarchy_node(parent_id);

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
  description TEXT NOT NULL, client_id TEXT REFERENCES hierarchy_node(id),
  market_id TEXT REFERENCES hierarchy_node(id), brand_id TEXT REFERENCES hierarchy_node(id), start TEXT,
  archived INTEGER NOT NULL, version INTEGER NOT NULL, key TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX project_client ON project(client_id);
CREATE INDEX project_market ON project(market_id);
CREATE INDEX project_brand ON project(brand_id);
CREATE INDEX project_name ON project(name);

CREATE TABLE project_key (
  key TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project(id), version INTEGER NOT NULL) STRICT,
  WITHOUT ROWID;
CREATE INDEX project_key_project ON project_key(project_id);

CREATE TABLE unfinished (
  project_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, at TEXT NOT NULL, host TEXT NOT NULL DEFAULT '') STRICT,
  WITHOUT ROWID;

CREATE TABLE member (
  project_id TEXT NOT NULL REFERENCES project(id), user_id TEXT NOT NULL REFERENCES app_user(id),
  role TEXT NOT NULL, invited_by TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member(user_id, project_id, role);
CREATE INDEX member_inviter ON member(invited_by, user_id);

CREATE TABLE phase (
  project_id TEXT NOT NULL REFERENCES project(id), id TEXT NOT NULL, rank TEXT NOT NULL,
  name TEXT NOT NULL, objectives TEXT NOT NULL, outcomes TEXT NOT NULL, due TEXT, gate TEXT NOT NULL,
  evidence_required INTEGER NOT NULL, gate_state TEXT NOT NULL, overridden INTEGER NOT NULL, version INTEGER NOT NULL,
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
  version INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0, priority TEXT NOT NULL DEFAULT 'NORMAL',
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id) REFERENCES project(id),
  FOREIGN KEY (project_id, phase_id) REFERENCES phase(project_id, id),
  FOREIGN KEY (project_id, activity_id) REFERENCES item(project_id, id),
  FOREIGN KEY (project_id, assignee_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_id ON item(id);
CREATE UNIQUE INDEX item_number ON item(number, project_id);
CREATE INDEX item_section ON item(project_id, phase_id, status, rank);
CREATE INDEX item_order ON item(project_id, phase_id, rank);
CREATE INDEX item_due ON item(project_id, status, due);
CREATE INDEX item_activity ON item(project_id, activity_id, status) WHERE activity_id IS NOT NULL;
CREATE INDEX item_assignee ON item(project_id, assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX item_mine ON item(assignee_id, due) WHERE status IN ('TO_DO', 'IN_PROGRESS');

CREATE TABLE label (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL, name TEXT NOT NULL, colour TEXT NOT NULL, sign TEXT NOT NULL,
  version INTEGER NOT NULL) STRICT;
CREATE INDEX label_project ON label(project_id);

CREATE TABLE item_label (
  project_id TEXT NOT NULL, item_id TEXT NOT NULL, label_id TEXT NOT NULL REFERENCES label(id),
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, item_id, label_id),
  FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX item_label_label ON item_label(label_id, project_id);

CREATE TABLE field (
  project_id TEXT NOT NULL REFERENCES project(id), id TEXT NOT NULL, rank TEXT NOT NULL, name TEXT NOT NULL,
  key TEXT NOT NULL, kind TEXT NOT NULL, choices TEXT NOT NULL, sums INTEGER NOT NULL, removed INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX field_id ON field(id);
CREATE UNIQUE INDEX field_key ON field(project_id, key) WHERE removed = 0;

CREATE TABLE item_field (
  project_id TEXT NOT NULL, item_id TEXT NOT NULL, field_id TEXT NOT NULL, value TEXT NOT NULL, user_id TEXT,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, item_id, field_id),
  FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id),
  FOREIGN KEY (project_id, field_id) REFERENCES field(project_id, id),
  FOREIGN KEY (project_id, user_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX item_field_field ON item_field(project_id, field_id);
CREATE INDEX item_field_user ON item_field(project_id, user_id) WHERE user_id IS NOT NULL;

CREATE TABLE dependency (
  project_id TEXT NOT NULL, waiting_id TEXT NOT NULL, blocker_id TEXT NOT NULL, blocker_project_id TEXT NOT NULL,
  lag_days INTEGER NOT NULL, override_reason TEXT NOT NULL, overridden_by TEXT, overridden_at TEXT,
  through TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, waiting_id, blocker_id),
  FOREIGN KEY (project_id, waiting_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_blocker ON dependency(blocker_project_id, blocker_id);
CREATE INDEX dependency_elsewhere ON dependency(project_id, blocker_project_id)
  WHERE project_id <> blocker_project_id;
CREATE INDEX dependency_from_elsewhere ON dependency(blocker_project_id, project_id)
  WHERE project_id <> blocker_project_id;

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
  text TEXT NOT NULL, version INTEGER NOT NULL, imported_by TEXT, imported_at TEXT,
  original_login TEXT NOT NULL DEFAULT '', original_name TEXT NOT NULL DEFAULT '', through TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX comment_item ON comment(project_id, item_id);

CREATE TABLE gate_record (
  project_id TEXT NOT NULL, id TEXT NOT NULL, phase_id TEXT NOT NULL, decision TEXT NOT NULL, by_id TEXT NOT NULL,
  at TEXT NOT NULL, reason TEXT NOT NULL, completed INTEGER NOT NULL, total INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL, version INTEGER NOT NULL, imported_by TEXT, imported_at TEXT,
  original_login TEXT NOT NULL DEFAULT '', original_name TEXT NOT NULL DEFAULT '', through TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id) REFERENCES project(id)) STRICT, WITHOUT ROWID;
CREATE INDEX gate_record_phase ON gate_record(project_id, phase_id);

CREATE TABLE favourite (
  project_id TEXT NOT NULL REFERENCES project(id), user_id TEXT NOT NULL,
  version INTEGER NOT NULL, PRIMARY KEY (user_id, project_id)) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_project ON favourite(project_id);

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

CREATE TABLE active_preset (
  project_id TEXT NOT NULL, user_id TEXT NOT NULL, preset_id TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;

CREATE TABLE saved_filter (
  user_id TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (user_id, name)) STRICT, WITHOUT ROWID;

CREATE TABLE last_seen (
  project_id TEXT NOT NULL, user_id TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)) STRICT, WITHOUT ROWID;

CREATE TABLE notification (
  project_id TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, kind TEXT NOT NULL, target_id TEXT NOT NULL,
  by_id TEXT NOT NULL, at TEXT NOT NULL, read_at TEXT, version INTEGER NOT NULL, through TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX notification_unread ON notification(user_id, at) WHERE read_at IS NULL;
CREATE INDEX notification_user ON notification(user_id, at);

CREATE TABLE token (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES app_user(id), label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL,
  made_by TEXT, through TEXT NOT NULL DEFAULT '', gateway_id TEXT) STRICT;
CREATE INDEX token_user ON token(user_id);

CREATE TABLE product_token (
  id TEXT PRIMARY KEY, product_id TEXT NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT;
CREATE INDEX product_token_product ON product_token(product_id);

CREATE TABLE gateway_token (
  id TEXT PRIMARY KEY, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, made_by TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT;

CREATE TABLE usage (
  user_id TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (user_id, kind)) STRICT, WITHOUT ROWID;

CREATE TABLE linked_account (
  host TEXT NOT NULL, os_user TEXT NOT NULL, uid INTEGER NOT NULL, user_id TEXT NOT NULL REFERENCES app_user(id),
  at TEXT NOT NULL, version INTEGER NOT NULL, made_by TEXT,
  PRIMARY KEY (host, os_user),
  UNIQUE (host, uid)) STRICT, WITHOUT ROWID;
CREATE INDEX linked_account_user ON linked_account(user_id);

CREATE TABLE receipt (
  user_id TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (user_id, key)) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_at ON receipt(at);

CREATE TABLE change (
  project_id TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, actor_id TEXT NOT NULL, kind TEXT NOT NULL,
  message TEXT NOT NULL, summary TEXT NOT NULL, permissions TEXT NOT NULL, reverts INTEGER,
  through TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX change_actor ON change(project_id, actor_id, seq);

CREATE TABLE change_record (
  project_id TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, entity TEXT NOT NULL,
  key TEXT NOT NULL, before TEXT, after TEXT,
  PRIMARY KEY (project_id, seq, position)) STRICT, WITHOUT ROWID;
CREATE INDEX change_record_key ON change_record(project_id, key, seq);
"""

STATISTICS = {
    "item": "50000 5000 1",
    "item_id": "50000 1",
    "item_section": "50000 5000 500 100 1",
    "item_order": "50000 5000 500 1",
    "item_due": "50000 5000 1000 10",
    "item_activity": "50000 5000 10 3",
    "item_assignee": "50000 5000 100",
    "item_mine": "50000 500 5",
}
"""A large project as SQLite's query planner sees it: rows, and rows with the same first columns, of each index.

Without them the planner expects ten rows in a project, and reads all cards to find the tasks of an activity.
"""
