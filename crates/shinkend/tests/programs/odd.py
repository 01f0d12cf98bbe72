"""A program with an accessibility tree of its own making, which behaves oddly; for what no toolkit does on demand.

    odd.py MODE

late-toolkit   says which toolkit it is (GTK 4, whose areas are within the window) only seconds after it was asked first
cold           is on the bus only a while after its window is there
twice          is on the bus twice, first with nothing, and with its window a while after that
hollow         has a window with nothing in it, though there is something to be seen
dies           has hundreds of buttons and is killed when half of them were asked
"""

import os
import signal
import sys

# The window is only to be seen; its toolkit is not to offer a tree beside ours.
os.environ["NO_AT_BRIDGE"] = "1"

import dbus
import dbus.lowlevel
import gi
from dbus.mainloop.glib import DBusGMainLoop

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk

mode = sys.argv[1]

ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
FRAME, BUTTON, APPLICATION = 23, 43, 75
# Bits of AT-SPI's states.
ACTIVE, ENABLED, SENSITIVE, SHOWING, VISIBLE = (1 << bit for bit in (1, 8, 24, 25, 30))


def accessibility_bus():
    session = dbus.SessionBus()
    launcher = session.get_object("org.a11y.Bus", "/org/a11y/bus")
    return dbus.bus.BusConnection(launcher.GetAddress(dbus_interface="org.a11y.Bus"))


class Application:
    """A connection with a window and buttons in it, as many as asked for; with none there is mostly no window either."""

    def __init__(self, buttons):
        self.bus = accessibility_bus()
        self.buttons = buttons
        self.asked = 0
        self.toolkit_asked = False
        self.bus.add_message_filter(self.receive)
        registry = self.bus.get_object("org.a11y.atspi.Registry", ROOT, introspect=False)
        registry.Embed(
            dbus.Struct((self.bus.get_unique_name(), dbus.ObjectPath(ROOT)), signature="so"),
            dbus_interface="org.a11y.atspi.Socket",
        )

    def children(self, path):
        if path == ROOT:
            return ["/window"] if self.buttons or mode == "hollow" else []
        return [f"/button/{n}" for n in range(self.buttons)] if path == "/window" else []

    def receive(self, bus, message):
        if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        reply = dbus.lowlevel.MethodReturnMessage(message)
        method, path = message.get_member(), message.get_path()
        if not self.answer(reply, method, path, message.get_args_list()):
            reply = dbus.lowlevel.ErrorMessage(message, "org.freedesktop.DBus.Error.UnknownMethod", "no")
        if method == "Get" and message.get_args_list()[1] == "ToolkitName" and mode == "late-toolkit" and not self.toolkit_asked:
            self.toolkit_asked = True
            GLib.timeout_add(3000, lambda: bus.send_message(reply) and False)
        else:
            bus.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def answer(self, reply, method, path, arguments):
        role = APPLICATION if path == ROOT else FRAME if path == "/window" else BUTTON
        if method == "GetChildren":
            own = self.bus.get_unique_name()
            reply.append([(own, dbus.ObjectPath(child)) for child in self.children(path)], signature="a(so)")
        elif method == "GetRole":
            reply.append(role, signature="u")
            self.asked += role == BUTTON
            if mode == "dies" and self.asked > self.buttons // 2:
                os.kill(os.getpid(), signal.SIGKILL)
        elif method == "GetState":
            states = ENABLED | SENSITIVE | SHOWING | VISIBLE | (ACTIVE if role == FRAME else 0)
            reply.append([states, 0], signature="au")
        elif method == "GetInterfaces":
            reply.append([ACCESSIBLE, "org.a11y.atspi.Component"], signature="as")
        elif method == "GetExtents":
            reply.append((0, 0, 300, 200) if role == FRAME else (20, 30, 80, 40), signature="(iiii)")
        elif method == "Get":
            names = {APPLICATION: "odd", FRAME: "odd", BUTTON: path.removeprefix("/")}
            values = {"Name": names[role], "ToolkitName": "GTK", "Version": "4.8.3"}
            reply.append(values.get(arguments[1], ""), signature="v")
        elif method != "Set":
            return False
        return True


DBusGMainLoop(set_as_default=True)
window = Gtk.Window(title="odd")
window.set_default_size(300, 200)
if mode == "hollow":
    button = Gtk.Button(label="Nobody tells of this", halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    window.add(button)
    button.show()
window.show()
applications = []


def offer():
    applications.append(Application({"dies": 400, "hollow": 0}.get(mode, 1)))


# Once the window is there.
if mode == "twice":
    GLib.idle_add(lambda: applications.append(Application(0)))
GLib.timeout_add(1500 if mode in ("cold", "twice") else 0, offer)
Gtk.main()
