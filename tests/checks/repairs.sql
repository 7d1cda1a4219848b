# broken statement, then after "=>" what it is repaired to: the same text but for the fault

## the wrong table in front of a column
SELECT T1.city FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id
=> SELECT T2.city FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id

SELECT T1.city, count(*) FROM pupil AS T1 JOIN school AS T2 ON T1.school_id=T2.id GROUP BY T1.city
=> SELECT T2.city, count(*) FROM pupil AS T1 JOIN school AS T2 ON T1.school_id=T2.id GROUP BY T2.city

SELECT s.first_name FROM pupil p, school s WHERE p.school_id = s.id
=> SELECT p.first_name FROM pupil p, school s WHERE p.school_id = s.id

SELECT school."last name" FROM pupil JOIN school ON pupil.school_id = school.id
=> SELECT pupil."last name" FROM pupil JOIN school ON pupil.school_id = school.id

SELECT name FROM school AS s WHERE EXISTS (SELECT 1 FROM pupil p WHERE s.school_id = s.id)
=> SELECT name FROM school AS s WHERE EXISTS (SELECT 1 FROM pupil p WHERE p.school_id = s.id)

## an alias that is not defined
SELECT pupil.first_name FROM pupil AS p
=> SELECT p.first_name FROM pupil AS p

SELECT p.first_name FROM pupil
=> SELECT pupil.first_name FROM pupil

SELECT T1.first_name, pupils.age FROM pupil AS T1
=> SELECT T1.first_name, T1.age FROM pupil AS T1

## a column of a table that is not joined
SELECT T1.first_name FROM pupil AS T1 WHERE T2.city = 'PARIS'
=> SELECT T1.first_name FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id WHERE T2.city = 'PARIS'

SELECT first_name FROM pupil WHERE school.city = 'PARIS'
=> SELECT first_name FROM pupil JOIN school ON pupil.school_id = school.id WHERE school.city = 'PARIS'

SELECT first_name, city FROM pupil ORDER BY age
=> SELECT first_name, school.city FROM pupil JOIN school ON pupil.school_id = school.id ORDER BY age

SELECT first_name FROM pupil WHERE id > 1 AND city = 'PARIS'
=> SELECT first_name FROM pupil JOIN school ON pupil.school_id = school.id WHERE pupil.id > 1 AND school.city = 'PARIS'

SELECT * FROM pupil WHERE age > 5 AND city = 'BERLIN'
=> SELECT pupil.* FROM pupil JOIN school ON pupil.school_id = school.id WHERE age > 5 AND school.city = 'BERLIN'

SELECT first_name, title FROM pupil WHERE age = 12
=> SELECT first_name, course.title FROM pupil JOIN enrolment ON pupil.id = enrolment.pupil_id JOIN course ON enrolment.course_code = course.code WHERE age = 12

SELECT issued, mark FROM certificate
=> SELECT issued, enrolment.mark FROM certificate JOIN enrolment ON certificate.pupil_id = enrolment.pupil_id AND certificate.course_code = enrolment.course_code AND certificate.term = enrolment.term

SELECT name FROM school WHERE id IN (SELECT school_id FROM pupil WHERE mark > 2)
=> SELECT name FROM school WHERE id IN (SELECT school_id FROM pupil JOIN enrolment ON pupil.id = enrolment.pupil_id WHERE enrolment.mark > 2)

SELECT first_name FROM pupil WHERE age > 3 UNION SELECT first_name FROM pupil WHERE age < 9 AND city = 'PARIS'
=> SELECT first_name FROM pupil WHERE age > 3 UNION SELECT first_name FROM pupil JOIN school ON pupil.school_id = school.id WHERE age < 9 AND school.city = 'PARIS'

## the whole query is about another table
SELECT title FROM school
=> SELECT title FROM course

SELECT city FROM pupil
=> SELECT city FROM school

## tables joined on a column that one of them lacks: the keys go over a third table
SELECT first_name, title FROM pupil JOIN course ON pupil.course_code = course.code
=> SELECT first_name, title FROM pupil JOIN enrolment ON pupil.id = enrolment.pupil_id JOIN course ON enrolment.course_code = course.code

SELECT s.name, e.mark FROM school s JOIN enrolment e ON s.id = e.school_id
=> SELECT s.name, e.mark FROM school s JOIN pupil ON s.id = pupil.school_id JOIN enrolment e ON pupil.id = e.pupil_id

## names written in another way
SELECT frist_name FROM pupil
=> SELECT first_name FROM pupil

