//! What users read about parameters (`quintain players GAME/PLAYER`, docs/reference) is read one by
//! one: each text is a sentence that stands alone.

#[test]
fn every_parameter_says_in_a_sentence_what_it_is() {
    let mut problems = String::new();
    for entry in quintain_games::catalog().entries() {
        for described in entry.scenarios().into_iter().chain(entry.players()) {
            for parameter in &described.parameters {
                let doc = parameter.doc.trim();
                let words = doc.split_whitespace().count();
                let is_sentence = doc.starts_with(|first: char| first.is_uppercase())
                    && doc.ends_with('.')
                    && words >= 4
                    && !doc.starts_with("The same");
                if !is_sentence {
                    let (game, name) = (entry.name(), described.name());
                    problems += &format!("{game}/{name}?{}: “{doc}”\n", parameter.name);
                }
            }
        }
    }
    assert!(problems.is_empty(), "texts that do not stand alone:\n{problems}");
}
