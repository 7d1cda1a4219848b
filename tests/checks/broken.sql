# code | what the message or hint must mention | statement that SQLite refuses
unknown-table | enrolment | SELECT * FROM enrollments
unknown-table | tables: | SELECT * FROM xyzzy
unknown-column | pupil.first_name | SELECT firstnme FROM pupil
unknown-column | | SELECT quux FROM pupil
unknown-column | a.first_name | SELECT a.fist_name FROM pupil a
unjoined-table | school: join it | SELECT first_name, city FROM pupil
unjoined-table | join school | SELECT first_name FROM pupil WHERE school.city = 'x'
unjoined-table | T1 (pupil) has no column title | SELECT T1.title FROM pupil AS T1
wrong-qualifier | write s.city | SELECT p.city FROM pupil p JOIN school s ON p.school_id = s.id
wrong-qualifier | x is not a table or alias | SELECT x.age FROM pupil
ambiguous-column | pupil.id or school.id | SELECT id FROM pupil JOIN school ON school_id = school.id
reserved-word | write "group" | SELECT group FROM course
aggregate-in-where | HAVING | SELECT age FROM pupil WHERE count(*) > 1
aggregate-in-where | HAVING | SELECT age, count(*) AS n FROM pupil WHERE n > 1 GROUP BY age
aggregate-in-group-by | | SELECT count(*) FROM pupil GROUP BY count(*)
nested-aggregate | sub-query | SELECT max(count(*)) FROM pupil GROUP BY age
group-by | no GROUP BY | SELECT age FROM pupil HAVING age > 1
group-by | no GROUP BY | SELECT age FROM pupil ORDER BY count(*)
set-operation-arity | 1 and 2 columns | SELECT id FROM pupil UNION SELECT id, name FROM school
set-operation-arity | 6 and 1 columns | SELECT * FROM pupil EXCEPT SELECT id FROM pupil
sub-query-arity | 2 columns | SELECT age FROM pupil WHERE id IN (SELECT id, name FROM school)
position | | SELECT age FROM pupil ORDER BY 2
unknown-function | STRFTIME | SELECT YEAR(founded) FROM school
unknown-function | DATE('now') | SELECT CURDATE()
other-dialect | LIKE | SELECT 1 FROM school WHERE name ILIKE 'x'
other-dialect | CAST | SELECT age::text FROM pupil
other-dialect | MIN or MAX | SELECT 1 FROM pupil WHERE age > ANY (SELECT id FROM school)
other-dialect | parentheses | SELECT id FROM pupil UNION (SELECT id FROM school)
syntax | comma | SELECT age, FROM pupil
syntax | wrong place | SELECT age FROM pupil GROUP BY age WHERE age > 1
syntax | near 'WHERE' | SELECT age FROM pupil WHERE
syntax | | SELECT 'abc
several-statements | | SELECT 1; SELECT 2
wrong-qualifier | write p.* | SELECT x.* FROM pupil p
using-column | join with ON | SELECT name FROM school JOIN pupil USING (school_id)
aggregate-in-group-by | means | SELECT age, count(*) FROM pupil GROUP BY 2
sub-query-arity | one column | SELECT name FROM school WHERE id = (SELECT id, city FROM school)
sub-query-arity | 2 columns | SELECT (SELECT id, city FROM school) FROM pupil
sub-query-arity | 2 columns | SELECT name FROM school WHERE (id, city) IN (SELECT id FROM school)
side-order | ORDER BY | SELECT name FROM school ORDER BY name UNION SELECT title FROM course
side-order | LIMIT | SELECT name FROM school LIMIT 1 INTERSECT SELECT title FROM course
position | order by name | SELECT name FROM school UNION SELECT title FROM course ORDER BY id
syntax | IN ('PARIS') | SELECT name FROM school WHERE city IN 'PARIS'
unknown-column | 'PARIS' | SELECT name FROM school WHERE city = PARIS
other-dialect | INTERVAL | SELECT founded + INTERVAL '1 day' FROM school
other-dialect | QUALIFY | SELECT name FROM school QUALIFY row_number() OVER (ORDER BY id) = 1
other-dialect | LIMIT | SELECT name FROM school FETCH FIRST 3 ROWS ONLY
other-dialect | INSTR | SELECT POSITION('a' IN name) FROM school
other-dialect | TRIM | SELECT TRIM(BOTH ' ' FROM name) FROM school
wrong-arguments | one argument | SELECT count(DISTINCT age, grade) FROM pupil
unknown-function | AVG | SELECT STDDEV(age) FROM pupil
unknown-function | PRINTF | SELECT RPAD(name, 5, ' ') FROM school
unknown-function | STRFTIME | SELECT TIMESTAMPDIFF(DAY, founded, '2020-01-01') FROM school
unknown-function | SUBSTR | SELECT TO_DATE(founded, 'DD/MM/YYYY') FROM school
other-dialect | RANK | SELECT name FROM school ORDER BY city FETCH FIRST 1 ROWS WITH TIES
