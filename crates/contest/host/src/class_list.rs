//! Lists of a class: one name a line, or a table as learning platforms and spreadsheets export it,
//! with what the course knows of each participant. The columns of Moodle's list of participants
//! (in English, German, French and Spanish) and of Canvas' gradebook are known by their heads.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use quintain_core::cut;

use crate::error::HostError;

/// What a course knows of a participant, for its organiser alone.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CourseEntry {
    /// The matriculation number: Moodle's ID number, Canvas' SIS user ID.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub number: String,
    /// The e-mail address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mail: String,
    /// The name with which they sign in at the platform: Canvas' SIS login ID.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub login: String,
    /// Canvas' own number of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub canvas_id: String,
    /// Their section or group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Canvas' integration ID.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub integration_id: String,
    /// The account in which Canvas knows their number.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_account: String,
    /// Their name as Canvas writes it in one cell: `Last, First`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sorted: String,
    /// Their first name, where a list has two cells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub first: String,
    /// Their last name, where a list has two cells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last: String,
}

impl CourseEntry {
    pub(crate) fn is_empty(&self) -> bool {
        *self == CourseEntry::default()
    }

    /// Returns whether both say something by which a course tells people apart, and the same.
    pub(crate) fn is_same_person(&self, other: &CourseEntry) -> bool {
        let same = |one: &str, other: &str| !one.is_empty() && one.eq_ignore_ascii_case(other);
        same(&self.number, &other.number)
            || same(&self.canvas_id, &other.canvas_id)
            || same(&self.mail, &other.mail)
    }

    /// Fills what is empty here from an earlier entry of the same person.
    pub(crate) fn filled_from(self, known: &CourseEntry) -> CourseEntry {
        let or = |own: String, known: &String| if own.is_empty() { known.clone() } else { own };
        CourseEntry {
            number: or(self.number, &known.number),
            mail: or(self.mail, &known.mail),
            login: or(self.login, &known.login),
            canvas_id: or(self.canvas_id, &known.canvas_id),
            section: or(self.section, &known.section),
            integration_id: or(self.integration_id, &known.integration_id),
            root_account: or(self.root_account, &known.root_account),
            sorted: or(self.sorted, &known.sorted),
            first: or(self.first, &known.first),
            last: or(self.last, &known.last),
        }
    }

    /// What differs from another entry, in words, if the organiser sees it.
    pub(crate) fn changes_from(&self, known: &CourseEntry) -> Vec<&'static str> {
        let fields = [
            ("number", self.number != known.number),
            ("address", self.mail != known.mail),
            ("login", self.login != known.login),
            ("number at Canvas", self.canvas_id != known.canvas_id),
            ("section", self.section != known.section),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// Returns what both have of that by which a course tells people apart, and what it is.
    pub(crate) fn shared_with(&self, other: &CourseEntry) -> Option<(&'static str, &str)> {
        let fields = [
            ("number", &self.number, &other.number),
            ("number at Canvas", &self.canvas_id, &other.canvas_id),
            ("address", &self.mail, &other.mail),
        ];
        let shared = |(_, one, other): &(_, &String, &String)| {
            !one.is_empty() && one.eq_ignore_ascii_case(other)
        };
        fields.into_iter().find(shared).map(|(what, one, _)| (what, one.as_str()))
    }

    /// Returns what is wrong with it, if anything is.
    pub(crate) fn problem(&self) -> Option<String> {
        let damaged = [&self.number, &self.canvas_id, &self.login];
        if let Some(cell) = damaged.into_iter().find(|cell| is_spreadsheets(cell)) {
            let cell = cut(cell, MAX_SHOWN);
            return Some(format!(
                "{cell:?} is what a spreadsheet made of a number: format that column as text, and \
                 export the list again"
            ));
        }
        let is_address = |mail: &str| {
            let is_part = |part: &str| {
                !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control())
            };
            mail.split_once('@')
                .is_some_and(|(name, at)| is_part(name) && is_part(at) && !at.contains('@'))
        };
        let is_wrong = !self.mail.is_empty() && !is_address(&self.mail);
        is_wrong.then(|| {
            let mail = cut(&self.mail, MAX_SHOWN);
            format!("{mail:?} is no e-mail address: one such as ada@example.org is expected")
        })
    }

