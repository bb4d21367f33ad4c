//! Checks that the head of each script and fragment says exactly what the file uses, so that a reader can trust it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

#[allow(dead_code)]
#[path = "../build.rs"]
mod build;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use build::{Library, Source};
use support::Folder;

/// The keys of a queue, then those of a chain, by the names of their locals.
const KEYS: [&str; 16] = [
    "queues",
    "main",
    "partitions",
    "parked",
    "leases",
    "state",
    "tags",
    "settings",
    "weights",
    "names",
    "chain",
    "steps",
    "context",
    "expiring",
    "active",
    "INDEXES",
];
/// The fragments that give the keys. They use none of them.
const GIVERS: [&str; 3] = ["keys", "chain_keys", "chain_queue"];

fn library() -> Library {
    Library::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lua")).unwrap()
}

/// The code without comments and string literals.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(at) = rest.find(['-', '\'']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let (end, skipped) = if rest.starts_with("--[[") {
            (rest.find("]]").unwrap() + 2, " ")
        } else if rest.starts_with("--") {
            (rest.find('\n').unwrap_or(rest.len()), " ")
        } else if let Some(text) = rest.strip_prefix('\'') {
            (text.find('\'').unwrap() + 2, " ")
        } else {
            (1, "-")
        };
        code.push_str(skipped);
        rest = &rest[end..];
    }
    code + rest
}

/// The names that the code uses, without fields and methods (names after a dot or a colon).
fn used(source: &str) -> BTreeSet<String> {
    let code = code(source);
    let mut names = BTreeSet::new();
    let mut before = ' ';
    let mut name = String::new();
    for character in code.chars().chain([' ']) {
        if character.is_ascii_alphanumeric() || character == '_' {
            name.push(character);
            continue;
        }
        if !name.is_empty() {
            // Two dots are Lua's concatenation. One dot precedes a field.
            let field = before == ':' || before == '.';
            if !field && !name.starts_with(|first: char| first.is_ascii_digit()) {
                names.insert(name.clone());
            }
            name.clear();
        }
        before = match (before, character) {
            ('.', '.') => ' ',
            (_, character) => character,
        };
    }
    names
}

/// The names that the code declares: locals, parameters, loop variables.
fn declared(source: &str) -> BTreeSet<String> {
    let code = code(source);
    let mut names = BTreeSet::new();
    let mut declare = |list: &str| {
        names.extend(list.split(',').map(|name| name.trim().to_owned()));
    };
    for (at, _) in code.match_indices("function") {
        let (head, parameters) = code[at + 8..].split_once('(').unwrap();
        declare(head);
        declare(parameters.split(')').next().unwrap());
    }
    for (at, _) in code.match_indices("local ") {
        let list = code[at + 6..].lines().next().unwrap();
        declare(list.split('=').next().unwrap());
    }
    for (at, _) in code.match_indices("for ") {
        declare(
            code[at + 4..]
                .split(" in ")
                .next()
                .unwrap()
                .split('=')
                .next()
                .unwrap(),
        );
    }
    names
}

/// All locals that fragments give.
fn given(library: &Library) -> BTreeSet<String> {
    library
        .fragments
        .values()
        .flat_map(|fragment| fragment.gives.clone())
        .collect()
}

#[test]
fn each_file_names_exactly_the_locals_that_it_takes_from_fragments() {
    let library = library();
    let given = given(&library);
    for source in library.scripts.values().chain(library.fragments.values()) {
        let foreign: BTreeSet<_> = used(&source.text)
            .intersection(&given)
            .filter(|name| !declared(&source.text).contains(*name))
            .cloned()
            .collect();
        let taken = source.includes.iter().flat_map(|include| &include.takes);
        let named: BTreeSet<_> = taken.chain(&source.needs).cloned().collect();
        assert_eq!(foreign, named, "{}", source.path);
    }
}

