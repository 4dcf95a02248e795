-- The newest quarter of an hour with sums below ?1, in Unix seconds; NULL without one.
SELECT max(quarter) FROM stats WHERE quarter < ?1
