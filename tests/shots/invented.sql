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
-- apiaries
CREATE TABLE beekeeper (keeper_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, village TEXT NOT NULL, phone TEXT NOT NULL, years_active INTEGER NOT NULL);
CREATE TABLE apiary (apiary_id INTEGER PRIMARY KEY, apiary_name TEXT NOT NULL, keeper_id INTEGER NOT NULL REFERENCES beekeeper(keeper_id), habitat TEXT NOT NULL, altitude_m INTEGER NOT NULL);
CREATE TABLE hive (hive_id INTEGER PRIMARY KEY, apiary_id INTEGER NOT NULL REFERENCES apiary(apiary_id), bee_race TEXT NOT NULL, hive_model TEXT NOT NULL, frames INTEGER NOT NULL);
CREATE TABLE harvest (harvest_id INTEGER PRIMARY KEY, hive_id INTEGER NOT NULL REFERENCES hive(hive_id), honey_type TEXT NOT NULL, weight_kg REAL NOT NULL, harvest_date DATE NOT NULL);
INSERT INTO beekeeper VALUES (1, 'Hedda', 'Krog', 'Elmsby', '555-0101', 22), (2, 'Joren', 'Tvedt', 'Elmsby', '555-0102', 6), (3, 'Palle', 'Winsnes', 'Upper Moss', '555-0103', 17);
INSERT INTO apiary VALUES (1, 'Clover Bank', 1, 'meadow', 140), (2, 'Heath Corner', 1, 'heath', 620), (3, 'Old Orchard', 2, 'orchard', 90), (4, 'Lime Walk', 3, 'meadow', 710);
INSERT INTO hive VALUES (1, 1, 'Carnica', 'Dadant', 12), (2, 1, 'Buckfast', 'Zander', 10), (3, 2, 'Carnica', 'Dadant', 11), (4, 2, 'Carnica', 'Zander', 9), (5, 3, 'Buckfast', 'Zander', 20), (6, 4, 'Black bee', 'Warre', 8), (7, 2, 'Carnica', 'Dadant', 12);
INSERT INTO harvest VALUES (1, 1, 'clover', 18.5, '2022-07-02'), (2, 1, 'heather', 9.0, '2022-09-04'), (3, 1, 'lime', 12.5, '2023-07-11'), (4, 3, 'heather', 21.0, '2022-09-10'), (5, 3, 'clover', 6.5, '2022-06-20'), (6, 2, 'clover', 14.0, '2023-06-29'), (7, 6, 'lime', 16.5, '2023-07-20');
-- seed_bank
CREATE TABLE Collector (CollectorID INTEGER PRIMARY KEY, FirstName TEXT NOT NULL, LastName TEXT NOT NULL, Email TEXT NOT NULL, HomeBase TEXT NOT NULL);
CREATE TABLE Species (SpeciesCode TEXT PRIMARY KEY, LatinName TEXT NOT NULL, Family TEXT NOT NULL, LifeForm TEXT NOT NULL, SeedLifeYears INTEGER NOT NULL);
CREATE TABLE Accession (AccessionID INTEGER PRIMARY KEY, SpeciesCode TEXT NOT NULL REFERENCES Species(SpeciesCode), CollectorID INTEGER NOT NULL REFERENCES Collector(CollectorID), Region TEXT NOT NULL, CollectedOn DATE NOT NULL, SeedCount INTEGER NOT NULL, Shelf TEXT NOT NULL);
CREATE TABLE GerminationTest (TestID INTEGER PRIMARY KEY, AccessionID INTEGER NOT NULL REFERENCES Accession(AccessionID), Medium TEXT NOT NULL, TestYear INTEGER NOT NULL, RatePercent REAL NOT NULL);
INSERT INTO Collector VALUES (1, 'Mira', 'Holmquist', 'mira@seeds.example', 'Fenwick Hall'), (2, 'Teo', 'Barros', 'teo@seeds.example', 'Sandgate'), (3, 'Anouk', 'Viel', 'anouk@seeds.example', 'Sandgate');
INSERT INTO Species VALUES ('SIMO', 'Silene montis', 'Caryophyllaceae', 'herb', 35), ('SIBO', 'Silene borealis', 'Caryophyllaceae', 'herb', 8), ('LUAL', 'Lupinus alter', 'Fabaceae', 'herb', 80), ('VIPA', 'Vicia parva', 'Fabaceae', 'climber', 6), ('BEHU', 'Betula humida', 'Betulaceae', 'tree', 45);
INSERT INTO Accession VALUES (1, 'SIMO', 1, 'Ostmark', '2014-08-02', 900, 'A1'), (2, 'SIBO', 1, 'Ostmark', '2016-07-19', 250, 'B2'), (3, 'LUAL', 1, 'Ostmark', '2018-08-30', 1200, 'A1'), (4, 'LUAL', 2, 'Weir Valley', '2019-09-14', 640, 'A1'), (5, 'VIPA', 2, 'Weir Valley', '2021-06-25', 120, 'C3');
INSERT INTO GerminationTest VALUES (1, 1, 'agar', 2020, 82.5), (2, 1, 'sand', 2022, 71.0), (3, 3, 'agar', 2021, 64.0), (4, 4, 'paper', 2021, 58.5), (5, 2, 'agar', 2022, 90.0);
-- glacier_watch
CREATE TABLE glacier (id INTEGER PRIMARY KEY, name TEXT NOT NULL, massif TEXT NOT NULL, glacier_type TEXT NOT NULL, length_km REAL NOT NULL);
CREATE TABLE station (id INTEGER PRIMARY KEY, glacier_id INTEGER NOT NULL REFERENCES glacier(id), label TEXT NOT NULL, elevation INTEGER NOT NULL, status TEXT NOT NULL, power TEXT NOT NULL);
CREATE TABLE observer (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, hut TEXT NOT NULL, age INTEGER NOT NULL);
CREATE TABLE reading (id INTEGER PRIMARY KEY, station_id INTEGER NOT NULL REFERENCES station(id), observer_id INTEGER NOT NULL REFERENCES observer(id), read_on DATE NOT NULL, snow_depth_cm INTEGER NOT NULL, melt_mm INTEGER NOT NULL, sky TEXT NOT NULL);
INSERT INTO glacier VALUES (1, 'Hvitbre', 'Sorfjell', 'valley', 11.2), (2, 'Grautunga', 'Sorfjell', 'cirque', 4.1), (3, 'Kaldfonn', 'Sorfjell', 'valley', 8.7), (4, 'Lomvi Ice', 'Tarnmassif', 'cirque', 2.3), (5, 'Isrygg', 'Tarnmassif', 'plateau', 9.5);
INSERT INTO station VALUES (1, 1, 'H1', 1320, 'active', 'solar'), (2, 1, 'H2', 2150, 'active', 'solar'), (3, 2, 'G1', 1710, 'removed', 'battery'), (4, 3, 'K1', 1480, 'active', 'battery'), (5, 5, 'I1', 2620, 'buried', 'wind');
INSERT INTO observer VALUES (1, 'Signe Dahlen', 'North Hut', 54), (2, 'Matti Orava', 'North Hut', 33), (3, 'Rosa Quint', 'Moraine Hut', 61), (4, 'Ebbe Norling', 'Moraine Hut', 28);
INSERT INTO reading VALUES (1, 1, 1, '2021-05-03', 45, 12, 'clear'), (2, 1, 2, '2021-07-14', 5, 60, 'clear'), (3, 2, 1, '2021-05-04', 180, 4, 'overcast'), (4, 2, 3, '2022-05-10', 95, 8, 'fog'), (5, 4, 2, '2022-06-01', 15, 41, 'clear'), (6, 5, 3, '2022-06-02', 260, 2, 'clear');
-- lighthouses
CREATE TABLE lights (lh_code TEXT PRIMARY KEY, lh_name TEXT NOT NULL, coast TEXT NOT NULL, tower_ht REAL NOT NULL, lit_yr INTEGER NOT NULL, lamp TEXT NOT NULL);
CREATE TABLE keepers (kpr_no INTEGER PRIMARY KEY, kpr_name TEXT NOT NULL, born_yr INTEGER NOT NULL, home_port TEXT NOT NULL);
CREATE TABLE postings (lh_code TEXT NOT NULL REFERENCES lights(lh_code), kpr_no INTEGER NOT NULL REFERENCES keepers(kpr_no), duty TEXT NOT NULL, start_yr INTEGER NOT NULL, PRIMARY KEY (lh_code, kpr_no));
CREATE TABLE log_entries (entry_no INTEGER PRIMARY KEY, lh_code TEXT NOT NULL REFERENCES lights(lh_code), kpr_no INTEGER NOT NULL REFERENCES keepers(kpr_no), log_date DATE NOT NULL, wind_bft INTEGER NOT NULL, remark TEXT);
CREATE TABLE supply_boats (boat_no INTEGER PRIMARY KEY, boat_name TEXT NOT NULL, home_port TEXT NOT NULL);
INSERT INTO lights VALUES ('SKR', 'Skarn Rock', 'north', 41.5, 1838, 'oil'), ('GUL', 'Gull Ness', 'west', 22.0, 1911, 'electric'), ('PEN', 'Penwater Point', 'north', 18.5, 1924, 'gas'), ('TWS', 'Twin Stacks', 'north', 30.0, 1903, 'electric'), ('DRU', 'Drum Skerry', 'east', 12.0, 1872, 'gas');
INSERT INTO keepers VALUES (1, 'Arne Tangvik', 1880, 'Saltby'), (2, 'Bess Corrin', 1895, 'Quayhead'), (3, 'Iver Moss', 1901, 'Saltby'), (4, 'Nan Petherick', 1889, 'Ravensea');
INSERT INTO postings VALUES ('SKR', 1, 'principal', 1909), ('SKR', 3, 'assistant', 1925), ('SKR', 2, 'assistant', 1919), ('GUL', 1, 'principal', 1921), ('PEN', 4, 'occasional', 1930);
INSERT INTO log_entries VALUES (1, 'SKR', 1, '1910-11-02', 9, 'Lantern pane cracked'), (2, 'SKR', 3, '1926-01-18', 7, NULL), (3, 'GUL', 1, '1922-03-05', 4, 'Fog signal tested'), (4, 'TWS', 3, '1931-12-24', 10, 'Relief boat delayed'), (5, 'SKR', 1, '1911-02-09', 8, NULL), (6, 'GUL', 1, '1922-03-06', 3, NULL);
INSERT INTO supply_boats VALUES (1, 'Kittiwake', 'Quayhead'), (2, 'Sea Holly', 'Murrow');
-- fungus_forays
CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, joined_year INTEGER NOT NULL);
CREATE TABLE foray (foray_id INTEGER PRIMARY KEY, site TEXT NOT NULL, woodland_type TEXT NOT NULL, foray_date DATE NOT NULL, leader_id INTEGER NOT NULL REFERENCES member(member_id), visitors INTEGER NOT NULL);
CREATE TABLE fungus (fungus_id INTEGER PRIMARY KEY, common_name TEXT NOT NULL, edibility TEXT NOT NULL, spore_print TEXT NOT NULL);
CREATE TABLE finds (find_id INTEGER PRIMARY KEY, foray_id INTEGER NOT NULL REFERENCES foray(foray_id), fungus_id INTEGER NOT NULL REFERENCES fungus(fungus_id), member_id INTEGER NOT NULL REFERENCES member(member_id), substrate TEXT NOT NULL, cap_mm INTEGER NOT NULL);
INSERT INTO member VALUES (1, 'Ola Moen', 'Brackley End', 2009), (2, 'Fern Ashdown', 'Tolworthy', 2015), (3, 'Kit Larch', 'Tolworthy', 2020);
INSERT INTO foray VALUES (1, 'Hazel Dingle', 'oak', '2021-09-18', 1, 14), (2, 'Pine Bottom', 'conifer', '2022-10-02', 2, 23), (3, 'Hazel Dingle', 'oak', '2023-09-30', 1, 9);
INSERT INTO fungus VALUES (1, 'ink cap', 'edible', 'black'), (2, 'sulphur tuft', 'poisonous', 'brown'), (3, 'deer shield', 'edible', 'pink'), (4, 'pale amanita', 'poisonous', 'white');
INSERT INTO finds VALUES (1, 1, 1, 1, 'soil', 40), (2, 1, 2, 1, 'dead wood', 35), (3, 2, 2, 2, 'dead wood', 28), (4, 3, 1, 3, 'soil', 52), (5, 3, 1, 1, 'dung', 31);
-- bakery
CREATE TABLE product (product_id INTEGER PRIMARY KEY, name TEXT UNIQUE, category TEXT, price REAL, weight_g INTEGER);
CREATE TABLE baker (baker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, shift TEXT, wage REAL);
CREATE TABLE batch (batch_id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product(product_id), baker_id INTEGER NOT NULL REFERENCES baker(baker_id), baked_on DATE, pieces INTEGER, oven TEXT);
CREATE TABLE ingredient (ingredient_id INTEGER PRIMARY KEY, name TEXT UNIQUE, supplier TEXT, cost_per_kg REAL);
CREATE TABLE recipe (product_id INTEGER NOT NULL REFERENCES product(product_id), ingredient_id INTEGER NOT NULL REFERENCES ingredient(ingredient_id), grams INTEGER, PRIMARY KEY (product_id, ingredient_id));
INSERT INTO product VALUES (1, 'Rye Loaf', 'bread', 3.8, 750), (2, 'Honey Bun', 'pastry', 1.9, 90), (3, 'Plum Cake', 'cake', 14.5, 1200), (4, 'Oat Roll', 'bread', 0.9, 80), (5, 'Seed Loaf', 'bread', 4.6, 500), (6, 'Nut Tart', 'cake', 11.0, 640);
INSERT INTO baker VALUES (1, 'Ines', 'Ferro', 'night', 19.5), (2, 'Milo', 'Brandt', 'early', 17.0), (3, 'Greta', 'Olm', 'night', 21.0);
INSERT INTO batch VALUES (1, 1, 1, '2023-05-01', 40, 'stone'), (2, 4, 1, '2023-05-02', 120, 'deck'), (3, 3, 2, '2023-05-02', 12, 'deck'), (4, 2, 2, '2023-05-03', 60, 'deck'), (5, 1, 1, '2023-05-04', 35, 'stone'), (6, 6, 3, '2023-05-05', 10, 'rack');
INSERT INTO ingredient VALUES (1, 'rye flour', 'Millbrook', 1.1), (2, 'butter', 'Hill Dairy', 8.4), (3, 'honey', 'Clover Yard', 12.0), (4, 'plums', 'Clover Yard', 3.5), (5, 'saffron', 'Spice Post', 4200.0), (6, 'salt', 'Millbrook', 0.6);
INSERT INTO recipe VALUES (1, 1, 600), (1, 6, 12), (2, 2, 20), (2, 3, 15), (3, 2, 250), (3, 4, 500), (4, 6, 2), (5, 3, 30), (6, 2, 180), (6, 3, 60);
-- pottery_studio
CREATE TABLE Potter (PotterID INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, Town TEXT, Phone TEXT, JoinedYear INTEGER);
CREATE TABLE Kiln (KilnID INTEGER PRIMARY KEY, KilnName TEXT UNIQUE, FuelType TEXT, MaxTemp INTEGER, VolumeL INTEGER);
CREATE TABLE Piece (PieceID INTEGER PRIMARY KEY, Title TEXT UNIQUE, PotterID INTEGER NOT NULL REFERENCES Potter(PotterID), Form TEXT, Clay TEXT, HeightCm REAL, Price REAL);
CREATE TABLE Firing (FiringID INTEGER PRIMARY KEY, PieceID INTEGER NOT NULL REFERENCES Piece(PieceID), KilnID INTEGER NOT NULL REFERENCES Kiln(KilnID), GlazeName TEXT, FiredOn DATE, Hours REAL, Result TEXT);
INSERT INTO Potter VALUES (1, 'Hanne', 'Viklund', 'Elmsby', '71 20 33', 2012), (2, 'Oskar', 'Lindberg', 'Fordale', '71 84 02', 2018), (3, 'Rosa', 'Tamm', 'Elmsby', '71 55 19', 2019);
INSERT INTO Kiln VALUES (1, 'Old Dragon', 'wood', 1320, 900), (2, 'Ember', 'gas', 1300, 400), (3, 'Little Owl', 'electric', 1260, 120);
INSERT INTO Piece VALUES (1, 'Moon Jar', 1, 'jar', 'porcelain', 46, 380), (2, 'Tide Bowl', 1, 'bowl', 'stoneware', 9, 60), (3, 'Reed Vase', 2, 'vase', 'stoneware', 31, 120), (4, 'Snow Bowl', 3, 'bowl', 'porcelain', 11, 85), (5, 'Bark Jug', 2, 'jug', 'stoneware', 24, 70);
INSERT INTO Firing VALUES (1, 1, 1, 'Celadon', '2022-03-12', 36, 'good'), (2, 1, 2, 'Tenmoku', '2022-03-20', 14, 'good'), (3, 2, 2, 'Celadon', '2022-05-02', 13, 'cracked'), (4, 3, 1, 'Ash', '2022-06-18', 38, 'cracked'), (5, 4, 2, 'Ash', '2023-01-09', 12, 'good'), (6, 3, 2, 'Tenmoku', '2023-02-14', 15, 'cracked');
-- bike_workshop
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, town TEXT, since INTEGER);
CREATE TABLE bicycle (id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES client(id), brand TEXT, type TEXT, frame_no TEXT UNIQUE);
CREATE TABLE mechanic (id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, rank TEXT, hourly_rate REAL);
CREATE TABLE job (id INTEGER PRIMARY KEY, bicycle_id INTEGER NOT NULL REFERENCES bicycle(id), mechanic_id INTEGER NOT NULL REFERENCES mechanic(id), received DATE, status TEXT, minutes INTEGER, price REAL);
CREATE TABLE job_part (job_id INTEGER NOT NULL REFERENCES job(id), part_name TEXT, qty INTEGER, unit_price REAL, PRIMARY KEY (job_id, part_name));
INSERT INTO client VALUES (1, 'Tove Lind', '0471-220', 'Harrow', 2008), (2, 'Sam Okoro', '0471-918', 'Harrow', 2021), (3, 'Pavel Nemec', '0388-140', 'Quill Bay', 2015), (4, 'Ruth Adler', '0388-777', 'Sandrow', 2022);
INSERT INTO bicycle VALUES (1, 1, 'Veloria', 'tandem', 'KX-204'), (2, 1, 'Norrin', 'road', 'NR-881'), (3, 2, 'Veloria', 'road', 'KX-310'), (4, 3, 'Veloria', 'tandem', 'KX-415'), (5, 3, 'Pascht', 'cargo', 'PA-007');
INSERT INTO mechanic VALUES (1, 'Odo', 'Krantz', 'master', 48), (2, 'Lina', 'Sobel', 'journeyman', 36), (3, 'Yaro', 'Pike', 'apprentice', 18);
INSERT INTO job VALUES (1, 1, 1, '2023-03-02', 'done', 90, 110), (2, 1, 2, '2023-04-11', 'done', 45, 52), (3, 2, 1, '2023-04-12', 'waiting', 20, 25), (4, 3, 2, '2023-05-06', 'done', 150, 160), (5, 1, 1, '2023-06-01', 'open', 60, 80), (6, 2, 1, '2023-06-08', 'done', 30, 35);
INSERT INTO job_part VALUES (1, 'chain', 2, 19.5), (1, 'cable', 1, 4.0), (2, 'tyre', 2, 28.0), (4, 'hub', 1, 64.0), (4, 'chain', 1, 19.5), (5, 'saddle', 1, 39.0);
-- print_shop
CREATE TABLE Customers (customer_code TEXT PRIMARY KEY, customer_name TEXT, contact_email TEXT, city TEXT, discount REAL);
CREATE TABLE Presses (press_id INTEGER PRIMARY KEY, press_name TEXT UNIQUE, technique TEXT, install_year INTEGER, sheets_per_hour INTEGER);
CREATE TABLE Papers (paper_code TEXT PRIMARY KEY, paper_name TEXT UNIQUE, finish_code TEXT, grams INTEGER, stock INTEGER);
CREATE TABLE Print_Jobs (job_no INTEGER PRIMARY KEY, customer_code TEXT NOT NULL REFERENCES Customers(customer_code), press_id INTEGER NOT NULL REFERENCES Presses(press_id), paper_code TEXT NOT NULL REFERENCES Papers(paper_code), job_type_code TEXT, copies INTEGER, due_date DATE, amount REAL);
INSERT INTO Customers VALUES ('KB', 'Kettle & Bean', 'post@kettle.example', 'Tarnbeck', 0.05), ('LT', 'Lantern Trust', 'office@lantern.example', 'Wexley', 0.0), ('OG', 'Orchard Guild', 'mail@orchard.example', 'Tarnbeck', 0.1), ('SV', 'Silver Vole', 'hi@vole.example', 'Wexley', 0.02);
INSERT INTO Presses VALUES (1, 'Blue Giant', 'offset', 2016, 9000), (2, 'Platen', 'letterpress', 1961, 1200), (3, 'Inkjet Two', 'digital', 2020, 3000), (4, 'Proofer', 'digital', 2009, 600);
INSERT INTO Papers VALUES ('P1', 'Cotton Laid', 'matt', 300, 1500), ('P2', 'Office Plain', 'matt', 80, 20000), ('P3', 'Gallery', 'gloss', 170, 6000), ('P4', 'Swan', 'satin', 130, 4000), ('P5', 'Kraft', 'matt', 120, 900);
INSERT INTO Print_Jobs VALUES (101, 'KB', 1, 'P3', 'Flyer', 5000, '2023-02-10', 420), (102, 'KB', 1, 'P4', 'Brochure', 800, '2023-03-01', 610), (103, 'LT', 2, 'P1', 'Invitation', 150, '2023-03-15', 190), (104, 'OG', 1, 'P3', 'Flyer', 2000, '2023-04-02', 230), (105, 'OG', 3, 'P2', 'Brochure', 300, '2023-04-20', 260), (106, 'KB', 3, 'P4', 'Brochure', 450, '2023-05-05', 330);
-- handweavers
CREATE TABLE weaver (wid INTEGER PRIMARY KEY, wname TEXT UNIQUE, village TEXT, yrs_exp INTEGER);
CREATE TABLE loom (lid INTEGER PRIMARY KEY, loom_type TEXT, width_cm INTEGER, built_yr INTEGER);
CREATE TABLE cloth (cid INTEGER PRIMARY KEY, wid INTEGER NOT NULL REFERENCES weaver(wid), lid INTEGER NOT NULL REFERENCES loom(lid), pattern TEXT, fibre TEXT, len_m REAL, price REAL);
CREATE TABLE fair (fair_id INTEGER PRIMARY KEY, fair_name TEXT UNIQUE, town TEXT, yr INTEGER);
CREATE TABLE stall (fair_id INTEGER NOT NULL REFERENCES fair(fair_id), wid INTEGER NOT NULL REFERENCES weaver(wid), sq_m REAL, fee REAL, PRIMARY KEY (fair_id, wid));
INSERT INTO weaver VALUES (1, 'Sanna Rask', 'Osby', 27), (2, 'Ebbe Holm', 'Osby', 3), (3, 'Iria Prado', 'Tollhaven', 12), (4, 'Dag Sund', 'Tollhaven', 8);
INSERT INTO loom VALUES (1, 'floor', 140, 1988), (2, 'table', 60, 2010), (3, 'floor', 180, 1955);
INSERT INTO cloth VALUES (1, 1, 1, 'Herringbone', 'wool', 4.5, 210), (2, 1, 3, 'Rosepath', 'silk', 2.0, 260), (3, 2, 2, 'Twill', 'hemp', 1.5, 45), (4, 3, 1, 'Twill', 'wool', 6.0, 150), (5, 2, 2, 'Herringbone', 'hemp', 2.5, 80), (6, 3, 3, 'Rosepath', 'silk', 3.0, 320), (7, 1, 1, 'Herringbone', 'wool', 3.0, 140);
INSERT INTO fair VALUES (1, 'Lake Market', 'Osby', 2021), (2, 'Spring Fair', 'Mellby', 2022), (3, 'Yule Bazaar', 'Tollhaven', 2020);
INSERT INTO stall VALUES (1, 1, 6, 40), (1, 2, 4, 30), (2, 1, 8, 70), (1, 3, 6, 40);
-- chess_league
CREATE TABLE club (club_id INTEGER PRIMARY KEY, club_name TEXT NOT NULL UNIQUE, town TEXT NOT NULL, founded INTEGER, yearly_fee REAL);
CREATE TABLE player (player_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, club_id INTEGER NOT NULL REFERENCES club(club_id), rating INTEGER NOT NULL, birth_year INTEGER, title TEXT);
CREATE TABLE captain (player_id INTEGER PRIMARY KEY REFERENCES player(player_id), since_year INTEGER, matches_won INTEGER NOT NULL);
CREATE TABLE tournament (tournament_id INTEGER PRIMARY KEY, tournament_name TEXT NOT NULL UNIQUE, venue TEXT, start_date DATE, rounds INTEGER NOT NULL, prize_fund REAL NOT NULL);
CREATE TABLE entry (tournament_id INTEGER REFERENCES tournament(tournament_id), player_id INTEGER REFERENCES player(player_id), points REAL NOT NULL, opening TEXT, PRIMARY KEY (tournament_id, player_id));
INSERT INTO club VALUES (1, 'Knight Shift', 'Aspern', 1931, 40), (2, 'Rook Row', 'Tolvik', 1968, 55), (3, 'Pawn Brokers', 'Aspern', 1977, 40), (4, 'Knight Watch', 'Merle', 1994, 30);
INSERT INTO player VALUES (1, 'Nils', 'Lind', 1, 2310, 1979, 'FM'), (2, 'Petra', 'Varga', 1, 2455, 1988, 'IM'), (3, 'Yusuf', 'Demir', 1, 1720, 2006, 'NM'), (4, 'Clara', 'Ostrow', 2, 2205, 1965, 'FM'), (5, 'Ivo', 'Balint', 2, 1980, 1990, 'NM'), (6, 'Tess', 'Hanley', 3, 1545, 2010, 'NM'), (7, 'Otto', 'Lind', 4, 2030, 1958, 'NM'), (8, 'Rhea', 'Castel', 3, 2290, 1995, 'FM');
INSERT INTO captain VALUES (2, 2015, 34), (4, 2009, 51), (8, 2020, 12), (7, 2001, 20);
INSERT INTO tournament VALUES (1, 'Frost Open', 'Tolvik Town Hall', '2023-01-14', 7, 2500), (2, 'Harvest Rapid', 'Old Granary', '2022-10-02', 9, 800), (3, 'Lantern Blitz', 'Old Granary', '2023-06-23', 13, 450), (4, 'Thaw Masters', 'Casino Merle', '2023-03-11', 8, 9000);
INSERT INTO entry VALUES (1, 1, 5.5, 'Dutch'), (1, 4, 4, 'English'), (1, 5, 3, 'Dutch'), (2, 1, 7, 'Scotch'), (3, 6, 2.5, 'English'), (4, 2, 6, 'Catalan'), (4, 1, 4.5, 'Dutch');
-- puppet_theatre
CREATE TABLE Maker (MakerID INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, Town TEXT, BirthYear INTEGER NOT NULL);
CREATE TABLE Puppet (PuppetID INTEGER PRIMARY KEY, PuppetName TEXT NOT NULL UNIQUE, Technique TEXT, Material TEXT, HeightCm REAL NOT NULL, MakerID INTEGER NOT NULL REFERENCES Maker(MakerID));
CREATE TABLE Play (PlayID INTEGER PRIMARY KEY, Title TEXT NOT NULL UNIQUE, Author TEXT, PremiereDate DATE, Minutes INTEGER NOT NULL);
CREATE TABLE Role (PlayID INTEGER REFERENCES Play(PlayID), PuppetID INTEGER REFERENCES Puppet(PuppetID), RoleName TEXT, LineCount INTEGER, PRIMARY KEY (PlayID, PuppetID));
CREATE TABLE Performance (PerformanceID INTEGER PRIMARY KEY, PlayID INTEGER NOT NULL REFERENCES Play(PlayID), Hall TEXT NOT NULL, ShownOn DATE, TicketsSold INTEGER NOT NULL);
INSERT INTO Maker VALUES (1, 'Jana', 'Vrba', 'Olmbach', 1944), (2, 'Hugo', 'Sterk', 'Lindau Mill', 1971), (3, 'Mei', 'Tan', 'Olmbach', 1986);
INSERT INTO Puppet VALUES (1, 'Old Kaspar', 'string', 'wood', 72, 1), (2, 'Snow Fox', 'hand', 'felt', 28, 2), (3, 'Miller', 'string', 'wood', 65, 1), (4, 'Moon', 'shadow', 'leather', 40, 3), (5, 'Gendarme', 'rod', 'wood', 58, 1), (6, 'Goose', 'hand', 'felt', 31, 3), (7, 'Ice Queen', 'rod', 'papier-mache', 80, 2), (8, 'Baker', 'hand', 'wood', 35, 1);
INSERT INTO Play VALUES (1, 'The Moon Miller', 'Edda Kroon', '2016-11-05', 55), (2, 'Ice Fair', 'Ruben Alder', '2019-12-01', 95), (3, 'Goose Trial', 'Edda Kroon', '2021-04-18', 35), (4, 'Three Bells', 'Paul Quist', '2012-02-25', 70);
INSERT INTO Role VALUES (1, 3, 'the miller', 140), (1, 4, 'the moon', 60), (1, 5, 'the bailiff', 48), (2, 7, 'the queen', 210), (2, 5, 'the guard', 15), (3, 6, 'the accused', 90), (3, 1, 'the judge', 75);
INSERT INTO Performance VALUES (1, 1, 'Cellar', '2023-05-06', 64), (2, 1, 'Red Hall', '2023-05-13', 121), (3, 2, 'Red Hall', '2023-12-09', 150), (4, 3, 'Courtyard', '2023-07-01', 88), (5, 3, 'Cellar', '2023-07-08', 40), (6, 1, 'Red Hall', '2023-05-20', 97), (7, 4, 'Loft', '2023-09-30', 22);
-- radio_archive
CREATE TABLE presenter (presenter_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL UNIQUE, gender TEXT, hometown TEXT, hired_year INTEGER);
CREATE TABLE programme (prog_code TEXT PRIMARY KEY, title TEXT NOT NULL UNIQUE, genre TEXT, slot TEXT, first_year INTEGER);
CREATE TABLE recording (rec_id INTEGER PRIMARY KEY, prog_code TEXT NOT NULL REFERENCES programme(prog_code), presenter_id INTEGER NOT NULL REFERENCES presenter(presenter_id), aired_on DATE, minutes INTEGER NOT NULL, carrier TEXT, condition TEXT);
CREATE TABLE request (request_id INTEGER PRIMARY KEY, rec_id INTEGER NOT NULL REFERENCES recording(rec_id), institution TEXT, purpose TEXT, requested_on DATE);
INSERT INTO presenter VALUES (1, 'Greta Solberg', 'F', 'Brekka', 1961), (2, 'Ola Friis', 'M', 'Tarn Bay', 1955), (3, 'Henny Jansen', 'F', 'Brekka', 1974), (4, 'Sam Ferro', 'M', 'Kelpie', 1982);
INSERT INTO programme VALUES ('NF', 'Night Ferry', 'drama', 'evening', 1958), ('GH', 'Garden Half Hour', 'advice', 'morning', 1963), ('WB', 'Weather Bells', 'drama', 'morning', 1971), ('SQ', 'Quiz Quay', 'quiz', 'evening', 1980), ('RH', 'Riddle Harbour', 'quiz', 'morning', 1986);
INSERT INTO recording VALUES (1, 'NF', 1, '1962-03-04', 58, 'reel', 'poor'), (2, 'NF', 1, '1968-10-20', 61, 'reel', 'good'), (3, 'GH', 2, '1968-05-02', 30, 'disc', 'poor'), (4, 'WB', 3, '1975-09-13', 44, 'cassette', 'good'), (5, 'SQ', 3, '1983-01-08', 25, 'cassette', 'good'), (6, 'NF', 2, '1970-12-24', 90, 'reel', 'poor'), (7, 'GH', 1, '1979-04-19', 29, 'cassette', 'good'), (8, 'GH', 2, '1969-06-11', 31, 'reel', 'fair'), (9, 'NF', 4, '1984-02-11', 52, 'reel', 'fair');
INSERT INTO request VALUES (1, 2, 'Harbour Library', 'exhibition', '2021-02-17'), (2, 6, 'Kelpie Theatre', 'rehearsal', '2022-09-05'), (3, 2, 'Brekka Archive Club', 'study', '2022-11-30'), (4, 5, 'Harbour Library', 'study', '2023-01-16');
-- escape_rooms
CREATE TABLE venue (venue_id INTEGER PRIMARY KEY, venue_name TEXT NOT NULL UNIQUE, city TEXT, opened_year INTEGER);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, venue_id INTEGER NOT NULL REFERENCES venue(venue_id), room_name TEXT NOT NULL UNIQUE, theme TEXT, max_players INTEGER, difficulty INTEGER, price REAL NOT NULL);
CREATE TABLE team (team_id INTEGER PRIMARY KEY, team_name TEXT NOT NULL UNIQUE, hometown TEXT, members INTEGER);
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES room(room_id), team_id INTEGER NOT NULL REFERENCES team(team_id), played_on DATE NOT NULL, minutes INTEGER NOT NULL, hints INTEGER NOT NULL, outcome TEXT);
INSERT INTO venue VALUES (1, 'Locked Lane', 'Dunmark', 2015), (2, 'Hourglass', 'Dunmark', 2019), (3, 'Key Cellar', 'Port Sile', 2021);
INSERT INTO room VALUES (1, 1, 'Vault 13', 'heist', 6, 4, 95), (2, 1, 'Mad Surgeon', 'horror', 5, 5, 110), (3, 1, 'Black Galleon', 'pirates', 6, 2, 80), (4, 2, 'The Attic', 'horror', 4, 5, 100), (5, 2, 'Clockmaker', 'steampunk', 4, 3, 85), (6, 3, 'Coral Vault', 'pirates', 8, 2, 70), (7, 1, 'Whisper House', 'horror', 6, 4, 88);
INSERT INTO team VALUES (1, 'Lost Keys', 'Dunmark', 4), (2, 'Brass Locks', 'Ravel', 6), (3, 'Hint Please', 'Port Sile', 3), (4, 'Sunday Sleuths', 'Ravel', 5);
INSERT INTO visit VALUES (1, 2, 1, '2023-02-04', 60, 3, 'failed'), (2, 3, 1, '2023-02-18', 47, 1, 'escaped'), (3, 3, 2, '2023-03-01', 55, 2, 'escaped'), (4, 6, 2, '2023-04-22', 39, 0, 'escaped'), (5, 4, 3, '2023-05-07', 60, 5, 'failed'), (6, 1, 1, '2023-06-10', 58, 4, 'escaped');
-- allotments
CREATE TABLE site (site_code TEXT PRIMARY KEY, site_name TEXT NOT NULL UNIQUE, district TEXT, opened_year INTEGER);
CREATE TABLE gardener (g_id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, street TEXT, phone TEXT, joined DATE);
CREATE TABLE plot (plot_id INTEGER PRIMARY KEY, site_code TEXT NOT NULL REFERENCES site(site_code), g_id INTEGER NOT NULL REFERENCES gardener(g_id), area_sqm INTEGER NOT NULL, soil TEXT, rent REAL NOT NULL);
CREATE TABLE crop (crop_id INTEGER PRIMARY KEY, crop_name TEXT NOT NULL UNIQUE, family TEXT, sow_month TEXT);
CREATE TABLE planting (plot_id INTEGER REFERENCES plot(plot_id), crop_id INTEGER REFERENCES crop(crop_id), year INTEGER, harvest_kg REAL NOT NULL, PRIMARY KEY (plot_id, crop_id, year));
INSERT INTO site VALUES ('NB', 'Nettle Bank', 'North', 1921), ('QF', 'Quarry Field', 'East', 1948), ('RW', 'Railway Walk', 'North', 1975);
INSERT INTO gardener VALUES (1, 'Ama', 'Okafor', 'Tanner Row', '555-0141', '2011-03-01'), (2, 'Bert', 'Pickles', 'Mill Street', '555-0178', '1998-04-15'), (3, 'Lien', 'Dao', 'Tanner Row', '555-0102', '2019-02-20'), (4, 'Walt', 'Crane', 'Station Road', '555-0166', '2023-05-09');
INSERT INTO plot VALUES (11, 'NB', 1, 250, 'clay', 60), (12, 'NB', 2, 125, 'clay', 35), (13, 'NB', 1, 180, 'loam', 48), (21, 'QF', 3, 300, 'sand', 75), (31, 'RW', 2, 90, 'loam', 28);
INSERT INTO crop VALUES (1, 'leek', 'onion', 'March'), (2, 'runner bean', 'legume', 'May'), (3, 'pumpkin', 'squash', 'May'), (4, 'garlic', 'onion', 'October');
INSERT INTO planting VALUES (11, 1, 2021, 14), (11, 3, 2022, 52), (12, 2, 2021, 9.5), (13, 2, 2021, 12), (13, 3, 2022, 31), (21, 1, 2022, 20), (31, 4, 2022, 3.5), (21, 3, 2022, 44);
-- tram_depot
CREATE TABLE tram_line (line_no INTEGER PRIMARY KEY, line_name TEXT UNIQUE, terminus TEXT, length_km REAL, opened_year INTEGER);
CREATE TABLE tram (tram_id INTEGER PRIMARY KEY, fleet_no TEXT UNIQUE, nickname TEXT UNIQUE, maker TEXT, built_year INTEGER, seats INTEGER, line_no INTEGER NOT NULL REFERENCES tram_line(line_no));
CREATE TABLE mechanic (mechanic_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, trade TEXT, hired_on DATE, hourly_rate REAL);
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, tram_id INTEGER NOT NULL REFERENCES tram(tram_id), mechanic_id INTEGER NOT NULL REFERENCES mechanic(mechanic_id), fault TEXT, started_on DATE, hours REAL, parts_cost REAL);
INSERT INTO tram_line VALUES (1, 'Harbour Line', 'Fish Quay', 11.4, 1926), (2, 'Mill Line', 'Upper Mill', 8.2, 1951), (3, 'Orchard Line', 'Plum Hill', 5.9, 2009);
INSERT INTO tram VALUES (1, 'T-03', 'Old Bess', 'Karrow', 1962, 44, 1), (2, 'T-07', 'Heron', 'Voltram', 1998, 72, 1), (3, 'T-11', 'Finch', 'Voltram', 2006, 78, 2), (4, 'T-12', 'Wren', 'Lindqvist', 1998, 64, 2), (5, 'T-20', 'Swift', 'Karrow', 2015, 92, 3), (6, 'T-21', 'Kestrel', 'Voltram', 2018, 90, 1);
INSERT INTO mechanic VALUES (1, 'Otto', 'Prell', 'electrics', '2011-03-01', 31.5), (2, 'Hanne', 'Sorby', 'brakes', '2017-09-15', 29.0), (3, 'Davit', 'Gelash', 'bodywork', '2020-01-20', 26.5), (4, 'Rosa', 'Prell', 'brakes', '2022-06-01', 24.0);
INSERT INTO repair VALUES (1, 1, 2, 'worn brake shoe', '2023-01-12', 6.5, 340), (2, 2, 1, 'burnt motor coil', '2023-01-30', 14, 1250), (3, 2, 2, 'stuck brake lever', '2023-03-02', 3, 60), (4, 3, 1, 'dead headlight', '2023-03-09', 1.5, 45), (5, 5, 3, 'cracked door pane', '2023-04-17', 4, 410), (6, 6, 1, 'burnt motor coil', '2023-05-05', 12, 1180);
-- recycling
CREATE TABLE Centre (CentreID INTEGER PRIMARY KEY, CentreName TEXT UNIQUE, Town TEXT, OpenedYear INTEGER, Bays INTEGER, WeeklyVisitors INTEGER);
CREATE TABLE Material (MatCode TEXT PRIMARY KEY, MatName TEXT UNIQUE, Category TEXT, PricePerTonne REAL);
CREATE TABLE CentreMaterial (CentreID INTEGER REFERENCES Centre(CentreID), MatCode TEXT REFERENCES Material(MatCode), MaxKg INTEGER, PRIMARY KEY (CentreID, MatCode));
CREATE TABLE Haulier (HaulierID INTEGER PRIMARY KEY, HaulierName TEXT UNIQUE, Town TEXT, Phone TEXT);
CREATE TABLE Delivery (DeliveryID INTEGER PRIMARY KEY, CentreID INTEGER NOT NULL REFERENCES Centre(CentreID), MatCode TEXT NOT NULL REFERENCES Material(MatCode), HaulierID INTEGER NOT NULL REFERENCES Haulier(HaulierID), DeliveredOn DATE, Tonnes REAL);
INSERT INTO Centre VALUES (1, 'Elm Road', 'Elmswick', 1999, 12, 840), (2, 'North Yard', 'Elmswick', 2013, 8, 520), (3, 'Quarry Side', 'Brackley Moor', 2006, 20, 1310), (4, 'Northfield Tip', 'Sandhope', 2021, 6, 300);
INSERT INTO Material VALUES ('GLS', 'bottle glass', 'inert', 35), ('BAT', 'batteries', 'hazardous', 620), ('CRD', 'cardboard', 'paper', 90), ('ALU', 'aluminium cans', 'metal', 980), ('NWS', 'newsprint', 'paper', 75);
INSERT INTO CentreMaterial VALUES (1, 'GLS', 500), (1, 'BAT', 20), (1, 'CRD', 300), (2, 'GLS', 400), (3, 'GLS', 900), (3, 'BAT', 60), (3, 'ALU', 250), (4, 'CRD', 150);
INSERT INTO Haulier VALUES (1, 'Tolley Carriers', 'Sandhope', '555-0141'), (2, 'Green Axle', 'Elmswick', '555-0178'), (3, 'Marsh and Daughter', 'Pyle', '555-0199');
INSERT INTO Delivery VALUES (1, 1, 'GLS', 1, '2022-02-03', 4.5), (2, 1, 'CRD', 2, '2022-02-18', 2.1), (3, 3, 'ALU', 1, '2022-03-07', 1.4), (4, 3, 'GLS', 1, '2022-03-29', 7.8), (5, 2, 'GLS', 2, '2022-04-11', 3.3), (6, 4, 'CRD', 3, '2022-05-02', 1.9);
-- balloons
CREATE TABLE stn (stn_cd TEXT PRIMARY KEY, stn_nm TEXT UNIQUE, region TEXT, elev_m INTEGER, opened_yr INTEGER);
CREATE TABLE sonde_mdl (mdl_cd TEXT PRIMARY KEY, mdl_nm TEXT UNIQUE, maker TEXT, wt_g INTEGER, batt_hrs REAL);
CREATE TABLE launch (launch_id INTEGER PRIMARY KEY, stn_cd TEXT NOT NULL REFERENCES stn(stn_cd), mdl_cd TEXT NOT NULL REFERENCES sonde_mdl(mdl_cd), gas TEXT, launch_dt DATE, max_alt_m INTEGER, dur_min INTEGER);
CREATE TABLE recovery (recov_id INTEGER PRIMARY KEY, launch_id INTEGER NOT NULL REFERENCES launch(launch_id), place TEXT, found_dt DATE, finder TEXT, dist_km REAL);
INSERT INTO stn VALUES ('FT', 'Fell Top', 'Highlands', 812, 1958), ('SB', 'Salt Bay', 'Coast', 6, 1974), ('DR', 'Dry Rock', 'Plateau', 430, 2001);
INSERT INTO sonde_mdl VALUES ('A1', 'Aerolog 1', 'Nimbatek', 110, 3.5), ('A2', 'Aerolog 2', 'Nimbatek', 84, 4), ('PX', 'Pixie', 'Cirrotronic', 42, 2.5);
INSERT INTO launch VALUES (1, 'FT', 'A1', 'hydrogen', '2021-05-01', 27100, 96), (2, 'FT', 'A2', 'helium', '2021-05-02', 31400, 118), (3, 'SB', 'A2', 'helium', '2021-04-11', 24800, 88), (4, 'SB', 'A1', 'hydrogen', '2021-06-20', 19200, 61), (5, 'FT', 'A2', 'helium', '2021-07-14', 33050, 125), (6, 'DR', 'PX', 'helium', '2021-08-03', 15700, 47);
INSERT INTO recovery VALUES (1, 1, 'turnip field', '2021-05-03', 'Edda Loos', 41.5), (2, 2, 'church roof', '2021-05-09', 'Piet Kram', 77.2), (3, 4, 'mud flats', '2021-06-21', 'Edda Loos', 12.8);
-- releases
CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT UNIQUE, license TEXT, language TEXT, started_year INTEGER, stars INTEGER);
CREATE TABLE releases (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project(id), version TEXT, channel TEXT, released_on DATE, downloads INTEGER, size_mb REAL);
CREATE TABLE maintainer (id INTEGER PRIMARY KEY, handle TEXT UNIQUE, full_name TEXT, home_city TEXT, joined_year INTEGER);
CREATE TABLE contribution (maintainer_id INTEGER REFERENCES maintainer(id), release_id INTEGER REFERENCES releases(id), commits INTEGER, PRIMARY KEY (maintainer_id, release_id));
INSERT INTO project VALUES (1, 'Quillbox', 'MIT', 'Rust', 2014, 2300), (2, 'Tidemark', 'GPL-3.0', 'Go', 2017, 940), (3, 'Lanternfs', 'Apache-2.0', 'Rust', 2019, 610), (4, 'Pebblecast', 'MIT', 'Python', 2011, 3150);
INSERT INTO releases VALUES (1, 1, '1.0.0', 'stable', '2020-02-10', 48000, 12.5), (2, 1, '1.1.0-b2', 'beta', '2020-06-01', 3100, 12.9), (3, 2, '0.9.1', 'beta', '2020-08-19', 900, 4.2), (4, 2, '0.9.4', 'beta', '2021-01-07', 1750, 4.4), (5, 3, '2.3.0', 'stable', '2021-03-22', 15200, 30.1), (6, 4, '5.0.2', 'stable', '2021-11-30', 96000, 8.8);
INSERT INTO maintainer VALUES (1, 'mothwing', 'Karin Olafson', 'Porto', 2013), (2, 'bytebaker', 'Teo Lazzari', 'Turin', 2016), (3, 'zeroleaf', 'Ama Danson', 'Accra', 2018), (4, 'oldgrep', 'Vic Turley', 'Turin', 2010);
INSERT INTO contribution VALUES (1, 1, 61), (1, 2, 22), (2, 2, 9), (2, 3, 40), (2, 4, 35), (3, 5, 77), (4, 6, 18), (3, 1, 5);
-- parcel_lockers
CREATE TABLE locker_site (site_id INTEGER PRIMARY KEY, site_name TEXT UNIQUE, district TEXT, operator TEXT, compartments INTEGER, installed_on DATE);
CREATE TABLE recipient (recipient_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, email TEXT, member_level TEXT);
CREATE TABLE courier (courier_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, vehicle TEXT, rating REAL);
CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, site_id INTEGER NOT NULL REFERENCES locker_site(site_id), recipient_id INTEGER NOT NULL REFERENCES recipient(recipient_id), courier_id INTEGER NOT NULL REFERENCES courier(courier_id), size_code TEXT, weight_kg REAL, fee REAL, dropped_on DATE, status TEXT);
INSERT INTO locker_site VALUES (1, 'North Gate', 'Oldtown', 'Boxwell', 48, '2019-04-02'), (2, 'Canal Steps', 'Oldtown', 'Pickpoint', 30, '2020-10-11'), (3, 'Tower Park', 'Westend', 'Boxwell', 36, '2021-02-25'), (4, 'Lime Court', 'Riverside', 'Dropsy', 24, '2022-07-08');
INSERT INTO recipient VALUES (1, 'Ilse', 'Moor', 'Veldam', 'ilse@example.org', 'gold'), (2, 'Jarek', 'Tomas', 'Veldam', 'jarek@example.net', 'basic'), (3, 'Bea', 'Brandt', 'Orsk', 'bea@example.org', 'basic');
INSERT INTO courier VALUES (1, 'Nadia', 'Brandt', 'Veldam', 'van', 4.7), (2, 'Sem', 'Keita', 'Veldam', 'bicycle', 4.9), (3, 'Lou', 'Adair', 'Orsk', 'van', 4.1), (4, 'Finn', 'Hale', 'Orsk', 'scooter', 3.8);
INSERT INTO parcel VALUES (1001, 1, 1, 1, 'L', 9.4, 6.5, '2023-09-01', 'collected'), (1002, 1, 2, 2, 'S', 0.8, 2.5, '2023-09-01', 'collected'), (1003, 2, 1, 2, 'M', 2.6, 4, '2023-09-02', 'returned'), (1004, 3, 3, 1, 'L', 12.0, 6.5, '2023-09-04', 'waiting'), (1005, 3, 2, 4, 'S', 0.5, 2.5, '2023-09-05', 'collected'), (1006, 1, 3, 1, 'M', 3.1, 4, '2023-09-06', 'returned'), (1007, 4, 1, 3, 'M', 4.4, 4, '2023-09-07', 'collected'), (1008, 4, 2, 3, 'L', 6.8, 6.5, '2023-09-08', 'waiting');
-- winery
CREATE TABLE vineyard (VineyardID INTEGER PRIMARY KEY, VineyardName TEXT UNIQUE, Region TEXT, Hectares REAL, Soil TEXT, Planted DATE);
CREATE TABLE grape (GrapeCode TEXT PRIMARY KEY, GrapeName TEXT UNIQUE, Colour TEXT);
CREATE TABLE wine (WineID INTEGER PRIMARY KEY, WineName TEXT UNIQUE, VineyardID INTEGER REFERENCES vineyard(VineyardID), Vintage INTEGER, `Alcohol %` REAL, `Bottle Price` REAL, Bottles INTEGER, Organic INTEGER);
CREATE TABLE blend (WineID INTEGER REFERENCES wine(WineID), GrapeCode TEXT REFERENCES grape(GrapeCode), Share REAL, PRIMARY KEY (WineID, GrapeCode));
CREATE TABLE tasting (TastingID INTEGER PRIMARY KEY, WineID INTEGER REFERENCES wine(WineID), Taster TEXT, TastedOn DATE, Points INTEGER, Medal TEXT);
INSERT INTO vineyard VALUES (1, 'Kestrel Hill', 'Upper Valley', 12.5, 'slate', '1988-03-20'), (2, 'Stone Terrace', 'Lakeside', 6.0, 'chalk', '2004-04-02'), (3, 'Long Furrow', 'Upper Valley', 20.0, 'clay', '1997-11-11'), (4, 'Old Ford', 'Lakeside', 3.5, 'chalk', NULL);
INSERT INTO grape VALUES ('RIE', 'Riesling', 'W'), ('PNO', 'Pinot Noir', 'R'), ('SYL', 'Silvaner', 'W'), ('DOR', 'Dornfelder', 'R');
INSERT INTO wine VALUES (1, 'Kestrel Dry', 1, 2018, 12.0, 14.5, 8000, 1), (2, 'Kestrel Reserve', 1, 2019, 13.5, 38.0, 1200, 0), (3, 'Terrace Red', 2, 2019, 13.0, 22.0, 3000, 1), (4, 'Furrow White', 3, 2020, 11.5, 8.9, 15000, 0), (5, 'Furrow Red', 3, 2018, 14.0, 19.0, 5000, 0), (6, 'Ford Blush', 4, 2020, 11.0, 11.0, 2500, 1);
INSERT INTO blend VALUES (1, 'RIE', 100), (2, 'RIE', 70), (2, 'SYL', 30), (3, 'PNO', 100), (4, 'SYL', 85), (4, 'RIE', 15), (5, 'PNO', 40), (5, 'DOR', 60), (6, 'PNO', 100);
INSERT INTO tasting VALUES (1, 1, 'Ilse Korn', '2019-05-14', 88, 'Silver'), (2, 2, 'Ilse Korn', '2020-06-02', 95, 'Gold'), (3, 3, 'Paul Reber', '2020-06-02', 91, 'Gold'), (4, 4, 'Paul Reber', '2021-05-20', 79, NULL), (5, 5, 'Ilse Korn', '2019-05-15', 84, NULL), (6, 2, 'Mara Wolff', '2021-05-21', 93, 'Gold'), (7, 6, 'Mara Wolff', '2021-05-21', 86, 'Silver');
-- lending
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, branch_name TEXT UNIQUE, district TEXT, opened_on DATE, weekly_hours INTEGER, ramp TEXT);
CREATE TABLE patron (patron_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, sex TEXT, birthday DATE, home_branch INTEGER REFERENCES branch(branch_id), card_type TEXT, email TEXT);
CREATE TABLE item (item_id INTEGER PRIMARY KEY, title TEXT, kind TEXT, lang TEXT, pub_year INTEGER, pages INTEGER);
CREATE TABLE checkout (checkout_id INTEGER PRIMARY KEY, patron_id INTEGER REFERENCES patron(patron_id), item_id INTEGER REFERENCES item(item_id), branch_id INTEGER REFERENCES branch(branch_id), taken_on DATE, due_on DATE, returned_on DATE, fine REAL);
INSERT INTO branch VALUES (1, 'Quay Library', 'Harbour', '1962-09-01', 44, 'yes'), (2, 'Mill Library', 'Mill End', '1989-04-15', 30, 'no'), (3, 'Fern Library', 'Harbour', '2011-10-03', 26, 'yes');
INSERT INTO patron VALUES (1, 'Greta', 'Lohse', 'F', '1951-02-17', 1, 'S', NULL), (2, 'Yusuf', 'Demir', 'M', '2009-08-30', 1, 'J', 'yd@example.org'), (3, 'Nell', 'Archer', 'F', '1987-12-05', 2, 'A', 'nell@example.org'), (4, 'Otto', 'Brandt', 'M', '1990-12-24', 3, 'A', NULL), (5, 'Suri', 'Patel', 'F', '2011-03-09', 3, 'J', 'suri@example.org'), (6, 'Hugh', 'Ames', 'M', '1978-06-11', 2, 'A', 'ames@example.org');
INSERT INTO item VALUES (1, 'Knots and Splices', 'book', 'eng', 1998, 210), (2, 'La Dune', 'book', 'fra', 2015, 340), (3, 'Night Train', 'audio', 'eng', 2019, NULL), (4, 'Castle Builder', 'game', 'eng', 2020, NULL), (5, 'Garden Atlas', 'book', 'eng', 2019, 512);
INSERT INTO checkout VALUES (1, 1, 1, 1, '2021-01-12', '2021-02-09', '2021-02-01', 0), (2, 1, 5, 1, '2021-03-03', '2021-03-31', '2021-04-10', 2.5), (3, 2, 4, 1, '2021-03-15', '2021-04-12', NULL, 0), (4, 3, 2, 2, '2022-05-04', '2022-06-01', '2022-06-20', 4.75), (5, 4, 5, 3, '2022-05-19', '2022-06-16', '2022-06-10', 0), (6, 5, 4, 3, '2022-07-01', '2022-07-29', '2022-07-20', 0), (7, 3, 3, 1, '2022-08-08', '2022-09-05', NULL, 0), (8, 6, 1, 2, '2022-08-30', '2022-09-27', '2022-10-02', 1.25);
-- marathon
CREATE TABLE club (club_id INTEGER PRIMARY KEY, club_name TEXT UNIQUE, town TEXT);
CREATE TABLE runner (runner_id INTEGER PRIMARY KEY, forename TEXT, surname TEXT, gender TEXT, dob DATE, nation TEXT, club_id INTEGER REFERENCES club(club_id));
CREATE TABLE race (race_id INTEGER PRIMARY KEY, race_name TEXT UNIQUE, town TEXT, start_time DATETIME, course TEXT, entry_fee REAL);
CREATE TABLE result (race_id INTEGER REFERENCES race(race_id), runner_id INTEGER REFERENCES runner(runner_id), bib INTEGER, status TEXT, place INTEGER, minutes REAL, PRIMARY KEY (race_id, runner_id));
INSERT INTO club VALUES (1, 'Heath Striders', 'Ashby'), (2, 'Delta Runners', 'Porto Vale'), (3, 'Fell Foxes', 'Ashby');
INSERT INTO runner VALUES (1, 'Ana', 'Brito', 'F', '1991-04-18', 'POR', 2), (2, 'Karl', 'Stig', 'M', '1976-10-02', 'SWE', NULL), (3, 'Lucy', 'Marsh', 'F', '1984-01-29', 'GBR', 1), (4, 'Dan', 'Okoro', 'M', '1998-07-07', 'GBR', 1), (5, 'Rui', 'Brito', 'M', '1969-05-23', 'POR', 2), (6, 'Meg', 'Hale', 'F', '2000-11-15', 'GBR', 3);
INSERT INTO race VALUES (1, 'Ashby Marathon', 'Ashby', '2019-05-12 09:00:00', 'R', 55), (2, 'Larch Trail Marathon', 'Glenmore', '2019-09-08 08:30:00', 'T', 40), (3, 'Vale City Marathon', 'Porto Vale', '2021-05-30 07:45:00', 'R', 80);
INSERT INTO result VALUES (1, 1, 12, 'FIN', 2, 171.5), (1, 2, 40, 'FIN', 3, 198.0), (1, 3, 41, 'DNF', NULL, NULL), (1, 4, 77, 'FIN', 1, 158.2), (2, 3, 5, 'FIN', 1, 226.4), (2, 6, 9, 'FIN', 2, 240.9), (2, 2, 18, 'DNS', NULL, NULL), (3, 1, 3, 'FIN', 1, 165.0), (3, 5, 250, 'FIN', 3, 234.5), (3, 4, 60, 'FIN', 2, 166.1);
-- coop
CREATE TABLE building (bldg TEXT PRIMARY KEY, street TEXT UNIQUE, floors INTEGER, year_built INTEGER, lift INTEGER, `Heating Type` TEXT);
CREATE TABLE flat (flat_id INTEGER PRIMARY KEY, bldg TEXT REFERENCES building(bldg), floor_no INTEGER, rooms INTEGER, `Living Area` REAL, `Monthly Fee` REAL);
CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, born INTEGER, joined DATE, shares INTEGER, phone TEXT);
CREATE TABLE tenancy (flat_id INTEGER REFERENCES flat(flat_id), member_id INTEGER REFERENCES member(member_id), moved_in DATE, moved_out DATE, PRIMARY KEY (flat_id, member_id));
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, flat_id INTEGER REFERENCES flat(flat_id), trade TEXT, reported DATE, closed DATE, cost REAL, urgent TEXT);
INSERT INTO building VALUES ('A1', 'Alder Lane', 5, 1974, 1, 'district'), ('B2', 'Birch Row', 3, 1931, 0, 'gas'), ('C3', 'Cedar Court', 8, 2006, 1, 'heat pump');
INSERT INTO flat VALUES (1, 'A1', 0, 2, 54.0, 610), (2, 'A1', 3, 4, 92.5, 980), (3, 'B2', 1, 3, 71.0, 640), (4, 'B2', 0, 1, 33.0, 350), (5, 'C3', 7, 3, 78.5, 1120), (6, 'C3', 2, 2, 58.0, 890);
INSERT INTO member VALUES (1, 'Eva Lindt', 1948, '1979-06-01', 12, NULL), (2, 'Tomas Ruiz', 1983, '2012-03-15', 6, '555-0142'), (3, 'Joy Adeyemi', 1990, '2018-10-01', 8, '555-0177'), (4, 'Finn Moen', 1962, '1994-01-20', 10, NULL), (5, 'Sara Klug', 1995, '2020-02-10', 4, '555-0101');
INSERT INTO tenancy VALUES (1, 1, '1979-07-01', NULL), (2, 2, '2012-04-01', '2019-03-31'), (2, 3, '2019-05-01', NULL), (3, 4, '1994-02-01', NULL), (5, 2, '2019-04-01', NULL), (6, 5, '2020-03-01', '2022-08-31');
INSERT INTO repair VALUES (1, 1, 'PL', '2020-01-10', '2020-01-12', 240, 'T'), (2, 2, 'EL', '2020-02-03', '2020-02-20', 130, 'F'), (3, 3, 'PL', '2020-11-25', '2020-11-25', 410, 'T'), (4, 3, 'RF', '2021-03-08', NULL, 0, 'F'), (5, 5, 'EL', '2021-03-30', '2021-04-02', 95, 'F'), (6, 4, 'PL', '2021-06-17', '2021-06-18', 180, 'T'), (7, 1, 'PL', '2021-09-09', NULL, 0, 'F');
-- grid
CREATE TABLE Substation (SubID INTEGER PRIMARY KEY, SubName TEXT UNIQUE, Area TEXT, kV INTEGER, Commissioned DATE, Owner TEXT);
CREATE TABLE Line (LineID INTEGER PRIMARY KEY, FromSub INTEGER REFERENCES Substation(SubID), ToSub INTEGER REFERENCES Substation(SubID), LengthKm REAL, Type TEXT);
CREATE TABLE Meter (MeterNo TEXT PRIMARY KEY, SubID INTEGER REFERENCES Substation(SubID), Kind TEXT, Tariff TEXT, Installed DATE);
CREATE TABLE Reading (MeterNo TEXT REFERENCES Meter(MeterNo), ReadMonth TEXT, kWh REAL, PRIMARY KEY (MeterNo, ReadMonth));
CREATE TABLE Fault (FaultID INTEGER PRIMARY KEY, SubID INTEGER REFERENCES Substation(SubID), StartTime DATETIME, Minutes INTEGER, Cause TEXT, Affected INTEGER);
INSERT INTO Substation VALUES (1, 'Gorse Moor', 'North', 110, '1971-05-05', 'Norgrid'), (2, 'Sluice Gate', 'South', 20, '1999-08-23', 'Sudnet'), (3, 'Tannery', 'South', 110, '2015-02-02', 'Sudnet'), (4, 'Pike Ridge', 'North', 220, '1984-12-12', 'Norgrid');
INSERT INTO Line VALUES (1, 1, 4, 38.5, 'O'), (2, 2, 3, 6.2, 'U'), (3, 3, 1, 71.0, 'O'), (4, 4, 3, 12.0, 'U');
INSERT INTO Meter VALUES ('H-01', 1, 'H', 'flat', '2016-03-01'), ('H-02', 2, 'H', 'night', '2018-07-11'), ('I-01', 3, 'I', 'flat', '2015-06-30'), ('I-02', 4, 'I', 'night', '2019-01-15'), ('H-03', 3, 'H', 'flat', '2019-04-22');
INSERT INTO Reading VALUES ('H-01', '2019-01', 310), ('H-01', '2019-05', 180), ('H-02', '2019-01', 420), ('H-02', '2019-05', 260), ('I-01', '2019-01', 5200), ('I-01', '2019-05', 6100), ('I-01', '2020-01', 4800), ('I-02', '2019-05', 2900), ('H-03', '2020-01', 150), ('H-01', '2020-01', 290);
INSERT INTO Fault VALUES (1, 1, '2019-01-17 03:20:00', 145, 'storm', 1800), (2, 1, '2019-05-02 14:05:00', 30, 'digger', 260), (3, 2, '2019-11-30 22:40:00', 75, 'storm', 900), (4, 3, '2020-02-10 06:15:00', 20, 'animal', 4000), (5, 4, '2020-02-10 06:50:00', 210, 'storm', 2400), (6, 2, '2020-07-19 12:00:00', 55, 'digger', 310), (7, 3, '2019-08-14 17:25:00', 15, 'animal', 120);
