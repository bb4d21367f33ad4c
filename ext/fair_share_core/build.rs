//! Puts the Lua scripts together, since Lua has no `require` inside Redis: each `lua/<verb>-<keys>.lua` after the fragments
//! that it includes, each once, in order. Writes `scripts.rs`: a constant for each script, and `ALL`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../../lua");
    println!("cargo:rerun-if-changed={}", root.display());
    let table = Library::read(&root).and_then(|library| library.table());
    match table {
        Ok(table) => write(
            &PathBuf::from(variable("OUT_DIR")).join("scripts.rs"),
            &table,
        ),
        Err(problem) => fail(&problem),
    }
}

/// A file of `lua/`: its text, and the machine-read lines of its head.
pub(crate) struct Source {
    /// Relative to `lua/`, for messages.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) includes: Vec<Include>,
    /// `-- @gives name, name`: the locals of a fragment that other files may take.
    pub(crate) gives: Vec<String>,
    /// `-- @needs name, name`: the keys that a fragment uses. `keys.lua` or `chain_queue.lua` gives them.
    pub(crate) needs: Vec<String>,
}

/// `-- @include fragment: name, name`
pub(crate) struct Include {
    pub(crate) line: usize,
    pub(crate) fragment: String,
    pub(crate) takes: Vec<String>,
}

impl Source {
    fn read(path: &Path, shown: String) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        let mut source = Self {
            path: shown,
            text,
            includes: Vec::new(),
            gives: Vec::new(),
            needs: Vec::new(),
        };
        for (index, line) in source.text.lines().enumerate() {
            if let Some(rest) = line.strip_prefix("-- @include ") {
                let (fragment, takes) = rest.split_once(':').unwrap_or((rest, ""));
                source.includes.push(Include {
                    line: index + 1,
                    fragment: fragment.trim().to_owned(),
                    takes: names(takes),
                });
            } else if let Some(rest) = line.strip_prefix("-- @gives ") {
                source.gives.extend(names(rest));
            } else if let Some(rest) = line.strip_prefix("-- @needs ") {
                source.needs.extend(names(rest));
            }
        }
        Ok(source)
    }
}

fn names(list: &str) -> Vec<String> {
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// All scripts and fragments by name.
pub(crate) struct Library {
    pub(crate) scripts: BTreeMap<String, Source>,
    pub(crate) fragments: BTreeMap<String, Source>,
}

impl Library {
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        Ok(Self {
            scripts: read_folder(root, "lua")?,
            fragments: read_folder(&root.join("includes"), "lua/includes")?,
        })
    }

    pub(crate) fn table(&self) -> Result<String, String> {
        let (mut table, mut all) = (String::new(), String::new());
        for (name, script) in &self.scripts {
            let verb = name.split('-').next().unwrap_or(name).to_uppercase();
            let body = self.body(script)?;
            let line = format!(
                "/// `{}`\npub static {verb}: Script = Script::new({name:?}, {body:?});\n",
                script.path
            );
            table.push_str(&line);
            let _ = write!(all, "&{verb}, ");
        }
        let _ = write!(
            table,
            "\n/// Every script.\npub static ALL: [&Script; {}] = [{}];\n",
            self.scripts.len(),
            all.trim_end_matches(", ")
        );
        Ok(table)
    }

    /// The fragments of a script, in their order.
    pub(crate) fn fragments_of(&self, script: &Source) -> Result<Vec<String>, String> {
        let mut order = Vec::new();
        self.resolve(script, &mut Vec::new(), &mut order)?;
        let mut given = Vec::new();
        for fragment in order.iter().filter_map(|name| self.fragments.get(name)) {
            if let Some(missing) = fragment.needs.iter().find(|need| !given.contains(need)) {
                return Err(format!(
                    "{}: {} needs {missing:?}, which no fragment before it gives: include keys first",
                    script.path, fragment.path
                ));
            }
            given.extend(&fragment.gives);
        }
        Ok(order)
    }

    fn body(&self, script: &Source) -> Result<String, String> {
        let order = self.fragments_of(script)?;
        let fragments = order.iter().filter_map(|name| self.fragments.get(name));
        let texts: Vec<&str> = fragments
            .chain([script])
            .map(|source| source.text.as_str())
            .collect();
        Ok(texts.join("\n"))
    }

    /// Appends the fragments that `source` includes to `order`, each after those that it includes itself. `path`: the fragments
    /// that are being resolved, to detect a circle.
    fn resolve(
        &self,
        source: &Source,
        path: &mut Vec<String>,
        order: &mut Vec<String>,
    ) -> Result<(), String> {
        for include in &source.includes {
            let at = format!("{}:{}", source.path, include.line);
            let name = &include.fragment;
            let Some(fragment) = self.fragments.get(name) else {
                return Err(format!(
                    "{at}: there is no fragment lua/includes/{name}.lua"
                ));
            };
            if let Some(missing) = include
                .takes
                .iter()
                .find(|taken| !fragment.gives.contains(taken))
            {
                return Err(format!("{at}: {} does not give {missing:?}", fragment.path));
            }
            if path.contains(name) {
                return Err(format!(
                    "{at}: a circle of includes: {} -> {name}",
                    path.join(" -> ")
                ));
            }
            if !order.contains(name) {
                path.push(name.clone());
                self.resolve(fragment, path, order)?;
                path.pop();
                order.push(name.clone());
            }
        }
        Ok(())
    }
}

fn read_folder(folder: &Path, shown: &str) -> Result<BTreeMap<String, Source>, String> {
    let problem = |error| format!("{}: {error}", folder.display());
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.extension().is_some_and(|extension| extension == "lua") {
            println!("cargo:rerun-if-changed={}", path.display());
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let source = Source::read(&path, format!("{shown}/{name}.lua"))?;
            sources.insert(name, source);
        }
    }
    Ok(sources)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("{name} is not set: build this with cargo")))
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        fail(&format!("{}: {error}", path.display()));
    }
}

fn fail(problem: &str) -> ! {
    eprintln!("{problem}");
    process::exit(1)
}
