import { expect, test } from 'vitest';
import { readReturnPath } from './route-access.ts';

const from = (address: string) => readReturnPath(new URLSearchParams({ from: address }));

test('readReturnPath accepts paths on this site', () => {
  expect(from('/purchase/1?a=b')).toBe('/purchase/1?a=b');
  expect(from('/blogs#money')).toBe('/blogs#money');
  expect(from('/größe')).toBe('/gr%C3%B6%C3%9Fe');
  expect(readReturnPath(new URLSearchParams())).toBe('/');
});

test('readReturnPath rejects URLs of other sites', () => {
  for (const address of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '//',
    'https://evil.example',
    'javascript:alert(1)',
    '',
  ])
    expect(from(address)).toBe('/');
});
