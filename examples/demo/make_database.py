"""Make the demo database: five years of a wholesaler of tea, coffee and what goes with them.

    python examples/demo/make_database.py OUT.sqlite [--seed N]

The same seed gives the same file. The data are invented, and as untidy as real ones: mixed case,
missing values, dates as text in two formats, codes that stand for something, a table with a space
in its name, a reserved word as a column.
"""

import argparse
import os
import random
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

START, END = date(2020, 1, 1), date(2024, 12, 31)
CUSTOMERS, ORDERS, PRODUCTS, EMPLOYEES, SUPPLIERS = 1_500, 18_000, 240, 42, 30

TABLES = """
CREATE TABLE region (region_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE employee (
    employee_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
    title TEXT, hired TEXT NOT NULL, region_id INTEGER REFERENCES region(region_id),
    manager_id INTEGER REFERENCES employee(employee_id)
);
CREATE TABLE customer (
    customer_id INTEGER PRIMARY KEY, company TEXT NOT NULL, city TEXT,
    region_id INTEGER NOT NULL REFERENCES region(region_id), segment TEXT NOT NULL, email TEXT,
    credit_limit REAL, since TEXT NOT NULL
);
CREATE TABLE category (category_id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT);
CREATE TABLE supplier (
    supplier_id INTEGER PRIMARY KEY, company TEXT NOT NULL, country TEXT NOT NULL, rating INTEGER
);
CREATE TABLE product (
    product_id INTEGER PRIMARY KEY, name TEXT NOT NULL,
    category_id INTEGER NOT NULL REFERENCES category(category_id), unit TEXT NOT NULL,
    list_price REAL NOT NULL, organic INTEGER NOT NULL, discontinued INTEGER NOT NULL
);
CREATE TABLE product_supplier (
    product_id INTEGER NOT NULL REFERENCES product(product_id),
    supplier_id INTEGER NOT NULL REFERENCES supplier(supplier_id),
    cost REAL NOT NULL, lead_days INTEGER, PRIMARY KEY (product_id, supplier_id)
);
CREATE TABLE status_code (code TEXT PRIMARY KEY, meaning TEXT NOT NULL, is_final INTEGER NOT NULL);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(customer_id),
    employee_id INTEGER REFERENCES employee(employee_id), order_date TEXT NOT NULL,
    shipped_date TEXT, status TEXT NOT NULL REFERENCES status_code(code), channel TEXT,
    freight REAL
);
CREATE TABLE "Order Details" (
    order_id INTEGER NOT NULL REFERENCES orders(order_id), line INTEGER NOT NULL,
    product_id INTEGER NOT NULL REFERENCES product(product_id), quantity INTEGER NOT NULL,
    "Unit Price" REAL NOT NULL, discount REAL NOT NULL, PRIMARY KEY (order_id, line)
);
CREATE TABLE payment (
    payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(order_id),
    paid_on TEXT NOT NULL, amount REAL NOT NULL, method TEXT
);
CREATE TABLE return_note (
    order_id INTEGER NOT NULL, line INTEGER NOT NULL, returned_on TEXT NOT NULL,
    quantity INTEGER NOT NULL, reason TEXT, PRIMARY KEY (order_id, line),
    FOREIGN KEY (order_id, line) REFERENCES "Order Details"(order_id, line)
);
CREATE TABLE price_list (
    product_id INTEGER NOT NULL REFERENCES product(product_id), "group" TEXT NOT NULL,
    price REAL NOT NULL, PRIMARY KEY (product_id, "group")
);
CREATE VIEW v_order_total AS
    SELECT o.order_id, o.customer_id, o.order_date, o.status,
           ROUND(SUM(d.quantity * d."Unit Price" * (1 - d.discount)), 2) AS total
    FROM orders o JOIN "Order Details" d ON d.order_id = o.order_id GROUP BY o.order_id;
CREATE INDEX order_customer ON orders(customer_id);
CREATE INDEX order_day ON orders(order_date);
CREATE INDEX detail_product ON "Order Details"(product_id);
CREATE INDEX payment_order ON payment(order_id);
"""

