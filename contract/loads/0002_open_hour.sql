-- Below schema 2 the sums of all time have the hour -1, and every hour is in them. So an hour without rows is open.
UPDATE meta SET value = (SELECT ifnull(max(quarter) + 3600, 0) FROM stats WHERE quarter >= 0) WHERE key = 'open_quarter';
UPDATE stats SET quarter = 1000000000000000 WHERE quarter = -1;
