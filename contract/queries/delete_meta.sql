-- Every fact of a new file but its epoch, before a dump brings its own.
DELETE FROM meta WHERE key <> 'epoch'