REGIONS = [
    ("North", "Germany", ["Hamburg", "Bremen", "Kiel"]),
    ("East", "Germany", ["Berlin", "Leipzig", "Dresden"]),
    ("South", "Germany", ["München", "Stuttgart", "Nürnberg"]),
    ("West", "Germany", ["Köln", "Düsseldorf", "Essen"]),
    ("Benelux", "Netherlands", ["Amsterdam", "Rotterdam", "Utrecht"]),
    ("Alps", "Austria", ["Wien", "Graz", "Salzburg"]),
    ("Romandie", "Switzerland", ["Genève", "Lausanne", "Fribourg"]),
    ("Nordic", "Denmark", ["København", "Aarhus", "Odense"]),
]
CATEGORIES = [
    ("Black tea", "Leaf and bags", ["Assam", "Ceylon", "Darjeeling", "Yunnan", "Keemun"], 9.5),
    ("Green tea", "Leaf and bags", ["Sencha", "Gunpowder", "Longjing", "Bancha", "Matcha"], 12.0),
    ("Herbal", None, ["Peppermint", "Rooibos", "Chamomile", "Fennel", "Lemon Balm"], 6.5),
    ("Coffee", "Whole bean and ground", ["Sidamo", "Huila", "Antigua", "Sumatra", "Kona"], 16.0),
    ("Syrup", "For drinks", ["Vanilla", "Hazelnut", "Ginger", "Caramel", "Almond"], 7.0),
    ("Sweets", "To go with it", ["Amaretti", "Shortbread", "Nougat", "Marzipan", "Fudge"], 5.0),
    ("Ware", "Pots, cups and filters", ["Teapot", "Mug", "Filter", "Infuser", "Kettle"], 22.0),
    ("Spice", None, ["Cinnamon", "Cardamom", "Clove", "Star Anise", "Saffron"], 11.0),
]
GRADES = ["Classic", "Reserve", "Breakfast", "House", "Mountain", "Garden"]
NAMES = {
    "first": "Anna Ben Carla David Emma Felix Greta Hugo Ida Jonas Klara Leo Mia Noah Olga Paul",
    "last": "Albers Brandt Claasen Dietz Eilers Fuchs Gruber Hansen Iversen Jansen Keller Lang",
    "business": "Café Bistro Teehaus Hotel Kontor Rösterei Feinkost Markt Deli Kiosk",
    "company": "Anker Birke Central Distel Elbe Falke Glocke Hafen Insel Jasmin Krone Linde Mole "
    "Nord Orchidee Park Quelle Rose Sonne Turm Ufer Viktoria Wiese Zeder",
}
STATUSES = [
    ("N", "new, not yet confirmed", 0),
    ("P", "being packed", 0),
    ("S", "shipped", 1),
    ("C", "cancelled", 1),
    ("B", "back order, waiting for stock", 0),
]
SEGMENTS = ["HORECA", "RETAIL", "ONLINE", "OFFICE"]
REASONS = ["damaged", "wrong item", "LATE", "quality", "Damaged", None]


