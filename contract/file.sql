-- Applied by the writing connection before pragmas.sql. It takes effect in a new file alone: deletions give pages back
-- to the file system step by step (rule RET-07).
PRAGMA auto_vacuum = INCREMENTAL;
