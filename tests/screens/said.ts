import type { Locator, Page, Request } from 'playwright-core';

/** What a field is described by, as a screen reader says it behind its label: its hint and its error. */
export function readDescription(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    const ids = element.getAttribute('aria-describedby') ?? '';
    const words = ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
    return words.join(' ');
  });
}

/** All calls that change something and leave the page from now on, as `POST /api/orders`. */
export function recordWrites(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request: Request) => {
    if (request.method() !== 'GET') calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return calls;
}

/** The text of an element, its white space made one. */
export async function readText(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').replace(/\s+/g, ' ').trim();
}
