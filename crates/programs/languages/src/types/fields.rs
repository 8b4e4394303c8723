//! Types → a table of fields, for languages that read JSON without types.

use super::{Field, Model, OBSERVATION, SETTING, Shape, Type, Word, words_alone};

/// Maximum length of an array of fixed length whose elements are shown one by one.
const SHOWN_PLACES: usize = 4;

/// Returns rows of Markdown with the place of a field in an observation, its type and its meaning;
/// then the same for what is known before the match.
pub(crate) fn table(model: &Model) -> String {
    let tables = [(OBSERVATION, "observation"), (SETTING, "setting")].map(|(name, member)| {
        let mut rows = Vec::new();
        if let Some(definition) = model.definition(name) {
            of_form(model, &definition.form, "", &mut vec![name], &mut rows);
        }
        let head = format!("| in `{member}` | type | meaning |\n|---|---|---|\n");
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        if rows.is_empty() { rows } else { head + &rows }
    });
    tables.into_iter().filter(|table| !table.is_empty()).collect::<Vec<_>>().join("\n")
}

fn of_form<'a>(
    model: &'a Model,
    form: &'a Shape,
    place: &str,
    open: &mut Vec<&'a str>,
    rows: &mut Vec<String>,
) {
    let beneath =
        |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match form {
        Shape::Record(fields) => {
            fields
                .iter()
                .for_each(|field| of_field(model, field, &beneath(&field.name), open, rows));
        }
        Shape::Tagged(tag, all) => {
            for one in all {
                let place = format!("{} ({})", beneath(tag), one.word.text);
                rows.push(format_row(&place, "string", &one.word.about));
                for field in &one.fields {
                    of_field(model, field, &beneath(&field.name), open, rows);
                }
            }
        }
        Shape::Keyed(all) => {
            for one in all {
                let Some(of) = &one.of else { continue };
                let place = beneath(&one.word.text);
                rows.push(format_row(&place, &in_words(model, of, false), &one.word.about));
                inside(model, of, &place, open, rows);
            }
        }
        Shape::Alias(of) => inside(model, of, place, open, rows),
        Shape::Words(_) | Shape::Tuple(_) | Shape::Either(_) => {}
    }
}

fn of_field<'a>(
    model: &'a Model,
    field: &'a Field,
    place: &str,
    open: &mut Vec<&'a str>,
    rows: &mut Vec<String>,
) {
    rows.push(format_row(place, &in_words(model, &field.of, field.required), &field.about));
    inside(model, &field.of, place, open, rows);
}

/// Adds the fields within a field's type; a definition within itself is shown only once.
fn inside<'a>(
    model: &'a Model,
    of: &'a Type,
    place: &str,
    open: &mut Vec<&'a str>,
    rows: &mut Vec<String>,
) {
    match of {
        Type::List(of) | Type::Fixed(of, _) => inside(model, of, &format!("{place}[]"), open, rows),
        Type::Map(of) => inside(model, of, &format!("{place}.*"), open, rows),
        Type::Nullable(of) => inside(model, of, place, open, rows),
        Type::Named(name) if !open.contains(&name.as_str()) => {
            if let Some(definition) = model.definition(name) {
                open.push(&definition.name);
                of_form(model, &definition.form, place, open, rows);
                open.pop();
            }
        }
        _ => {}
    }
}

fn format_row(place: &str, of: &str, about: &str) -> String {
    let cell =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    format!("| `{}` | {} | {} |", cell(place), cell(of), cell(about))
}

fn in_words(model: &Model, of: &Type, is_required: bool) -> String {
    let rest = if is_required { "" } else { ", or missing" };
    format!("{}{rest}", of_type(model, of, &mut Vec::new()))
}

fn of_type<'a>(model: &'a Model, of: &'a Type, open: &mut Vec<&'a str>) -> String {
    match of {
        Type::Any => "any JSON".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer(_) => "integer".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Text => "string".to_owned(),
        Type::List(of) => format!("array of {}", of_type(model, of, open)),
        Type::Fixed(of, length @ ..=SHOWN_PLACES) => {
            format!("[{}]", vec![of_type(model, of, open); *length].join(", "))
        }
        Type::Fixed(of, length) => format!("array of {length}: {}", of_type(model, of, open)),
        Type::Map(of) => format!("object of {}", of_type(model, of, open)),
        Type::Nullable(of) => format!("{}, or null", of_type(model, of, open)),
        Type::Named(name) => {
            let Some(definition) = model.definition(name) else { return "any JSON".to_owned() };
            if open.contains(&definition.name.as_str()) {
                return "object, as above".to_owned();
            }
            open.push(&definition.name);
            let text = match &definition.form {
                Shape::Record(_) | Shape::Tagged(..) => "object".to_owned(),
                Shape::Words(words) => list_words(words),
                Shape::Keyed(all) => {
                    let alone = words_alone(all);
                    match alone.is_empty() {
                        true => "object".to_owned(),
                        false => format!("{} or object", list_words(&alone)),
                    }
                }
                Shape::Tuple(places) => {
                    let places: Vec<String> =
                        places.iter().map(|place| of_type(model, place, open)).collect();
                    format!("[{}]", places.join(", "))
                }
                Shape::Either(all) => {
                    let all: Vec<String> =
                        all.iter().map(|one| of_type(model, one, open)).collect();
                    all.join(" or ")
                }
                Shape::Alias(of) => of_type(model, of, open),
            };
            open.pop();
            text
        }
    }
}

fn list_words(words: &[Word]) -> String {
    words.iter().map(|word| format!("`{}`", word.text)).collect::<Vec<_>>().join(", ")
}
