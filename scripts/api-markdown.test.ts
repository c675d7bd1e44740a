import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import { identityCalls } from '../contract/identity.ts';
import { describeCalls } from './api-markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/api.md'), 'utf8');

test('docs/api.md says what the contract says', () => {
  expect(page, 'run `npm run api-docs`').toBe(describeCalls());
});

test('it has a place for every call, which the list of all calls leads to', () => {
  const headings = [...page.matchAll(/^### `(\w+ \/.+)`$/gm)].map(([, call]) => call);
  const calls = Object.entries<Call>({ ...contract, ...identityCalls });
  const wanted = calls.map(([name, { method, path }]) => {
    const address = path.replace(/:(\w+)/g, '{$1}');
    return `${method} ${name === 'uploadImage' ? '' : '/api'}${address}`;
  });
  expect(headings.toSorted()).toEqual(wanted.toSorted());
  const anchors = headings.map((call = '') =>
    call
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...page.matchAll(/^\| \[.*?\]\(#([^)]+)\)/gm)].map(([, anchor]) => anchor);
  expect(links).toEqual(anchors);
});
