//! Types → Go: structs that `encoding/json` reads and writes.

use super::names::{comment, pascal, quote, unique};
use super::{
    Definition, Field, Integer, KeyedCase, Model, Shape, TaggedCase, Type, Word, words_alone,
};

const WIDTH: usize = 96;

/// Writes the file `observation.go`.
pub(crate) fn write(model: &Model, game: &str) -> String {
    let mut taken = model.names();
    let definitions = model.definitions.iter().map(|one| define(model, one, &mut taken));
    let definitions: String = definitions.collect();
    let import = match definitions.contains("json.") {
        true => "import \"encoding/json\"\n\n",
        false => "",
    };
    let text = format!(
        "// What a seat sees in {game}, and what it does.\n\
         // Made from the schema that `quintain games --schema {game}` prints.\n\n\
         package main\n\n{import}{definitions}"
    );
    text.trim_end().to_owned() + "\n"
}

fn define(
    model: &Model,
    Definition { name, about, form }: &Definition,
    taken: &mut Vec<String>,
) -> String {
    let lead = match about.is_empty() {
        true => format!("{name} is part of an observation, an action or the setting."),
        false => format!("{name}: {about}"),
    };
    let above = comment(&lead, "// ", WIDTH);
    let of = |of: &Type| of_type(of, name, model);
    let text = match form {
        Shape::Record(all) => match fields(all, &of) {
            Some(fields) => structure(name, &above, &fields),
            // It has a name that no tag can hold.
            None => format!("{above}type {name} map[string]any\n"),
        },
        Shape::Words(words) => {
            format!("{above}type {name} string\n\n{}", constants(name, words, taken))
        }
        Shape::Alias(alias) => format!("{above}type {name} = {}\n", of(alias)),
        Shape::Tuple(places) => tuple(name, &above, places, &of),
        Shape::Keyed(all) => write_keyed(name, &above, all, &of, taken),
        Shape::Tagged(tag, all) => write_tagged(name, &above, tag, all, &of),
        Shape::Either(_) => format!("{above}type {name} = json.RawMessage\n"),
    };
    text + "\n"
}

fn constants(name: &str, words: &[Word], taken: &mut Vec<String>) -> String {
    let lines: Vec<String> = words
        .iter()
        .map(|word| {
            let own = unique(format!("{name}{}", pascal(&word.name)), taken);
            let about = comment(&word.about, "\t// ", WIDTH);
            format!("{about}\t{own} {name} = {}\n", quote(&word.text))
        })
        .collect();
    format!("const (\n{})\n", lines.join("\n"))
}

/// Returns the fields of a struct in braces, if `encoding/json` can represent their names.
fn fields(all: &[Field], of: &dyn Fn(&Type) -> String) -> Option<String> {
    let is_distinct = |name: &str| {
        let may = |c: char| c.is_ascii_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c);
        !name.is_empty() && name != "-" && name.chars().all(may)
    };
    if !all.iter().all(|field| is_distinct(&field.name)) {
        return None;
    }
    let mut taken = Vec::new();
    let lines: Vec<String> = all
        .iter()
        .map(|field| {
            let name = unique(pascal(&field.name), &mut taken);
            let (of, rest) = match field.required {
                true => (of(&field.of), ""),
                false => (of(&optional(&field.of)), ",omitempty"),
            };
            let about = comment(&field.about, "\t// ", WIDTH);
            format!("{about}\t{name} {of} `json:\"{}{rest}\"`\n", field.name)
        })
        .collect();
    Some(match lines.is_empty() {
        true => "{}\n".to_owned(),
        false => format!("{{\n{}}}\n", lines.join("\n")),
    })
}

fn structure(name: &str, above: &str, body: &str) -> String {
    // In the format of gofmt.
    let gap = if body.starts_with("{}") { "" } else { " " };
    format!("{above}type {name} struct{gap}{body}")
}

fn optional(of: &Type) -> Type {
    match of {
        Type::Nullable(_) => of.clone(),
        of => Type::Nullable(Box::new(of.clone())),
    }
}

/// Writes a list of fixed length as a struct, whose elements are read one by one.
fn tuple(name: &str, above: &str, places: &[Type], of: &dyn Fn(&Type) -> String) -> String {
    let field = |at: usize| format!("Place{at}");
    let lines: Vec<String> = places
        .iter()
        .enumerate()
        .map(|(at, place)| format!("\t{} {}\n", field(at), of(place)))
        .collect();
    let list = |lead: &str| {
        let all: Vec<String> = (0..places.len()).map(|at| format!("{lead}{}", field(at))).collect();
        all.join(", ")
    };
    format!(
        "{above}type {name} struct {{\n{}}}\n\n\
         // UnmarshalJSON reads a list.\n\
         func (tuple *{name}) UnmarshalJSON(data []byte) error {{\n\
         \treturn json.Unmarshal(data, &[]any{{{}}})\n}}\n\n\
         // MarshalJSON writes a list.\n\
         func (tuple {name}) MarshalJSON() ([]byte, error) {{\n\
         \treturn json.Marshal([]any{{{}}})\n}}\n",
        lines.join("\n"),
        list("&tuple."),
        list("tuple.")
    )
}