#[test]
fn each_fragment_gives_what_it_says_and_is_worth_a_file() {
    let library = library();
    for (name, fragment) in &library.fragments {
        for local in &fragment.gives {
            assert!(declared(&fragment.text).contains(local), "{name}: {local}");
        }
        let users = library.scripts.values().chain(library.fragments.values());
        let users = users.filter(|source| {
            source
                .includes
                .iter()
                .any(|include| &include.fragment == name)
        });
        // chain_queue has one user, but its locals have to precede the fragments that use them.
        assert!(
            users.count() > 1 || name == "chain_queue",
            "{name} has one user: inline it"
        );
    }
}

fn touched(library: &Library, script: &Source) -> BTreeSet<String> {
    let fragments = library.fragments_of(script).unwrap();
    let texts = fragments
        .iter()
        .filter(|name| !GIVERS.contains(&name.as_str()))
        .map(|name| &library.fragments[name].text);
    texts
        .chain([&script.text])
        .flat_map(|text| used(text))
        .filter(|name| KEYS.contains(&name.as_str()))
        .collect()
}

#[test]
fn the_header_of_each_script_lists_the_keys_that_it_touches() {
    let library = library();
    for script in library.scripts.values() {
        let (_, rest) = script.text.split_once("\nTouches ").expect(&script.path);
        let (list, _) = rest.split_once("\nARGV").expect(&script.path);
        let listed: BTreeSet<String> = list
            .replace("of each queue", ",")
            .split([',', ';'])
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(listed, touched(&library, script), "{}", script.path);
    }
}

fn write(root: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(root.join("includes")).unwrap();
    for (name, text) in files {
        fs::write(root.join(name), text).unwrap();
    }
}

#[test]
fn a_build_refuses_a_wrong_head_with_its_file_and_line() {
    for (files, problem) in [
        (
            vec![("a-10.lua", "--[[ A ]]\n-- @include nowhere\n")],
            "lua/a-10.lua:2: there is no fragment lua/includes/nowhere.lua",
        ),
        (
            vec![
                ("a-10.lua", "-- @include one"),
                ("includes/one.lua", "-- @include two"),
                ("includes/two.lua", "-- A comment.\n-- @include one"),
            ],
            "lua/includes/two.lua:2: a circle of includes: one -> two -> one",
        ),
        (
            vec![
                ("a-10.lua", "-- @include one: put"),
                ("includes/one.lua", "-- @gives push"),
            ],
            "lua/a-10.lua:1: lua/includes/one.lua does not give \"put\"",
        ),
        (
            vec![
                ("a-10.lua", "-- @include one"),
                ("includes/one.lua", "-- @needs main"),
            ],
            "lua/a-10.lua: lua/includes/one.lua needs \"main\", which no fragment before it gives: include keys first",
        ),
    ] {
        let folder = Folder::new();
        write(folder.path(), &files);
        assert_eq!(Library::read(folder.path()).unwrap().table().unwrap_err(), problem);
    }
}

#[test]
fn a_fragment_that_two_others_include_comes_once_and_before_both() {
    let folder = Folder::new();
    write(
        folder.path(),
        &[
            (
                "verb-10.lua",
                "-- @include one: one\n-- @include two\nreturn one\n",
            ),
            (
                "includes/one.lua",
                "-- @gives one\n-- @include three\nlocal one = three\n",
            ),
            ("includes/two.lua", "-- @include three\nlocal two\n"),
            ("includes/three.lua", "local three\n"),
        ],
    );
    let library = Library::read(folder.path()).unwrap();
    let table = library.table().unwrap();
    assert_eq!(
        library.fragments_of(&library.scripts["verb-10"]).unwrap(),
        ["three", "one", "two"]
    );
    assert!(
        table.contains("pub static VERB: Script = Script::new(\"verb-10\""),
        "{table}"
    );
    assert_eq!(table.matches("local three").count(), 1);
}