    /// Returns whether both have one number but for the zeros at its beginning, which spreadsheets
    /// drop.
    pub(crate) fn has_number_but_zeros(&self, other: &CourseEntry) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let (one, other) = (self.number.as_str(), other.number.as_str());
        let plain = |number: &str| number.trim_start_matches('0').to_owned();
        is_number(one) && is_number(other) && one != other && plain(one) == plain(other)
    }

    /// Returns whether both have a number, or else an address, and not the same.
    pub(crate) fn is_other_person(&self, other: &CourseEntry) -> bool {
        let differ = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && one != other;
        !self.is_same_person(other)
            && !self.has_number_but_zeros(other)
            && (differ(&self.number, &other.number) || differ(&self.mail, &other.mail))
    }
}

/// Returns whether a cell is what a spreadsheet makes of a number: a formula, an error, or rounded
/// with an exponent.
fn is_spreadsheets(cell: &str) -> bool {
    let rounded = cell.split_once(['E', 'e']).is_some_and(|(digits, exponent)| {
        let digits = digits.strip_prefix('-').unwrap_or(digits);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let whole = digits.split_once(['.', ',']).map_or(is_number(digits), |(one, rest)| {
            is_number(one) && (rest.is_empty() || is_number(rest))
        });
        whole && exponent.strip_prefix(['+', '-']).is_some_and(is_number)
    });
    rounded || cell.starts_with(['=', '#'])
}

/// Maximum number of letters that a message repeats.
const MAX_SHOWN: usize = 60;

/// A line of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    pub(crate) line: u64,
    pub(crate) name: String,
    pub(crate) course: CourseEntry,
    /// The team for which they play; empty if they play for themselves.
    pub(crate) team: String,
}

/// What a column has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Name,
    /// A name as `Last, First`.
    Sorted,
    First,
    Last,
    Number,
    Mail,
    Login,
    /// `ID`: Canvas' own number, or a matriculation number elsewhere.
    Id,
    IntegrationId,
    RootAccount,
    Section,
    Team,
}

/// The heads of columns, in small letters.
const HEADS: [(Column, &[&str]); 12] = [
    (Column::Name, &["name", "called", "full name", "vollständiger name", "nom complet"]),
    (
        Column::Sorted,
        &["student", "studierende*r", "studierende/r", "étudiant", "estudiante", "studente"],
    ),
    (Column::First, &["first name", "firstname", "given name", "vorname", "prénom", "nombre"]),
    (
        Column::Last,
        &[
            "surname",
            "last name",
            "lastname",
            "family name",
            "nachname",
            "nom",
            "nom de famille",
            "apellido(s)",
            "apellidos",
        ],
    ),
    (
        Column::Number,
        &[
            "id number",
            "idnumber",
            "id-nummer",
            "matriculation number",
            "matriculation",
            "matrikelnummer",
            "matrikel-nr.",
            "student number",
            "student id",
            "sis user id",
            "numéro d'identification",
            "número de id",
            "number",
        ],
    ),
    (
        Column::Mail,
        &[
            "email address",
            "e-mail address",
            "email",
            "e-mail",
            "mail",
            "e-mail-adresse",
            "adresse de courriel",
            "dirección de correo",
        ],
    ),
    (Column::Login, &["username", "sis login id", "login", "anmeldename", "benutzername"]),
    (Column::Id, &["id"]),
    (Column::IntegrationId, &["integration id"]),
    (Column::RootAccount, &["root account"]),
    (Column::Section, &["section", "group", "groups", "gruppe", "gruppen"]),
    (Column::Team, &["team", "équipe", "equipo"]),
];

fn column_of(head: &str) -> Option<Column> {
    let head = head.trim().to_lowercase();
    HEADS.iter().find(|(_, heads)| heads.contains(&head.as_str())).map(|(column, _)| *column)
}

/// The head of a table.
struct Head {
    columns: Vec<Option<Column>>,
    /// Whether it is that of Canvas' gradebook, which has names in one cell or in two.
    is_canvas: bool,
}

