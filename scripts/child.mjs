import { spawn } from 'node:child_process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and hands our own signals on to it, so that it never outlives us.
 * Gives its exit code, or the signal that ended it.
 */
export function runChild(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const forward = (signal) => child.kill(signal);
    for (const signal of forwarded) process.on(signal, forward);
    const done = () => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      done();
      resolve({ code, signal });
    });
  });
}

/** Ends this process as the child ended. */
export function endAs({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
}

/**
 * Ends a command when npm, which started it, has gone: npm hands signals to a shell, and many a shell just
 * ends and leaves its child running, with the port and the database still taken.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  look.unref();
}
