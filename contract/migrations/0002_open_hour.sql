-- Schema 2: the sums of the open hour are in the rows of that hour alone, so that a group writes each sum once
-- (docs/decisions/0094-cost-of-a-group.md).

-- The open hour is the newest one, as in hours. Later groups of an earlier hour, after the clock was set back, add to the
-- sums of all time themselves. No row of an hour above it exists. The next hour adds its sums to those of all time.
-- Until now these had the sums of every hour, so an hour without rows is open at first.
INSERT INTO meta (key, value) SELECT 'open_hour', ifnull(max(hour) + 3600, 0) FROM stats WHERE hour >= 0;

-- The sums of all time come after those of every hour, so that one range of hours has them and those of the open hour.
UPDATE stats SET hour = 1000000000000000 WHERE hour = -1;