SELECT firstname FROM pupil
=> SELECT first_name FROM pupil

SELECT p.pupil_age FROM pupil p
=> SELECT p.age FROM pupil p

SELECT school_name FROM school
=> SELECT name FROM school

SELECT Titles FROM course
=> SELECT title FROM course

SELECT first_name FROM pupils WHERE age > 12
=> SELECT first_name FROM pupil WHERE age > 12

SELECT students.first_name FROM students
=> SELECT pupil.first_name FROM pupil

SELECT count(*) FROM enrollment
=> SELECT count(*) FROM enrolment

SELECT age, count(*) AS number FROM pupil GROUP BY age ORDER BY nubmer
=> SELECT age, count(*) AS number FROM pupil GROUP BY age ORDER BY number

WITH young AS (SELECT * FROM pupil WHERE age < 13) SELECT first_name FROM yung
=> WITH young AS (SELECT * FROM pupil WHERE age < 13) SELECT first_name FROM young

## names that need quotes
SELECT last name FROM pupil
=> SELECT "last name" FROM pupil

SELECT first_name FROM pupil WHERE last name = 'Bo'
=> SELECT first_name FROM pupil WHERE "last name" = 'Bo'

SELECT group, count(*) FROM course GROUP BY group
=> SELECT "group", count(*) FROM course GROUP BY "group"

SELECT c.group FROM course AS c
=> SELECT c."group" FROM course AS c

## in more than one table
SELECT id FROM pupil JOIN school ON pupil.school_id = school.id
=> SELECT pupil.id FROM pupil JOIN school ON pupil.school_id = school.id

SELECT s.name, id FROM pupil p JOIN school s ON p.school_id = s.id
=> SELECT s.name, s.id FROM pupil p JOIN school s ON p.school_id = s.id

SELECT course.title, course.title FROM certificate JOIN course ON course_code = course.code JOIN course ON course_code = course.code
=> SELECT course.title, course_2.title FROM certificate JOIN course ON course_code = course.code JOIN course AS course_2 ON course_code = course_2.code

## aggregates
SELECT first_name FROM pupil WHERE age > AVG(age)
=> SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil)

SELECT first_name FROM pupil WHERE school_id = 1 AND age > AVG(age)
=> SELECT first_name FROM pupil WHERE school_id = 1 AND age > (SELECT AVG(age) FROM pupil)

SELECT first_name FROM pupil WHERE school_id = 1 AND age = MAX(age)
=> SELECT first_name FROM pupil WHERE school_id = 1 AND age = (SELECT MAX(age) FROM pupil WHERE school_id = 1)

SELECT p.first_name FROM pupil p JOIN school s ON p.school_id = s.id WHERE s.city = 'BERLIN' AND MIN(p.age) = p.age
=> SELECT p.first_name FROM pupil p JOIN school s ON p.school_id = s.id WHERE s.city = 'BERLIN' AND (SELECT MIN(p.age) FROM pupil p JOIN school s ON p.school_id = s.id WHERE s.city = 'BERLIN') = p.age

SELECT p.first_name FROM pupil p JOIN school s ON p.school_id = s.id WHERE p.age > AVG(p.age)
=> SELECT p.first_name FROM pupil p JOIN school s ON p.school_id = s.id WHERE p.age > (SELECT AVG(p.age) FROM pupil AS p)

SELECT school_id FROM pupil WHERE age > 3 AND count(*) > 1 GROUP BY school_id ORDER BY 1
=> SELECT school_id FROM pupil WHERE age > 3 GROUP BY school_id HAVING COUNT(*) > 1 ORDER BY 1

SELECT school_id FROM pupil HAVING count(*) > 1
=> SELECT school_id FROM pupil GROUP BY school_id HAVING count(*) > 1

SELECT age FROM pupil ORDER BY count(*) DESC LIMIT 1
=> SELECT age FROM pupil GROUP BY age ORDER BY count(*) DESC LIMIT 1

SELECT first_name FROM pupil WHERE id IN (SELECT pupil_id, mark FROM enrolment)
=> SELECT first_name FROM pupil WHERE id IN (SELECT pupil_id FROM enrolment)

SELECT first_name FROM pupil WHERE id NOT IN (SELECT * FROM enrolment)
=> SELECT first_name FROM pupil WHERE id NOT IN (SELECT pupil_id FROM enrolment)

SELECT name FROM school WHERE id IN (SELECT age, school_id AS id FROM pupil)
=> SELECT name FROM school WHERE id IN (SELECT school_id FROM pupil)