/// Returns the columns of a table by its head, if it has names.
fn read_head(row: &csv::StringRecord) -> Option<Head> {
    let mut columns: Vec<Option<Column>> = row.iter().map(column_of).collect();
    let has = |column: Column| columns.contains(&Some(column));
    let has_both = has(Column::First) && has(Column::Last);
    if !(has(Column::Name) || has(Column::Sorted) || has_both) {
        return None;
    }
    let has_login = row.iter().any(|head| head.trim().eq_ignore_ascii_case("SIS Login ID"));
    let is_canvas = has(Column::Sorted) || has(Column::Id) && has_login;
    // Elsewhere than in Canvas, a column `ID` is the only number.
    if !is_canvas && !has(Column::Number) {
        let ids = columns.iter_mut().filter(|column| **column == Some(Column::Id));
        ids.for_each(|column| *column = Some(Column::Number));
    }
    Some(Head { columns, is_canvas })
}

/// What follows a name rather than being one, in small letters.
const SUFFIXES: [&str; 9] = ["jr", "jr.", "sr", "sr.", "junior", "senior", "ii", "iii", "iv"];

/// Turns `Last, First` into `First Last`, and both `Last, First, Jr.` and `Last, Jr., First` into
/// `First Last, Jr.`.
fn unsorted(name: &str) -> String {
    match name.splitn(3, ',').map(str::trim).collect::<Vec<_>>()[..] {
        [last, suffix, first] if SUFFIXES.contains(&suffix.to_lowercase().as_str()) => {
            format!("{first} {last}, {suffix}")
        }
        [last, first, suffix] => format!("{first} {last}, {suffix}"),
        [last, first] => format!("{first} {last}"),
        _ => name.to_owned(),
    }
}

/// Turns straight quotes, which no name on pages has, into curly ones.
fn curl_quotes(name: &str) -> String {
    let mut quotes = ['“', '”'].into_iter().cycle();
    name.chars().map(|c| if c == '"' { quotes.next().unwrap_or(c) } else { c }).collect()
}

/// How the row of a gradebook begins that has the most points of each task, in small letters, in
/// the languages of learning platforms.
const POINTS: [&str; 13] = [
    "points possible",
    "mögliche punkte",
    "maximale punktzahl",
    "points possibles",
    "puntos posibles",
    "punti possibili",
    "pontos possíveis",
    "mogelijke punten",
    "möjliga poäng",
    "mulige poeng",
    "mulige point",
    "możliwe punkty",
    "mahdolliset pisteet",
];

fn is_row_of_points(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    POINTS.iter().any(|points| name.starts_with(points))
}

/// Whether this is the student whom Canvas makes for teachers to try things out: by the name, or by
/// a login that is a digest.
fn is_test_student(name: &str, login: &str) -> bool {
    const NAMES: [&str; 5] = [
        "student, test",
        "teilnehmer, test",
        "test, teilnehmer",
        "étudiant, test",
        "de prueba, estudiante",
    ];
    let is_digest = login.len() == 40 && login.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest || NAMES.contains(&name.to_lowercase().as_str())
}

/// Reads a row of a table; none for those of Canvas that are nobody.
fn read_row(head: &Head, row: &csv::StringRecord, line: u64) -> Option<Listed> {
    let Head { columns, is_canvas } = head;
    let is_canvas = *is_canvas;
    let get = |wanted: Column| {
        let at = columns.iter().position(|column| *column == Some(wanted));
        at.and_then(|at| row.get(at)).unwrap_or_default().trim().to_owned()
    };
    let (whole, sorted) = (get(Column::Name), get(Column::Sorted));
    let (first, last) = (get(Column::First), get(Column::Last));
    let identity = [Column::Number, Column::Mail, Column::Login, Column::Id];
    let is_named_alone = identity.iter().all(|column| get(*column).is_empty());
    // Everybody at Canvas has a number there.
    let is_no_person = is_canvas && columns.contains(&Some(Column::Id)) && is_named_alone;
    let as_sorted = if sorted.is_empty() { format!("{last}, {first}") } else { sorted.clone() };
    let is_tester = is_canvas && is_test_student(&as_sorted, &get(Column::Login));
    let name = match (whole.is_empty(), sorted.is_empty()) {
        (false, _) => whole,
        (true, false) => unsorted(&sorted),
        (true, true) => format!("{first} {last}").trim().to_owned(),
    };
    if is_no_person || is_tester || is_named_alone && is_row_of_points(&name) {
        return None;
    }
    // Letters of an East Asian keyboard in full width are the same ones (Unicode's NFKC).
    let plain = |wanted: Column| get(wanted).nfkc().collect::<String>().trim().to_owned();
    let course = CourseEntry {
        number: plain(Column::Number),
        mail: plain(Column::Mail),
        login: plain(Column::Login),
        canvas_id: if is_canvas { get(Column::Id) } else { String::new() },
        section: get(Column::Section),
        integration_id: get(Column::IntegrationId),
        root_account: get(Column::RootAccount),
        sorted,
        first,
        last,
    };
    Some(Listed { line, name: curl_quotes(&name), course, team: get(Column::Team) })
}

