"""An application on the accessibility bus that gives the path of a control that is gone to another one.

    recycler.py LOG

It has no window, and one button, "Save". On SIGUSR1 that is gone, and "Delete" is at its path; whichever button is
pressed, and that the change is over, is written to LOG.
"""

import signal
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

BASE = "/org/a11y/atspi/accessible/"
ROOT, FRAME, BUTTON = BASE + "root", BASE + "1", BASE + "2"
ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
# AT-SPI's numbers of roles, and of the states enabled, sensitive, showing and visible.
APPLICATION, WINDOW, PUSH_BUTTON = 75, 23, 43
STATES = 1 << 8 | 1 << 24 | 1 << 25 | 1 << 30

INTERFACES = Gio.DBusNodeInfo.new_for_xml(
    """<node>
    <interface name="org.a11y.atspi.Accessible">
      <method name="GetRole"><arg type="u" direction="out"/></method>
      <method name="GetState"><arg type="au" direction="out"/></method>
      <method name="GetInterfaces"><arg type="as" direction="out"/></method>
      <method name="GetChildren"><arg type="a(so)" direction="out"/></method>
      <property name="Name" type="s" access="read"/>
      <property name="Description" type="s" access="read"/>
    </interface>
    <interface name="org.a11y.atspi.Action">
      <method name="GetActions"><arg type="a(sss)" direction="out"/></method>
      <method name="DoAction"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>
    </interface>
    </node>"""
)

session = Gio.bus_get_sync(Gio.BusType.SESSION)
address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1)
bus = Gio.DBusConnection.new_for_address_sync(
    address.unpack()[0],
    Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
)
own = bus.get_unique_name()
names = {ROOT: "recycler", FRAME: "Window", BUTTON: "Save"}
roles = {ROOT: APPLICATION, FRAME: WINDOW, BUTTON: PUSH_BUTTON}
children = {ROOT: [FRAME], FRAME: [BUTTON], BUTTON: []}


def log(line):
    with open(sys.argv[1], "a") as file:
        file.write(line + "\n")


def called(_bus, _sender, path, _interface, method, arguments, invocation):
    if method == "DoAction":
        log("pressed " + names[path])
    answer = {
        "GetRole": lambda: GLib.Variant("(u)", (roles[path],)),
        "GetState": lambda: GLib.Variant("(au)", ([STATES, 0],)),
        "GetInterfaces": lambda: GLib.Variant("(as)", ([ACCESSIBLE] + [ACTION] * (path == BUTTON),)),
        "GetChildren": lambda: GLib.Variant("(a(so))", ([(own, child) for child in children[path]],)),
        "GetActions": lambda: GLib.Variant("(a(sss))", ([("click", "", "")],)),
        "DoAction": lambda: GLib.Variant("(b)", (True,)),
    }[method]
    invocation.return_value(answer())


def asked(_bus, _sender, path, _interface, name):
    return GLib.Variant("s", names[path] if name == "Name" else "")


def tell(kind):
    child = GLib.Variant("(so)", (own, BUTTON))
    detail = GLib.Variant("(siiva{sv})", (kind, 0, 0, child, {}))
    bus.emit_signal(None, FRAME, "org.a11y.atspi.Event.Object", "ChildrenChanged", detail)


def recycle():
    tell("remove")
    names[BUTTON] = "Delete"
    tell("add")
    bus.flush_sync()
    log("recycled")
    return True


for path in names:
    for interface in INTERFACES.interfaces:
        if interface.name == ACCESSIBLE or path == BUTTON:
            bus.register_object(path, interface, called, asked, None)
registry = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Socket", "Embed")
bus.call_sync(*registry, GLib.Variant("((so))", ((own, ROOT),)), None, 0, -1)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, recycle)
GLib.MainLoop().run()
