-- The beginning of a restore on PostgreSQL (backup.md): every table goes, the later ones of a newer version included,
-- in a transaction that only the end of the restore commits. It ends here while a server works with the database.
BEGIN;
SET LOCAL client_min_messages = warning;
\set SHOW_CONTEXT never
DO $$
DECLARE
  now_ms BIGINT := EXTRACT(EPOCH FROM clock_timestamp()) * 1000;
  servers TEXT;
BEGIN
  -- An empty database has none, and one of an early version has no such table.
  IF to_regclass('"Lease"') IS NULL OR to_regclass('"QuotaInstance"') IS NULL THEN RETURN; END IF;
  -- A lease that ends later is from before the clock was set back.
  SELECT string_agg(format('process %s on %s, for another %s s', split_part(owner, '/', 2), split_part(owner, '/', 1),
    (until_ms - now_ms) / 1000 + 1), '; ' ORDER BY owner) INTO servers
  FROM (SELECT owner, MAX(lease_until_ms) AS until_ms
    FROM (SELECT "holder", "expiresAtMs" FROM "Lease" UNION ALL SELECT "instance", "expiresAtMs" FROM "QuotaInstance")
      AS lease (owner, lease_until_ms)
    GROUP BY owner) AS server
  WHERE until_ms > now_ms AND until_ms < now_ms + 180000;
  IF servers IS NOT NULL THEN
    RAISE EXCEPTION 'A server works with this database: %.', servers
      USING HINT = 'Stop it, and run this again. A server that crashed counts as running until that time is over.';
  END IF;
END $$;
SELECT format('DROP TABLE %I.%I CASCADE', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema() \gexec