SELECT count(*) FROM pupil WHERE school_id NOT IN (SELECT s.* FROM school s JOIN pupil p ON p.school_id = s.id)
=> SELECT count(*) FROM pupil WHERE school_id NOT IN (SELECT s.id FROM school s JOIN pupil p ON p.school_id = s.id)

## another dialect
SELECT name FROM school WHERE YEAR(founded) = 1950
=> SELECT name FROM school WHERE CAST(STRFTIME('%Y', founded) AS INTEGER) = 1950

SELECT EXTRACT(MONTH FROM founded) FROM school
=> SELECT CAST(STRFTIME('%m', founded) AS INTEGER) FROM school

SELECT LEFT(name, 4), LEN(name) FROM school
=> SELECT SUBSTR(name, 1, 4), LENGTH(name) FROM school

SELECT DATE_FORMAT(founded, '%Y-%m') FROM school
=> SELECT STRFTIME('%Y-%m', founded) FROM school

SELECT name FROM school WHERE name ILIKE 'hill%'
=> SELECT name FROM school WHERE name LIKE 'hill%'

SELECT TOP 2 first_name FROM pupil ORDER BY age
=> SELECT first_name FROM pupil ORDER BY age LIMIT 2

SELECT first_name FROM pupil WHERE age > ALL (SELECT id FROM school)
=> SELECT first_name FROM pupil WHERE NOT EXISTS (SELECT 1 FROM (SELECT id AS one FROM school) WHERE (age > one) IS NOT TRUE)

SELECT first_name FROM pupil AS p WHERE p.age <= ALL (SELECT age FROM pupil WHERE age > 99 UNION SELECT 12)
=> SELECT first_name FROM pupil AS p WHERE NOT EXISTS (SELECT 1 FROM (SELECT age AS one FROM pupil WHERE age > 99 UNION SELECT 12) WHERE (p.age <= one) IS NOT TRUE)

SELECT first_name FROM pupil WHERE age >= ANY (SELECT id FROM school)
=> SELECT first_name FROM pupil WHERE age >=  (SELECT MIN(id) FROM school)

SELECT first_name FROM pupil WHERE school_id = ANY (SELECT id FROM school ORDER BY id LIMIT 1)
=> SELECT first_name FROM pupil WHERE school_id IN (SELECT id FROM school ORDER BY id LIMIT 1)

SELECT first_name FROM pupil WHERE school_id <> ALL (SELECT id FROM school WHERE id > 1)
=> SELECT first_name FROM pupil WHERE school_id NOT IN (SELECT id FROM school WHERE id > 1)

SELECT DIVIDE(COUNT(age), COUNT(*)) FROM pupil
=> SELECT (CAST(COUNT(age) AS REAL) / (COUNT(*))) FROM pupil

## slips of writing
SELECT first_name FROM pupil WHERE age > = 13
=> SELECT first_name FROM pupil WHERE age >= 13

SELECT first_name, FROM pupil
=> SELECT first_name FROM pupil

