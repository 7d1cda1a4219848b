-- The databases that the built-in examples are about. Each table has rows enough for every question.
-- publisher
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT, country TEXT, born INTEGER);
CREATE TABLE book (book_id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author(author_id), year INTEGER, price REAL, copies INTEGER);
CREATE TABLE prize (prize_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book(book_id), prize_name TEXT, year INTEGER);
INSERT INTO author VALUES (1, 'Amara Eze', 'Kenya', 1985), (2, 'Jon Holt', 'Norway', 1948), (3, 'Ida Berg', 'Norway', 1990), (4, 'Wen Li', 'Kenya', 1970);
INSERT INTO book VALUES (1, 'The sea wall', 1, 2019, 34.0, 900), (2, 'Salt', 1, 2018, 9.0, 4000), (3, 'North', 2, 2018, 36.0, 300), (4, 'Winter bees', 3, 2021, 18.5, 700), (5, 'Quarry', 3, 2019, 8.0, 1200);
INSERT INTO prize VALUES (1, 1, 'Harbour Prize', 2020), (2, 1, 'Quill Award', 2020), (3, 3, 'Harbour Prize', 2019);
-- ferries
CREATE TABLE port (port_code TEXT PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE ferry (ferry_id INTEGER PRIMARY KEY, name TEXT, capacity INTEGER, built INTEGER);
CREATE TABLE crossing (crossing_id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferry(ferry_id), from_port TEXT REFERENCES port(port_code), to_port TEXT REFERENCES port(port_code), departure DATE, passengers INTEGER);
INSERT INTO port VALUES ('NV', 'Nordvik', 'Norway'), ('EL', 'Elsund', 'Denmark'), ('HM', 'Hammer', 'Sweden');
INSERT INTO ferry VALUES (1, 'Marigold', 400, 1992), (2, 'Tern', 900, 2015), (3, 'Old Maud', 250, 1974), (4, 'Skerry', 120, 2001);
INSERT INTO crossing VALUES (1, 1, 'NV', 'EL', '2022-03-04', 210), (2, 1, 'EL', 'NV', '2022-03-05', 180), (3, 2, 'NV', 'EL', '2022-04-01', 640), (4, 3, 'HM', 'NV', '2021-07-19', 90);
-- tools
CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, city TEXT, email TEXT, joined DATE);
CREATE TABLE tool (tool_id INTEGER PRIMARY KEY, name TEXT, category TEXT, deposit REAL);
CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member(member_id), tool_id INTEGER REFERENCES tool(tool_id), lent_on DATE, returned_on DATE);
INSERT INTO member VALUES (1, 'Lotte Maes', 'Ghent', 'lotte@example.org', '2022-02-01'), (2, 'Bram Smet', 'Bruges', NULL, '2020-05-12'), (3, 'Noor Claes', 'Ghent', 'noor@example.org', '2019-11-30');
INSERT INTO tool VALUES (1, 'drill', 'power', 40), (2, 'saw', 'power', 25), (3, 'rake', 'garden', 10), (4, 'spade', 'garden', 12), (5, 'hoe', 'garden', 10);
INSERT INTO loan VALUES (1, 1, 1, '2023-01-05', '2023-01-09'), (2, 1, 2, '2023-02-11', NULL), (3, 2, 1, '2022-08-20', '2022-08-21');
-- climbing
CREATE TABLE climber (climber_id INTEGER PRIMARY KEY, name TEXT, nationality TEXT, age INTEGER);
CREATE TABLE route (route_id INTEGER PRIMARY KEY, name TEXT, grade TEXT, length_m INTEGER);
CREATE TABLE ascent (climber_id INTEGER REFERENCES climber(climber_id), route_id INTEGER REFERENCES route(route_id), climbed_on DATE, minutes INTEGER);
INSERT INTO climber VALUES (1, 'Pia Rojas', 'Chile', 24), (2, 'Odd Vik', 'Norway', 45), (3, 'Mia Lund', 'Norway', 31), (4, 'Tom Ash', 'Wales', 24);
INSERT INTO route VALUES (1, 'Grey Slab', '6b', 320), (2, 'The Fin', '7a', 150), (3, 'Chimney', '6b', 80);
INSERT INTO ascent VALUES (1, 2, '2023-06-01', 95), (2, 1, '2022-08-14', 240), (3, 2, '2023-06-02', 55);
-- energy
CREATE TABLE plant (PlantID INTEGER PRIMARY KEY, Name TEXT, State TEXT, Fuel TEXT, Opened DATE, Licensed INTEGER);
CREATE TABLE output (PlantID INTEGER REFERENCES plant(PlantID), Year INTEGER, Month INTEGER, MWh REAL, Outage TEXT, PRIMARY KEY (PlantID, Year, Month));
INSERT INTO plant VALUES (1, 'Grey Lake', 'OH', 'NG', '1998-04-01', 1), (2, 'Mesa', 'TX', 'WND', '2011-09-15', 1), (3, 'Sundown', 'TX', 'SUN', '2018-02-20', 0), (4, 'Ridge', 'TX', 'WND', '2003-01-10', 1);
INSERT INTO output VALUES (1, 2020, 1, 800, 'N'), (1, 2020, 2, 750, 'Y'), (1, 2021, 1, 620, 'N'), (2, 2020, 1, 310, 'N'), (3, 2020, 1, 90, 'Y');
