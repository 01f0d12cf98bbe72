"""Walks the accessibility tree of one application in the plain way, with pyatspi.

    walk.py PID

It prints "ready" when it is. For each line on standard input the application's whole tree is read, with what an observation tells of a control, and a line
is printed: the seconds that took, and how many controls there were. The first walk reads everything; later ones have what
libatspi keeps of parents, children, names, roles and states.
"""

import sys
import time

import pyatspi

process = int(sys.argv[1])


def text_of(control):
    try:
        text = control.queryText()
    except NotImplementedError:
        return None
    return text.getText(0, min(text.characterCount, 500))


def value_of(control):
    try:
        return control.queryValue().currentValue
    except NotImplementedError:
        return None


def box_of(control):
    try:
        return tuple(control.queryComponent().getExtents(pyatspi.DESKTOP_COORDS))
    except NotImplementedError:
        return None


def actions_of(control):
    try:
        actions = control.queryAction()
    except NotImplementedError:
        return []
    return [actions.getName(index) for index in range(actions.nActions)]


def walk(root):
    found, waiting = [], [root]
    while waiting:
        control = waiting.pop()
        try:
            states = control.getState().getStates()
            facts = (control.getRoleName(), control.name, control.description, states)
            found.append(facts + (box_of(control), text_of(control), value_of(control), actions_of(control)))
            waiting.extend(control.getChildAtIndex(index) for index in range(control.childCount))
        except Exception:  # noqa: BLE001 - a control that went away in between is left out, whatever pyatspi calls that
            continue
        waiting = [control for control in waiting if control is not None]
    return found


print("ready", flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    desktop = pyatspi.Registry.getDesktop(0)
    applications = [desktop.getChildAtIndex(index) for index in range(desktop.childCount)]
    mine = [application for application in applications if application and application.get_process_id() == process]
    count = sum(len(walk(application)) for application in mine)
    print(time.perf_counter() - start, count, flush=True)
