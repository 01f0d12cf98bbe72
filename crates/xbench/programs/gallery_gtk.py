"""A window with one or more of every kind of control, each with a name of its own.

    gallery_gtk.py VERSION ORDER

VERSION is 3.0 or 4.0, ORDER the names of the controls. With each press of F9 the next control of these is drawn otherwise: its
text is turned around, or it shows another value. The first press changes nothing.
"""

import sys

import gi

version = sys.argv[1]
old = version == "3.0"
gi.require_version("Gtk", version)
from gi.repository import Gio, GLib, Gtk  # noqa: E402

VERTICAL = Gtk.Orientation.VERTICAL
# What changes how each control is drawn.
changes = {}


def put(outer, inner):
    if old:
        outer.pack_start(inner, False, False, 0) if isinstance(outer, Gtk.Box) else outer.add(inner)
    elif isinstance(outer, (Gtk.Box, Gtk.ListBox)):
        outer.append(inner)
    else:
        outer.set_child(inner)


def call(control, name):
    """Gives a control without a caption its name, as a program does for screen readers."""
    if old:
        control.get_accessible().set_name(name)
    else:
        control.update_property([Gtk.AccessibleProperty.LABEL], [name])


def with_label(name, make):
    control = make(name)
    changes[name] = lambda: control.set_label(name[::-1])
    return control


