-- The beginning of a restore on PostgreSQL (backup.md): every table goes, the later ones of a newer version included,
-- in a transaction that only the end of the restore commits.
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT format('DROP TABLE %I.%I CASCADE', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema() \gexec
