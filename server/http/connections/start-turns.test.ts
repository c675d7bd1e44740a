import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAcceptGate } from './accept-first.ts';
import { createStartTurns } from './start-turns.ts';

function createTurns(maxPerIteration: number, pass = (start: () => void) => start()) {
  const turns = createStartTurns({ maxPerIteration, pass });
  const started: string[] = [];
  const take = (address: string, first: number, last = first) => {
    for (let index = first; index <= last; index++)
      turns.take(
        () => address,
        () => started.push(`${address}${index}`),
      );
  };
  return { take, readStarted: () => started.splice(0).join(' ') };
}

test('eight requests start per iteration of the event loop, shared between addresses, and those of one address in order', async () => {
  const { take, readStarted } = createTurns(8);
  take('a', 1, 20);
  take('b', 1);
  expect(readStarted()).toBe('a1 a2 a3 a4 a5 a6 a7 a8');
  await setImmediate();
  expect(readStarted()).toBe('a9 a10 a11 a12 b1');
  take('b', 2, 9);
  expect(readStarted()).toBe('');
  await setImmediate();
  expect(readStarted()).toBe('a13 a14 a15 a16 b2 b3 b4 b5');
  await setImmediate();
  expect(readStarted()).toBe('a17 a18 a19 a20 b6 b7 b8 b9');
  for (const _ of [1, 2]) await setImmediate();
  take('a', 21, 29);
  expect(readStarted()).toBe('a21 a22 a23 a24 a25 a26 a27 a28');
});

test('if more addresses wait than requests may start, each starts one', async () => {
  const { take, readStarted } = createTurns(2);
  take('z', 1, 2);
  for (const address of ['a', 'b', 'c']) take(address, 1, 2);
  expect(readStarted()).toBe('z1 z2');
  await setImmediate();
  expect(readStarted()).toBe('a1 b1 c1');
  await setImmediate();
  expect(readStarted()).toBe('a2 b2 c2');
});

test('a new request starts after the waiting requests of the same address', async () => {
  const { take, readStarted } = createTurns(2);
  take('a', 1, 5);
  await setImmediate();
  take('a', 6);
  for (const _ of [1, 2, 3]) await setImmediate();
  expect(readStarted()).toBe('a1 a2 a3 a4 a5 a6');
});

test('requests that wait for their turn also wait while connections are being accepted', async () => {
  const gate = createAcceptGate();
  const { take, readStarted } = createTurns(8, gate.pass);
  take('a', 1, 9);
  expect(readStarted()).toBe('a1 a2 a3 a4 a5 a6 a7 a8');
  for (let iteration = 0; iteration < 5; iteration++) {
    gate.accept();
    await setImmediate();
    expect(readStarted()).toBe('');
  }
  for (const _ of [1, 2]) await setImmediate();
  expect(readStarted()).toBe('a9');
});
