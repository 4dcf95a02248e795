-- Events, statistics and the list of sessions change together, so their revisions rise together.
UPDATE topics SET revision = revision + 1 WHERE topic IN ('events', 'stats', 'sessions')
