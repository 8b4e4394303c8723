-- Who made a repository's token. A member of a team makes one for the team, and it is worth no more than the member
-- is. Who made those of teams until now is not known, so they end; the others are their participants'.
ALTER TABLE submit_tokens ADD COLUMN maker INTEGER REFERENCES participants (id);
INSERT INTO audit (at, who, what)
    SELECT CAST(strftime('%s', 'now') AS INTEGER), 'host',
           'no token for a repository of the team ' || coalesce(nullif(p.called, ''), p.name)
           || ' any more: who made it is not known'
    FROM submit_tokens AS t JOIN participants AS p ON p.id = t.participant WHERE p.is_team;
DELETE FROM submit_tokens WHERE participant IN (SELECT id FROM participants WHERE is_team);
UPDATE submit_tokens SET maker = participant;
