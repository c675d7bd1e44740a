/**
 * Reloads the page after a rebuild. `npm run dev` adds this module to every page. It asks again and again, because the
 * production server, which also serves pages in development, has no channel for such messages.
 */
async function reloadOnChange(): Promise<void> {
  const loaded = await readBuildId();
  const timer = setInterval(async () => {
    // The server is restarting.
    const current = await readBuildId().catch(() => loaded);
    if (current === loaded) return;
    clearInterval(timer);
    location.reload();
  }, 250);
}

async function readBuildId(): Promise<string> {
  const response = await fetch('/static/build.txt', { cache: 'no-store' });
  return response.text();
}

void reloadOnChange();