class Maker:
    """Makes the rows, table by table; later tables use what earlier ones left here."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.prices: list[float] = []
        self.customer_region: list[int] = []
        self.customer_since: list[date] = []
        self.orders: list[tuple[int, date, date | None, str]] = []
        self.lines: list[tuple[int, int, int, date]] = []
        self.totals: dict[int, float] = {}

    def tables(self) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
        """Each table with its rows, in an order that keeps foreign keys valid."""
        yield "region", [(i, name, land) for i, (name, land, _) in enumerate(REGIONS, 1)]
        yield "employee", list(self._employees())
        yield "customer", list(self._customers())
        yield "category", [(i, name, text) for i, (name, text, _, _) in enumerate(CATEGORIES, 1)]
        yield "supplier", list(self._suppliers())
        yield "product", list(self._products())
        yield "product_supplier", list(self._product_suppliers())
        yield "status_code", [*STATUSES]
        yield "orders", list(self._orders())
        yield "Order Details", list(self._details())
        yield "payment", list(self._payments())
        yield "return_note", list(self._returns())
        yield "price_list", list(self._price_list())

    def _maybe(self, value: object, missing: float) -> object:
        return None if self.random.random() < missing else value

    def _day(self, first: date, last: date) -> date:
        return first + timedelta(days=self.random.randint(0, max(0, (last - first).days)))

    def _name(self, kind: str) -> str:
        return self.random.choice(NAMES[kind].split())

    def _untidy(self, text: str) -> str:
        """A name as several people type it: mostly right, at times in capitals or with a space."""
        return self.random.choices(
            [text, text.upper(), text.lower(), text + " "], weights=[80, 12, 5, 3]
        )[0]

    def _employees(self) -> Iterator[tuple[object, ...]]:
        for i in range(1, EMPLOYEES + 1):
            lead = i <= 1 + len(REGIONS)
            title = "Managing Director" if i == 1 else "Head of Sales" if lead else "Sales Agent"
            region = None if i == 1 else (i - 2) % len(REGIONS) + 1
            manager = None if i == 1 else 1 if lead else (region or 0) + 1
            hired = self._day(date(2008, 1, 1), date(2019, 12, 31)).isoformat()
            first, last = self._name("first"), self._name("last")
            yield i, first, last, self._maybe(title, 0 if lead else 0.1), hired, region, manager

    def _customers(self) -> Iterator[tuple[object, ...]]:
        for i in range(1, CUSTOMERS + 1):
            region = self.random.choices(range(1, len(REGIONS) + 1), [6, 8, 7, 7, 4, 4, 2, 3])[0]
            city = self._untidy(self.random.choice(REGIONS[region - 1][2]))
            kind, name = self._name("business"), self._name("company")
            segment = self.random.choices(SEGMENTS, [5, 4, 3, 2])[0]
            segment = segment if self.random.random() < 0.9 else segment.title()
            since = self._day(date(2012, 1, 1), date(2023, 6, 30))
            limit = float(self.random.choice([500, 1000, 2500, 5000, 10000]))
            self.customer_region.append(region)
            self.customer_since.append(since)
            email = self._maybe(f"order{i}@{name.lower()}.example", 0.15)
            yield (
                *(i, f"{kind} {name}", self._maybe(city, 0.03), region, segment, email),
                *(self._maybe(limit, 0.2), since.isoformat()),
            )

    def _suppliers(self) -> Iterator[tuple[object, ...]]:
        lands = ["India", "Sri Lanka", "China", "Japan", "Ethiopia", "Colombia", "Germany", "Italy"]
        for i in range(1, SUPPLIERS + 1):
            land = self.random.choice(lands)
            name = f"{self._name('company')} {self.random.choice(['Trading', 'Estate'])}"
            yield i, f"{name} {i:02d}", land, self._maybe(self.random.randint(1, 5), 0.2)

    def _products(self) -> Iterator[tuple[object, ...]]:
        for i in range(1, PRODUCTS + 1):
            category = (i - 1) % len(CATEGORIES)
            _, _, names, price = CATEGORIES[category]
            turn = (i - 1) // len(CATEGORIES)
            name = f"{names[turn % len(names)]} {GRADES[turn // len(names) % len(GRADES)]}"
            unit = "piece" if category == 6 else self.random.choice(["100 g", "250 g", "1 kg"])
            price = round(price * self.random.uniform(0.6, 2.2), 2)
            self.prices.append(price)
            flags = int(self.random.random() < 0.3), int(self.random.random() < 0.08)
            yield (i, name, category + 1, unit, price, *flags)

    def _product_suppliers(self) -> Iterator[tuple[object, ...]]:
        for product, price in enumerate(self.prices, 1):
            count = self.random.choices([1, 2, 3], [6, 3, 1])[0]
            for supplier in sorted(self.random.sample(range(1, SUPPLIERS + 1), count)):
                cost = round(price * self.random.uniform(0.4, 0.75), 2)
                yield product, supplier, cost, self._maybe(self.random.randint(2, 60), 0.1)

    def _orders(self) -> Iterator[tuple[object, ...]]:
        days = sorted(self._day(START, END) for _ in range(ORDERS))
        weights = [self.random.paretovariate(1.2) for _ in range(CUSTOMERS - 60)]
        buyers = self.random.choices(range(CUSTOMERS - 60), weights, k=ORDERS)
        for i, (wanted, buyer) in enumerate(zip(days, buyers, strict=True), 1):
            day = max(wanted, min(self.customer_since[buyer], END))
            recent = (END - day).days < 20
            odds = [10, 10, 60, 5, 15] if recent else [0, 0, 92, 6, 2]
            status = self.random.choices([code for code, _, _ in STATUSES], odds)[0]
            shipped = day + timedelta(days=self.random.randint(0, 12)) if status == "S" else None
            self.orders.append((i, day, shipped, status))
            agents = range(self.customer_region[buyer] + 9, EMPLOYEES + 1, len(REGIONS))
            channel = self.random.choice(["phone", "web", "WEB", "Web", "mail"])
            yield (
                *(i, buyer + 1, self._maybe(self.random.choice(agents), 0.12), day.isoformat()),
                *(shipped and shipped.isoformat(), status, self._maybe(channel, 0.05)),
                self._maybe(round(self.random.uniform(3, 40), 2), 0.04),
            )

    def _details(self) -> Iterator[tuple[object, ...]]:
        popular = [self.random.paretovariate(1.1) for _ in self.prices[:-6]]
        for order, day, shipped, _ in self.orders:
            count = self.random.choices([1, 2, 3, 4, 6], [3, 4, 3, 2, 1])[0]
            chosen = dict.fromkeys(self.random.choices(range(len(popular)), popular, k=count))
            for line, product in enumerate(chosen, 1):
                quantity = self.random.choice([1, 2, 3, 5, 6, 10, 12, 24])
                rise = 1 + 0.03 * (day.year - START.year)
                price = round(self.prices[product] * rise, 2)
                discount = self.random.choices([0.0, 0.05, 0.1, 0.2], [70, 15, 10, 5])[0]
                worth = quantity * price * (1 - discount)
                self.totals[order] = self.totals.get(order, 0.0) + worth
                if shipped:
                    self.lines.append((order, line, quantity, shipped))
                yield order, line, product + 1, quantity, price, discount

    def _payments(self) -> Iterator[tuple[object, ...]]:
        number = 0
        for order, _, shipped, _ in self.orders:
            if shipped is None or self.random.random() < 0.05:
                continue
            rest = round(self.totals[order], 2)
            parts = [rest] if self.random.random() < 0.9 else [rest / 2, rest - rest / 2]
            for part in parts:
                number += 1
                paid = shipped + timedelta(days=self.random.randint(1, 45))
                method = self.random.choice(["card", "transfer", "Transfer", "direct debit"])
                text = paid.strftime("%d.%m.%Y")
                yield number, order, text, round(part, 2), self._maybe(method, 0.03)

    def _returns(self) -> Iterator[tuple[object, ...]]:
        for order, line, quantity, shipped in self.lines:
            if self.random.random() < 0.03:
                day = (shipped + timedelta(days=self.random.randint(3, 30))).isoformat()
                count, reason = self.random.randint(1, quantity), self.random.choice(REASONS)
                yield order, line, day, count, reason

    def _price_list(self) -> Iterator[tuple[object, ...]]:
        for product, price in enumerate(self.prices, 1):
            for group, factor in (("A", 0.85), ("B", 0.92), ("C", 1.0)):
                if group != "A" or self.random.random() < 0.7:
                    yield product, group, round(price * factor, 2)


def make_database(path: Path, seed: int = 7) -> None:
    """Write the database to ``path``; whatever stood there stays until the new one is complete."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        connection = sqlite3.connect(unfinished)
        try:
            connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            connection.executescript(TABLES)
            for table, rows in Maker(seed).tables():
                insert(connection, table, rows)
            connection.commit()
            connection.execute("VACUUM")
        finally:
            connection.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Insert ``rows`` into ``table``, one of the names above."""
    places = ", ".join("?" * len(rows[0]))
    connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)  # noqa: S608


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, make the file, say what is in it."""
    parser = argparse.ArgumentParser(description="Make the demo database.")
    parser.add_argument("out", type=Path, help="the SQLite file to write")
    parser.add_argument("--seed", type=int, default=7, help="of the random data (default: 7)")
    options = parser.parse_args(arguments)
    try:
        make_database(options.out, options.seed)
    except (OSError, sqlite3.Error) as error:
        print(f"{options.out} was not written: {error}", file=sys.stderr)
        return 1
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
