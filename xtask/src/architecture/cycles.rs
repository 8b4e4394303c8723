//! Files of a crate use each other in one direction, so that what a file uses can be read first.
//! The cycles that stay are listed, with their reasons, in docs/design.md.
//!
//! Paths that begin with `crate`, `self`, `super`, a module or an imported name are followed
//! through re-exports to the file that defines the item, also inside macros. Methods that one file
//! defines and another calls leave no path, and code of tests does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::tokens::tokens;
use crate::workspace::{crates, root};

/// A module's path within its crate; the empty one is `lib.rs` or `main.rs`.
type Name = Vec<String>;

#[derive(Default)]
struct Module {
    /// What it declares itself, modules apart.
    items: BTreeSet<String>,
    /// What its `use` items bring, by the name that they have here; of the globs, the paths.
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Paths in its code, outside `use`; one segment is a path too.
    paths: BTreeSet<Vec<String>>,
}

/// The paths of a use tree, which begins at `at`, and where it ends.
fn use_tree(tokens: &[String], mut at: usize, prefix: &[String], module: &mut Module) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens[at].as_str() {
            "::" => at += 1,
            "*" => {
                module.globs.push(path);
                return at + 1;
            }
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    at = use_tree(tokens, at, &path, module);
                    at += usize::from(tokens[at] == ",");
                }
                return at + 1;
            }
            "self" if !path.is_empty() => at += 1,
            "as" => {
                module.imports.insert(tokens[at + 1].clone(), path);
                return at + 2;
            }
            ";" | "," | "}" => {
                let last = path.last().expect("a use tree names something").clone();
                module.imports.insert(last, path);
                return at;
            }
            segment => {
                path.push(segment.to_owned());
                at += 1;
            }
        }
    }
}

fn read(source: &str) -> Result<Module, String> {
    const DECLARE: [&str; 8] =
        ["struct", "enum", "trait", "fn", "type", "const", "static", "macro_rules"];
    let tokens = tokens(source)?;
    let is_name = |token: &str| token.starts_with(|sign: char| sign.is_alphabetic() || sign == '_');
    let mut module = Module::default();
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        depth += i32::from(token == "{") - i32::from(token == "}");
        if token == "use" && tokens[at + 1] != "<" {
            at = use_tree(&tokens, at + 1, &[], &mut module);
            continue;
        }
        if depth == 0 && DECLARE.contains(&token) {
            let name = at + if tokens[at + 1] == "!" { 2 } else { 1 };
            module.items.insert(tokens[name].clone());
        }
        if !is_name(token) || (at > 0 && tokens[at - 1] == ".") {
            at += 1;
            continue;
        }
        let mut path = vec![token.to_owned()];
        at += 1;
        while at + 1 < tokens.len() && tokens[at] == "::" && is_name(&tokens[at + 1]) {
            path.push(tokens[at + 1].clone());
            at += 2;
        }
        if path.len() > 1 || !["crate", "self", "super"].contains(&path[0].as_str()) {
            module.paths.insert(path);
        }
    }
    Ok(module)
}

/// A crate's modules by their paths.
struct Modules(BTreeMap<Name, Module>);

impl Modules {
    fn read(folder: &Path) -> Result<Self, String> {
        let mut modules = BTreeMap::new();
        read_folder(&folder.join("src"), &[], &mut modules)?;
        Ok(Self(modules))
    }

    /// The full path of what `path` names in `module`; none if that is outside the crate.
    /// `seen` stops imports that lead back to where they began.
    fn find(&self, module: &[String], path: &[String], seen: &mut BTreeSet<Name>) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let base = match first.as_str() {
            "crate" => &[],
            "self" => module,
            "super" => &module[..module.len().checked_sub(1)?],
            _ => return self.find_name(module, path, seen),
        };
        match rest.first().map(String::as_str) {
            None => Some(base.to_vec()),
            Some("super") => self.find(base, rest, seen),
            Some(_) => self.find_name(base, rest, seen),
        }
    }

    /// As `find`, where the path's first word is a name in `module` itself.
    fn find_name(
        &self,
        module: &[String],
        path: &[String],
        seen: &mut BTreeSet<Name>,
    ) -> Option<Name> {
        let here = self.0.get(module)?;
        let (name, rest) = path.split_first()?;
        if here.items.contains(name) {
            return Some([module, std::slice::from_ref(name)].concat());
        }
        let child = [module, std::slice::from_ref(name)].concat();
        if self.0.contains_key(&child) {
            return match rest {
                [] => Some(child),
                // What a macro declares is nowhere to be seen but in paths that name it.
                [item] => self
                    .find_name(&child, rest, seen)
                    .or_else(|| Some([&child[..], std::slice::from_ref(item)].concat())),
                _ => self.find_name(&child, rest, seen),
            };
        }
        if !seen.insert([module, &["::".to_owned(), name.clone()]].concat()) {
            return None;
        }
        if let Some(import) = here.imports.get(name) {
            return self.find(module, &[import, rest].concat(), seen);
        }
        here.globs.iter().find_map(|glob| {
            let target = self.find(module, glob, seen)?;
            self.find_name(&target, path, seen)
        })
    }

    /// The module that defines the item which `path` names; a module's name alone uses nothing.
    fn find_item(&self, module: &[String], path: &[String]) -> Option<Name> {
        let mut found = self.find(module, path, &mut BTreeSet::new())?;
        let is_module = self.0.contains_key(&found);
        found.pop();
        (!is_module).then_some(found)
    }

    /// The modules that each module uses.
    fn uses(&self) -> BTreeMap<&Name, BTreeSet<Name>> {
        let of = |(name, module): (&Name, &Module)| {
            let found = module.paths.iter().filter_map(|path| self.find_item(name, path));
            found.filter(|found| found != name).collect::<BTreeSet<Name>>()
        };
        self.0.iter().map(|entry| (entry.0, of(entry))).collect()
    }

    /// The cycles: sets of modules each of which reaches every other one.
    fn cycles(&self) -> BTreeSet<BTreeSet<Name>> {
        let uses = self.uses();
        let reach = |from: &Name| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from.clone()];
            while let Some(name) = open.pop() {
                for next in &uses[&name] {
                    if seen.insert(next.clone()) {
                        open.push(next.clone());
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&Name, BTreeSet<Name>> =
            self.0.keys().map(|name| (name, reach(name))).collect();
        let mutual = |name: &Name| -> BTreeSet<Name> {
            let with = reached[name].iter().filter(|other| reached[*other].contains(name));
            with.cloned().collect()
        };
        self.0.keys().map(mutual).filter(|cycle| !cycle.is_empty()).collect()
    }
}

fn read_folder(
    folder: &Path,
    parent: &[String],
    modules: &mut BTreeMap<Name, Module>,
) -> Result<(), String> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Beside a library, the program is a crate of its own.
        let is_beside_lib = stem == "main" && folder.join("lib.rs").exists();
        if stem == "tests" || stem == "bin" || is_beside_lib {
            continue;
        }
        let mut name = parent.to_vec();
        if path.is_dir() {
            name.push(stem);
            read_folder(&path, &name, modules)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if !["lib", "main", "mod"].contains(&stem.as_str()) {
                name.push(stem);
            }
            let source = fs::read_to_string(&path).unwrap_or_default();
            let module =
                read(&source).map_err(|problem| format!("{}: {problem}", path.display()))?;
            modules.insert(name, module);
        }
    }
    Ok(())
}

