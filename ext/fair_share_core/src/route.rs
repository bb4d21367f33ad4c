//! The route of a job: its partition, and the arguments that tell it to a script.

use crate::partition_id::{encode_id, LANE};

/// The destination of a job: its partition or the lane.
#[derive(Debug, Clone)]
pub struct Route {
    /// Encoded id, or [`LANE`].
    pub partition: String,
    /// The configured weight of the partition, if any.
    pub weight: Option<f64>,
    /// The full id, if the encoded one is shortened.
    pub name: Option<String>,
}

impl Route {
    /// The lane of the jobs that have no partition.
    pub fn lane() -> Self {
        Self {
            partition: LANE.to_owned(),
            weight: None,
            name: None,
        }
    }

    /// The route to the partition with this id; `None`: to the lane.
    pub fn of(partition: Option<&str>, weight: Option<f64>) -> Self {
        match partition {
            Some(id) => Self::to(id, weight),
            None => Self::lane(),
        }
    }

    pub fn to(id: &str, weight: Option<f64>) -> Self {
        let encoded = encode_id(id);
        Self {
            name: encoded.is_shortened().then(|| id.to_owned()),
            partition: encoded.as_str().to_owned(),
            weight,
        }
    }

    pub(crate) fn weight_argument(&self) -> String {
        self.weight
            .map(|weight| weight.to_string())
            .unwrap_or_default()
    }

    pub(crate) fn name_argument(&self) -> &[u8] {
        self.name.as_deref().unwrap_or_default().as_bytes()
    }
}

/// A payload with its route. `None`: the element is a ticket, or no job.
pub type Routed = (Vec<u8>, Option<Route>);

/// The weights of routed payloads, as texts that a script's arguments can borrow.
pub(crate) fn weights_of(elements: &[Routed]) -> Vec<String> {
    let weight = |(_, route): &Routed| {
        route
            .as_ref()
            .map(Route::weight_argument)
            .unwrap_or_default()
    };
    elements.iter().map(weight).collect()
}

/// Appends each payload with its route.
pub(crate) fn push_routed<'a>(
    arguments: &mut Vec<&'a [u8]>,
    elements: &'a [Routed],
    weights: &'a [String],
) {
    for ((element, route), weight) in elements.iter().zip(weights) {
        arguments.push(element);
        arguments.extend(routed(route.as_ref(), weight));
    }
}

/// Encoded partition, weight, full id. A colon means no route: an encoded id may be empty, but never contains a colon.
pub(crate) fn routed<'a>(route: Option<&'a Route>, weight: &'a str) -> [&'a [u8]; 3] {
    match route {
        Some(route) => [
            route.partition.as_bytes(),
            weight.as_bytes(),
            route.name_argument(),
        ],
        None => [b":", b"", b""],
    }
}
