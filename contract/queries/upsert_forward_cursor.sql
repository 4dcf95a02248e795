-- The newest id up to which a receiver has every event (rule FWD-02).
INSERT INTO meta (key, value) VALUES ('forwarded_to ' || ?1, CAST(?2 AS INTEGER))
ON CONFLICT (key) DO UPDATE SET value = excluded.value