/// `lib` for the root, otherwise a path such as `verbs::new`.
fn show(name: &Name) -> String {
    if name.is_empty() { "lib".to_owned() } else { name.join("::") }
}

/// The cycles that docs/design.md lists, as it writes them: crate, and files in order.
fn listed() -> BTreeSet<(String, Vec<String>)> {
    let design = fs::read_to_string(root().join("docs/design.md")).unwrap_or_default();
    let section = design.split("## Cyclic dependencies between files").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let quoted = |cell: &str| -> Vec<String> {
        let names = cell.split('`').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    };
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let mut files = quoted(cells[2]);
        files.sort();
        (quoted(cells[1]).concat(), files)
    })
    .collect()
}

/// Returns the cycles that docs/design.md does not list, and those that it lists and that are
/// gone.
pub fn problems() -> Vec<String> {
    let mut listed = listed();
    let mut problems = Vec::new();
    for krate in crates() {
        let modules = match Modules::read(&krate.folder) {
            Ok(modules) => modules,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let uses = modules.uses();
        for cycle in modules.cycles() {
            let mut files: Vec<String> = cycle.iter().map(show).collect();
            files.sort();
            if listed.remove(&(krate.name.clone(), files.clone())) {
                continue;
            }
            problems.push(format!("{}: {} use each other:", krate.name, files.join(", ")));
            for name in &cycle {
                let others: Vec<String> = uses[name].intersection(&cycle).map(show).collect();
                problems.push(format!("  {} uses {}", show(name), others.join(", ")));
            }
        }
    }
    for (krate, files) in listed {
        let files = files.join(", ");
        problems.push(format!("{krate}: docs/design.md lists a cycle that is gone: {files}"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate of these files.
    fn make_crate(files: &[(&str, &str)]) -> Modules {
        let module = |(path, text): &(&str, &str)| {
            let name = path.split("::").filter(|part| !part.is_empty());
            (name.map(str::to_owned).collect(), read(text).unwrap())
        };
        Modules(files.iter().map(module).collect())
    }

    #[test]
    fn a_cycle_is_found_through_re_exports_and_names_in_the_code() {
        let there = "mod a; mod b; pub use a::A; /* crate::b */ ";
        let cycle = make_crate(&[
            ("", there),
            ("a", "use crate::b::{self, C as D}; pub struct A<'a>(&'a b::B, D);"),
            ("b", "use super::*; pub struct B; pub struct C; fn take(a: A) { let text = \"}\"; }"),
        ]);
        assert_eq!(cycle.cycles().len(), 1);
        let names: Vec<String> = cycle.cycles().iter().flatten().map(show).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_parent_that_declares_and_re_exports_a_test_and_a_comment_make_no_cycle() {
        let line = make_crate(&[
            ("", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a", "use crate::B; pub struct A(B); // in crate::b there is none"),
            (
                "b",
                "pub struct B; /// [`crate::A`]\n#[cfg(test)] mod tests { use crate::A; fn t(a: \
                 A) {} }",
            ),
        ]);
        assert!(line.cycles().is_empty(), "{:?}", line.cycles());
    }

    #[test]
    fn a_type_that_a_macro_declares_belongs_to_the_file_of_its_path() {
        let cycle = make_crate(&[
            ("", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a", "make!(A); fn f() -> crate::B {}"),
            ("b", "use crate::a::A; pub struct B(A);"),
        ]);
        assert_eq!(cycle.cycles().len(), 1);
    }
}
