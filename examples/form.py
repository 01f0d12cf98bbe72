"""Fills in a form by its controls: no coordinates, no pictures.

python examples/form.py
"""

import shinken

FORM = [
    "zenity", "--forms", "--title=Guest book", "--text=Who are you?",
    "--add-entry=Name", "--add-entry=Town", "--add-password=Secret",
]  # fmt: skip


def main() -> str:
    with shinken.connect() as env:
        # A program like any other, which runs while the lines below act on it.
        form = env.exec_stream(FORM)

        view = env.wait_for("OK")
        print(view)
        env.set_value(view.field("Name"), "Ada Lovelace")
        env.set_value(view.field("Town"), "London")
        env.click(view.field("Secret"))
        env.type("engine")
        # Looked at again, only what has changed is told, and a password is never shown.
        print(env.observe(diff=True, settle_ms=200))
        env.click(view["OK"])
        written = b"".join(piece.data for piece in form if isinstance(piece, shinken.ExecOutput)).decode()
        print("the form wrote:", written.strip())
        return written


if __name__ == "__main__":
    main()
