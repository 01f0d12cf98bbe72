"""An office form that prints each thing that was done with it, for tasks that use its controls.

    office.py TOOLKIT

TOOLKIT is gtk4 or qt6. Every line is NAME=VALUE. "Submit" prints all fields and leaves the form as it is.
"""

import sys


def say(name, value):
    print(f"{name}={value}", flush=True)


class Qt6:
    def __init__(self):
        from PyQt6 import QtGui, QtWidgets

        self.Widgets = W = QtWidgets
        self.app = W.QApplication([])
        self.window = W.QMainWindow()
        self.window.setWindowTitle("form")
        menu = self.window.menuBar().addMenu("Records")
        menu.addAction("Empty the bin", self.ask)
        more = menu.addMenu("Order by")
        for order in ["name", "city"]:
            action = QtGui.QAction(order, self.window, checkable=True)
            action.triggered.connect(lambda _, order=order: say("order", order))
            more.addAction(action)
        pages = W.QTabWidget()
        pages.addTab(self.fields(), "Person")
        pages.addTab(self.table(), "Stock")
        self.window.setCentralWidget(pages)
        self.window.show()

    def fields(self):
        W = self.Widgets
        page = W.QWidget()
        lines = W.QFormLayout(page)
        self.name, self.city = W.QLineEdit(), W.QLineEdit("Rome")
        self.country = W.QComboBox()
        self.country.addItems(["Austria", "Brazil", "Chile", "Denmark"])
        self.age = W.QSpinBox(maximum=120)
        self.news = W.QCheckBox("Send news")
        self.post, self.mail = W.QRadioButton("By post", checked=True), W.QRadioButton("By mail")
        for label, field in [("Name", self.name), ("City", self.city), ("Country", self.country), ("Age", self.age)]:
            field.setAccessibleName(label)
            lines.addRow(label, field)
        for field in [self.news, self.post, self.mail, W.QPushButton("Submit", clicked=self.submit)]:
            lines.addRow(field)
        return page

    def submit(self):
        way = "mail" if self.mail.isChecked() else "post"
        fields = [self.name.text(), self.city.text(), self.country.currentText(), self.age.value(), self.news.isChecked(), way]
        say("form", "|".join(map(str, fields)))

    def table(self):
        table = self.Widgets.QTableWidget(3, 2)
        table.setHorizontalHeaderLabels(["What", "Count"])
        for row, what in enumerate(["apples", "pears", "plums"]):
            table.setItem(row, 0, self.Widgets.QTableWidgetItem(what))
            table.setItem(row, 1, self.Widgets.QTableWidgetItem(str(11 * (row + 1))))
        table.itemChanged.connect(lambda item: say(f"cell {item.row()},{item.column()}", item.text()))
        return table

    def ask(self):
        box = self.Widgets.QMessageBox
        answer = box.question(self.window, "Bin", "Empty it for good?")
        say("bin", "emptied" if answer == box.StandardButton.Yes else "kept")

    def run(self):
        self.app.exec()


class Gtk4:
    def __init__(self):
        import gi

        gi.require_version("Gtk", "4.0")
        from gi.repository import GLib, Gtk

        self.Gtk, self.loop = Gtk, GLib.MainLoop()
        self.window = Gtk.Window(title="form")
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.name, self.note = Gtk.Entry(), Gtk.TextView()
        self.note.set_size_request(300, 60)
        self.news, self.light = Gtk.CheckButton(label="Send news"), Gtk.Switch()
        self.post, self.mail = Gtk.CheckButton(label="By post"), Gtk.CheckButton(label="By mail")
        self.mail.set_group(self.post)
        self.post.set_active(True)
        self.country = Gtk.DropDown.new_from_strings(["Austria", "Brazil", "Chile", "Denmark"])
        submit, ask = Gtk.Button(label="Submit"), Gtk.Button(label="Empty the bin")
        submit.connect("clicked", self.submit)
        ask.connect("clicked", self.ask)
        for part in [self.name, self.note, self.news, self.light, self.post, self.mail, self.country, submit, ask]:
            box.append(part)
        self.window.set_child(box)
        self.window.present()

    def submit(self, _):
        note = self.note.get_buffer()
        text = note.get_text(note.get_start_iter(), note.get_end_iter(), False)
        way = "mail" if self.mail.get_active() else "post"
        country = self.country.get_selected_item().get_string()
        fields = [self.name.get_text(), text, self.news.get_active(), self.light.get_active(), way, country]
        say("form", "|".join(map(str, fields)))

    def ask(self, _):
        Gtk = self.Gtk
        dialog = Gtk.MessageDialog(
            transient_for=self.window, modal=True, buttons=Gtk.ButtonsType.YES_NO, text="Empty it for good?"
        )

        def answered(dialog, answer):
            say("bin", "emptied" if answer == Gtk.ResponseType.YES else "kept")
            dialog.destroy()

        dialog.connect("response", answered)
        dialog.present()

    def run(self):
        self.loop.run()


{"gtk4": Gtk4, "qt6": Qt6}[sys.argv[1]]().run()
