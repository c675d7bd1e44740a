import { expect, test } from 'vitest';
import { readReturnPath } from './route-access.ts';

test('readReturnPath accepts paths on this site', () => {
  expect(readReturnPath('/purchase/1?a=b')).toBe('/purchase/1?a=b');
  expect(readReturnPath('/blogs#money')).toBe('/blogs#money');
  expect(readReturnPath('/größe')).toBe('/gr%C3%B6%C3%9Fe');
  expect(readReturnPath(null)).toBe('/');
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
    expect(readReturnPath(address)).toBe('/');
});
