import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPath } from '../screens/stage.ts';
import { getBrowser, openPage } from '../support/browser.ts';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { runProgram } from '../support/server.ts';
import { copyProject } from './project.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await getBrowser();
});

const openBlogs = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Blogs' }).click();

test('a page opened before an upgrade keeps working after it, and an old process serves the scripts of the new release', async () => {
  const project = copyProject();
  const DATA_DIR = makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const settings = { DATA_DIR, PORT: `${await findFreePort()}` };
  const origin = `http://localhost:${settings.PORT}`;
  const start = async () => {
    const started = runProgram(process.execPath, [project.serverPath], settings);
    await started.firstLine();
    return started;
  };
  const old = await start();
  const [blogs = expect.unreachable()] = project.manifest().pages.blogs ?? [];
  const open = await openPage(browser, origin);
  await openPath(open, '/login');
  expect((await fetch(origin + blogs.replace(/-.{8}\.js$/, '-Aa0_-234.js'))).status).toBe(404);

  project.change('web/pages/blogs.tsx', 'From the workshop', 'From the next release');
  await project.build();
  const [newBlogs = expect.unreachable()] = project.manifest().pages.blogs ?? [];
  expect(newBlogs).not.toBe(blogs);
  // The old process still serves its own pages, and the new release's scripts.
  const script = await fetch(origin + newBlogs, { headers: { 'accept-encoding': 'br' } });
  expect([script.status, script.headers.get('content-encoding')]).toEqual([200, 'br']);
  expect(await script.text()).toContain('From the next release');
  const other = await openPage(browser, origin);
  await openPath(other, '/blogs');
  expect(await other.getByText('From the workshop').isVisible()).toBe(true);

  expect(await old.kill('SIGTERM')).toMatchObject({ code: 0, err: '' });
  await start();
  const scriptResponse = open.waitForResponse(origin + blogs);
  await openBlogs(open);
  await open.getByText('From the workshop').waitFor();
  expect((await scriptResponse).status()).toBe(200);
  await openPath(open, '/blogs');
  expect(await open.getByText('From the next release').isVisible()).toBe(true);
}, 120_000);
