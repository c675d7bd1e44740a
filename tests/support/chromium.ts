import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const packed = join(modules, '@sparticuz', 'chromium');

/**
 * Unpacks the Linux Chromium of the package `@sparticuz/chromium` once, and returns its path and environment. The
 * package itself unpacks into the system's temporary folder and uses whatever it finds there: another version, another
 * user's file, or a file that another test is still writing. So this uses a folder in node_modules.
 */
export async function unpackChromium(): Promise<{ program: string; env: Record<string, string> }> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  const folder = join(modules, '.cache', `chromium-${version}`);
  if (!existsSync(folder)) await unpack(folder);
  const libraries = join(folder, 'al2023', 'lib');
  return {
    program: join(folder, 'chromium'),
    env: {
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      ...(existsSync(libraries) ? { LD_LIBRARY_PATH: libraries } : {}),
    },
  };
}

/** Errors of Chromium or Playwright where the sandbox cannot work: as root, or without unprivileged user namespaces. */
const sandboxFailure = /No usable sandbox|Running as root without --no-sandbox|Chromium sandboxing failed/;

let isReported = false;

/** Launches Chromium in its sandbox. Where the sandbox cannot work, reports that and launches Chromium without it. */
export async function launchInSandbox<T>(
  launch: (hasSandbox: boolean) => Promise<T>,
  isRoot = process.getuid?.() === 0,
): Promise<T> {
  if (isRoot) return launch(false);
  try {
    return await launch(true);
  } catch (error) {
    if (!(error instanceof Error) || !sandboxFailure.test(error.message)) throw error;
    if (!isReported)
      process.stdout.write(
        'Chromium cannot use its sandbox here, because user namespaces are blocked. The tests run it without one.\n',
      );
    isReported = true;
    return launch(false);
  }
}

async function unpack(folder: string): Promise<void> {
  mkdirSync(join(modules, '.cache'), { recursive: true });
  const unfinished = mkdtempSync(join(modules, '.cache', 'chromium-'));
  await inflateInto(unfinished, ['chromium.br', 'fonts.tar.br']);
  writeFileSync(
    join(unfinished, 'fonts.conf'),
    `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>`,
  );
  // If the machine has no NSS, use the package's.
  const { status } = spawnSync(join(unfinished, 'chromium'), ['--version']);
  if (status !== 0) await inflateInto(unfinished, ['al2023.tar.br']);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another test may have unpacked it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Inflates into `folder`: `inflate` writes to TMPDIR, which it reads when called. */
async function inflateInto(folder: string, names: string[]): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const inflated = Promise.all(names.map((name) => inflate(join(packed, 'bin', name))));
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await inflated;
}
