"""A window with a number of controls, one of which renames another.

    grid.py TOOLKIT COUNT

TOOLKIT is gtk3, gtk4 or qt6. The button "rename" gives the label beside it the next name: "name 1", "name 2" and so on.
Buttons, labels, boxes to tick and fields stand in turn, in groups of a hundred in twenty columns, which can be scrolled.
"""

import sys

COLUMNS, GROUP = 20, 100
toolkit, count = sys.argv[1], int(sys.argv[2])
title = f"grid {toolkit} {count}"


def gtk(version):
    import gi

    gi.require_version("Gtk", version)
    from gi.repository import GLib, Gtk

    old = version == "3.0"

    def put(outer, inner):
        if old:
            outer.add(inner)
        elif isinstance(outer, Gtk.Box):
            outer.append(inner)
        else:
            outer.set_child(inner)

    def cell(number):
        kind = number % 4
        if kind == 0:
            return Gtk.Button(label=f"b{number}")
        if kind == 1:
            return Gtk.Label(label=f"l{number}")
        if kind == 2:
            return Gtk.CheckButton(label=f"c{number}")
        field = Gtk.Entry(text=f"t{number}")
        field.set_width_chars(4)
        return field

    # What is redrawn for a while after a click is not what is measured.
    Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
    window = Gtk.Window(title=title)
    window.set_default_size(1200, 700)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    row, scrolled, groups = Gtk.Box(), Gtk.ScrolledWindow(), Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    button, label = Gtk.Button(label="rename"), Gtk.Label(label="name 0")
    names = iter(range(1, sys.maxsize))
    button.connect("clicked", lambda _: label.set_label(f"name {next(names)}"))
    for inner in (button, label):
        put(row, inner)
    for first in range(0, count, GROUP):
        group = Gtk.Grid()
        for number in range(first, min(first + GROUP, count)):
            group.attach(cell(number), number % COLUMNS, number // COLUMNS, 1, 1)
        put(groups, group)
    scrolled.set_vexpand(True)
    put(scrolled, groups)
    for inner in (row, scrolled):
        put(column, inner)
    put(window, column)
    window.show_all() if old else window.present()
    GLib.MainLoop().run()


def qt():
    from PyQt6 import QtWidgets

    def cell(number):
        kind = number % 4
        if kind == 0:
            return QtWidgets.QPushButton(f"b{number}")
        if kind == 1:
            return QtWidgets.QLabel(f"l{number}")
        if kind == 2:
            return QtWidgets.QCheckBox(f"c{number}")
        return QtWidgets.QLineEdit(f"t{number}")

    application = QtWidgets.QApplication(sys.argv[:1])
    window, scrolled, inside = QtWidgets.QWidget(), QtWidgets.QScrollArea(), QtWidgets.QWidget()
    window.setWindowTitle(title)
    window.resize(1200, 700)
    column, row, groups = QtWidgets.QVBoxLayout(window), QtWidgets.QHBoxLayout(), QtWidgets.QVBoxLayout(inside)
    button, label = QtWidgets.QPushButton("rename"), QtWidgets.QLabel("name 0")
    names = iter(range(1, sys.maxsize))
    button.clicked.connect(lambda: label.setText(f"name {next(names)}"))
    row.addWidget(button)
    row.addWidget(label)
    for first in range(0, count, GROUP):
        group = QtWidgets.QWidget()
        grid = QtWidgets.QGridLayout(group)
        for number in range(first, min(first + GROUP, count)):
            grid.addWidget(cell(number), number // COLUMNS, number % COLUMNS)
        groups.addWidget(group)
    scrolled.setWidget(inside)
    column.addLayout(row)
    column.addWidget(scrolled)
    window.show()
    application.exec()


{"gtk3": lambda: gtk("3.0"), "gtk4": lambda: gtk("4.0"), "qt6": qt}[toolkit]()
