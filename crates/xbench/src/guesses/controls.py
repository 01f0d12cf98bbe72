"""A window with one of each control, for measuring what can be told of them from pixels: controls.py gtk3|gtk4|qt6"""

import sys

ROWS = [("Apples", "1.20"), ("Pears", "2.40"), ("Plums", "0.99")]


def gtk(version):
    import gi

    gi.require_version("Gtk", version)
    from gi.repository import GLib, Gtk

    new = version == "4.0"
    vertical = Gtk.Orientation.VERTICAL
    window = Gtk.Window(title="Controls")
    window.set_default_size(640, 520)
    page = Gtk.Box(orientation=vertical, spacing=8, margin_top=12, margin_start=12, margin_end=12)

    def put(outer, inner, stretch=False):
        if not new:
            outer.pack_start(inner, stretch, stretch, 0)
        else:
            outer.append(inner)

    def row(*parts):
        line = Gtk.Box(spacing=8)
        for part in parts:
            put(line, part)
        put(page, line)

    combo = Gtk.ComboBoxText()
    for text in ("By mail", "By hand"):
        combo.append_text(text)
    combo.set_active(0)
    row(Gtk.Label(label="Name"), Gtk.Entry(text="nobody"), Gtk.Label(label="Delivery"), combo)
    spin = Gtk.SpinButton.new_with_range(0, 99, 1)
    scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    scale.set_size_request(180, -1)
    row(Gtk.Label(label="How many"), spin, scale, Gtk.Switch())
    row(Gtk.CheckButton(label="As a gift", active=True), Gtk.CheckButton(label="Newsletter"))
    if new:
        first, second = Gtk.CheckButton(label="By card", active=True), Gtk.CheckButton(label="By bill")
        second.set_group(first)
    else:
        first = Gtk.RadioButton(label="By card")
        second = Gtk.RadioButton(label="By bill", group=first)
    row(first, second)
    names = ("document-open", "document-save", "edit-copy")
    size = () if new else (Gtk.IconSize.BUTTON,)
    icons = [Gtk.Button.new_from_icon_name(name, *size) for name in names]
    row(*icons, Gtk.ToggleButton(label="Bold"), Gtk.LinkButton(uri="about:blank", label="More about this"))
    store = Gtk.ListStore(str, str)
    for item in ROWS:
        store.append(item)
    table = Gtk.TreeView(model=store)
    for number, title in enumerate(("Item", "Price")):
        table.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=number))
    put(page, table)
    book = Gtk.Notebook()
    for title in ("Notes", "History"):
        text = Gtk.TextView()
        text.get_buffer().set_text("Please leave it with the neighbours.")
        text.set_size_request(-1, 80)
        book.append_page(text, Gtk.Label(label=title))
    put(page, book)
    row(Gtk.Button(label="Save"), Gtk.Button(label="Order now"), Gtk.Button(label="Cancel", sensitive=False))
    if new:
        window.set_child(page)
        window.present()
    else:
        window.add(page)
        window.show_all()
    GLib.MainLoop().run()


def qt():
    from PyQt6.QtCore import Qt
    from PyQt6.QtWidgets import (
        QApplication, QCheckBox, QComboBox, QHBoxLayout, QLabel, QLineEdit, QMainWindow, QPlainTextEdit, QPushButton,
        QRadioButton, QSlider, QSpinBox, QStyle, QTableWidget, QTableWidgetItem, QTabWidget, QToolButton, QVBoxLayout, QWidget,
    )

    app = QApplication([])
    window = QMainWindow()
    window.setWindowTitle("Controls")
    window.resize(640, 560)
    for title in ("File", "Edit", "View", "Help"):
        window.menuBar().addMenu(title).addAction("Nothing")
    inner = QWidget()
    page = QVBoxLayout(inner)

    def row(*parts):
        line = QHBoxLayout()
        for part in parts:
            line.addWidget(part)
        line.addStretch()
        page.addLayout(line)

    combo = QComboBox()
    combo.addItems(["By mail", "By hand"])
    row(QLabel("Name"), QLineEdit("nobody"), QLabel("Delivery"), combo)
    row(QLabel("How many"), QSpinBox(), QSlider(Qt.Orientation.Horizontal))
    gift = QCheckBox("As a gift")
    gift.setChecked(True)
    row(gift, QCheckBox("Newsletter"))
    card = QRadioButton("By card")
    card.setChecked(True)
    row(card, QRadioButton("By bill"))
    icons = []
    for kind in ("SP_DialogOpenButton", "SP_DialogSaveButton", "SP_TrashIcon"):
        button = QToolButton()
        button.setIcon(app.style().standardIcon(getattr(QStyle.StandardPixmap, kind)))
        icons.append(button)
    bold = QPushButton("Bold")
    bold.setCheckable(True)
    row(*icons, bold)
    table = QTableWidget(len(ROWS), 2)
    table.setHorizontalHeaderLabels(["Item", "Price"])
    for y, cells in enumerate(ROWS):
        for x, text in enumerate(cells):
            table.setItem(y, x, QTableWidgetItem(text))
    page.addWidget(table)
    book = QTabWidget()
    for title in ("Notes", "History"):
        book.addTab(QPlainTextEdit("Please leave it with the neighbours."), title)
    page.addWidget(book)
    cancel = QPushButton("Cancel")
    cancel.setEnabled(False)
    row(QPushButton("Save"), QPushButton("Order now"), cancel)
    window.setCentralWidget(inner)
    window.show()
    app.exec()


kind = sys.argv[1]
qt() if kind == "qt6" else gtk({"gtk3": "3.0", "gtk4": "4.0"}[kind])
