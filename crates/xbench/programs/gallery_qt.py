"""A window with one or more of every kind of control, each with a name of its own.

    gallery_qt.py ORDER

ORDER has the names of the controls. With each press of F9 the next control of these is drawn otherwise: its text is turned
around, or it shows another value. The first press changes nothing.
"""

import sys

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6 import QtWidgets as W

# What changes how each control is drawn.
changes = {}


def with_text(name, make):
    control = make(name)
    changes[name] = lambda: control.setText(name[::-1])
    return control


def valued(name, control, first, second):
    control.setAccessibleName(name)
    control.setValue(first)
    changes[name] = lambda: control.setValue(second)
    return control


def field(name, text, hidden=False):
    control = W.QLineEdit(text)
    if hidden:
        control.setEchoMode(W.QLineEdit.EchoMode.Password)
    control.setAccessibleName(name)
    changes[name] = lambda: control.setText(text[: len(text) // 2] if hidden else text[::-1])
    return control


def menus(bar):
    for name in ("menu-a", "menu-b"):
        menu = bar.addMenu(name)
        menu.addAction(f"in {name}")
        changes[name] = lambda menu=menu, name=name: menu.setTitle(name[::-1])


def link(name):
    control = W.QLabel(f'<a href="file:///">{name}</a>')
    changes[name] = lambda: control.setText(f'<a href="file:///">{name[::-1]}</a>')
    return control


def simple():
    column = W.QVBoxLayout()
    toggle = with_text("switch-on", W.QPushButton)
    toggle.setCheckable(True)
    box = W.QComboBox()
    box.addItems(["options", "snoitpo"])
    box.setAccessibleName("options")
    changes["options"] = lambda: box.setCurrentIndex(1)
    progress = W.QProgressBar()
    progress.setTextVisible(False)
    for control in (
        with_text("push", W.QPushButton),
        toggle,
        with_text("tick", W.QCheckBox),
        with_text("choice-a", W.QRadioButton),
        with_text("choice-b", W.QRadioButton),
        field("field", "plain words"),
        field("secret", "hidden words", hidden=True),
        valued("number", W.QSpinBox(), 37, 84),
        valued("slide", W.QSlider(Qt.Orientation.Horizontal), 20, 80),
        box,
        link("link-a"),
        with_text("words", W.QLabel),
        valued("progress", progress, 20, 80),
    ):
        control.setMinimumWidth(250)
        column.addWidget(control)
    return column


def tabs():
    book = W.QTabWidget()
    for index, name in enumerate(("tab-a", "tab-b")):
        book.addTab(W.QLabel(f"page of {name}"), name)
        changes[name] = lambda index=index, name=name: book.setTabText(index, name[::-1])
    return book


def rows():
    box = W.QListWidget()
    for name in ("row-a", "row-b", "row-c"):
        item = W.QListWidgetItem(name, box)
        changes[name] = lambda item=item, name=name: item.setText(name[::-1])
    return box


def table():
    view = W.QTableWidget(2, 2)
    for row, names in enumerate((("cell-a", "cell-b"), ("cell-c", "cell-d"))):
        for column, name in enumerate(names):
            item = W.QTableWidgetItem(name)
            view.setItem(row, column, item)
            changes[name] = lambda item=item, name=name: item.setText(name[::-1])
    return view


def tree():
    view = W.QTreeWidget()
    view.setHeaderLabels(["column"])
    for name, leaf in (("branch-a", "leaf-a"), ("branch-b", "leaf-b")):
        branch = W.QTreeWidgetItem(view, [name])
        inner = W.QTreeWidgetItem(branch, [leaf])
        for item, text in ((branch, name), (inner, leaf)):
            changes[text] = lambda item=item, text=text: item.setText(0, text[::-1])
    view.expandAll()
    return view


def main():
    order = sys.argv.pop().split()
    application = W.QApplication(sys.argv)
    application.setCursorFlashTime(0)
    window = W.QMainWindow()
    window.setWindowTitle("gallery")
    window.resize(1000, 650)
    menus(window.menuBar())
    inside = W.QWidget()
    across = W.QHBoxLayout(inside)
    across.addLayout(simple())
    for views in ((tabs(), rows()), (table(), tree())):
        column = W.QVBoxLayout()
        for view in views:
            column.addWidget(view)
        across.addLayout(column)
    window.setCentralWidget(inside)
    presses = iter(range(sys.maxsize))

    def on_key():
        number = next(presses)
        if 0 < number <= len(order):
            changes[order[number - 1]]()

    QShortcut(QKeySequence("F9"), window, on_key)
    window.show()
    application.exec()


main()
