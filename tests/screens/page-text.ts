import type { Locator, Page, Request } from 'playwright-core';

/** The hint and error of a field, as a screen reader reads them after its label. */
export function readDescription(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    const ids = element.getAttribute('aria-describedby') ?? '';
    const words = ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
    return words.join(' ');
  });
}

/** Records every request of the page from now on, except GET, such as `POST /api/orders`. */
export function recordWrites(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request: Request) => {
    if (request.method() !== 'GET') calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return calls;
}

/** The text of an element, with white space collapsed. */
export async function readText(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').replace(/\s+/g, ' ').trim();
}
