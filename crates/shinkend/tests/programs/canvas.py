"""A Tk window, of which no accessibility tree tells: canvas.py FILE

What happens in it is written to FILE, a line each: that its button was pressed and what was entered then, that the drawn square was
clicked, which moves away by that, and that F2 has made the window wider, by which all in it moves. So is where things are on the
screen at first.
"""

import sys
import tkinter as tk

window = tk.Tk()
window.title("Tk without a tree")
window.geometry("420x320+60+60")


def tell(what):
    with open(sys.argv[1], "a") as file:
        file.write(what + "\n")


entry = tk.Entry(window, width=24)
entry.insert(0, "nobody")
entry.pack(pady=12)
tk.Checkbutton(window, text="As a gift").pack(pady=6)
button = tk.Button(window, text="Order now", command=lambda: tell(f"order {entry.get()}"))
button.pack(pady=6)
canvas = tk.Canvas(window, width=380, height=120, background="white")
canvas.pack()
square = canvas.create_rectangle(40, 30, 90, 80, fill="#2060c0", outline="")


def move(_):
    canvas.move(square, 150, 0)
    tell("square")


def widen(_):
    window.geometry("600x320")
    window.update()
    tell("wide")


canvas.tag_bind(square, "<Button-1>", move)
window.bind("<F2>", widen)


def tell_places():
    for name, widget in (("entry", entry), ("button", button)):
        tell(f"{name} at {widget.winfo_rootx() + widget.winfo_width() // 2} {widget.winfo_rooty() + widget.winfo_height() // 2}")
    tell(f"square at {canvas.winfo_rootx() + 65} {canvas.winfo_rooty() + 55}")
    tell("placed")


# By then the window manager has placed it.
window.wait_visibility()
window.update()
tell_places()
window.mainloop()
