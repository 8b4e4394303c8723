//! The text form of actions that are a number, such as a column or a cell. Other actions implement
//! `Display` and `FromStr` themselves.

/// Gives a tuple struct of one whole number its text form: the number, which is read only if it
/// lies in a range.
///
/// # Example
/// ```
/// /// A disc dropped into a column.
/// #[derive(Debug, PartialEq)]
/// struct Drop(u8);
///
/// quintain_core::number_as_text!(Drop, "column", 1..=7);
///
/// assert_eq!(Drop(3).to_string(), "3");
/// assert_eq!("3".parse(), Ok(Drop(3)));
/// assert_eq!("8".parse::<Drop>(), Err("“8” is not a column from 1 to 7".to_owned()));
/// ```
#[macro_export]
macro_rules! number_as_text {
    ($action:ident, $what:literal, $range:expr) => {
        impl ::std::fmt::Display for $action {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl ::std::str::FromStr for $action {
            type Err = ::std::string::String;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                let range = $range;
                match text.parse() {
                    Ok(number) if range.contains(&number) => Ok($action(number)),
                    _ => Err(format!(
                        "“{text}” is not a {} from {} to {}",
                        $what,
                        range.start(),
                        range.end()
                    )),
                }
            }
        }
    };
}
