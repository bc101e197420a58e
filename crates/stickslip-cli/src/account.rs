//! How the steps of a run came to be accepted, in words: the same after `run` and after `check`.

use serde_json::{Value, json};
use stickslip::record::Account;
use stickslip_console::time;

/// `certified 3,998 of 4,000 steps; 2 approximate, worst 3.1e-7 m/s at t = 1.2 s; 14 steps were divided`, without the first
/// word.
pub(crate) fn words(account: &Account, tolerance: f64) -> String {
    let Account {
        steps,
        approximate,
        divided,
        leaving,
        ..
    } = account;
    let mut text = if account.certified() {
        format!("every step obeys the law to {tolerance:.0e} m/s × max(1, |ν|)")
    } else {
        format!(
            "{} of {} steps; {} approximate, worst {:.1e} m/s at t = {} s",
            grouped(steps - approximate.count),
            grouped(*steps),
            grouped(approximate.count),
            approximate.worst,
            time(approximate.t)
        )
    };
    match divided {
        0 => {}
        1 => text.push_str("; 1 step was divided"),
        n => text.push_str(&format!("; {} steps were divided", grouped(*n))),
    }
    match leaving {
        0 => {}
        1 => text.push_str("; 1 step leaves overlaps that friction locks"),
        n => text.push_str(&format!(
            "; {} steps leave overlaps that friction locks",
            grouped(*n)
        )),
    }
    text
}

/// The same for programs.
pub(crate) fn json_of(account: &Account) -> Value {
    let a = &account.approximate;
    json!({
        "approximate": { "count": a.count, "worst": a.worst, "t": a.t },
        "divided": account.divided,
        "leaving": account.leaving,
    })
}

/// Digits in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::record::Approximate;

    #[test]
    fn nothing_is_called_certified_that_is_not() {
        let account = |count: u64, divided: u64| {
            let mut account = Account::default();
            account.steps = 4000;
            account.approximate = Approximate {
                count,
                worst: 3.1e-7,
                t: 1.25,
            };
            account.divided = divided;
            words(&account, 1e-8)
        };
        assert_eq!(
            account(0, 0),
            "every step obeys the law to 1e-8 m/s × max(1, |ν|)"
        );
        assert!(account(0, 1).ends_with("; 1 step was divided"));
        let mut leaving = Account::default();
        leaving.leaving = 3;
        assert!(words(&leaving, 1e-8).ends_with("; 3 steps leave overlaps that friction locks"));
        assert_eq!(
            account(2, 14),
            "3,998 of 4,000 steps; 2 approximate, worst 3.1e-7 m/s at t = 1.25 s; 14 steps were divided"
        );
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let text = [0, 12, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(text, ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
