//! Writes floats as Ruby's `Float#to_s` does.

/// The text of `value` by Ruby's `Float#to_s`: `1.0`, `1.0e-07`, `1.0e+16`.
///
/// The partition that Rust reads from a payload has to be the one that Ruby finds.
pub(crate) fn ruby_float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = shortest(value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.replace('.', "");
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match exponent {
        -4..=-1 => {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            format!("{sign}0.{zeros}{digits}")
        }
        // Ruby gives a whole number of sixteen digits an exponent, but not sixteen digits with a fraction.
        0..=15 if exponent < 15 || digits.len() > 16 => {
            let whole_digits = exponent as usize + 1;
            let padded = format!("{digits:0<width$}", width = whole_digits + 1);
            let (whole, fraction) = padded.split_at(whole_digits);
            format!("{sign}{whole}.{fraction}")
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let rest = if rest.is_empty() { "0" } else { rest };
            format!("{sign}{first}.{rest}e{exponent:+03}")
        }
    }
}

/// The shortest digits that read back as `value`. If two such texts are equally near, Rust chooses the upper and Ruby the even
/// one. When Rust is told how many digits to write, it chooses the even one, too.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let mantissa = shortest.split('e').next().unwrap_or_default();
    let decimals = mantissa.len().saturating_sub(2);
    let even = format!("{value:.decimals$e}");
    if even.parse() == Ok(value) {
        even
    } else {
        shortest
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::ruby_float;
    use proptest::prelude::*;

    // Each right-hand side is what Ruby 3.1 prints.
    #[allow(clippy::excessive_precision)] // Ties need all their digits.
    const AS_RUBY_PRINTS: &[(f64, &str)] = &[
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00012345, "0.00012345"),
        (0.00001, "1.0e-05"),
        (0.000012345, "1.2345e-05"),
        (1e-7, "1.0e-07"),
        (1e-10, "1.0e-10"),
        (12.0, "12.0"),
        (123.456, "123.456"),
        (100000.0, "100000.0"),
        (1234567890123456.0, "1.234567890123456e+15"),
        (1e14, "100000000000000.0"),
        (1e15, "1.0e+15"),
        (1000000000000000.5, "1000000000000000.5"),
        (1835606956519855.25, "1835606956519855.2"),
        (1835606956519855.75, "1835606956519855.8"),
        (5.684341886080802e-14, "5.684341886080802e-14"),
        (123456789012345.6, "123456789012345.6"),
        (9999999999999998.0, "9.999999999999998e+15"),
        (1e16, "1.0e+16"),
        (-1e16, "-1.0e+16"),
        (12345678901234568.0, "1.2345678901234568e+16"),
        (1e20, "1.0e+20"),
        (1e22, "1.0e+22"),
        (1e23, "1.0e+23"),
        (9007199254740992.0, "9.007199254740992e+15"),
        (5e-324, "5.0e-324"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (f64::MAX, "1.7976931348623157e+308"),
        (1e100, "1.0e+100"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (f64::NAN, "NaN"),
    ];

    #[test]
    fn prints_floats_as_ruby_does() {
        for (value, printed) in AS_RUBY_PRINTS {
            assert_eq!(&ruby_float(*value), printed);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same_double(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(ruby_float(value).parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
