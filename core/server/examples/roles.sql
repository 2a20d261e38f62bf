-- Roles with least rights for a workspace in PostgreSQL 15 or newer.
--
-- Make the tables first, with the role that owns the database and runs “podium migrate”. Then run this file in the
-- database, as a superuser or as a role that may make roles and is a member of the owner:
--
--   psql --dbname podium --file roles.sql
--
-- It can be run again, and is after a change of max_connections. Set passwords with “\password podium_app” and so on.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
BEGIN;

DO $$ BEGIN
  IF to_regclass('public.podium_schema') IS NULL THEN
    RAISE EXCEPTION 'This database has no tables of Podium yet. Run “podium migrate” with the role that owns it, then '
      'this file again.';
  END IF;
END $$;

-- podium_app is for “podium serve”, podium_read for reports, podium_backup for “podium backup”. Each server opens up to
-- 10 connections; 20 stay free for others.
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['podium_app', 'podium_read', 'podium_backup']) AS name
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
SELECT format('ALTER ROLE podium_app CONNECTION LIMIT %s', current_setting('max_connections')::int - 20) \gexec
ALTER ROLE podium_read CONNECTION LIMIT 5;
ALTER ROLE podium_backup CONNECTION LIMIT 5;
-- Settings of a role are defaults: who has its password can SET others. CONNECTION LIMIT is a limit.
ALTER ROLE podium_read SET statement_timeout = '60s';
ALTER ROLE podium_read SET idle_in_transaction_session_timeout = '60s';

-- No one else reaches the database or its schema.
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO podium_app, podium_read, podium_backup', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO podium_app, podium_read, podium_backup;

-- podium_app reads and writes rows, and makes no tables. It cannot update the history: it adds to it, and deletes that
-- of deleted projects. So whoever has its password can delete a line and insert it again with other words; only a
-- backup shows that. It cannot change the version of the tables, nor take away the mark of “podium copy”.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO podium_app;
REVOKE UPDATE ON change, change_record FROM podium_app;
REVOKE INSERT, UPDATE, DELETE ON podium_schema FROM podium_app;

-- podium_read reads what reports need. It sees no tokens, and nothing that belongs to one person: preferences, filters,
-- presets, notifications, favourites, what they have seen. The values before and after a change have parts of these.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM podium_read;
GRANT SELECT ON workspace, app_user, hierarchy_node, project, project_key, member, phase, item, assignment, deliverable,
  dependency, label, item_label, field, item_field, comment, gate_record, gate_seal, gate_policy, gate_criterion,
  gate_condition, change, product, application, template, template_version, origin, commit_count, podium_schema
  TO podium_read;

-- podium_backup reads everything.
GRANT pg_read_all_data TO podium_backup;

-- podium_app may use tables that a later “podium migrate” makes. podium_read may not, before this file names them.
SELECT tableowner AS owner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'podium_schema' \gset
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO podium_app;
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public REVOKE ALL ON TABLES FROM podium_read;

-- Servers take turns by advisory locks, which no other role may hold. Only a superuser can say so; with another role,
-- PostgreSQL warns here, and servers wait at most a second for a turn.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
 WHERE proname ~ '^pg_(try_)?advisory_' AND pronamespace = 'pg_catalog'::regnamespace \gexec
SELECT format('GRANT EXECUTE ON FUNCTION %s TO podium_app, %I', oid::regprocedure, :'owner') FROM pg_proc
 WHERE proname ~ '^pg_(try_)?advisory_' AND pronamespace = 'pg_catalog'::regnamespace \gexec

-- No role needs large objects, which podium_read could fill the disk with. Only a superuser can say so, as above.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
 WHERE proname ~ '^(lo_|lo(read|write)$)' AND pronamespace = 'pg_catalog'::regnamespace \gexec

-- To see the delay of replicas in “podium doctor” and /ready, podium_app needs the next line. It then also sees the
-- statements of other databases of this PostgreSQL.
-- GRANT pg_read_all_stats TO podium_app;

COMMIT;
