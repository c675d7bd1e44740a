import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { defaultResourceLimits } from '../../../config/resource-limits.ts';
import { createDecoder } from './decoder.ts';

const plain = sharp({ create: { width: 30, height: 20, channels: 3, background: '#8a5a12' } });
const png = await plain.clone().png().toBuffer();
const avif = await plain.clone().avif({ effort: 0 }).toBuffer();

/** The processes started by the current test. */
let children: ChildProcess[] = [];
/** How many of the first processes to stop as they start, so that their images never finish. */
let stoppedChildren = 0;

beforeEach(() => {
  children = [];
  stoppedChildren = 0;
});

function open(limits: Partial<typeof defaultResourceLimits.decoder> = {}) {
  const decoder = createDecoder({ ...defaultResourceLimits.decoder, ...limits });
  const record = (message: unknown) => {
    if (typeof message !== 'object' || !message || !('process' in message)) return;
    const child = message.process;
    if (!(child instanceof ChildProcess)) return;
    children.push(child);
    if (children.length <= stoppedChildren) child.once('spawn', () => child.kill('SIGSTOP'));
  };
  subscribe('child_process', record);
  onTestFinished(() => {
    unsubscribe('child_process', record);
    return decoder.stop();
  });
  /** Starts decoding; `outcome` is 'none yet' until `done` resolves. */
  const decode = (user: string, file: Buffer = png) => {
    const decoding = { outcome: 'none yet', done: Promise.resolve() };
    decoding.done = decoder
      .decode(user, file)
      .then(
        (webp) => `${webp.length} widths`,
        (error) => error.code,
      )
      .then((outcome) => {
        decoding.outcome = outcome;
      });
    return decoding;
  };
  return { decoder, decode };
}

async function finish(decoding: { outcome: string; done: Promise<void> }): Promise<string> {
  await decoding.done;
  return decoding.outcome;
}

test('a process decodes several images in turn, and ends when it is idle', async () => {
  const { decode } = open({ idleMs: 100 });
  expect(await finish(decode('a'))).toBe('3 widths');
  expect(await finish(decode('a', avif))).toBe('3 widths');
  expect(await finish(decode('b', Buffer.from('GIF89a')))).toBe('wrong_type');
  expect(children.length).toBeGreaterThan(0);
  const last = children.at(-1);
  if (last && last.exitCode === null && last.signalCode === null) await once(last, 'exit');
  expect(await finish(decode('a'))).toBe('3 widths');
});

test('if a process is killed while it decodes, its image is rejected as unavailable, and the next one works', async () => {
  stoppedChildren = 1;
  const { decode } = open();
  const first = decode('a');
  children[0]?.kill('SIGKILL');
  expect(await finish(first)).toBe('unavailable');
  expect(await finish(decode('a'))).toBe('3 widths');
});

test('an image that crashes the decoder is rejected', async () => {
  stoppedChildren = 1;
  const { decode } = open();
  const first = decode('a');
  children[0]?.kill('SIGABRT');
  children[0]?.kill('SIGCONT');
  expect(await finish(first)).toBe('wrong_type');
  expect(await finish(decode('a'))).toBe('3 widths');
});

test('an image that takes too long is rejected, and the next one works', async () => {
  stoppedChildren = 1;
  const { decode } = open({ timeoutMs: 200 });
  expect(await finish(decode('a'))).toBe('wrong_type');
  if (children[0]?.signalCode === null) await once(children[0], 'exit');
  expect(children[0]?.signalCode).toBe('SIGKILL');
  // With the default timeout, since the machine may be busy.
  expect(await finish(open().decode('a'))).toBe('3 widths');
});

test('an image that needs too much memory is rejected, and the next one works', async () => {
  const { decode } = open({ otherRssBytes: 130_000_000 });
  const large = sharp({ create: { width: 6000, height: 6000, channels: 4, background: '#8a5a1280' } });
  // An interlaced PNG needs all its pixels in memory before the first row is complete: 144 MB.
  const interlaced = await large.png({ progressive: true, compressionLevel: 1 }).toBuffer();
  expect(await finish(decode('a', interlaced))).toBe('too_large');
  expect(await finish(decode('a'))).toBe('3 widths');
});

test('a slow image does not delay the images of other users', async () => {
  stoppedChildren = 1;
  const { decode } = open({ sharedTimeoutMs: 60_000 });
  const slow = decode('a');
  expect(await finish(decode('b'))).toBe('3 widths');
  expect(await finish(decode('c', avif))).toBe('3 widths');
  expect(slow.outcome).toBe('none yet');
});

test('a slow image is evicted once another user waits', async () => {
  stoppedChildren = 2;
  const { decode } = open({ sharedTimeoutMs: 100 });
  const [slow, slower] = [decode('a'), decode('b')];
  expect(await finish(decode('c'))).toBe('3 widths');
  expect([slow.outcome, slower.outcome].toSorted()).toContain('unavailable');
});

