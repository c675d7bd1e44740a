import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAcceptGate } from './accept-first.ts';

/** Blocks for as long as one iteration of the event loop that reads the requests of a thousand connections. */
function occupyEventLoop(): void {
  const end = performance.now() + 30;
  while (performance.now() < end);
}

test('requests wait while many connections are accepted, even if reading requests takes long', async () => {
  const gate = createAcceptGate();
  let started = false;
  gate.accept();
  gate.pass(() => {
    started = true;
  });
  occupyEventLoop();
  for (let connection = 2; connection <= 99; connection++) {
    await setImmediate();
    expect([connection, started]).toEqual([connection, false]);
    gate.accept();
  }
  await setImmediate();
  gate.accept();
  await setImmediate();
  expect(started).toBe(true);
});

test('requests start when an iteration of the event loop has accepted no connection', async () => {
  const gate = createAcceptGate();
  const started: number[] = [];
  gate.pass(() => started.push(1));
  expect(started).toEqual([1]);
  gate.accept();
  gate.pass(() => started.push(2));
  gate.pass(() => started.push(3));
  await setImmediate();
  expect(started).toEqual([1]);
  await setImmediate();
  expect(started).toEqual([1, 2, 3]);
});
