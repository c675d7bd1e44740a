import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchInSandbox, unpackChromium } from './chromium.ts';
import { makeFolder } from './database.ts';

test.runIf(process.platform === 'linux')(
  'where user namespaces are blocked, Chromium starts without its sandbox; other failures are reported',
  async () => {
    const { program, env } = await unpackChromium();
    const blocked = join(makeFolder(), 'chromium');
    // The message that Chromium prints on such a machine.
    writeFileSync(
      blocked,
      `#!/bin/sh
case " $* " in *" --no-sandbox "*) exec '${program}' "$@" ;; esac
echo 'FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:128] No usable sandbox! If you are running on Ubuntu 23.10+' >&2
exit 1
`,
    );
    chmodSync(blocked, 0o700);
    const attempts: boolean[] = [];
    const launch = (chromiumSandbox: boolean) => {
      attempts.push(chromiumSandbox);
      return chromium.launch({ executablePath: blocked, chromiumSandbox, env: { ...process.env, ...env } });
    };
    const browser = await launchInSandbox(launch, false);
    expect([attempts, browser.isConnected()]).toEqual([[true, false], true]);
    await browser.close();
    const failing = (chromiumSandbox: boolean) =>
      chromium.launch({ executablePath: '/bin/false', chromiumSandbox });
    await expect(launchInSandbox(failing, false)).rejects.toThrow();
  },
);
