//! The only file with `unsafe`: what is asked of C. Work that runs while other Ruby threads go on, and stays
//! interruptible; and the id of this process without a system call.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use magnus::{rb_sys::protect, Error};
use rb_sys::{rb_thread_call_without_gvl2, rb_thread_check_ints, rb_unblock_function_t, Qnil};

struct Call<'a, F, R> {
    work: &'a mut F,
    result: Option<Result<R, Box<dyn Any + Send>>>,
}

/// Runs `work` without Ruby's lock. `work` must not touch Ruby, and should return soon after a system call of its was
/// interrupted (EINTR).
///
/// Afterwards pending interrupts (Timeout, Thread#kill, trap handlers) are run inside `protect`: what they raise comes back
/// as the error, and the result of `work` is dropped. That has to happen before any Ruby exception is built: building one
/// while a kill or a throw is pending aborts the process.
pub(crate) fn without_gvl<F, R>(mut work: F) -> Result<R, Error>
where
    F: FnMut() -> R,
{
    loop {
        let mut call = Call {
            work: &mut work,
            result: None,
        };
        // SAFETY: `run` gets a pointer to `call`, which outlives the call, and never unwinds. `…gvl2` does not longjmp:
        // unlike its sibling it leaves pending interrupts to us.
        unsafe {
            rb_thread_call_without_gvl2(
                Some(run::<F, R>),
                ptr::from_mut(&mut call).cast::<c_void>(),
                ubf_io(),
                ptr::null_mut(),
            );
        }
        check_interrupts()?;
        match call.result {
            Some(Ok(result)) => return Ok(result),
            Some(Err(panic)) => resume_unwind(panic),
            // An interrupt was pending already, so `work` did not run; it was harmless.
            None => continue,
        }
    }
}

fn check_interrupts() -> Result<(), Error> {
    // SAFETY: called with the lock held; a raise or a throw is caught by `protect`.
    protect(|| unsafe {
        rb_thread_check_ints();
        Qnil.into()
    })
    .map(|_| ())
}

/// `RUBY_UBF_IO`: Ruby sends the thread signals until its blocking system call returns.
fn ubf_io() -> rb_unblock_function_t {
    // SAFETY: this very bit pattern is what ruby/thread.h defines; Ruby compares it and never calls it.
    unsafe { std::mem::transmute::<isize, rb_unblock_function_t>(-1) }
}

/// Id of this process, or 0 where it is not known (any more).
static PID: AtomicU32 = AtomicU32::new(0);
/// Whether a forked child is told to forget its parent's.
static WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" {
    fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> std::ffi::c_int;
}

/// Call it once, before the first [`pid`].
pub(crate) fn watch_forks() {
    // SAFETY: the handler is a function of this library, which Ruby never unloads, and only writes an atomic.
    let status = unsafe { pthread_atfork(None, None, Some(forget_pid)) };
    WATCHED.store(status == 0, Ordering::Relaxed);
}

unsafe extern "C" fn forget_pid() {
    PID.store(0, Ordering::Relaxed);
}

/// Id of this process. Asked several times a job, and a system call each time would be dearer than what is done with it.
pub(crate) fn pid() -> u32 {
    match PID.load(Ordering::Relaxed) {
        0 => {
            let pid = process::id();
            if WATCHED.load(Ordering::Relaxed) {
                PID.store(pid, Ordering::Relaxed);
            }
            pid
        }
        known => known,
    }
}

unsafe extern "C" fn run<F, R>(data: *mut c_void) -> *mut c_void
where
    F: FnMut() -> R,
{
    // SAFETY: `data` is the `Call` of `without_gvl`, which waits for us and uses it nowhere else meanwhile.
    let call = unsafe { &mut *data.cast::<Call<'_, F, R>>() };
    // A panic must not cross the C frames between here and there.
    call.result = Some(catch_unwind(AssertUnwindSafe(|| (call.work)())));
    ptr::null_mut()
}