def entry(name, text, hidden=False):
    control = Gtk.PasswordEntry() if hidden and not old else Gtk.Entry()
    control.set_text(text)
    if hidden and old:
        control.set_visibility(False)
        control.set_input_purpose(Gtk.InputPurpose.PASSWORD)
    call(control, name)
    changes[name] = lambda: control.set_text(text[: len(text) // 2] if hidden else text[::-1])
    return control


def menus():
    names = ("menu-a", "menu-b")
    if old:
        bar = Gtk.MenuBar()
        for name in names:
            item = with_label(name, lambda label: Gtk.MenuItem(label=label))
            menu = Gtk.Menu()
            menu.append(Gtk.MenuItem(label=f"in {name}"))
            item.set_submenu(menu)
            bar.append(item)
        return bar
    model, inner = Gio.Menu(), Gio.Menu()
    inner.append("inside", None)
    for name in names:
        model.append_submenu(name, inner)

    def turn(index, name):
        model.remove(index)
        model.insert_submenu(index, name[::-1], inner)

    for index, name in enumerate(names):
        changes[name] = lambda index=index, name=name: turn(index, name)
    return Gtk.PopoverMenuBar.new_from_model(model)


def simple():
    column = Gtk.Box(orientation=VERTICAL, spacing=4)
    column.set_size_request(300, -1)
    put(column, with_label("push", lambda label: Gtk.Button(label=label)))
    put(column, with_label("switch-on", lambda label: Gtk.ToggleButton(label=label)))
    put(column, with_label("tick", lambda label: Gtk.CheckButton(label=label)))
    first = None
    for name in ("choice-a", "choice-b"):
        if old:
            control = with_label(name, lambda label: Gtk.RadioButton.new_with_label_from_widget(first, label))
        else:
            control = with_label(name, lambda label: Gtk.CheckButton(label=label))
            control.set_group(first)
        first = first or control
        put(column, control)
    put(column, entry("field", "plain words"))
    put(column, entry("secret", "hidden words", hidden=True))
    numbers = Gtk.SpinButton.new_with_range(0, 99, 1)
    numbers.set_value(37)
    call(numbers, "number")
    changes["number"] = lambda: numbers.set_value(84)
    put(column, numbers)
    slide = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    slide.set_draw_value(False)
    slide.set_value(20)
    call(slide, "slide")
    changes["slide"] = lambda: slide.set_value(80)
    put(column, slide)
    box = Gtk.ComboBoxText() if old else Gtk.DropDown.new_from_strings(["options", "snoitpo"])
    if old:
        for text in ("options", "snoitpo"):
            box.append_text(text)
        box.set_active(0)
    else:
        box.set_selected(0)
    call(box, "options")
    changes["options"] = lambda: box.set_active(1) if old else box.set_selected(1)
    put(column, box)
    put(column, with_label("link-a", lambda label: Gtk.LinkButton.new_with_label("file:///", label)))
    put(column, with_label("words", lambda label: Gtk.Label(label=label)))
    progress = Gtk.ProgressBar()
    progress.set_fraction(0.2)
    call(progress, "progress")
    changes["progress"] = lambda: progress.set_fraction(0.8)
    put(column, progress)
    return column


def tabs():
    book = Gtk.Notebook()
    for name in ("tab-a", "tab-b"):
        book.append_page(Gtk.Label(label=f"page of {name}"), with_label(name, lambda label: Gtk.Label(label=label)))
    return book


def rows():
    box = Gtk.ListBox()
    for name in ("row-a", "row-b", "row-c"):
        put(box, with_label(name, lambda label: Gtk.Label(label=label, xalign=0)))
    return box


TABLE = (("cell-a", "cell-b"), ("cell-c", "cell-d"))
TREE = (("branch-a", ("leaf-a",)), ("branch-b", ("leaf-b",)))


def old_view(store, columns):
    view = Gtk.TreeView(model=store)
    for index in range(columns):
        column = Gtk.TreeViewColumn(f"column {index}", Gtk.CellRendererText(), text=index)
        column.set_min_width(140)
        view.append_column(column)
    return view


def old_cell(store, place, index, name):
    store.set_value(place, index, name)
    changes[name] = lambda: store.set_value(place, index, name[::-1])


def old_table():
    store = Gtk.ListStore(str, str)
    for row in TABLE:
        place = store.append()
        for index, name in enumerate(row):
            old_cell(store, place, index, name)
    return old_view(store, 2)


def old_tree():
    store = Gtk.TreeStore(str)
    for name, leaves in TREE:
        branch = store.append(None)
        old_cell(store, branch, 0, name)
        for leaf in leaves:
            old_cell(store, store.append(branch), 0, leaf)
    view = old_view(store, 1)
    view.expand_all()
    return view


def factory(text_of, tree=False):
    """Cells with a label each, in a tree with what opens and closes the row."""
    made = Gtk.SignalListItemFactory()

    def setup(_, cell):
        label = Gtk.Label(xalign=0)
        if tree:
            expander = Gtk.TreeExpander()
            expander.set_child(label)
            label = expander
        cell.set_child(label)

    def bind(_, cell):
        label, item = cell.get_child(), cell.get_item()
        if tree:
            label.set_list_row(item)
            label, item = label.get_child(), item.get_item()
        name = text_of(item)
        label.set_label(name)
        changes[name] = lambda: label.set_label(name[::-1])

    made.connect("setup", setup)
    made.connect("bind", bind)
    return made


def new_table():
    rows = Gtk.StringList.new([" ".join(row) for row in TABLE])
    view = Gtk.ColumnView(model=Gtk.SingleSelection(model=rows))
    for index in range(2):
        made = factory(lambda item, index=index: item.get_string().split()[index])
        column = Gtk.ColumnViewColumn(title=f"column {index}", factory=made)
        column.set_fixed_width(140)
        view.append_column(column)
    return view


def new_tree():
    below = dict(TREE)

    def open_row(item):
        leaves = below.get(item.get_string())
        return Gtk.StringList.new(list(leaves)) if leaves else None

    roots = Gtk.StringList.new([name for name, _ in TREE])
    model = Gtk.TreeListModel.new(roots, False, True, open_row)
    made = factory(lambda item: item.get_string(), tree=True)
    return Gtk.ListView(model=Gtk.SingleSelection(model=model), factory=made)


def press(number, order):
    if 0 < number <= len(order):
        changes[order[number - 1]]()


def main():
    Gtk.Settings.get_default().set_property("gtk-cursor-blink", False)
    Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
    window = Gtk.Window(title="gallery")
    window.set_default_size(1000, 650)
    outer, across = Gtk.Box(orientation=VERTICAL), Gtk.Box(spacing=12)
    put(outer, menus())
    put(outer, across)
    put(across, simple())
    for views in ((tabs(), rows()), (old_table(), old_tree()) if old else (new_table(), new_tree())):
        column = Gtk.Box(orientation=VERTICAL, spacing=12)
        column.set_size_request(300, -1)
        for view in views:
            put(column, view)
        put(across, column)
    put(window, outer)
    presses = iter(range(sys.maxsize))
    order = sys.argv[2].split()
    f9 = 0xFFC6

    def on_key(_, key, *rest):
        key = key.keyval if old else key
        if key == f9:
            press(next(presses), order)
        return key == f9

    if old:
        window.connect("key-press-event", on_key)
    else:
        keys = Gtk.EventControllerKey()
        keys.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
        keys.connect("key-pressed", on_key)
        window.add_controller(keys)
    window.show_all() if old else window.present()
    GLib.MainLoop().run()


main()
