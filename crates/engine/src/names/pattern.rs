//! Patterns of names, as `find -name` has them.

/// Whether `name` matches `pattern`: `*` stands for any characters, `?` for one, every other
/// character for itself.
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    // The last `*`, and where the part of the name after it begins.
    let mut retry: Option<(usize, usize)> = None;
    while position < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, position));
                at += 1;
            }
            Some(&wanted) if wanted == b'?' || wanted == name[position] => {
                at += 1;
                position += 1;
            }
            _ => {
                // The `*` takes one more character.
                let Some((after, taken)) = retry else {
                    return false;
                };
                retry = Some((after, taken + 1));
                at = after;
                position = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|&character| character == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_match(pattern: &str, name: &str) -> bool {
        matches(pattern.as_bytes(), name.as_bytes())
    }

    #[test]
    fn stars_and_question_marks_stand_for_characters() {
        for (pattern, name) in [
            ("*01*", "f0.0.101"),
            ("*01*", "01"),
            ("*", ""),
            ("f?.0.1", "f3.0.1"),
            ("f*.*1", "f0.0.21"),
            ("*ab", "aab"),
            ("**", "x"),
        ] {
            assert!(is_match(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*01*", "f0.0.10"),
            ("f?", "f"),
            ("f", "ff"),
            ("", "f"),
            ("*ab", "aba"),
            ("f*0*1", "f01x"),
        ] {
            assert!(!is_match(pattern, name), "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn a_part_between_stars_is_found_anywhere(name in "[0-9.f]{0,9}", part in "[0-9.f]{0,3}") {
            prop_assert_eq!(name.contains(&part), is_match(&format!("*{part}*"), &name));
        }

        #[test]
        fn a_pattern_without_stars_is_the_name_itself(name in "[ab]{0,5}", other in "[ab]{0,5}") {
            prop_assert_eq!(name == other, is_match(&other, &name));
        }
    }
}
