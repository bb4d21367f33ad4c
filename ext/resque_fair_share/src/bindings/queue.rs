//! `Native::Queue`: one queue. Its verbs are in one file for each noun.

use fair_share_core::keys::QueueKeys;
use fair_share_core::partition_id::{encode_id, is_shortened, LANE};
use fair_share_core::queue;
use magnus::{function, prelude::*, Error, RClass, RModule, Ruby};

#[magnus::wrap(class = "Resque::FairShare::Native::Queue", free_immediately)]
pub(super) struct Queue(pub(super) queue::Queue);

impl Queue {
    fn new(prefix: String, name: String) -> Self {
        Self(queue::Queue::new(&prefix, &name))
    }

    /// Returns two keys, without namespace. At least one of them exists while the queue has fair-share state.
    fn state_keys(queue: String) -> Vec<String> {
        let keys = QueueKeys::new("", &queue);
        vec![keys.state().to_owned(), keys.partitions().to_owned()]
    }

    /// Returns the id as encoded for key names; nil is the lane of jobs without a partition.
    fn encoded(partition: Option<String>) -> String {
        match partition {
            Some(id) => encode_id(id).to_string(),
            None => LANE.to_owned(),
        }
    }

    fn is_shortened(encoded: String) -> bool {
        is_shortened(&encoded)
    }
}

pub(super) fn init(ruby: &Ruby, native: RModule) -> Result<RClass, Error> {
    let class = native.define_class("Queue", ruby.class_object())?;
    class.define_singleton_method("new", function!(Queue::new, 2))?;
    class.define_singleton_method("state_keys", function!(Queue::state_keys, 1))?;
    class.define_singleton_method("encoded", function!(Queue::encoded, 1))?;
    class.define_singleton_method("shortened?", function!(Queue::is_shortened, 1))?;
    Ok(class)
}
