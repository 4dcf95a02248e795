-- The ids between which a search finds all its rows, both exclusive. :above and :below bound them already. :since and
-- :until are Unix milliseconds or NULL, :session is the key of a session or NULL.
WITH of_times AS MATERIALIZED (
  SELECT min(id) AS first, max(id) AS last FROM event_spans
  WHERE (:since IS NOT NULL OR :until IS NOT NULL) AND (
    ((:since IS NULL OR last_time >= :since) AND (:until IS NULL OR first_time < :until))
    OR ((:since IS NULL OR last_late >= :since) AND (:until IS NULL OR first_late < :until))
  )
)
SELECT
  max(
    :above,
    (SELECT ifnull(min(id), 1) - 1 FROM events),
    iif(:since IS NULL AND :until IS NULL, :above, ifnull((SELECT (first << 16) - 1 FROM of_times), :below)),
    iif(:session IS NULL, :above, (SELECT first_event_id - 1 FROM sessions WHERE key = :session))
  ) AS above,
  min(
    :below,
    (SELECT ifnull(max(id), 0) + 1 FROM events),
    iif(:since IS NULL AND :until IS NULL, :below, ifnull((SELECT (last + 1) << 16 FROM of_times), :above)),
    iif(:session IS NULL, :below, (SELECT last_event_id + 1 FROM sessions WHERE key = :session))
  ) AS below
