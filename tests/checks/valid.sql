# statements that are right, one a line: nothing may be called an error, and nothing changed
SELECT 1
SELECT * FROM pupil
SELECT p.* , s.name FROM pupil AS p LEFT JOIN school AS s ON s.id = p.school_id
SELECT FIRST_NAME, "LAST NAME" FROM PUPIL
SELECT [last name], `first_name` FROM pupil
SELECT first_name FROM pupil WHERE first_name = "Ann"
SELECT "no such column" FROM pupil
SELECT rowid, oid, _rowid_, pupil.rowid FROM pupil
SELECT main.pupil.age FROM main.pupil
SELECT name FROM sqlite_master WHERE type = 'table'
SELECT "group", count(*) AS n FROM course GROUP BY "group" HAVING n > 1 ORDER BY n DESC
SELECT age + 1 AS older FROM pupil WHERE older > 13
SELECT age AS a FROM pupil GROUP BY a ORDER BY a
SELECT first_name FROM pupil ORDER BY id
SELECT * FROM pupil JOIN school ON school_id = school.id ORDER BY id
SELECT first_name AS id FROM pupil JOIN school ON school_id = school.id ORDER BY id
SELECT s.name FROM school s WHERE EXISTS (SELECT 1 FROM pupil WHERE school_id = s.id)
SELECT name, (SELECT count(*) FROM pupil p WHERE p.school_id = school.id AND name <> '') FROM school
SELECT first_name FROM pupil WHERE school_id IN (SELECT id FROM school WHERE city = 'PARIS')
SELECT first_name FROM pupil WHERE (id, age) IN (SELECT id, age FROM pupil)
SELECT m FROM (SELECT max(age) AS m FROM pupil GROUP BY school_id) ORDER BY m
SELECT t.m FROM (SELECT max(age) m, school_id FROM pupil GROUP BY 2) AS t JOIN school s ON s.id = t.school_id
SELECT x."count(*)" FROM (SELECT count(*) FROM pupil) AS x
WITH pupil AS (SELECT 1 AS only_here) SELECT only_here FROM pupil
WITH unused AS (SELECT nought FROM pupil) SELECT 1
WITH a AS (SELECT id FROM pupil), b(x) AS (SELECT id FROM a) SELECT a.id, b.x FROM a JOIN b ON a.id = b.x
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n
SELECT first_name FROM pupil UNION SELECT name FROM school ORDER BY first_name
SELECT id FROM pupil EXCEPT SELECT pupil_id FROM enrolment INTERSECT SELECT id FROM pupil
SELECT pupil_id, mark, issued FROM enrolment JOIN certificate USING (pupil_id, course_code, term)
SELECT pupil_id, mark, issued FROM enrolment NATURAL JOIN certificate
SELECT * FROM (pupil JOIN school ON pupil.school_id = school.id)
SELECT p.first_name, q.first_name FROM pupil p, pupil q WHERE p.age = q.age AND p.id < q.id
SELECT first_name, rank() OVER w FROM pupil WINDOW w AS (PARTITION BY school_id ORDER BY age)
SELECT first_name, sum(age) OVER (ORDER BY id ROWS 1 PRECEDING) FROM pupil
SELECT school_id, count(*) FILTER (WHERE age > 12) FROM pupil GROUP BY school_id
SELECT max(age), first_name FROM pupil
SELECT max(age, id), min(1, 2) FROM pupil WHERE max(age, id) > 1
SELECT j.value FROM course, json_each('[1,2]') AS j
SELECT value FROM json_each('[1,2]')
SELECT first_name, title, mark FROM v_marks WHERE mark IS NOT NULL
SELECT CASE WHEN age > 12 THEN 'old' ELSE "young" END AS kind, count(*) FROM pupil GROUP BY kind
SELECT strftime('%Y', founded), julianday('now') - julianday(founded), date('now') FROM school
SELECT CAST(count(*) AS REAL) / 2, iif(count(*) > 1, 'a', 'b'), replace('a', 'b', 'c') FROM pupil
SELECT DISTINCT age FROM pupil WHERE age IS NOT DISTINCT FROM 12 LIMIT 2 OFFSET 1
SELECT first_name FROM pupil WHERE first_name LIKE '%50%%' ESCAPE '\' OR first_name GLOB 'A*'
SELECT column1 FROM (VALUES (1), (2))
SELECT substring(name, 1, 3), trim(name), trim(name, 'x'), instr(name, 'a') FROM school
SELECT name FROM school LIMIT 3 OFFSET 2
SELECT name FROM school WHERE (SELECT 1, 2) = (id, 2) OR (id, 2) = (SELECT 1, 2)
SELECT name FROM school WHERE (SELECT 1, 2) = (SELECT id, 2)
SELECT s.name FROM school AS reverse JOIN school AS s ON s.id = reverse.id
SELECT age FROM pupil WHERE age / 2 > 5 AND age % 2 = 0
SELECT count(*) FROM pupil CROSS JOIN school
SELECT age FROM pupil; -- the end
SELECT "last name" AS "a b" FROM pupil ORDER BY "a b"
SELECT first_name, (age = NULL) IS NULL FROM pupil WHERE (age = NULL) IS NULL
SELECT coalesce(age = NULL, 0) FROM pupil
/* SELECT wrong FROM nowhere */ SELECT age -- of the pupil
FROM pupil;
