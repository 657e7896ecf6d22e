-- The tables of scripts/demo.  :data is the folder of the files; :files says
-- whether there are file lists.  The indexes are those that an application
-- grows: one for each column that is searched, and, where lists are shown page
-- by page, one that continues with the column they are sorted by.
\cd :data
BEGIN;

CREATE TABLE packages (
	name text NOT NULL,
	source text,
	version text,
	section text,
	priority text,
	architecture text,
	maintainer text,
	homepage text,
	essential boolean NOT NULL,
	tagged boolean NOT NULL,
	installed_size int,
	size bigint
);
CREATE TABLE tags (package text NOT NULL, tag text NOT NULL);
CREATE TABLE depends (package text NOT NULL, kind text NOT NULL, target text NOT NULL);

\copy packages FROM 'packages.tsv'
\copy tags FROM 'tags.tsv'
\copy depends FROM 'depends.tsv'

ALTER TABLE packages ADD PRIMARY KEY (name);
CREATE INDEX ON packages (section);
CREATE INDEX ON packages (maintainer);
CREATE INDEX ON packages (homepage);
CREATE INDEX ON packages (tagged);
CREATE INDEX ON packages (section, size);
CREATE INDEX ON packages (tagged, size);
CREATE INDEX ON tags (package);
CREATE INDEX ON tags (tag);
CREATE INDEX ON depends (package);
CREATE INDEX ON depends (target);
CREATE INDEX ON depends (kind);

-- id is the place in the archive's list, which is sorted by path.
\if :files
CREATE TABLE files (
	id int NOT NULL,
	path text NOT NULL,
	package text NOT NULL,
	section text NOT NULL,
	directory text,
	extension text,
	depth int NOT NULL
);
\copy files FROM 'files.tsv'
ALTER TABLE files ADD PRIMARY KEY (id);
CREATE INDEX ON files (section);
CREATE INDEX ON files (directory);
CREATE INDEX ON files (extension);
CREATE INDEX ON files (section, id);
CREATE INDEX ON files (extension, id);
\endif

COMMIT;
VACUUM (ANALYZE);