test('an overdue image is not evicted for a user who already has a running image', async () => {
  stoppedChildren = 2;
  const { decode } = open({ sharedTimeoutMs: 50 });
  const decodings = [decode('a'), decode('b'), decode('b')];
  await sleep(250);
  expect(decodings.map(({ outcome }) => outcome)).toEqual(Array(3).fill('none yet'));
});

test('only the running AVIF is evicted for a waiting AVIF', async () => {
  stoppedChildren = 2;
  const { decode } = open({ sharedTimeoutMs: 50 });
  const [slow, slowAvif] = [decode('a'), decode('b', avif)];
  expect(await finish(decode('c', avif))).toBe('3 widths');
  expect([slow.outcome, slowAvif.outcome]).toEqual(['none yet', 'unavailable']);
});

test('an overdue image is evicted for another user only once its own user has used more time', async () => {
  // Time passes only here: a pause of the machine would count as time that the users of running images have used.
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { decode } = open({ sharedTimeoutMs: 50 });
  expect(await finish(decode('b'))).toBe('3 widths');
  children[0]?.kill('SIGSTOP');
  const first = decode('c');
  vi.advanceTimersByTime(1000);
  children[0]?.kill('SIGCONT');
  expect(await finish(first)).toBe('3 widths');
  children[0]?.kill('SIGSTOP');
  stoppedChildren = 2;
  const slow = [decode('a'), decode('d')];
  const waiting = decode('c');
  await vi.advanceTimersByTimeAsync(300);
  expect(slow.map(({ outcome }) => outcome)).toEqual(['none yet', 'none yet']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await finish(waiting)).toBe('3 widths');
  expect(slow.map(({ outcome }) => outcome).toSorted()).toEqual(['none yet', 'unavailable']);
});

test('a small file goes before large ones of users who have used about as much time', async () => {
  stoppedChildren = 1;
  const { decode } = open({ sharedTimeoutMs: 60_000 });
  decode('x');
  expect(await finish(decode('small'))).toBe('3 widths');
  children[1]?.kill('SIGSTOP');
  const blocking = decode('y');
  const large = Buffer.concat([png, Buffer.alloc(1000)]);
  const order: string[] = [];
  const recordOrder = (user: string, file: Buffer) => decode(user, file).done.then(() => order.push(user));
  const waiting = [...['a', 'b', 'c'].map((user) => recordOrder(user, large)), recordOrder('small', png)];
  children[1]?.kill('SIGCONT');
  expect(await finish(blocking)).toBe('3 widths');
  await Promise.all(waiting);
  expect(order).toEqual(['small', 'a', 'b', 'c']);
});

test('one image per user, and one AVIF in all, is decoded at a time', async () => {
  stoppedChildren = 1;
  const { decode } = open({ sharedTimeoutMs: 60_000 });
  const first = decode('a', avif);
  const ownSecond = decode('a');
  const otherAvif = decode('b', avif);
  expect(await finish(decode('c'))).toBe('3 widths');
  expect([first, ownSecond, otherAvif].map(({ outcome }) => outcome)).toEqual(Array(3).fill('none yet'));
  children[0]?.kill('SIGKILL');
  expect(await finish(first)).toBe('unavailable');
  expect([await finish(ownSecond), await finish(otherAvif)]).toEqual(['3 widths', '3 widths']);
});

test('users who have used less time go first, even if the decoder was idle in between', async () => {
  const { decode } = open({ sharedTimeoutMs: 60_000 });
  expect(await finish(decode('a'))).toBe('3 widths');
  children[0]?.kill('SIGSTOP');
  stoppedChildren = 2;
  decode('x');
  const blocking = decode('y');
  await sleep(50);
  const order: string[] = [];
  const waiting = ['a', 'b'].map((user) => decode(user).done.then(() => order.push(user)));
  children[1]?.kill('SIGCONT');
  expect(await finish(blocking)).toBe('3 widths');
  await Promise.all(waiting);
  expect(order).toEqual(['b', 'a']);
});

test('a waiting image can be cancelled, one that is being decoded cannot', async () => {
  const { decoder, decode } = open();
  const cancels: (((error: Error) => void) | undefined)[] = [];
  const running = decoder.decode('a', png, (cancel) => cancels.push(cancel));
  expect(cancels).toEqual([expect.any(Function), undefined]);
  const waiting = decoder.decode('a', png, (cancel) => cancels.push(cancel));
  cancels[2]?.(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  expect(await running).toHaveLength(3);
  expect(await finish(decode('a'))).toBe('3 widths');
  expect(cancels).toHaveLength(3);
});

test('stopping the decoder ends its processes and rejects their images', async () => {
  stoppedChildren = 1;
  const { decoder, decode } = open();
  const [working, waiting] = [decode('a'), decode('a')];
  await decoder.stop();
  expect([await finish(working), await finish(waiting), await finish(decode('a'))]).toEqual(
    Array(3).fill('unavailable'),
  );
  expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL']);
});
