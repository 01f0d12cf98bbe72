"""A GTK 3 form: form.py FILE. What it does it appends to the file, a line each."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def tell(line):
    with open(sys.argv[1], "a") as file:
        file.write(line + "\n")


window = Gtk.Window(title="Form", default_width=420, default_height=260)
rows = Gtk.Grid(row_spacing=6, column_spacing=6, border_width=8)
fields = {}
for row, name in enumerate(("Name", "City")):
    label = Gtk.Label(label=name)
    fields[name] = Gtk.Entry(hexpand=True)
    fields[name].get_accessible().set_name(name)
    rows.attach(label, 0, row, 1, 1)
    rows.attach(fields[name], 1, row, 1, 1)
news = Gtk.CheckButton(label="News")
rows.attach(news, 1, 2, 1, 1)
age = Gtk.SpinButton.new_with_range(0, 150, 1)
age.get_accessible().set_name("Age")
rows.attach(age, 1, 3, 1, 1)
for column, _ in enumerate(range(2)):
    twin = Gtk.Button(label="Twin")
    twin.connect("clicked", lambda _, column=column: tell(f"twin {column}"))
    rows.attach(twin, column, 4, 1, 1)
save = Gtk.Button(label="Save")
save.connect(
    "clicked",
    lambda _: tell(
        "|".join([*(field.get_text() for field in fields.values()), str(news.get_active()), str(age.get_value_as_int())])
    ),
)
rows.attach(save, 0, 5, 2, 1)
window.add(rows)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
