"""Workbooks that pandas and openpyxl write."""

import warnings
import zipfile
from datetime import date, datetime
from subprocess import run
from sys import executable

import numpy as np
import pandas as pd
import pytest

from kpboost.datasets import DataError, read_dataset, read_table
from kpboost.datasets._excel import read_excel

openpyxl = pytest.importorskip("openpyxl")


def write(path, *rows, sheet="Sheet", merged=None):
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    if merged:
        book.active.merge_cells(merged)
    book.save(path)
    return path


def test_a_workbook_is_the_csv_file_of_its_sheet(tmp_path):
    rng = np.random.default_rng(0)
    n = 50
    frame = pd.DataFrame(
        {
            "customer": [f"C-{i:05d}" for i in rng.permutation(n)],
            "x": rng.normal(size=n).round(6),
            "whole": rng.integers(0, 9, n),
            "when": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "colour": rng.choice(["red", "blue"], n),
            "price": [f"{x:.2f}".replace(".", ",") for x in rng.normal(50, 5, n)],
            "ok": rng.random(n) < 0.5,
            "label": rng.choice(["a", "b"], n),
        }
    )
    frame.loc[::7, ["x", "when", "colour"]] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    ours, theirs = read_dataset(tmp_path / "t.xlsx"), read_dataset(tmp_path / "t.csv")
    assert ours.feature_names == theirs.feature_names
    assert ours.categories == theirs.categories
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert [(role.name, role.kind) for role in ours.roles] == [
        (role.name, role.kind) for role in theirs.roles
    ]


def test_cells_of_every_kind(tmp_path):
    file = write(
        tmp_path / "t.xlsx",
        ["n", "mixed", "day", "gone"],
        [1, "a", datetime(2024, 1, 31), "#N/A"],
        [2.5, 3, date(2024, 2, 1), None],
        [None, True, None, "#DIV/0!"],
    )
    table = read_table(file)
    assert table.names == ("n", "mixed", "day", "gone")
    assert table.categories[1] == ("3", "True", "a")
    assert table.dates == {"day"}
    np.testing.assert_array_equal(table.values[:, 2], [19753, 19754, np.nan])
    assert np.isnan(table.values[:, 3]).all()


def test_blank_rows_and_columns_around_the_table_do_not_count(tmp_path):
    blank = [None] * 4
    file = write(
        tmp_path / "t.xlsx", blank, [None, "x", None, "y"], [None, 1, None, "a"], blank,
        [None, 2, None, "b"], [" "] * 4,
    )  # fmt: skip
    table = read_table(file)
    assert table.names == ("x", "y")
    assert table.values.tolist() == [[1, 0], [2, 1]]


