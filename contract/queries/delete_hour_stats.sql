-- Statistics of hours before the oldest event; all-time sums stay (rule RET-06). No hour is above the open one, so its
-- sums stay too.
DELETE FROM stats WHERE hour >= 0 AND hour < (SELECT min(hour) FROM hours)
