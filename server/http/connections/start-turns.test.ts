import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAcceptGate } from './accept-first.ts';
import { createStartTurns } from './start-turns.ts';

test('an address starts eight requests per iteration of the event loop, in order; another address starts its own at once', async () => {
  const turns = createStartTurns({ maxAtOnce: 0, maxPerAddress: 8, pass: (start) => start() });
  const started: string[] = [];
  const take = (address: string, count: number) => {
    for (let at = 1; at <= count; at++)
      turns.take(
        () => address,
        () => started.push(`${address}${at}`),
      );
  };
  const list = (address: string, first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => `${address}${first + at}`);
  take('a', 20);
  take('b', 1);
  expect(started.splice(0)).toEqual([...list('a', 1, 8), 'b1']);
  await setImmediate();
  expect(started.splice(0)).toEqual(list('a', 9, 16));
  take('b', 9);
  expect(started.splice(0)).toEqual(list('b', 1, 8));
  await setImmediate();
  expect(started.splice(0)).toEqual([...list('a', 17, 20), 'b9']);
  for (const _ of [1, 2]) await setImmediate();
  take('a', 9);
  expect(started).toEqual(list('a', 1, 8));
});

test('the first requests start at once, whatever their address', async () => {
  const turns = createStartTurns({ maxAtOnce: 3, maxPerAddress: 2, pass: (start) => start() });
  let started = 0;
  for (let at = 0; at < 8; at++)
    turns.take(
      () => 'a',
      () => {
        started += 1;
      },
    );
  expect(started).toBe(5);
  await setImmediate();
  expect(started).toBe(7);
  await setImmediate();
  expect(started).toBe(8);
});

test('a new request starts after those of its address that wait', async () => {
  const turns = createStartTurns({ maxAtOnce: 2, maxPerAddress: 1, pass: (start) => start() });
  const started: number[] = [];
  const take = (number: number) =>
    turns.take(
      () => 'a',
      () => started.push(number),
    );
  for (const number of [1, 2, 3, 4, 5]) take(number);
  await setImmediate();
  take(6);
  for (const _ of [1, 2, 3]) await setImmediate();
  expect(started).toEqual([1, 2, 3, 4, 5, 6]);
});

test('requests that wait for their turn also wait while connections are being accepted', async () => {
  const gate = createAcceptGate();
  const turns = createStartTurns({ maxAtOnce: 0, maxPerAddress: 8, pass: gate.pass });
  let started = 0;
  for (let at = 0; at < 9; at++)
    turns.take(
      () => 'a',
      () => {
        started += 1;
      },
    );
  for (let iteration = 0; iteration < 5; iteration++) {
    gate.accept();
    await setImmediate();
    expect(started).toBe(8);
  }
  for (const _ of [1, 2]) await setImmediate();
  expect(started).toBe(9);
});
