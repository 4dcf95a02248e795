-- Statistics of hours before the oldest event; all-time sums stay (rule RET-06).
DELETE FROM stats WHERE hour >= 0 AND hour < (SELECT min(hour) FROM hours)
