"""The tables and indexes of a new workspace, as migration 1 creates them; ``migrations.py`` has all later changes.

Children of a project have the key ``(project_id, id)``. SQLite stores rows in the order of that key, so a Canvas is one
range of each table; PostgreSQL stores them as they come, and a Canvas is one range of an index.
Tasks and activities share the table ``item``, because they share one order and one set of statuses.
References never cascade: rows are only removed by a message that records it.
"""

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
