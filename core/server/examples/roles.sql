-- Roles with least rights for a workspace in PostgreSQL 15 or newer.
--
-- Make the tables first, with the role that owns the database and runs “podium migrate”. Then run this file in the
-- database, as a superuser or as a role that may make roles and is a member of the owner:
--
--   psql --dbname podium --file roles.sql
--
-- It can be run again. Set passwords with “\password podium_app” and so on.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
BEGIN;

-- podium_app is for “podium serve”, podium_read for reports, podium_backup for “podium backup”.
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['podium_app', 'podium_read', 'podium_backup']) AS name
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE podium_app CONNECTION LIMIT 90;

-- No one else reaches the database or its schema.
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO podium_app, podium_read, podium_backup', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO podium_app, podium_read, podium_backup;

-- podium_app reads and writes rows, and makes no tables. It cannot alter the history: it adds to it, and deletes that
-- of deleted projects. It cannot change the version of the tables, nor take away the mark of “podium copy”.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO podium_app;
REVOKE UPDATE ON change, change_record FROM podium_app;
REVOKE INSERT, UPDATE, DELETE ON podium_schema FROM podium_app;

-- podium_read reads everything but tokens, codes of launches, and kept answers.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO podium_read;
REVOKE SELECT ON token, product_token, gateway_token, launch, receipt FROM podium_read;

-- podium_backup reads everything.
GRANT pg_read_all_data TO podium_backup;

-- Tables that a later “podium migrate” makes have the same rights.
SELECT tableowner AS owner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'podium_schema' \gset
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO podium_app;
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT ON TABLES TO podium_read;

COMMIT;
