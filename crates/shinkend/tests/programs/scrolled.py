"""A list that is longer and wider than what is shown of it, and a file with how far it is scrolled.

    scrolled.py TOOLKIT MODEL

TOOLKIT is gtk3, gtk4 or qt6. MODEL has, as JSON and written anew whenever that changes, for "v" and "h": "at", how far it is
scrolled, "page", how much is shown of it, and "end", the most that "at" can be, all in pixels.
"""

import json
import os
import sys

toolkit, target = sys.argv[1:3]
ROWS = 300
written = None


def write(model):
    global written
    now = json.dumps(model)
    if now != written:
        with open(target + ".new", "w") as file:
            file.write(now)
        os.rename(target + ".new", target)
        written = now
    return True


def name(row):
    return f"row {row} " + "and on and on " * 20


class Gtk3:
    version = "3.0"

    def __init__(self):
        import gi

        gi.require_version("Gtk", self.version)
        from gi.repository import GLib, Gtk

        self.GLib, self.Gtk = GLib, Gtk
        self.scroll = Gtk.ScrolledWindow()
        self.window = Gtk.Window(title="scrolled", default_width=300, default_height=240)
        self.show(self.list())

    def list(self):
        Gtk = self.Gtk
        rows = Gtk.ListStore(str)
        for row in range(ROWS):
            rows.append([name(row)])
        view = Gtk.TreeView(model=rows)
        view.append_column(Gtk.TreeViewColumn("Rows", Gtk.CellRendererText(), text=0))
        return view

    def show(self, view):
        self.scroll.add(view)
        self.window.add(self.scroll)
        self.window.show_all()

    def look(self):
        def of(bar):
            return {"at": bar.get_value(), "page": bar.get_page_size(), "end": bar.get_upper() - bar.get_page_size()}

        return write({"v": of(self.scroll.get_vadjustment()), "h": of(self.scroll.get_hadjustment())})

    def run(self):
        self.GLib.timeout_add(20, self.look)
        self.GLib.MainLoop().run()


class Gtk4(Gtk3):
    version = "4.0"

    def list(self):
        # A tree view of GTK 4 tells nothing of its rows.
        box = self.Gtk.ListBox()
        for row in range(ROWS):
            box.append(self.Gtk.Label(label=name(row)))
        return box

    def show(self, view):
        self.scroll.set_child(view)
        self.window.set_child(self.scroll)
        self.window.present()


class Qt6:
    def __init__(self):
        from PyQt6 import QtCore, QtWidgets

        self.QtCore = QtCore
        self.app = QtWidgets.QApplication(sys.argv)
        self.list = QtWidgets.QListWidget()
        self.list.setWindowTitle("scrolled")
        self.list.resize(300, 240)
        self.list.addItems(name(row) for row in range(ROWS))
        self.list.show()

    def look(self):
        view, first = self.list.viewport(), self.list.visualItemRect(self.list.item(0))
        rows = first.height() * ROWS

        def of(at, page, whole):
            return {"at": at, "page": page, "end": whole - page}

        write({"v": of(-first.y(), view.height(), rows), "h": of(-first.x(), view.width(), first.width())})

    def run(self):
        timer = self.QtCore.QTimer(self.list)
        timer.timeout.connect(self.look)
        timer.start(20)
        self.app.exec()


{"gtk3": Gtk3, "gtk4": Gtk4, "qt6": Qt6}[toolkit]().run()