/// Returns the sign that separates the columns of a table: the one that its head has most outside
/// of quotes. Spreadsheets take a comma or a semicolon, by their language.
fn find_delimiter(head: &str) -> u8 {
    let outside: String = head.split('"').step_by(2).collect();
    let count = |sign: &u8| outside.bytes().filter(|byte| byte == sign).count();
    // Of equal ones, the last counts.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// Removes a first line by which a spreadsheet says how columns are separated.
fn without_separator_line(list: &str) -> &str {
    match list.split_once('\n') {
        Some((first, rest)) if matches!(first.trim(), "sep=," | "sep=;" | "sep=\t" | "sep=") => {
            rest
        }
        _ => list,
    }
}

/// Returns the text of a file that has a list.
///
/// # Errors
/// If it is something else, such as a workbook, or not in UTF-8.
pub fn text_of_list(bytes: Vec<u8>) -> Result<String, HostError> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    let is_page = || {
        let text = bytes.trim_ascii_start();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
        text.starts_with(b"<")
    };
    let other = match () {
        () if begins(b"PK\x03\x04") || begins(b"\xd0\xcf\x11\xe0") => {
            Some("this is an Excel workbook, or another one: save it as CSV (“CSV UTF-8”)")
        }
        () if begins(b"%PDF") => Some("this is a PDF: export the list as CSV"),
        () if is_page() => Some("this is a page of the web: export the list as CSV"),
        () if bytes.contains(&0) => Some("this is no text: export the list as “CSV UTF-8”"),
        () => None,
    };
    if let Some(other) = other {
        return Err(HostError::Usage(other.to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| {
        let text = "it is not in UTF-8: save it as UTF-8 (in a spreadsheet, “CSV UTF-8”)";
        HostError::Usage(text.to_owned())
    })
}

/// Reads a list.
///
/// # Errors
/// If it has no names, or its columns are not known.
pub(crate) fn read(list: &str) -> Result<Vec<Listed>, HostError> {
    // Spreadsheets write a byte order mark first, and separate columns according to the language.
    let list = list.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let list = without_separator_line(&list);
    let head = list.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .delimiter(find_delimiter(head))
        .from_reader(list.as_bytes());
    let mut listed = Vec::new();
    let mut head: Option<Head> = None;
    for row in rows.records() {
        let row =
            row.map_err(|error| HostError::Usage(format!("the list cannot be read: {error}")))?;
        let line = row.position().map_or(1, csv::Position::line);
        if row.iter().all(str::is_empty) {
            continue;
        }
        match &head {
            Some(head) => listed.extend(read_row(head, &row, line)),
            None => match read_head(&row) {
                Some(read) => head = Some(read),
                None if row.len() == 1 => {
                    let names = Head { columns: vec![Some(Column::Name)], is_canvas: false };
                    listed.extend(read_row(&names, &row, line));
                    head = Some(names);
                }
                None => {
                    return Err(HostError::Usage(format!(
                        "no column of names was found in line {line}: {}; expected one called \
                         `name` (or `first name` and `last name`) in the first line, or one name \
                         per line",
                        cut(&row.iter().collect::<Vec<_>>().join(", "), MAX_SHOWN)
                    )));
                }
            },
        }
    }
    if listed.is_empty() {
        return Err(HostError::Usage("the list has no names: write one name per line".to_owned()));
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        read(list).unwrap().into_iter().map(|listed| listed.name).collect()
    }

    #[test]
    fn a_list_has_a_name_per_line_or_is_a_table_with_a_column_of_names() {
        let both = ["Ada Lovelace", "Émile Dupont"];
        for list in [
            "Ada Lovelace\nÉmile Dupont\n",
            "\u{feff}name\r\nAda Lovelace\r\n\r\nÉmile Dupont\r\n",
            "group,Name\n1,Ada Lovelace\n2,Émile Dupont\n",
            "Full name;mail\nAda Lovelace;ada@example.org\n\"Émile Dupont\";\n",
            "mail\tname\n\tAda Lovelace\n\tÉmile Dupont\n",
        ] {
            assert_eq!(names(list), both, "{list:?}");
        }
    }

    #[test]
    fn letters_in_full_width_are_the_usual_ones_and_addresses_are_addresses() {
        let listed = read("name,number,mail\nAda,１２３,ａｄａ＠example．org\n").unwrap();
        let course = &listed[0].course;
        assert_eq!((course.number.as_str(), course.mail.as_str()), ("123", "ada@example.org"));
        for (mail, is_one) in [
            ("ada@example.org", true),
            ("ada@localhost", true),
            ("zoë@exämple.org", true),
            ("", true),
            ("notamail", false),
            ("@example.org", false),
            ("ada@", false),
            ("ada@b@c", false),
            ("ada lovelace@example.org", false),
        ] {
            let course = CourseEntry { mail: mail.to_owned(), ..CourseEntry::default() };
            assert_eq!(course.problem().is_none(), is_one, "{mail}: {:?}", course.problem());
        }
    }

    #[test]
    fn what_is_no_list_is_called_what_it_is() {
        for (bytes, why) in [
            (&b"PK\x03\x04\x14\x00"[..], "an Excel workbook"),
            (b"\xd0\xcf\x11\xe0", "an Excel workbook"),
            (b"%PDF-1.7", "a PDF"),
            (b"\xef\xbb\xbf\n<html><body>login</body></html>", "a page of the web"),
            (b"\x89PNG\x00", "no text"),
            (b"name\nAndr\xe9\n", "save it as UTF-8"),
        ] {
            let error = text_of_list(bytes.to_vec()).unwrap_err().to_string();
            assert!(error.contains(why) && error.lines().count() == 1, "{error}");
        }
        assert_eq!(text_of_list(b"name\nAda\n".to_vec()).unwrap(), "name\nAda\n");
    }

    #[test]
    fn numbers_damaged_by_a_spreadsheet_are_refused() {
        for (number, is_damaged) in [
            ("1.23457E+05", true),
            ("1,23457e+05", true),
            ("1E+11", true),
            ("=1+1", true),
            ("#REF!", true),
            ("19E0123", false),
            ("e12345", false),
            ("123456", false),
            ("CS-E+1", false),
            ("", false),
        ] {
            let course = CourseEntry { number: number.to_owned(), ..CourseEntry::default() };
            assert_eq!(course.problem().is_some(), is_damaged, "{number}: {:?}", course.problem());
        }
    }

    #[test]
    fn names_have_commas_and_quotes_and_heads_have_other_signs_in_quotes() {
        let canvas = "Student,ID,SIS Login ID,Section,\"Quiz; \"\"one\"\"; a;b;c (23)\"\n\
                      \"Lovelace, Ada, Jr.\",11,ada,T,1\n\
                      \"O'Neill \"\"Bob\"\", Seán\",12,bob,T,2\n";
        assert_eq!(names(canvas), ["Ada Lovelace, Jr.", "Seán O'Neill “Bob”"]);
        assert_eq!(unsorted("da Silva, Jr., Ana"), unsorted("da Silva, Ana, Jr."));
        assert_eq!(read(canvas).unwrap()[1].course.sorted, "O'Neill \"Bob\", Seán");
        let excel = "sep=;\r\nName;Matrikelnummer\r\n\"Müller, Jörg\";1\r\n";
        assert_eq!(names(excel), ["Müller, Jörg"]);
        assert_eq!(find_delimiter("name"), b',');
    }

    #[test]
    fn canvas_also_has_names_in_two_columns() {
        let list = "LastName,FirstName,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,\
                    Section\n    Points Possible,,,,,,,\nLovelace,Ada,11,2,ada,i7,u.edu,T\n\
                    Student,Test,12,,x,,,T\n";
        let [ada] = &read(list).unwrap()[..] else { panic!("one is a person") };
        assert_eq!(ada.name, "Ada Lovelace");
        let CourseEntry { canvas_id, number, integration_id, root_account, last, .. } = &ada.course;
        assert_eq!(
            [canvas_id, number, integration_id, root_account, last],
            ["11", "2", "i7", "u.edu", "Lovelace"]
        );
    }

    #[test]
    fn a_column_says_who_plays_for_which_team() {
        let listed = read("name,Team\nAda,Blue\nBob,\n").unwrap();
        let teams: Vec<&str> = listed.iter().map(|listed| listed.team.as_str()).collect();
        assert_eq!(teams, ["Blue", ""]);
    }

    #[test]
    fn a_list_without_names_says_what_is_missing() {
        for (list, message) in [
            ("", "no names"),
            ("name\n", "no names"),
            ("Lovelace,Ada\n", "no column of names was found in line 1: Lovelace, Ada;"),
        ] {
            let error = read(list).unwrap_err().to_string();
            assert!(error.contains(message), "{list:?}: {error}");
        }
    }

    #[test]
    fn the_exports_of_moodle_and_canvas_are_read_as_they_come() {
        let moodle = "\u{feff}\"First name\",\"Last name\",\"ID number\",\"Email address\",Groups\n\
                      Ada,Lovelace,20123456,ada@example.org,\"Group 1\"\n";
        let german = "Vorname;Nachname;Matrikelnummer;E-Mail-Adresse\n\
                      Ada;Lovelace;20123456;ada@example.org\n";
        let canvas = "Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (23)\n\
                      \"    Points Possible\",,,,,10.00\n\
                      \"Lovelace, Ada\",11,20123456,alovelace,CS 101,8.00\n\
                      \"Student, Test\",12,,abc,CS 101,\n";
        let plain = "name,id,mail\nAda Lovelace,20123456,ada@example.org\n";
        for list in [moodle, german, canvas, plain] {
            let read = read(list).unwrap();
            assert_eq!(read.len(), 1, "{list}");
            assert_eq!(read[0].name, "Ada Lovelace");
            assert_eq!(read[0].course.number, "20123456");
        }
        // Rows that are nobody, in other languages and lists.
        for list in [
            "Student,ID,SIS User ID,SIS Login ID,Section\n    Mögliche Punkte,,,,\n\
             \"Lovelace, Ada\",11,20123456,alovelace,T\n\"Test, Teilnehmer\",12,,a1b2,T\n",
            "Étudiant,ID,SIS User ID,SIS Login ID,Section\n    (read only),,,,\n\
             \"Lovelace, Ada\",11,20123456,alovelace,T\n\
             \"Quelqu'un, Un\",12,,0123456789abcdef0123456789abcdef01234567,T\n",
            "Vorname,Nachname,ID-Nummer\nMögliche Punkte,,\nAda,Lovelace,20123456\n",
            "name\n    Points Possible\nAda Lovelace\n",
        ] {
            assert_eq!(names(list), ["Ada Lovelace"], "{list}");
        }
        // A person may have such a name.
        assert_eq!(names("name,number\nMögliche Punkte,7\n"), ["Mögliche Punkte"]);
        let CourseEntry { mail, section, .. } = &read(moodle).unwrap()[0].course;
        assert_eq!((mail.as_str(), section.as_str()), ("ada@example.org", "Group 1"));
        let CourseEntry { canvas_id, login, section, .. } = &read(canvas).unwrap()[0].course;
        assert_eq!(
            (canvas_id.as_str(), login.as_str(), section.as_str()),
            ("11", "alovelace", "CS 101")
        );
    }
}