/// Writes cases that differ by a word or an object's only key, as a struct in which only one field
/// is set.
fn write_keyed(
    name: &str,
    above: &str,
    all: &[KeyedCase],
    of: &dyn Fn(&Type) -> String,
    taken: &mut Vec<String>,
) -> String {
    let words = words_alone(all);
    let objects = all.iter().filter_map(|one| {
        let (name, of) = (one.word.text.clone(), one.of.clone()?);
        Some(Field { name, about: one.word.about.clone(), of, required: false })
    });
    let objects: Vec<Field> = objects.collect();
    // A field with this name is added here.
    let is_free = words.is_empty() || !objects.iter().any(|one| pascal(&one.name) == "Word");
    let Some(body) = fields(&objects, of).filter(|_| is_free) else {
        return format!("{above}type {name} = json.RawMessage\n");
    };
    if words.is_empty() {
        return structure(name, above, &body);
    }
    let word = unique(format!("{name}Word"), taken);
    let body = body.replacen(
        "{\n",
        &format!("{{\n\t// If Word is set, the rest is empty.\n\tWord {word} `json:\"-\"`\n\n"),
        1,
    );
    let constants = constants(&word, &words, taken);
    format!(
        "{above}type {name} struct {body}\n\
         // {word} is one of the words that stand alone.\n\
         type {word} string\n\n{constants}\n\
         // UnmarshalJSON reads a word or an object.\n\
         func (one *{name}) UnmarshalJSON(data []byte) error {{\n\
         \ttype object {name}\n\
         \tif len(data) > 0 && data[0] == '\"' {{\n\
         \t\treturn json.Unmarshal(data, &one.Word)\n\
         \t}}\n\
         \treturn json.Unmarshal(data, (*object)(one))\n}}\n\n\
         // MarshalJSON writes a word or an object.\n\
         func (one {name}) MarshalJSON() ([]byte, error) {{\n\
         \ttype object {name}\n\
         \tif one.Word != \"\" {{\n\
         \t\treturn json.Marshal(one.Word)\n\
         \t}}\n\
         \treturn json.Marshal(object(one))\n}}\n"
    )
}

/// Writes cases that differ by a field, as a struct with the fields of all. Fields of the same name
/// with different types become any JSON.
fn write_tagged(
    name: &str,
    above: &str,
    tag: &str,
    all: &[TaggedCase],
    of: &dyn Fn(&Type) -> String,
) -> String {
    let words: Vec<String> = all.iter().map(|one| quote(&one.word.text)).collect();
    let about = format!("One of {}.", words.join(", "));
    let mut whole = vec![Field { name: tag.to_owned(), about, of: Type::Text, required: true }];
    for field in all.iter().flat_map(|one| &one.fields) {
        match whole.iter_mut().find(|known| known.name == field.name) {
            Some(known) if known.of != field.of => known.of = Type::Any,
            Some(_) => {}
            None => whole.push(Field { required: false, ..field.clone() }),
        }
    }
    match fields(&whole, of) {
        Some(body) => structure(name, above, &body),
        None => format!("{above}type {name} = json.RawMessage\n"),
    }
}

/// Writes a type within the definition of `outer`.
fn of_type(of: &Type, outer: &str, model: &Model) -> String {
    let inner = |of: &Type| of_type(of, outer, model);
    let apart = |of: &Type| of_type(of, "", model);
    match of {
        Type::Any => "json.RawMessage".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(Integer { signed, bits }) => match (signed, bits) {
            (true, Some(64)) => "int64".to_owned(),
            (false, Some(64)) => "uint64".to_owned(),
            _ => "int".to_owned(),
        },
        Type::Number => "float64".to_owned(),
        Type::Text => "string".to_owned(),
        Type::List(of) => format!("[]{}", apart(of)),
        Type::Fixed(of, length) => format!("[{length}]{}", inner(of)),
        Type::Map(of) => format!("map[string]{}", apart(of)),
        Type::Nullable(of) => match **of {
            // These types have a nil value of their own.
            Type::Any | Type::List(_) | Type::Map(_) => apart(of),
            _ => format!("*{}", apart(of)),
        },
        Type::Named(name) if !outer.is_empty() && model.contains(name, outer) => format!("*{name}"),
        Type::Named(name) => name.clone(),
    }
}