SELECT count(*) FROM (SELECT DISTINCT age FROM pupil
=> SELECT count(*) FROM (SELECT DISTINCT age FROM pupil)

SELECT name FROM school; SELECT title FROM course
=> SELECT name FROM school

## more than one fault
SELECT T1.first_nam, T1.city FROM pupils AS T1 JOIN school AS T2 ON T1.school_id = T2.id
=> SELECT T1.first_name, T2.city FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id

## stars and USING
SELECT pupil.* FROM pupil AS p
=> SELECT p.* FROM pupil AS p

SELECT name, first_name FROM school JOIN pupil USING (school_id)
=> SELECT name, first_name FROM school JOIN pupil ON school.id = pupil.school_id

SELECT first_name, title FROM pupil INNER JOIN course USING (course_code) WHERE age = 12
=> SELECT first_name, title FROM pupil JOIN enrolment ON pupil.id = enrolment.pupil_id INNER JOIN course ON enrolment.course_code = course.code WHERE age = 12

## an order of one side, a list without parentheses
SELECT name FROM school ORDER BY name UNION SELECT title FROM course
=> SELECT name FROM school  UNION SELECT title FROM course

SELECT name FROM school LIMIT 1 UNION SELECT title FROM course
=> SELECT * FROM (SELECT name FROM school LIMIT 1) UNION SELECT title FROM course

SELECT city FROM school UNION SELECT title FROM course ORDER BY cities
=> SELECT city FROM school UNION SELECT title FROM course ORDER BY city

SELECT name FROM school WHERE city IN 'PARIS'
=> SELECT name FROM school WHERE city IN ('PARIS')

## text without its quotes
SELECT name FROM school WHERE city = PARIS
=> SELECT name FROM school WHERE city = 'PARIS'

SELECT name FROM school WHERE city IN (PARIS, ROMA)
=> SELECT name FROM school WHERE city IN ('PARIS', 'ROMA')

## dates and clauses of other dialects
SELECT name FROM school WHERE founded > DATE_SUB('2020-01-01', INTERVAL 1 YEAR)
=> SELECT name FROM school WHERE founded > DATE('2020-01-01', '-1 year')

SELECT s.founded + INTERVAL '2 weeks' FROM school s
=> SELECT CASE WHEN LENGTH(s.founded) > 10 THEN DATETIME(s.founded, '+14 day') ELSE DATE(s.founded, '+14 day') END FROM school s

SELECT DATE(founded) - INTERVAL 3 MONTH FROM school
=> SELECT MIN(DATE(DATE(founded), '-3 month'), DATE(DATE(founded), 'start of month', '-2 month', '-1 day')) FROM school

SELECT name FROM school WHERE founded > DATE '2023-03-01' - INTERVAL '30 days'
=> SELECT name FROM school WHERE founded > DATE('2023-03-01', '-30 day')

SELECT NOW() - INTERVAL '90 minutes' FROM school
=> SELECT DATETIME(DATETIME('now'), '-90 minute') FROM school

SELECT DATEADD(day, 30, founded) FROM school
=> SELECT CASE WHEN LENGTH(founded) > 10 THEN DATETIME(founded, '+30 day') ELSE DATE(founded, '+30 day') END FROM school

SELECT DATE_PART('year', founded), DATE_TRUNC('month', founded) FROM school
=> SELECT CAST(STRFTIME('%Y', founded) AS INTEGER), STRFTIME('%Y-%m-01', founded) FROM school

SELECT DATEDIFF(year, founded, '2020-01-01') FROM school
=> SELECT (STRFTIME('%Y', '2020-01-01') - STRFTIME('%Y', founded)) FROM school

SELECT DISTINCT ON (city) city FROM school
=> SELECT city FROM (SELECT city AS city, ROW_NUMBER() OVER (PARTITION BY city ORDER BY city) AS _row_number FROM school) AS _t WHERE _row_number = 1

SELECT name FROM school FETCH FIRST 3 ROWS ONLY
=> SELECT name FROM school LIMIT 3

SELECT name FROM school ORDER BY name OFFSET 2
=> SELECT name FROM school ORDER BY name LIMIT -1 OFFSET 2

SELECT age DIV 2 FROM pupil
=> SELECT CAST(CAST(age AS REAL) / 2 AS INTEGER) FROM pupil

SELECT SUBSTRING(name FROM 1 FOR 3) FROM school
=> SELECT SUBSTRING(name, 1, 3) FROM school

SELECT CONVERT(age, CHAR) FROM pupil
=> SELECT CAST(age AS TEXT) FROM pupil

SELECT count(DISTINCT city, name) FROM school
=> SELECT count(DISTINCT city || ' ' || name) FROM school

SELECT ISNULL(city), WEEKDAY(founded) FROM school
=> SELECT (city IS NULL), ((CAST(STRFTIME('%w', founded) AS INTEGER) + 6) % 7) FROM school

## a schema that this database does not have
SELECT public.school.city FROM public.school
=> SELECT school.city FROM school

SELECT s.city FROM "dbo"."school" AS s
=> SELECT s.city FROM school AS s

## a name in quotes together with its table
SELECT `T1.first_name`, [T1.age] FROM pupil AS T1
=> SELECT T1.first_name, T1.age FROM pupil AS T1

## a sub-query that got no name
SELECT t.first_name FROM (SELECT first_name FROM pupil) WHERE t.first_name = 'Ann'
=> SELECT t.first_name FROM (SELECT first_name FROM pupil) AS t WHERE t.first_name = 'Ann'

## a count that got no name
SELECT city FROM school GROUP BY city ORDER BY cnt DESC
=> SELECT city FROM school GROUP BY city ORDER BY COUNT(*) DESC

SELECT grade, COUNT(id) FROM pupil GROUP BY grade HAVING cnt > 1
=> SELECT grade, COUNT(id) FROM pupil GROUP BY grade HAVING COUNT(id) > 1

## an aggregate of the counts of groups
SELECT grade FROM pupil GROUP BY grade HAVING COUNT(*) = MAX(COUNT(*))
=> SELECT grade FROM pupil GROUP BY grade HAVING COUNT(*) = (SELECT MAX(one) FROM (SELECT COUNT(*) AS one FROM pupil GROUP BY grade) AS of_groups)

SELECT AVG(COUNT(*)) FROM pupil GROUP BY grade
=> SELECT AVG(one) FROM (SELECT COUNT(*) AS one FROM pupil GROUP BY grade) AS of_groups

SELECT grade FROM pupil GROUP BY grade HAVING COUNT(*) = (SELECT MAX(COUNT(*)) FROM pupil GROUP BY grade)
=> SELECT grade FROM pupil GROUP BY grade HAVING COUNT(*) = (SELECT MAX(one) FROM (SELECT COUNT(*) AS one FROM pupil GROUP BY grade) AS of_groups)

## a window function in WHERE
SELECT first_name, RANK() OVER (ORDER BY age DESC) AS place FROM pupil WHERE place = 1
=> SELECT first_name, place FROM (SELECT first_name, RANK() OVER (ORDER BY age DESC) AS place FROM pupil) AS _t WHERE place = 1

## a sign too many, too few, or not SQL's own
SELECT first_name FROM pupil, WHERE age > 12
=> SELECT first_name FROM pupil WHERE age > 12

SELECT grade FROM pupil GROUP BY grade, ORDER BY grade
=> SELECT grade FROM pupil GROUP BY grade ORDER BY grade

SELECT first_name FROM pupil WHERE age ≠ 12 AND age ≥ 13
=> SELECT first_name FROM pupil WHERE age <> 12 AND age >= 13

SELECT first\_name FROM pupil WHERE school\_id = 1
=> SELECT first_name FROM pupil WHERE school_id = 1

SELECT COUNT(* FROM pupil
=> SELECT COUNT(*) FROM pupil

SELECT grade FROM pupil GROUP BY grade ORDER BY COUNT(* DESC LIMIT 1
=> SELECT grade FROM pupil GROUP BY grade ORDER BY COUNT(*) DESC LIMIT 1

SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil WHERE grade = '7'
=> SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil WHERE grade = '7')

SELECT COUNT(*)) FROM pupil
=> SELECT COUNT(*) FROM pupil

SELECT first_name FROM pupil WHERE age > (SELECT AVG(age)) FROM pupil)
=> SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil)

