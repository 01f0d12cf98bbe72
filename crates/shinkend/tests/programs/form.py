"""A form in a toolkit, whose contents can be read in a file.

    form.py TOOLKIT MODEL

TOOLKIT is gtk3, gtk4 or qt6. What the program itself holds in its fields, and the last button that was pressed, stand in
MODEL as JSON, written anew whenever that changes. Below the fields are 60 buttons, of which few are in sight.
"""

import json
import os
import sys

toolkit, target = sys.argv[1:3]
CHOICES = ["Red", "Green", "Blue"]
LINES = "first line\nsecond line\nthird line"
BUTTONS = 60
model = {"pressed": None, "presses": 0}
written = None


def pressed(name):
    model["pressed"] = name
    model["presses"] += 1


def write():
    global written
    now = json.dumps(model)
    if now != written:
        with open(target + ".new", "w") as file:
            file.write(now)
        os.rename(target + ".new", target)
        written = now
    return True


class Gtk3:
    version = "3.0"

    def __init__(self):
        import gi

        gi.require_version("Gtk", self.version)
        from gi.repository import GLib, Gtk

        self.Gtk, self.GLib = Gtk, GLib
        window = Gtk.Window(title="form")
        window.set_default_size(500, 500)
        outer = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.put(window, outer)
        self.fields(outer)
        scroll = Gtk.ScrolledWindow(vexpand=True)
        self.put(outer, scroll)
        inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.put(scroll, inner)
        for number in range(BUTTONS):
            button = Gtk.Button(label=f"choice {number}")
            button.connect("clicked", lambda button: pressed(button.get_label()))
            self.put(inner, button)
        self.window = window

    def fields(self, outer):
        Gtk = self.Gtk
        self.entry = Gtk.Entry()
        self.fixed = Gtk.Entry(text="fixed", editable=False)
        self.secret = self.hidden()
        self.spin = Gtk.SpinButton.new_with_range(0, 100, 1)
        self.check = Gtk.CheckButton(label="Agree")
        self.off = Gtk.Button(label="Never", sensitive=False)
        self.off.connect("clicked", lambda button: pressed(button.get_label()))
        self.combo = self.drop_down()
        self.text = Gtk.TextView()
        self.text.get_buffer().set_text(LINES)
        named = {"Name": self.entry, "Fixed": self.fixed, "Secret": self.secret, "Number": self.spin, "Color": self.combo, "Text": self.text}
        for name, field in named.items():
            self.name(field, name)
            self.put(outer, field)
        self.put(outer, self.check)
        self.put(outer, self.off)

    def put(self, outer, inner):
        outer.add(inner)

    def name(self, field, name):
        field.get_accessible().set_name(name)

    def hidden(self):
        return self.Gtk.Entry(visibility=False, input_purpose=self.Gtk.InputPurpose.PASSWORD)

    def drop_down(self):
        combo = self.Gtk.ComboBoxText()
        for choice in CHOICES:
            combo.append_text(choice)
        combo.set_active(0)
        return combo

    def chosen(self):
        return self.combo.get_active_text()

    def look(self):
        text = self.text.get_buffer()
        model.update(
            {
                "Name": self.entry.get_text(),
                "Fixed": self.fixed.get_text(),
                "Secret": self.secret.get_text(),
                "Number": self.spin.get_value(),
                "Agree": self.check.get_active(),
                "Color": self.chosen(),
                "Text": text.get_text(text.get_start_iter(), text.get_end_iter(), True),
            }
        )
        return write()

    def show(self):
        self.window.show_all()

    def run(self):
        self.show()
        self.GLib.timeout_add(20, self.look)
        self.GLib.MainLoop().run()


class Gtk4(Gtk3):
    version = "4.0"

    def put(self, outer, inner):
        (outer.append if isinstance(outer, self.Gtk.Box) else outer.set_child)(inner)

    def name(self, field, name):
        field.update_property([self.Gtk.AccessibleProperty.LABEL], [name])

    def hidden(self):
        return self.Gtk.PasswordEntry()

    def drop_down(self):
        return self.Gtk.DropDown.new_from_strings(CHOICES)

    def chosen(self):
        return self.combo.get_selected_item().get_string()

    def show(self):
        self.window.present()


class Qt6:
    def __init__(self):
        from PyQt6 import QtCore, QtWidgets

        self.QtCore = QtCore
        self.app = QtWidgets.QApplication(sys.argv)
        self.window = QtWidgets.QWidget()
        self.window.setWindowTitle("form")
        self.window.resize(500, 500)
        self.entry = QtWidgets.QLineEdit()
        self.fixed = QtWidgets.QLineEdit("fixed", readOnly=True)
        self.secret = QtWidgets.QLineEdit(echoMode=QtWidgets.QLineEdit.EchoMode.Password)
        self.spin = QtWidgets.QSpinBox(maximum=100)
        self.check = QtWidgets.QCheckBox("Agree")
        self.off = QtWidgets.QPushButton("Never", enabled=False)
        self.off.clicked.connect(lambda: pressed("Never"))
        self.combo = QtWidgets.QComboBox()
        self.combo.addItems(CHOICES)
        self.text = QtWidgets.QPlainTextEdit(LINES)
        self.text.setMaximumHeight(70)
        layout = QtWidgets.QVBoxLayout(self.window)
        named = {"Name": self.entry, "Fixed": self.fixed, "Secret": self.secret, "Number": self.spin, "Color": self.combo, "Text": self.text}
        for name, field in named.items():
            field.setAccessibleName(name)
            layout.addWidget(field)
        layout.addWidget(self.check)
        layout.addWidget(self.off)
        scroll = QtWidgets.QScrollArea(widgetResizable=True)
        inner = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(inner)
        for number in range(BUTTONS):
            button = QtWidgets.QPushButton(f"choice {number}")
            button.clicked.connect(lambda _, name=f"choice {number}": pressed(name))
            column.addWidget(button)
        scroll.setWidget(inner)
        layout.addWidget(scroll)

    def look(self):
        model.update(
            {
                "Name": self.entry.text(),
                "Fixed": self.fixed.text(),
                "Secret": self.secret.text(),
                "Number": float(self.spin.value()),
                "Agree": self.check.isChecked(),
                "Color": self.combo.currentText(),
                "Text": self.text.toPlainText(),
            }
        )
        write()

    def run(self):
        self.window.show()
        timer = self.QtCore.QTimer(self.window)
        timer.timeout.connect(self.look)
        timer.start(20)
        self.app.exec()


{"gtk3": Gtk3, "gtk4": Gtk4, "qt6": Qt6}[toolkit]().run()
