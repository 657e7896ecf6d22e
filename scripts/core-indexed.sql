-- For scripts/test-core: every table made from here on gets an index on each of
-- its first eight columns, alone and with the first column behind it.
CREATE FUNCTION index_all() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	made record;
BEGIN
	FOR made IN
		SELECT objid::regclass AS rel, relname, a.attname AS col, a.attnum AS num, b.attname AS first
		FROM pg_event_trigger_ddl_commands()
		JOIN pg_class c ON c.oid = objid AND relkind IN ('r', 'p') AND NOT relispartition
		JOIN pg_attribute a ON a.attrelid = objid AND a.attnum BETWEEN 1 AND 8
		JOIN pg_attribute b ON b.attrelid = objid AND b.attnum = 1
	LOOP
		-- Some types have no order, some tables no room for another index.
		BEGIN
			EXECUTE format('CREATE INDEX %I ON %s (%I)',
				'all_' || made.relname || made.num, made.rel, made.col);
			IF made.num > 1 THEN
				EXECUTE format('CREATE INDEX %I ON %s (%I, %I)',
					'all_' || made.relname || made.num || '_first', made.rel, made.col, made.first);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
END
$$;
CREATE EVENT TRIGGER index_all ON ddl_command_end
	WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO')
	EXECUTE FUNCTION index_all();
