-- The last row of `recent` gets the tally (journal/seals.py) before the mark of the last recent record: from now on the
-- journal states how many commits and rows it has. A row that was damaged before stays as it is, and is reported.
-- The numbers 3 and 4 belonged to an earlier series of migrations.
WITH found AS MATERIALIZED (
    SELECT first_tally(
        (SELECT count(*) FROM records) + (SELECT count(*) FROM recent) - 1
            + (SELECT count(*) FROM users) + (SELECT count(*) FROM books),
        (SELECT seal_total(seal) FROM (
            SELECT seal FROM records
            UNION ALL SELECT seal FROM recent WHERE number != 9223372036854775807
            UNION ALL SELECT seal FROM users
            UNION ALL SELECT seal FROM books
        )),
        (SELECT record FROM recent WHERE number = 9223372036854775807)
    ) AS tally
)
UPDATE recent SET record = found.tally, seal = seal('records', '', n, found.tally) FROM found
WHERE number = 9223372036854775807 AND seal = seal('records', '', n, record);