def test_of_several_sheets_the_first_is_read_and_that_is_said(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        for name in ("Customers", "Notes"):
            pd.DataFrame({"x": [1, 2], name: ["a", "b"]}).to_excel(writer, sheet_name=name)
    with pytest.warns(UserWarning, match="has 2 sheets; only the first, 'Customers', is read"):
        assert read_table(tmp_path / "t.xlsx").names[-1] == "Customers"


def test_a_first_row_that_looks_like_data_is_told(tmp_path):
    rows = [(5.0 + i, date(2024, 1, 1 + i), "ab"[i % 2]) for i in range(20)]
    with pytest.warns(
        UserWarning, match=r"is taken as names of columns \('5', '2024-01-01', 'a'\)"
    ):
        read_table(write(tmp_path / "t.xlsx", *rows))


def test_one_sheet_is_nothing_to_speak_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(write(tmp_path / "t.xlsx", ["x", "y"], [1, 2]))


@pytest.mark.parametrize(
    ("rows", "merged", "sentence"),
    [
        ([], None, "has an empty first sheet"),
        ([[None, " "]], None, "has an empty first sheet"),
        ([["x", "y"]], None, "line 1: has a header, but no rows"),
        ([["Results", "", "y"], [1, 2, "a"]], "A1:B1", "column 2 has no name; .* without merged"),
        ([["x", "x"], [1, 2]], None, "two columns named 'x'"),
        ([[0.5, 1.5], [1, 2]], None, "starts with numbers"),
        ([["x", "y"], [1, "a", "beyond"]], None, "column 3 has no name"),
    ],
)
def test_a_sheet_that_is_no_table_is_a_sentence(tmp_path, rows, merged, sentence):
    with pytest.raises(DataError, match=sentence):
        read_table(write(tmp_path / "t.xlsx", *rows, merged=merged))


def test_a_slip_is_named_by_its_row(tmp_path):
    rows = [[float(i), i % 2] for i in range(1, 60)]
    rows[40][0] = "4o"
    with pytest.raises(DataError, match="line 42: column 'x' holds '4o' among numbers"):
        read_table(write(tmp_path / "t.xlsx", ["x", "y"], *rows))


@pytest.mark.parametrize("damage", ["text", "empty", "cut", "zip", "xml"])
def test_what_is_no_workbook_is_a_sentence(tmp_path, damage):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2]).read_bytes()
    file = tmp_path / "t.xlsx"
    file.write_bytes({"text": b"x,y\n1,2\n", "cut": good[: len(good) // 2]}.get(damage, b""))
    if damage == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("hello.txt", "hello")
    if damage == "xml":
        with zipfile.ZipFile(tmp_path / "good.xlsx") as old, zipfile.ZipFile(file, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name).replace(b"<row", b"<rwo"))
    with pytest.raises(DataError, match=r"t\.xlsx: is not a readable Excel workbook \(\.xlsx\)"):
        read_table(file)


def replaced(source, target, part, content):
    """Write a workbook with another content in one of its parts."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    return target


def test_no_more_is_unpacked_than_a_file_may_have(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    bomb = replaced(good, tmp_path / "t.xlsx", "docProps/app.xml", bytes(50_000_000))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(DataError, match="unpacks to more than max_bytes=20000000 bytes"):
        read_table(bomb, max_bytes=20_000_000)


def test_a_part_that_is_larger_than_it_says_is_refused(tmp_path):
    """What a part claims to be is all that is ever unpacked of it."""
    good = write(tmp_path / "good.xlsx", ["x", "y"], *([i, i] for i in range(5000)))
    content = bytearray(good.read_bytes())
    place = content.rindex(b"PK\x01\x02", 0, content.rindex(b"xl/worksheets/sheet1.xml"))
    content[place + 24 : place + 28] = (1000).to_bytes(4, "little")
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(DataError, match="is not a readable Excel workbook"):
        read_table(tmp_path / "t.xlsx", max_bytes=20_000_000)


ROWS = '<row r="{0}"><c r="A{0}"><v>1</v></c><c r="XFD{0}"><v>2</v></c></row>'


def test_far_cells_do_not_fill_the_memory(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    with zipfile.ZipFile(good) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    start = sheet.index("<sheetData>") + len("<sheetData>")
    rows = "".join(ROWS.format(number) for number in range(1, 2000))
    wide = sheet[:start] + rows + sheet[sheet.index("</sheetData>") :]
    part = "xl/worksheets/sheet1.xml"
    with pytest.raises(DataError, match="has more than max_cells=10000000 cells"):
        read_excel(replaced(good, tmp_path / "t.xlsx", part, wide))


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE worksheet [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 20}">' for i in range(1, 9))
    + ']><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1" t="inlineStr"><is><t>x&a{};</t></is></c></row>'
    '<row r="2"><c r="A2"><v>1</v></c></row></sheetData></worksheet>'
)


def test_entities_do_not_unfold(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, "a"])
    part = "xl/worksheets/sheet1.xml"
    for depth in "08":
        bomb = replaced(good, tmp_path / "t.xlsx", part, LAUGHS.replace("{}", depth))
        with pytest.raises(DataError, match="declares a document type, which no workbook has"):
            read_table(bomb)
    bomb = replaced(good, tmp_path / "t.xlsx", "xl/styles.xml", LAUGHS.replace("{}", "0"))
    with pytest.raises(DataError, match="declares a document type, which no workbook has"):
        read_table(bomb)


def test_without_openpyxl_it_says_what_to_install(tmp_path):
    write(tmp_path / "t.xlsx", ["x", "y"], [1, 2])
    program = (
        "import sys; sys.modules['openpyxl'] = None\n"
        "from kpboost.datasets import read_table\n"
        "try:\n    read_table('t.xlsx')\nexcept ValueError as error:\n    print(error)"
    )
    done = run([executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert 'needs openpyxl to be read: pip install "kpboost[excel]".' in done.stdout


def with_part(good, path, name, content, packing=zipfile.ZIP_DEFLATED):
    """Write a workbook whose part of this name is another one."""
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(path, "w", packing) as new:
        for part in old.namelist():
            new.writestr(part, content if part == name else old.read(part))
    return path


def test_a_forged_row_number_is_refused_at_once(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    part = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(good) as archive:
        sheet = archive.read(part).decode().replace('<row r="2"', f'<row r="{10**12}"')
    with pytest.raises(DataError, match=r"more rows than a sheet may have, 1,048,576"):
        read_table(with_part(good, tmp_path / "t.xlsx", part, sheet))


def test_other_packings_are_refused(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    file = with_part(good, tmp_path / "t.xlsx", "xl/workbook.xml", "", zipfile.ZIP_BZIP2)
    with pytest.raises(DataError, match="packed in another way"):
        read_table(file)


def test_styles_of_many_megabytes_are_refused(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    file = with_part(good, tmp_path / "t.xlsx", "xl/styles.xml", " " * (9 * 2**20))
    with pytest.raises(DataError, match="styles or a list of sheets of many megabytes"):
        read_table(file)


LARGE = 9 * 2**20
MEGABYTES = "styles or a list of sheets of many megabytes"


def forged(good, path, **changes):
    """Write a workbook with words replaced in all parts, and some parts under other names."""
    names, words = changes["names"], changes.get("words", {})
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            text = old.read(part).decode()
            for word, other in words.items():
                text = text.replace(word, other)
            if part in names:
                text += " " * LARGE
            new.writestr(names.get(part, part), text)
    return path


@pytest.mark.parametrize("name", ["xl/worksheets/book.xml", "xl/book.bin"])
def test_a_list_of_sheets_named_like_a_sheet_is_refused_if_it_is_large(tmp_path, name):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    file = forged(
        good,
        tmp_path / "t.xlsx",
        names={"xl/workbook.xml": name},
        words={'"/xl/workbook.xml"': f'"/{name}"'},
    )
    with pytest.raises(DataError, match=MEGABYTES):
        read_table(file)


def test_a_sheet_called_a_chart_is_not_read_as_a_whole(tmp_path):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    part = "xl/worksheets/sheet1.xml"
    words = {"relationships/worksheet": "relationships/chartsheet"}
    file = forged(good, tmp_path / "t.xlsx", names={part: part}, words=words)
    with pytest.raises(DataError, match=MEGABYTES):
        read_table(file)


HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
TAIL = "</worksheet>"
STRINGS = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</sst>'


@pytest.mark.parametrize(
    ("sheet", "sentence"),
    [
        (f"{HEAD}<sheetData><row>{'<c/>' * 300_000}</row></sheetData>{TAIL}", "of very many parts"),
        (f"{HEAD}<sheetData>{'<a/>' * 600_000}</sheetData>{TAIL}", "of very many parts"),
        (
            f"<worksheet><sheetData>{'<row/>' * 600_000}</sheetData></worksheet>",
            "of very many parts",  # rows of another language are no rows
        ),
        (f"{HEAD}<sheetData>{'<row/>' * 1_100_000}</sheetData>{TAIL}", "more .* 1,048,576 rows"),
        (f"{HEAD}{'<a>' * 200}", "more than 100 deep"),
        (f'{HEAD}<a b="{"b" * 2**21}"/>', "has a tag of more than a megabyte"),
        (STRINGS.format("<si/>" * 600_000), "of very many parts"),  # texts are no sheet
    ],
)
def test_a_sheet_does_not_fill_the_memory(tmp_path, sheet, sentence):
    good = write(tmp_path / "good.xlsx", ["x", "y"], [1, 2])
    file = replaced(good, tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", sheet)
    with pytest.raises(DataError, match=sentence):
        read_table(file)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("<si/>" * 2000, "more than 1,000 .* texts"), (f"<si>{'<r/>' * 300_000}</si>", "many parts")],
)
def test_shared_texts_do_not_fill_the_memory(tmp_path, content, sentence):
    good = write(tmp_path / "good.xlsx", ["x", "y"], ["a", "b"])
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    listed = f'<Override PartName="/xl/strings.xml" ContentType="{kind}"/></Types>'
    file = forged(good, tmp_path / "t.xlsx", names={}, words={"</Types>": listed})
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/strings.xml", STRINGS.format(content))
    with pytest.raises(DataError, match=sentence):
        read_excel(file, max_cells=1000)


def test_formulas_without_a_saved_value_are_counted(tmp_path):
    """As programs write them that compute nothing; Excel saves values, also of empty text."""
    file = write(tmp_path / "t.xlsx", ["x", "y"], [1, "=A2*2"], [2, "=A3*2"], [3, "b"])
    with pytest.warns(UserWarning, match="has 2 formulas without a saved value, read as missing"):
        assert read_table(file).categories[1] == ("b",)
    part = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(file) as archive:
        sheet = archive.read(part).decode()
    assert sheet.count("<f>") == sheet.count("</f><v />") == 2
    saved = sheet.replace("</f><v />", "</f><v>7</v>", 1)
    saved = saved.replace('<c r="B3">', '<c r="B3" t="str">')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_table(replaced(file, tmp_path / "s.xlsx", part, saved))
    assert table.categories[1] == ("7", "b")
    np.testing.assert_array_equal(table.values[:, 1], [0, np.nan, 1])


def test_the_first_sheet_that_shows_is_read(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["hidden"])
    book.active.sheet_state = "hidden"
    second = book.create_sheet("second")
    for row in (["x", "y"], [1, 2]):
        second.append(row)
    book.save(tmp_path / "t.xlsx")
    assert read_table(tmp_path / "t.xlsx").names == ("x", "y")
