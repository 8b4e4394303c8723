-- What queries start from. Views hold no data: a store of an older version gets these when it is
-- next written to.

-- One row a tournament. Of several with one name the one run last counts, as in the standings;
-- the others are superseded: their file was changed since, or a program that plays in them. One
-- from which players were left out counts only if there is no other.
CREATE VIEW runs AS
SELECT t.tournament                                       AS run,
       t.name                                             AS tournament,
       t.game                                             AS game,
       datetime(t.run_at / 1000, 'unixepoch')             AS run_at_utc,
       t.fixtures                                         AS fixtures,
       (SELECT count(*) FROM tournament_records AS l
        WHERE l.tournament = t.tournament)                AS played,
       EXISTS (SELECT 1 FROM tournaments AS other
               WHERE other.name = t.name
               AND (instr(other.definition, '"left_out":') = 0, other.run_at, other.tournament)
                 > (instr(t.definition, '"left_out":') = 0, t.run_at, t.tournament))
                                                          AS superseded
FROM tournaments AS t;

-- One row a seat of each match, of superseded tournaments too: a match that counts for two of them
-- is there twice.
CREATE VIEW all_results AS
SELECT t.tournament                       AS tournament,
       t.run                              AS run,
       t.superseded                       AS superseded,
       lower(hex(r.id))                   AS id,
       r.game                             AS game,
       r.scenario                         AS scenario,
       r.seed                             AS seed,
       s.key                              AS seat,
       s.value                            AS player,
       r.scores ->> s.key                 AS score,
       r.ending                           AS ending,
       r.truncated                        AS truncated,
       coalesce(r.fault_seat = s.key, 0)  AS at_fault,
       r.fault                            AS fault,
       r.turns                            AS turns,
       r.elapsed_us                       AS elapsed_us
FROM runs AS t
JOIN tournament_records AS l ON l.tournament = t.run
JOIN records AS r ON r.record = l.record
JOIN json_each(r.seats) AS s;

-- The same of what counts: what `quintain standings` shows.
CREATE VIEW results AS
SELECT tournament, run, id, game, scenario, seed, seat, player, score, ending, truncated, at_fault,
       fault, turns, elapsed_us
FROM all_results
WHERE NOT superseded;
