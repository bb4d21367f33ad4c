//! The calls of C, and the only file with `unsafe`: runs work without Ruby's lock, so that other threads go on and the work
//! stays interruptible; and returns the id of this process without a system call.

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

/// Runs `work` without Ruby's lock. `work` must not touch Ruby, and should return soon after one of its system calls was
/// interrupted (EINTR).
///
/// Then runs pending interrupts (Timeout, Thread#kill, trap handlers) inside `protect`. If one raises, returns that as the
/// error and drops the result of `work`. This has to precede the building of any Ruby exception: building one while a kill or a
/// throw is pending aborts the process.
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
            // An interrupt was already pending, so `work` did not run. The interrupt raised nothing, so try again.
            None => continue,
        }
    }
}

fn check_interrupts() -> Result<(), Error> {
    // SAFETY: called with the lock held; `protect` catches a raise or a throw.
    protect(|| unsafe {
        rb_thread_check_ints();
        Qnil.into()
    })
    .map(|_| ())
}

/// `RUBY_UBF_IO`: Ruby sends the thread signals until its blocking system call returns.
fn ubf_io() -> rb_unblock_function_t {
    // SAFETY: ruby/thread.h defines RUBY_UBF_IO as this bit pattern; Ruby compares it and never calls it.
    unsafe { std::mem::transmute::<isize, rb_unblock_function_t>(-1) }
}

/// Id of this process; 0 if it is not known (any more).
static PID: AtomicU32 = AtomicU32::new(0);
/// Whether the fork handler is installed, by which a child forgets its parent's id.
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

/// Id of this process. Cached, since it is asked for several times in a job, and a system call costs more than its use.
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
