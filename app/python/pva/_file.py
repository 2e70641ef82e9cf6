"""A report file, opened as the file of a stranger: read-only, nothing can be attached, loaded or written, every row is checked.

Page checksums are verified by Tilescope's own programs (`tilescope-cli summary FILE`), not here: SQLite calls no Python for a page.
"""

import os
import sqlite3
import stat
import threading
from urllib.parse import quote

from ._errors import ReportError

NEWEST_SCHEMA = 15
APPLICATION_ID = 0x54534350
_SINCE = {  # tables and columns that are newer than version 1, see SCHEMA.md
    "instant_chunk": 2, "details_chunk": 2, "run_link": 2, "host_thread.tid": 2, "host_thread.kind": 2, "step_variables": 3,
    "call_context": 5, "exchange.code_by_tile": 7, "block_chunk": 7, "step_profile.slice_executions": 8, "step_move": 9,
    "control_code": 14, "program_step.control_code_id": 14, "exchange_operand": 15,
}
_TYPES = {"int": (int,), "text": (str,), "blob": (bytes,), "real": (float, int)}
_MOST_BYTES = 64 << 20  # of one value
_FUNCTIONS = {"count", "sum", "min", "max", "total"}
_PRAGMAS = {"table_info"}
_FAULTS = (sqlite3.Error, UnicodeDecodeError, OverflowError)  # of a damaged file; SQLite's messages may hold its bytes


def _authorize(action, first, second, database, source):
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def read_header(path):
    """The first 100 bytes of a regular file and its size."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except FileNotFoundError:
        raise ReportError("%s: no such file" % path) from None
    except OSError as reason:
        raise ReportError("%s: cannot open: %s" % (path, reason.strerror)) from None
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            raise ReportError("%s: is not a regular file: name a .tsr file" % path)
        return os.read(file, 100), facts.st_size
    finally:
        os.close(file)


def is_sqlite(header):
    return len(header) == 100 and header[:16] == b"SQLite format 3\0"


def is_report(header):
    return is_sqlite(header) and int.from_bytes(header[68:72], "big") == APPLICATION_ID


def _require_report(path, header, size):
    if size == 0:
        raise ReportError("%s: not a report: the file is empty: make it again" % path)
    if not is_report(header):
        raise ReportError("%s: not a report of Tilescope%s: make one with `tilescope-cli run` or `tilescope-cli import`"
                          % (path, ", but an SQLite file of another program" if is_sqlite(header) else ""))
    real = os.path.realpath(path)
    for suffix in ("-journal", "-wal"):
        if os.path.lexists(real + suffix):
            raise ReportError("%s: unfinished report: %s is beside it: wait until the program that writes it has finished"
                              % (path, os.path.basename(real) + suffix))
    if header[18:20] != b"\1\1":
        raise ReportError("%s: unfinished report: it was left in write-ahead mode: make it again" % path)
    version = int.from_bytes(header[60:64], "big")
    if version > NEWEST_SCHEMA:
        raise ReportError("%s: the report has schema version %d, this package reads up to %d: use a newer Tilescope"
                          % (path, version, NEWEST_SCHEMA))
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    if page < 512 or page & (page - 1) or pages == 0:
        raise ReportError("%s: report is damaged: its header makes no sense: make it again" % path)
    if size < page * pages:
        raise ReportError("%s: report is cut short: %d of %d bytes: copy it again" % (path, size, page * pages))
    return version


class Database:
    """An SQLite file of a stranger: rows are read whole, with the types that the caller names."""

    def __init__(self, path):
        self.path = path
        uri = "file:%s?mode=ro&immutable=1" % quote(os.path.realpath(path))
        try:
            self._db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            self._harden()
            found = self._db.execute("SELECT name, type FROM sqlite_master").fetchall()
        except _FAULTS as reason:
            raise self.damaged(str(reason)) from None
        self._lock = threading.Lock()
        self._kinds = {name: kind for name, kind in found}
        self._columns, self._seen = {}, {}

    def _harden(self):
        db = self._db
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        if hasattr(db, "enable_load_extension"):
            db.enable_load_extension(False)
        if hasattr(db, "setlimit"):  # Python 3.11
            for limit, value in ((sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES), (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 10000),
                                 (sqlite3.SQLITE_LIMIT_COLUMN, 100), (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50),
                                 (sqlite3.SQLITE_LIMIT_ATTACHED, 0), (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)):
                db.setlimit(limit, value)
        for sql in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY", "query_only = ON"):
            db.execute("PRAGMA " + sql)
        db.set_authorizer(_authorize)

    def damaged(self, why):
        return ReportError("%s: report is damaged: %s: copy it again or make it again" % (self.path, why))

    def has_table(self, table):
        return self._kinds.get(table) == "table"

    def columns(self, table):
        if table not in self._columns:
            try:
                self._columns[table] = {row[1] for row in self._db.execute("PRAGMA table_info(%s)" % table)}
            except _FAULTS as reason:
                raise self.damaged("table %s: %s" % (table, reason)) from None
        return self._columns[table]

    def rows(self, table, spec, rest="", values=()):
        """Rows of a table. `spec` is "name:type ...", a type int, text, blob or real, with ? where NULL may be; `rest` is SQL."""
        wanted = [part.split(":") for part in spec.split()]
        if self._kinds.get(table) != "table":
            raise self.damaged("it has no table %s" % table)
        for name, _ in wanted:
            if name not in self.columns(table):
                raise self.damaged("table %s has no column %s" % (table, name))
        sql = "SELECT %s FROM main.%s %s" % (", ".join('"%s"' % name for name, _ in wanted), table, rest)
        with self._lock:
            try:
                rows = self._db.execute(sql, values).fetchall()
            except _FAULTS as reason:
                raise self.damaged("table %s: %s" % (table, reason)) from None
        good = self._seen.setdefault((table, spec), set())
        for row in rows:
            kinds = tuple(map(type, row))
            if kinds not in good:
                self._check(table, wanted, row)
                good.add(kinds)
        return rows

    def _check(self, table, wanted, row):
        for (name, kind), value in zip(wanted, row):
            if value is None and kind.endswith("?"):
                continue
            if not isinstance(value, _TYPES[kind.rstrip("?")]):
                raise self.damaged("table %s, column %s: a value does not have the type %s" % (table, name, kind))


class ReportFile(Database):
    """A report. Older ones lack tables and columns: has() says so, rows() gives none of a table that is newer than the file."""

    def __init__(self, path):
        path = os.fspath(path)
        header, size = read_header(path)
        self.version = _require_report(path, header, size)
        super().__init__(path)
        self.metadata = dict(self.rows("metadata", "key:text value:text"))
        if self.metadata.get("complete") != "1":
            raise ReportError("%s: unfinished report: its last row is missing: make it again" % path)
        self._text = None

    def has(self, name):
        return self.version >= _SINCE.get(name, 1)

    def rows(self, table, spec, rest="", values=()):
        return super().rows(table, spec, rest, values) if self.has(table) else []

    def by_id(self, table, spec):
        """Rows of a table whose ids count from 0 without gaps."""
        rows = self.rows(table, spec, "ORDER BY id")
        if any(row[0] != i for i, row in enumerate(rows)):
            raise self.damaged("the ids of table %s have gaps" % table)
        return rows

    def text(self, number):
        if self._text is None:
            self._text = dict(self.rows("string", "id:int text:text"))
        try:
            return self._text[number]
        except KeyError:
            raise self.damaged("string %r is missing" % number) from None
