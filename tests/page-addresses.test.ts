import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as table from '../contract/page-addresses.ts';
import { routes } from '../web/all-routes.ts';
import { listPagePaths } from './support/page-paths.ts';

const addresses = Object.values<string>(table);

/** The names of identity calls, which are relative to `/api/auth`. */
const identityCalls: Record<string, RegExp> = {
  web: /callIdentity\('[^']+'/g,
  'server/identity': /'\/(sign-out|reset-password)'/g,
};

test('no page’s address is spelled out outside contract/page-addresses.ts', () => {
  const spelled = addresses.filter((address) => address !== '/').join('|');
  // An address at the start of a string or attribute, after a colon, or after an expression in a template.
  const literal = new RegExp(`(?<=['"\`}=]|: )(${spelled})(?=['"\`?#/&$\\s])`, 'g');
  const homeLink = /(to|href)="\/["?#]|(navigate|redirect)\('\/['?#]|['`]\/[?#]/g;
  const found = globSync('{web,server}/**/*.{ts,tsx}')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => {
      let code = readFileSync(file, 'utf8').replace(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
      for (const [folder, calls] of Object.entries(identityCalls))
        if (file.startsWith(`${folder}/`)) code = code.replace(calls, '');
      return [...code.matchAll(literal), ...code.matchAll(homeLink)].map(([text]) => `${file}: ${text}`);
    });
  expect(found).toEqual([]);
});

test('the table has the address of every page, and no other', () => {
  const pages = listPagePaths(routes).filter((path) => path !== '/*' && path !== '*');
  const withoutIds = pages.map((path) => path.replace(/\/:\w+(\/stock)?$/, ''));
  expect([...new Set(withoutIds)].sort()).toEqual(addresses.sort());
});
