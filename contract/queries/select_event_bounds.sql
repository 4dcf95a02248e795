-- The ids between which a search finds all its rows, both exclusive. :above and :below bound them already. :since and
-- :until are Unix milliseconds or NULL, :session is the key of a session or NULL.
SELECT
  max(
    :above,
    (SELECT ifnull(min(id), 1) - 1 FROM events),
    iif(:since IS NULL, :above, ifnull((SELECT min(first_id) - 1 FROM hours WHERE hour > :since / 1000 - 3600), :below)),
    iif(:session IS NULL, :above, (SELECT first_event_id - 1 FROM sessions WHERE key = :session))
  ) AS above,
  min(
    :below,
    (SELECT ifnull(max(id), 0) + 1 FROM events),
    iif(:until IS NULL, :below, ifnull((SELECT max(last_id) + 1 FROM hours WHERE hour <= :until / 1000), :above)),
    iif(:session IS NULL, :below, (SELECT last_event_id + 1 FROM sessions WHERE key = :session))
  ) AS below
