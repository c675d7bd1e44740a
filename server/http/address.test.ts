import { expect, test } from 'vitest';
import { createAddressReader } from './origin.ts';

const read = createAddressReader(['10.0.0.0/8', '::1']);
const from = (socket: string, forwarded?: string) =>
  read(socket, new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }));

test('the client address is the last one in X-Forwarded-For that is not a trusted proxy', () => {
  expect(from('203.0.113.9', '198.51.100.7')).toBe('203.0.113.9');
  expect(from('10.0.0.2', '1.1.1.1, 198.51.100.7')).toBe('198.51.100.7');
  expect(from('10.0.0.2', '1.1.1.1, 198.51.100.7, 10.9.9.9')).toBe('198.51.100.7');
  expect(from('::ffff:10.0.0.2', '198.51.100.7:4711')).toBe('198.51.100.7');
  expect(from('::1')).toBe('0:0:0:0::/64');
});

test('all addresses of one IPv6 subscriber count as one', () => {
  const one = from('10.0.0.2', '[2001:db8:0:1::5]:443');
  expect(one).toBe('2001:db8:0:1::/64');
  expect(from('2001:db8:0:1:aaaa:bbbb:cccc:dddd')).toBe(one);
  expect(from('2001:db8:0:2::5')).not.toBe(one);
});

// How dual-stack sockets and proxies write IPv4 addresses. Read as IPv6, they would all share one /64 and its limits.
test.each([
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:4711', '203.0.113.9'],
  ['::ffff:c000:0201', '192.0.2.1'],
])('the IPv4-mapped address %s counts as IPv4 at every hop', (mapped, address) => {
  expect(from('10.0.0.2', mapped)).toBe(address);
  expect(from('10.0.0.2', `1.1.1.1, ${mapped}, ::ffff:10.9.9.9, ::ffff:0a09:0909`)).toBe(address);
  if (!mapped.startsWith('[')) expect(from(mapped, '1.1.1.1')).toBe(address);
});

test('all spellings of an IPv6 address count as one', () => {
  const one = from('2001:db8:0:1::5');
  expect(from('2001:0DB8:0000:0001:0000::0005')).toBe(one);
  expect(from('10.0.0.2', '2001:db8::1:0:0:0:5%eth0')).toBe(one);
});
