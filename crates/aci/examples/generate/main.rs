//! Writes what follows from the types (see `FILES` in `xtask/src/schema.rs`) below the folder that is named as the argument.

mod refusals;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("name a folder"))?;
    let schema = serde_json::to_string_pretty(&aci::schema::document())?;
    let beyond = serde_json::to_string_pretty(&aci::extension::schema::document())?;
    for (file, text) in [
        ("schema/aci.schema.json", schema + "\n"),
        ("schema/aci-extensions.schema.json", beyond + "\n"),
        (
            "schema/aci-files.schema.json",
            serde_json::to_string_pretty(&aci::files::schema::document())? + "\n",
        ),
        ("docs/aci.md", aci::docs::page()),
        ("python/shinken/refusals.py", refusals::module()),
    ] {
        let path = root.join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
