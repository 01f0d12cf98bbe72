"""A window whose controls change at random, for tests of the accessibility tree.

    churn.py TOOLKIT SEED CHANGES PER_SECOND [ROWS [STEADY]]

TOOLKIT is gtk3, gtk4 or qt6. After the last change, or on SIGUSR1, the window is called "finished". The same seed makes the same changes.
Each row has a button "press N", and N stays the row's own whatever else its name becomes; pressing it prints "pressed N".
Beside the rows are STEADY buttons "steady N" that stay where they are; what else is in their line changes.
"""

import random
import signal
import sys

toolkit, seed, changes, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
rows = int(sys.argv[5]) if len(sys.argv) > 5 else 12
steady = int(sys.argv[6]) if len(sys.argv) > 6 else 0
dice = random.Random(seed)
made = 0


def name():
    global made
    made += 1
    return f"item {made}"


class Number:
    """The number of a row."""

    last = 0

    def __init__(self):
        Number.last += 1
        self.number = Number.last

    def name(self):
        return f"press {self.number}"

    def pressed(self, *_):
        print(f"pressed {self.number}", flush=True)


class Gtk3:
    version = "3.0"

    def __init__(self):
        import gi

        gi.require_version("Gtk", self.version)
        from gi.repository import GLib, Gtk

        self.Gtk, self.GLib = Gtk, GLib
        self.window = Gtk.Window(title="churning")
        self.window.set_default_size(500, 400)
        self.scroll = Gtk.ScrolledWindow()
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.put(self.scroll, self.box)
        if not steady:
            self.put(self.window, self.scroll)
            return
        outer = Gtk.Box()
        self.put(self.window, outer)
        self.put(outer, self.scroll)
        self.scroll.set_hexpand(True)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.put(outer, column)
        for number in range(steady):
            button = Gtk.Button(label=f"steady {number}")
            button.connect("clicked", lambda _, number=number: print(f"pressed steady {number}", flush=True))
            self.put(column, button)
        self.news = Gtk.Label()
        self.put(column, self.news)

    def tell(self):
        self.news.set_text(name())

    def put(self, outer, inner):
        outer.add(inner)
        inner.show()

    def show(self):
        self.window.show()

    def row(self):
        Gtk = self.Gtk
        row = Gtk.Box()
        row.number = Number()
        button = Gtk.Button(label=row.number.name())
        button.connect("clicked", row.number.pressed)
        row.parts = [Gtk.Label(label=name()), Gtk.Entry(text="text"), Gtk.CheckButton(label=name()), button]
        for part in row.parts:
            self.put(row, part)
        return row

    def insert(self, index):
        row = self.row()
        self.put(self.box, row)
        self.box.reorder_child(row, index)

    def rows(self):
        return self.box.get_children()

    def remove(self, row):
        row.destroy()

    def move(self, row, index):
        self.box.reorder_child(row, index)

    def rename(self, row):
        row.parts[3].set_label(f"{row.number.name()} {name()}")

    def write(self, row):
        row.parts[1].set_text(name())

    def tick(self, row):
        row.parts[2].set_active(not row.parts[2].get_active())

    def disable(self, row):
        row.parts[3].set_sensitive(not row.parts[3].get_sensitive())

    def hide(self, row):
        row.set_visible(not row.get_visible())

    def scroll_to(self, part):
        bar = self.scroll.get_vadjustment()
        bar.set_value(part * max(0, bar.get_upper() - bar.get_page_size()))

    def finish(self):
        self.window.set_title("finished")

    def run(self, step):
        self.GLib.timeout_add(int(1000 / rate), step)
        self.GLib.MainLoop().run()


class Gtk4(Gtk3):
    version = "4.0"

    def put(self, outer, inner):
        (outer.append if isinstance(outer, self.Gtk.Box) else outer.set_child)(inner)

    def show(self):
        self.window.present()

    def rows(self):
        return list(self.box)

    def insert(self, index):
        rows = self.rows()
        self.box.insert_child_after(self.row(), rows[index - 1] if index else None)

    def remove(self, row):
        self.box.remove(row)

    def move(self, row, index):
        rows = [other for other in self.rows() if other is not row]
        self.box.reorder_child_after(row, rows[index - 1] if index else None)