SELECT first_name FROM pupil WHERE age > 12 WHERE grade = '8'
=> SELECT first_name FROM pupil WHERE age > 12 AND grade = '8'

## MINUS reads as an alias
SELECT first_name FROM pupil MINUS SELECT first_name FROM pupil WHERE age > 12
=> SELECT first_name FROM pupil EXCEPT SELECT first_name FROM pupil WHERE age > 12

## more functions of other dialects
SELECT SPLIT_PART(name, ' ', 1) FROM school
=> SELECT SUBSTR(name, 1, INSTR(name || ' ', ' ') - 1) FROM school

SELECT LPAD(grade, 3, '0') FROM pupil
=> SELECT CASE WHEN LENGTH(grade) > 3 THEN SUBSTR(grade, 1, 3) ELSE SUBSTR('000' || grade, -3) END FROM pupil

SELECT TRUNCATE(age / 7.0, 1) FROM pupil
=> SELECT (CAST((age / 7.0) * 10 AS INTEGER) / 10.0) FROM pupil

SELECT CONVERT(VARCHAR(20), age) FROM pupil
=> SELECT CAST(age AS TEXT) FROM pupil

SELECT COUNT_IF(age > 12) FROM pupil
=> SELECT COUNT(CASE WHEN age > 12 THEN 1 END) FROM pupil

SELECT SAFE_DIVIDE(SUM(age), COUNT(*)) FROM pupil
=> SELECT (SUM(age) * 1.0 / NULLIF(COUNT(*), 0)) FROM pupil

SELECT name FROM school WHERE STARTS_WITH(name, 'H')
=> SELECT name FROM school WHERE (SUBSTR(name, 1, LENGTH('H')) = 'H')

SELECT DATEDIFF(day, founded, '2020-01-01') FROM school
=> SELECT CAST(JULIANDAY(DATE('2020-01-01')) - JULIANDAY(DATE(founded)) AS INTEGER) FROM school

SELECT DATEDIFF(day, issued, '2020-01-01') FROM certificate
=> SELECT CAST(JULIANDAY(DATE('2020-01-01')) - JULIANDAY(DATE(issued)) AS INTEGER) FROM certificate
