import { expect, test } from 'vitest';
import { wayBack } from './access.ts';

const from = (address: string) => wayBack(new URLSearchParams({ from: address }));

test('after sign-in the way leads back to an address of this site', () => {
  expect(from('/purchase/1?a=b')).toBe('/purchase/1?a=b');
  expect(from('/blogs#money')).toBe('/blogs#money');
  expect(from('/größe')).toBe('/gr%C3%B6%C3%9Fe');
  expect(wayBack(new URLSearchParams())).toBe('/');
});

test('after sign-in no way leads to another site', () => {
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