class Qt6:
    def __init__(self):
        from PyQt6 import QtCore, QtWidgets

        self.Core, self.Widgets = QtCore, QtWidgets
        self.app = QtWidgets.QApplication([])
        self.scroll = QtWidgets.QScrollArea()
        self.inner = QtWidgets.QWidget()
        self.box = QtWidgets.QVBoxLayout(self.inner)
        self.scroll.setWidgetResizable(True)
        self.scroll.setWidget(self.inner)
        self.window = self.beside_steady() if steady else self.scroll
        self.window.setWindowTitle("churning")
        self.window.resize(500, 400)

    def beside_steady(self):
        window = self.Widgets.QWidget()
        line, column = self.Widgets.QHBoxLayout(window), self.Widgets.QVBoxLayout()
        line.addWidget(self.scroll)
        line.addLayout(column)
        for number in range(steady):
            button = self.Widgets.QPushButton(f"steady {number}")
            button.clicked.connect(lambda _, number=number: print(f"pressed steady {number}", flush=True))
            column.addWidget(button)
        self.news = self.Widgets.QLabel(" " * 20)
        column.addWidget(self.news)
        return window

    def tell(self):
        self.news.setText(name())

    def show(self):
        self.window.show()

    def rows(self):
        return [self.box.itemAt(n).widget() for n in range(self.box.count())]

    def insert(self, index):
        row = self.Widgets.QWidget()
        line = self.Widgets.QHBoxLayout(row)
        W = self.Widgets
        row.number = Number()
        button = W.QPushButton(row.number.name())
        button.clicked.connect(row.number.pressed)
        row.parts = [W.QLabel(name()), W.QLineEdit("text"), W.QCheckBox(name()), button]
        for part in row.parts:
            line.addWidget(part)
        self.box.insertWidget(index, row)

    def remove(self, row):
        self.box.removeWidget(row)
        row.deleteLater()

    def move(self, row, index):
        self.box.removeWidget(row)
        self.box.insertWidget(index, row)

    def rename(self, row):
        row.parts[3].setText(f"{row.number.name()} {name()}")

    def write(self, row):
        row.parts[1].setText(name())

    def tick(self, row):
        row.parts[2].toggle()

    def disable(self, row):
        row.parts[3].setEnabled(not row.parts[3].isEnabled())

    def hide(self, row):
        row.setVisible(row.isHidden())

    def scroll_to(self, part):
        bar = self.scroll.verticalScrollBar()
        bar.setValue(int(part * bar.maximum()))

    def finish(self):
        self.window.setWindowTitle("finished")

    def run(self, step):
        self.timer = self.Core.QTimer()
        self.timer.timeout.connect(step)
        self.timer.start(int(1000 / rate))
        self.app.exec()


ui = {"gtk3": Gtk3, "gtk4": Gtk4, "qt6": Qt6}[toolkit]()
for n in range(rows):
    ui.insert(n)
ui.show()
left = changes


def step():
    global left
    if left == 0:
        ui.finish()
        left -= 1
    if left < 0:
        return False
    left -= 1
    if steady:
        ui.tell()
    rows = ui.rows()
    kind = dice.choice(["insert", "remove", "move", "rename", "write", "tick", "disable", "hide", "scroll"])
    if kind == "insert" and len(rows) < 60 or not rows:
        ui.insert(dice.randint(0, len(rows)))
    elif kind == "remove" and len(rows) > 4:
        ui.remove(dice.choice(rows))
    elif kind == "move":
        ui.move(dice.choice(rows), dice.randrange(len(rows)))
    elif kind == "scroll":
        ui.scroll_to(dice.random())
    elif kind in ("rename", "write", "tick", "disable", "hide"):
        getattr(ui, kind)(dice.choice(rows))
    return True


def finish(*_):
    global left
    left = min(left, 0)


# It is run at the next step.
signal.signal(signal.SIGUSR1, finish)
ui.run(step)
