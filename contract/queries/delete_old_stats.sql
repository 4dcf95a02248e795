-- Statistics of quarters before the oldest time of the remaining events; sums of all time stay (rule RET-06). No quarter is
-- later than the open one, so its sums stay too. The blocks of the first span have its present times, since a deletion
-- keeps those of the span.
DELETE FROM stats WHERE quarter < (
  SELECT min(min(ifnull(first_time, 9007199254740992), ifnull(first_late, 9007199254740992))) / 900000 * 900
  FROM (
    SELECT first_time, first_late FROM event_blocks
    WHERE id BETWEEN (SELECT min(id) << 8 FROM event_spans) AND (SELECT (min(id) << 8) + 255 FROM event_spans)
    UNION ALL
    SELECT first_time, first_late FROM event_blocks WHERE id >= (SELECT max(id) << 8 FROM event_spans)
    UNION ALL
    SELECT first_time, first_late FROM event_spans
    WHERE id > (SELECT min(id) FROM event_spans) AND id < (SELECT max(id) FROM event_spans)
  )
)
