import { spawn } from 'node:child_process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and forwards our signals to it, so that it never outlives us. Returns its exit code or the
 * signal that ended it. `started` gets the child process.
 */
export function runChild(command, args, options, started = () => undefined) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    started(child);
    const forward = (signal) => child.kill(signal);
    for (const signal of forwarded) process.on(signal, forward);
    const stopForwarding = () => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.once('error', (error) => {
      stopForwarding();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve({ code, signal });
    });
  });
}

/** Ends this process with the child's exit code or signal. */
export function endAs({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
}

/**
 * Ends this process when npm, its parent, has ended. npm sends signals to a shell, and many shells end without stopping
 * their child, which would still hold the port and the database.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const poll = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(poll);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  poll.unref();
}
