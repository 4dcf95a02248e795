SELECT ifnull(max(key), 0) FROM sessions
